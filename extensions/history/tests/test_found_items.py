"""A list of items holds those that a number of another page counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from db.engine import Store
from db.tables import ImportedRatingRow
from domain.errors import NotAllowedError
from domain.item_filter import AnswerFilter
from domain.roles import Role
from domain.states import Items, Stage
from extensions.history import item_history
from testkit import factories
from testkit.factories import make_person, make_project
from tests.workflow.test_counted_items import DROPPED, KEPT, OPEN, project_with_verdicts
from tests.workflow.test_report_first import here, rated

__all__ = ["here"]  # a fixture


def test_the_items_behind_a_number_are_those_that_it_counted(store: Store) -> None:
    by = project_with_verdicts(store)
    lea = factories.make_person(store, "lea", role=Role.LEAD)
    with store.write() as session:
        for row in session.exec(select(ImportedRatingRow)).all():  # k says 1 of all: it differs where j says 0
            session.add(ImportedRatingRow(**{**row.model_dump(exclude={"id"}), "rater": "k", "value": 1.0}))
    behind: dict[str, Any] = {
        "person": lea,
        "project": "p",
        "differ": Stage.GRADING,
        "said": AnswerFilter(["j", "k"]),
    }
    assert item_history.find(store, **behind).n == item_history.find(store, **behind, among=Items.KEPT).n == 0
    assert item_history.find(store, **behind, among=Items.ALL).n == DROPPED + OPEN
    assert item_history.find(store, person=lea, project="p", among="kept").n == len(by["kept"]) == KEPT


def test_only_leads_list_items_by_the_answers_of_raters(store: Store) -> None:
    make_project(store)
    asked = AnswerFilter(["ann", "bob"])
    sue = make_person(store, "sue", role=Role.SENIOR)
    with pytest.raises(NotAllowedError, match="lead"):
        item_history.find(store, person=sue, project="p", differ=Stage.VERIFICATION, said=asked)


@pytest.mark.thorough
def test_a_group_of_dimensions_leads_to_its_items(here: Store, tmp_path: Path) -> None:
    rated(here, "p", {}, tmp_path)
    lead = make_person(here, "lea", role=Role.LEAD)
    for group, n in (("Looks", 6), ("Forms", 2)):
        assert item_history.find(here, person=lead, project="p", group=group).n == n
