"""The table of items lists those that a number of another page counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from db.engine import Store
from db.tables import ImportedRatingRow
from domain.errors import NotAllowedError
from domain.item_filter import ItemFilter, ItemList
from domain.records import Person
from domain.roles import Role
from domain.states import Items, ItemState, Stage
from testkit import factories
from testkit.factories import claimed, make_items, make_people, make_person, make_project, make_schema, vote
from tests.workflow.test_counted_items import DROPPED, KEPT, OPEN, project_with_verdicts
from tests.workflow.test_report_first import here, rated
from workflow.annotate import submissions
from workflow.lead import item_list
from workflow.lead.item_list import ItemPage

__all__ = ["here"]  # a fixture


def _listed(store: Store, person: Person, **wanted: Any) -> ItemPage:
    """Someone's table with these filters."""
    return item_list.listing(store, person=person, project="p", asked=ItemList(ItemFilter(**wanted)))


def _found(store: Store, person: Person, **wanted: Any) -> int:
    """How many items someone's table has."""
    return _listed(store, person, **wanted).n


def test_the_items_behind_a_number_are_those_that_it_counted(store: Store) -> None:
    by = project_with_verdicts(store)
    lea = factories.make_person(store, "lea", role=Role.LEAD)
    with store.write() as session:
        for row in session.exec(select(ImportedRatingRow)).all():  # k says 1 of all: it differs where j says 0
            session.add(ImportedRatingRow(**{**row.model_dump(exclude={"id"}), "rater": "k", "value": 1.0}))
    behind: dict[str, Any] = {"differ_in": Stage.GRADING, "raters": ("j", "k")}
    assert _found(store, lea, **behind) == _found(store, lea, **behind, items=Items.KEPT) == 0
    assert _found(store, lea, **behind, items=Items.ALL) == DROPPED + OPEN
    assert _found(store, lea, items=Items.KEPT) == len(by["kept"]) == KEPT


def test_only_leads_list_items_by_the_answers_of_raters(store: Store) -> None:
    make_project(store)
    sue = make_person(store, "sue", role=Role.SENIOR)
    with pytest.raises(NotAllowedError, match="lead"):
        _found(store, sue, differ_in=Stage.VERIFICATION, raters=("ann", "bob"))


@pytest.mark.thorough
def test_a_group_of_dimensions_leads_to_its_items(here: Store, tmp_path: Path) -> None:
    rated(here, "p", {}, tmp_path)
    lead = make_person(here, "lea", role=Role.LEAD)
    for group, n in (("Looks", 6), ("Forms", 2)):
        assert _found(here, lead, group=group) == n


def test_items_are_found_by_disagreement(store: Store) -> None:
    make_project(store, loaded=make_schema())
    make_items(store, 2)
    make_items(store, 1, dimension="shape")
    ann, ben = make_people(store, "ann", "ben", dimensions=["colour"])
    lea = make_person(store, "lea", role=Role.LEAD)
    first = vote(store, ann, "red")
    vote(store, ann, "red")
    for _ in range(2):
        view = claimed(store, ben)
        choice = "blue" if view.item == first.item else "red"
        submissions.submit(store, person=ben, task=view.id, key=view.id, values={"choice": choice})

    assert len(_listed(store, lea).lines) == 3
    (differing,) = _listed(store, lea, differ_in=Stage.VERIFICATION).lines
    assert differing.item == first.item


def test_a_search_tells_no_one_what_was_said_of_an_item_that_they_are_asked_about_blind(store: Store) -> None:
    """Two have voted on both items, alike on one and not on the other; seniors hold both, or have still to get them."""
    make_project(store, loaded=make_schema(raters=3))
    make_items(store, 2)
    ann, ben = make_people(store, "ann", "ben")
    sam, tim = (make_person(store, login, role=Role.SENIOR) for login in ("sam", "tim"))
    lea = make_person(store, "lea", role=Role.LEAD)
    alike = vote(store, ann, "red").item
    vote(store, ann, "red")
    for _ in range(2):
        view = claimed(store, ben)
        submissions.submit(
            store, person=ben, task=view.id, key=view.id, values={"choice": "red" if view.item == alike else "blue"}
        )
    claimed(store, sam)

    def found(person: Person, **wanted: Any) -> list[tuple[int, int]]:
        searched = (_listed(store, person, text=f"colour/{n}", **wanted) for n in range(2))
        return [(each.n, len(each.lines)) for each in searched]

    for senior in (sam, tim):
        for wanted in ({}, {"differ_in": Stage.VERIFICATION}, {"state": (ItemState.IN_VERIFICATION,)}):
            assert found(senior, **wanted) == [(0, 0)] * 2, wanted
        assert _listed(store, senior).counts.hidden == 2
    assert sorted(found(lea, differ_in=Stage.VERIFICATION)) == [(0, 0), (1, 1)]
