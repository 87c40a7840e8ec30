"""All versions of the guideline, and what refuses a new one."""

from __future__ import annotations

import pytest

from db.engine import Store
from domain.errors import ConflictError, InvalidInputError, NotAllowedError, NotFoundError
from domain.roles import Role
from extensions.guideline import versions
from testkit.factories import make_items, make_people, make_person, make_project, vote
from testkit.missing_extensions import needs
from workflow.files.project_check import check

FIRST, SECOND = "Be exact.", "Be exact.\nName the colour of the largest part."


def put(store: Store, text: str = SECOND, why: str = "The largest part counts.", **more: object) -> int:
    return versions.publish_version(store, by=None, project="p", text=text, why=why, **more).number  # type: ignore[arg-type]


@pytest.mark.both_databases
def test_each_version_counts_what_was_submitted_under_it(store: Store) -> None:
    make_project(store)
    make_items(store, 2)
    (ann,) = make_people(store, "ann")
    vote(store, ann)
    assert put(store) == 2
    vote(store, ann)
    first, second = versions.versions(store, by=None, project="p")
    assert (first.number, first.text, first.submissions) == (1, FIRST, {"verification": 1})
    assert (second.number, second.text, second.submissions) == (2, SECOND, {"verification": 1})
    assert second.why == "The largest part counts."
    assert versions.show(store, by=None, project="p").text == SECOND
    assert versions.show(store, by=None, project="p", number=1).text == FIRST
    with pytest.raises(NotFoundError, match="1 to 2"):
        versions.show(store, by=None, project="p", number=3)
    assert check(store) == []


def test_old_words_come_back_under_their_old_number(store: Store) -> None:
    make_project(store)
    make_items(store)
    assert [put(store), put(store, FIRST, "Back again."), put(store, "Other.", "Other.")] == [2, 1, 3]


def test_two_leads_do_not_write_over_each_other(store: Store) -> None:
    make_project(store)
    put(store, based_on=1)
    with pytest.raises(ConflictError, match="Version 2 was published"):
        put(store, "Mine.", "Mine.", based_on=1)
    assert put(store, "Mine.", "Mine.", based_on=2) == 3


@pytest.mark.parametrize(
    ("text", "why"),
    [(FIRST, "Nothing."), ("", "Emptied."), (" \n", "Emptied."), (SECOND, ""), (SECOND, " "), ("x" * 300_000, "Long.")],
)
def test_a_version_that_does_not_fit_is_refused(store: Store, text: str, why: str) -> None:
    make_project(store)
    with pytest.raises(InvalidInputError):
        put(store, text, why)
    assert len(versions.versions(store, by=None, project="p")) == 1


def test_only_leads_change_it(store: Store) -> None:
    make_project(store)
    for role in (Role.ANNOTATOR, Role.SENIOR):
        person = make_person(store, role.value, role=role)
        with pytest.raises(NotAllowedError):
            versions.publish_version(store, by=person, project="p", text=SECOND, why="Mine.")
        with pytest.raises(NotAllowedError):
            versions.versions(store, by=person, project="p")


@needs("commands", "reasons")
def test_a_version_that_answers_no_open_decision_is_refused(store: Store) -> None:
    make_project(store)
    with pytest.raises(InvalidInputError, match="No open decision"):
        put(store, answers=[("wrong_key", "shape")])
    assert len(versions.versions(store, by=None, project="p")) == 1, "nothing is half done"
