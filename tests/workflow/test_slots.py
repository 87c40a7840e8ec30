"""Whatever opens a slot of work, the slot has the same columns, filled by the same rules."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from sqlmodel import select

from annotation_schemas.loader import load_text
from db import task_slots
from db.engine import Store
from db.tables import ItemRow, TaskRow
from domain.policies import LEASE
from domain.roles import Role
from domain.states import ItemState, Purpose, Stage, TaskState
from testkit.factories import (
    BLIND,
    SETTLING,
    Clock,
    make_items,
    make_people,
    make_pool,
    make_predictions,
    make_project,
    vote,
)
from testkit.gold import assign_gold, make_gold
from testkit.missing_extensions import needs
from testkit.qualification import begin_try, make_set, needs_qualification
from testkit.stage_work import open_work
from tests.paths import ROOT
from workflow.annotate import image_pool

REFINING = """
  refinement:
    criteria:
      - {name: other, kind: choice, prompt: "Right, too?", options: [{value: "no", label: N}, {value: "yes", label: Y}]}
    done: {other: "no"}
"""
ASKED = "{items: 1, reviewers: 1, pass_mark: 0.5}"
EVERY_STAGE = (
    BLIND.replace("RATERS", "2")
    .replace("PER_SOURCE", "2")
    .replace("ADJUDICATION", SETTLING + REFINING)
    .replace(
        "raters: 2\n    shows", "raters: 2\n    qualification: {items: 1, reviewers: 1, pass_mark: 0.5}\n    shows"
    )
)


def opened_in_every_way(store: Store) -> Iterator[tuple[str, TaskRow]]:
    """A slot of each way in which one can open."""
    make_project(store, loaded=load_text(EVERY_STAGE, "Be exact.", "blind"))
    store.clock = Clock()
    made = make_items(store, 2)
    ann, bob, cy = make_people(store, "ann", "bob", "cy", role=Role.SENIOR)
    for person, choices in ((ann, ("red", "red")), (bob, ("red", "blue"))):
        for choice in choices:
            vote(store, person, choice)
    make_predictions(store, [*made, *make_items(store, 1)], models=["alpha"])  # one of three is kept
    (image,) = make_pool(store, 1)
    image_pool.pick(store, person=cy, project="p", dimension="colour", assets=[image])
    open_work(store, Stage.REFINEMENT, models=["alpha"])
    make_set(store, stage=Stage.GRADING)
    begin_try(store, cy, stage=Stage.GRADING)
    assign_gold(store, make_gold(store, "colour/0", {"choice": "red"}), cy)
    with store.read() as session:
        for row in session.exec(select(TaskRow).where(TaskRow.state != TaskState.DONE)):
            yield (row.stage.value if row.purpose is Purpose.LIVE else row.purpose.value), row


@needs("stages", "refinement")
@needs_qualification
@pytest.mark.both_databases
def test_every_way_of_opening_a_slot_fills_the_same_columns(store: Store) -> None:
    found = list(opened_in_every_way(store))
    assert {way for way, _ in found} == {
        *("authoring", "verification", "adjudication", "refinement", "grading"),
        *("qualification", "gold"),
    }
    with store.read() as session:
        kept = set(session.exec(select(ItemRow.id).where(ItemRow.state == ItemState.KEPT)))
    for way, row in found:
        mine = row.person_id is not None
        assert mine == (way in ("authoring", "qualification", "gold")), way
        waits = way == "grading" and row.item_id not in kept
        assert row.state is (TaskState.CLAIMED if mine else TaskState.WITHDRAWN if waits else TaskState.OPEN), way
        assert row.lease_until == (row.created_at + LEASE if mine else None), way
        assert row.opened > 0, f"{way}: when it was offered is not noted"
        assert (row.correcting, row.awaits_media) == (False, False), way
        assert (row.item_id is None) == (way == "authoring"), way
        assert (row.prediction_id is not None) == (way in ("grading", "refinement") or row.stage is Stage.GRADING), way
        assert (row.revision is None) == (way == "authoring" or row.stage is Stage.GRADING), way
        assert row.shuffle >= 0, way


def test_a_slot_says_every_column_of_a_task() -> None:
    slot = task_slots.Slot(project_id=1, stage=Stage.GRADING, unit="u", dimension="d", shuffle=0, at=Clock().now)
    said = task_slots._columns(slot, opened=1, awaits_media=False)
    assert set(said) == {column.name for column in TaskRow.__table__.columns} - {"id"}  # type: ignore[attr-defined]


def test_slots_open_in_one_place() -> None:
    makes = {
        str(path.relative_to(ROOT))
        for room in ("db", "workflow", "app")
        for path in (ROOT / room).rglob("*.py")
        if re.search(
            r"(?<!class )\bTaskRow\(|insert(_or_ignore)?\((session, )?TaskRow", path.read_text(encoding="utf-8")
        )
    }
    assert makes == {"db/task_slots.py"}
