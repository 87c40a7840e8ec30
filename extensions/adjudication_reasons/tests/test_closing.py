"""The reasons of seniors' decisions add up, and guidelines and leads answer them."""

from __future__ import annotations

import pytest

from db import guidelines
from db.engine import Store
from domain.errors import InvalidInputError, NotAllowedError
from domain.records import Person
from domain.roles import Role
from domain.states import Stage
from extensions.adjudication_reasons import reasons as adjudication_reasons
from extensions.adjudication_reasons.closing import answer, close
from testkit.factories import claimed, make_items, make_people, make_person, make_project, vote
from testkit.guidelines import new_guideline
from workflow.access.projects import access_to
from workflow.annotate import submissions
from workflow.files.project_check import check


def answered_by_a_new_guideline(store: Store, answers: list[tuple[str, str]]) -> int:
    """As the extension Guideline does it: the number of decisions that the new version answers."""
    new_guideline(store, project="p", text="Be kind.", why="So.")
    with store.write() as session:
        access = access_to(session, person=None, project="p")
        (version,) = [row for row, _ in guidelines.of_project(session, project_id=access.project_id) if row.number == 2]
        return close(session, access, version.id, answers, by=None, why="", now=store.now())


def settle(store: Store, senior: Person, cause: str = "wrong_key", note: str = "") -> str:
    """The next contested item is rejected; its question."""
    view = claimed(store, senior, Stage.ADJUDICATION)
    values = {"decision": "reject", "cause": cause}
    submissions.submit(store, person=senior, task=view.id, key=view.id, values=values, note=note)
    return str(view.fields["question"])


def contested(store: Store, n: int, dimension: str = "colour") -> None:
    make_items(store, n, dimension=dimension)
    for login, choice in (("ann", "red"), ("bob", "blue")):
        person = Person(id=LOGINS[login], login=login, name=login)
        for _ in range(n):
            vote(store, person, choice, dimension=dimension)


LOGINS: dict[str, int] = {}


@pytest.fixture
def senior(store: Store) -> Person:
    """A project with two voters and a senior."""
    make_project(store)
    for person in make_people(store, "ann", "bob"):
        LOGINS[person.login] = person.id
    return make_person(store, "sue", role=Role.SENIOR)


@pytest.mark.thorough
@pytest.mark.both_databases
def test_causes_add_up_and_are_answered(store: Store, senior: Person) -> None:
    contested(store, 3)
    contested(store, 1, "shape")
    for _ in range(4):
        settle(store, senior, note="See the handle.")
    lines = adjudication_reasons.reasons(store, by=None, project="p")
    assert [(line.reason, line.label, line.dimension, line.open) for line in lines] == [
        ("wrong_key", "Wrong key", "colour", 3),
        ("wrong_key", "Wrong key", "shape", 1),
    ]
    assert {case.item for case in lines[0].cases} == {"colour/0", "colour/1", "colour/2"}
    assert {case.note for line in lines for case in line.cases} == {"See the handle."}

    assert answered_by_a_new_guideline(store, [("wrong_key", "colour")]) == 3
    assert answer(store, by=None, project="p", reason="wrong_key", dimension="shape", why="A slip of the pen.") == 1
    contested(store, 1)
    settle(store, senior)
    colour, shape = adjudication_reasons.reasons(store, by=None, project="p")
    assert (colour.dimension, colour.open, len(colour.cases)) == ("colour", 1, 4)
    assert [case.answered_by for case in colour.cases] == [2, 2, 2, None]
    assert [case.guideline for case in colour.cases] == [1, 1, 1, 2]
    assert [(case.answered_by, case.answer) for case in shape.cases] == [(2, "A slip of the pen.")]
    with pytest.raises(InvalidInputError, match="No open decision"):
        answer(store, by=None, project="p", reason="wrong_key", dimension="shape", why="Again.")
    assert check(store) == []


def test_only_leads_see_and_close_reasons(store: Store) -> None:
    make_project(store)
    for role in (Role.ANNOTATOR, Role.SENIOR):
        person = make_person(store, role.value, role=role)
        with pytest.raises(NotAllowedError):
            adjudication_reasons.reasons(store, by=person, project="p")
        with pytest.raises(NotAllowedError):
            answer(store, by=person, project="p", reason="wrong_key", dimension="colour", why="No.")
