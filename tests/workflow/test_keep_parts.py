"""A keep rule of parts, each with its own target, on a real database: verdicts and gates."""

from __future__ import annotations

from typing import Any

import pytest
from sqlmodel import select

from annotation_schemas.loader import load_text
from db.engine import Store
from db.tables import ItemRow
from domain.records import Person
from domain.roles import Role
from domain.states import ItemState, Stage
from testkit.factories import BLIND, SETTLING, claimed, make_items, make_people, make_person, make_project
from workflow.access import projects
from workflow.access.projects import access_to
from workflow.annotate import submissions
from workflow.files.gate_counts import gates
from workflow.files.manifest_entries import policy_of
from workflow.files.project_check import check

pytestmark = pytest.mark.thorough

KEEP = """keep:
      rule: all_of
      parts: [{criterion: choice, key: answer}, {criterion: fits, value: "yes"}, {criterion: hard, at_most: 3}]"""
ASKED = """\
      - {name: fits, kind: choice, prompt: "Fits?", options: ["yes", "no"]}
      - {name: hard, kind: scale, prompt: "How hard?", values: [1, 2, 3, 4, 5]}
    """


def made(store: Store, n: int, gate: str = "") -> None:
    """Items with the key ``red``, kept where two people say so, that they fit, and that they are not too hard."""
    content = BLIND.replace("RATERS", f"2\n{gate}").replace("PER_SOURCE", "2").replace("ADJUDICATION", SETTLING)
    content = content.replace("    keep: {rule: unanimous_and_key, criterion: choice, key: answer}", ASKED + KEEP)
    make_project(store, loaded=load_text(content, "Be exact.", "parts"))
    make_items(store, n)


def say(store: Store, person: Person, choice: str = "red", fits: str = "yes", hard: int = 1) -> str:
    view = claimed(store, person)
    assert "answer" not in view.fields
    values: dict[str, Any] = {"choice": choice, "fits": fits, "hard": hard}
    submissions.submit(store, person=person, task=view.id, key=view.id, values=values)
    return view.item


def test_each_part_decides_and_says_why(store: Store) -> None:
    made(store, 4)
    ann, bob = make_people(store, "ann", "bob")
    ways = [({}, {"hard": 3}), ({"hard": 4}, {"hard": 5}), ({"hard": 3}, {"hard": 4}), ({"fits": "no"}, {"fits": "no"})]
    order = [say(store, ann, **each) for each, _ in ways]
    given = dict(zip(order, (other for _, other in ways), strict=True))
    for _ in order:
        say(store, bob, **given[claimed(store, bob).item])
    with store.read() as session:
        states = dict(session.exec(select(ItemRow.public_id, ItemRow.state)).all())
        found = gates(session, access=access_to(session, person=None, project="p"))
    assert [states[name] for name in order] == [
        ItemState.KEPT, ItemState.REJECTED, ItemState.IN_ADJUDICATION, ItemState.REJECTED
    ]  # fmt: skip
    # unanimous: 1 and 3, 4 and 5, and "no" twice stand on one side each; wanted by all: the first alone
    assert found == {
        "imported": 4, "voted": 4, "skipped": 0, "unanimous": 3, "as_wanted": 1, "adjudicated": 0, "kept": 1,
        "rejected": 2,
    }  # fmt: skip
    assert check(store) == []
    settled = claimed(store, make_person(store, "sue", role=Role.SENIOR), Stage.ADJUDICATION)
    assert any("hard (wanted: at most 3)" in line for line in settled.history), settled.history
    with store.read() as session:
        policy = policy_of(projects.access_to(session, person=None, project="p").schema)
    assert policy["keep"]["parts"][2] == {"criterion": "hard", "at_most": 3}
