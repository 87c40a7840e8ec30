"""Deadlines and the order of stages: every version is kept, and leads see who changed what."""

from __future__ import annotations

from datetime import UTC, date, timedelta

import pytest

from annotation_schemas.loader import load_text
from db.engine import Store
from domain.errors import ConflictError, InvalidInputError, NotAllowedError
from domain.roles import Role
from domain.states import Stage
from extensions.schedule import changes
from testkit.factories import BLIND, SETTLING, Clock, make_person, make_project, make_schema
from testkit.schema_versions import take_schema
from workflow.access import audit, schedule

VERIFY, GRADE = Stage.VERIFICATION, Stage.GRADING
pytestmark = pytest.mark.both_databases


@pytest.fixture
def clock(store: Store) -> Clock:
    store.clock = Clock()
    return store.clock


def day(store: Store, ahead: int) -> date:
    return store.now().astimezone(UTC).date() + timedelta(days=ahead)


def test_every_version_is_kept_and_the_newest_holds(store: Store, clock: Clock) -> None:
    make_project(store, loaded=make_schema())
    lea, ann = make_person(store, "lea", role=Role.LEAD), make_person(store, "ann")
    where = {"by": lea, "project": "p"}
    assert schedule.schedule(store, **where) == schedule.NOTHING
    assert changes.set_deadlines(store, **where, deadlines={VERIFY: day(store, 9)})
    assert not changes.set_deadlines(store, **where, deadlines={VERIFY: day(store, 9)}), "the same again is no change"
    clock.advance(minutes=1)
    assert changes.set_deadlines(store, by=None, project="p", deadlines={}, order=[GRADE], based_on=1)
    now = schedule.schedule(store, **where)
    assert (now.number, dict(now.deadlines), now.order) == (2, {}, (GRADE,))
    assert now.in_order([Stage.AUTHORING, VERIFY, GRADE]) == [GRADE, Stage.AUTHORING, VERIFY]
    with pytest.raises(ConflictError, match=r"A command on the server's machine changed .* before you saved"):
        changes.set_deadlines(store, **where, deadlines={VERIFY: day(store, 1)}, based_on=1)
    assert not changes.set_deadlines(store, **where, deadlines={}, order=[GRADE], based_on=1), "a second press"
    with pytest.raises(InvalidInputError, match="no stage triage"):
        changes.set_deadlines(store, **where, deadlines={Stage.TRIAGE: day(store, 1)})
    with pytest.raises(InvalidInputError, match="twice"):
        changes.set_deadlines(store, **where, deadlines={}, order=[GRADE, GRADE])
    for refused in (schedule.schedule, changes.history):
        with pytest.raises(NotAllowedError):
            refused(store, by=ann, project="p")
    with pytest.raises(NotAllowedError):
        changes.set_deadlines(store, by=ann, project="p", deadlines={})
    last, first = changes.history(store, **where)
    assert (first.by, [line.split(":")[1] for line in first.what]) == (
        "lea",
        [f" deadline {day(store, 9)} (was none)"],
    )
    assert last.by is None
    assert last.what[0].endswith(f"deadline none (was {day(store, 9)})")
    assert last.what[1].startswith("Order of stages: ")
    assert [each.data["number"] for each in audit.entries(store, by=lea, project="p", kinds=["schedule.set"])] == [2, 1]
    leo = make_person(store, "leo", role=Role.LEAD)
    assert changes.set_deadlines(store, **where, deadlines={}, based_on=2)
    with pytest.raises(ConflictError, match=r"^Lea changed"):
        changes.set_deadlines(store, by=leo, project="p", deadlines={VERIFY: day(store, 1)}, based_on=2)


def test_targets_that_were_changed_stand_in_the_history(store: Store) -> None:
    text = BLIND.replace("RATERS", "2").replace("PER_SOURCE", "2").replace("ADJUDICATION", SETTLING)
    make_project(store, loaded=load_text(text, "Be exact.", "blind"))
    assert "wanted: 4" in text
    later = text.replace("wanted: 4", "wanted: 70", 1).replace("version: 1", "version: 2")
    take_schema(store, load_text(later, "Be exact.", "blind"))
    (changed,) = changes.history(store, by=None, project="p")
    assert changed.what == ["Colour, wanted items: 70 (was 4)"]
