"""Adjudication reasons and skips as leads read them: the items behind a reason, and both files."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import pytest

from db.engine import Store
from domain.errors import NotAllowedError, NotFoundError
from domain.records import Person
from domain.roles import Role
from domain.states import Stage
from extensions.adjudication_reasons import closing, reason_lists
from extensions.adjudication_reasons import reasons as adjudication_reasons
from extensions.adjudication_reasons.tests.test_closing import answered_by_a_new_guideline
from testkit.factories import claimed, make_items, make_people, make_person, make_project, vote
from tests.app.screens import drawn, words
from workflow.annotate import submissions


def settle(store: Store, senior: Person, cause: str = "wrong_key", note: str = "") -> None:
    """Reject the next contested item."""
    view = claimed(store, senior, Stage.ADJUDICATION)
    values = {"decision": "reject", "cause": cause}
    submissions.submit(store, person=senior, task=view.id, key=view.id, values=values, note=note)


def contest(store: Store, people: list[Person], n: int, dimension: str = "colour") -> None:
    """Add items on which the two people differ."""
    make_items(store, n, dimension=dimension)
    for person, choice in zip(people, ("red", "blue"), strict=True):
        for _ in range(n):
            vote(store, person, choice, dimension=dimension)


@pytest.mark.both_databases
def test_the_items_behind_a_reason_and_the_file_of_all_decisions(store: Store) -> None:
    make_project(store)
    people = make_people(store, "ann", "bob")
    sue = make_person(store, "sue", role=Role.SENIOR)
    contest(store, people, 3)
    contest(store, people, 1, "shape")
    for _ in range(4):
        settle(store, sue, note="See the handle.")
    seen = reason_lists.contested(store, by=None, project="p", item="colour/1", revision=1)
    assert [vote.values["choice"] for vote in sorted(seen.votes, key=lambda vote: str(vote.values))] == ["blue", "red"]
    assert (seen.decision, seen.reason, seen.note) == ("reject", "wrong_key", "See the handle.")
    answered_by_a_new_guideline(store, [("wrong_key", "colour")])
    closing.answer(store, by=None, project="p", reason="wrong_key", dimension="shape", why="A slip of the pen.")
    contest(store, people, 1)
    settle(store, sue)
    lines = adjudication_reasons.reasons(store, by=None, project="p")
    rows = list(csv.DictReader(io.StringIO(reason_lists.reasons_csv(lines))))
    assert [(row["dimension"], row["state"], row["answered_by"]) for row in rows] == [
        *[("colour", "done", "2")] * 3,
        ("colour", "open", ""),
        ("shape", "done", "2"),
    ]
    with pytest.raises(NotFoundError):
        reason_lists.contested(store, by=None, project="p", item="colour/9", revision=1)


def test_only_leads_see_an_item_behind_a_reason(store: Store) -> None:
    make_project(store)
    for role in (Role.ANNOTATOR, Role.SENIOR):
        person = make_person(store, role.value, role=role)
        with pytest.raises(NotAllowedError):
            reason_lists.contested(store, by=person, project="p", item="colour/0", revision=1)


def test_an_empty_section_says_where_reasons_come_from_and_is_shown_to_who_asks(store: Store, home: Path) -> None:
    make_project(store)
    make_person(store, "lea", role=Role.LEAD)
    sentence = "When a senior annotator settles an item, the reason appears in this list."
    assert sentence in words(drawn(store, home, "agreement", "lea", project="p", section="adjudication_reasons"))
    assert sentence not in words(drawn(store, home, "agreement", "lea", project="p"))


@pytest.mark.both_databases
def test_why_people_skipped_adds_up_too(store: Store) -> None:
    make_project(store)
    ann, bob = make_people(store, "ann", "bob")
    senior = make_person(store, "sue", role=Role.SENIOR)
    make_items(store, 3)
    for person in (ann, bob):
        for _ in range(2):
            vote(store, person, None)
    view = submissions.undo(store, person=bob, project="p", stage=Stage.VERIFICATION)
    submissions.submit(store, person=bob, task=view.id, key="again", values={"choice": "red"})
    with pytest.raises(NotAllowedError):
        reason_lists.skips(store, by=senior, project="p")
    (line,) = reason_lists.skips(store, by=None, project="p")
    assert (line.criterion, line.reason, line.label, line.dimension) == ("choice", "unclear", "Unclear", "colour")
    assert len(line.items) == 3, "four skips, one of them taken back"
    rows = list(csv.DictReader(io.StringIO(reason_lists.skips_csv([line]))))
    assert Counter(row["item"] for row in rows) == Counter(line.items)
