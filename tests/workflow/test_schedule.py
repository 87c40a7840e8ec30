"""Deadlines and the order of stages: kept with their history, seen by those they are for, and told in time."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from annotation_schemas.loader import load_text
from db.engine import Store
from domain.errors import Conflict, InvalidInput, NotAllowed
from domain.roles import Role
from domain.schedule import said_of
from domain.states import Stage
from testkit.factories import (
    BLIND,
    SETTLING,
    Clock,
    make_items,
    make_people,
    make_person,
    make_project,
    make_schema,
    vote,
)
from workflow.access import audit, schedule
from workflow.annotate import notices
from workflow.schemas import migration

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
    assert schedule.put(store, **where, deadlines={VERIFY: day(store, 9)})
    assert not schedule.put(store, **where, deadlines={VERIFY: day(store, 9)}), "the same again is no change"
    clock.advance(minutes=1)
    assert schedule.put(store, by=None, project="p", deadlines={}, order=[GRADE], based_on=1)
    now = schedule.schedule(store, **where)
    assert (now.number, dict(now.deadlines), now.order) == (2, {}, (GRADE,))
    assert now.in_order([Stage.AUTHORING, VERIFY, GRADE]) == [GRADE, Stage.AUTHORING, VERIFY]
    with pytest.raises(Conflict, match="meanwhile"):
        schedule.put(store, **where, deadlines={VERIFY: day(store, 1)}, based_on=1)
    with pytest.raises(InvalidInput, match="no triage"):
        schedule.put(store, **where, deadlines={Stage.TRIAGE: day(store, 1)})
    with pytest.raises(InvalidInput, match="twice"):
        schedule.put(store, **where, deadlines={}, order=[GRADE, GRADE])
    for refused in (schedule.schedule, schedule.history):
        with pytest.raises(NotAllowed):
            refused(store, by=ann, project="p")
    with pytest.raises(NotAllowed):
        schedule.put(store, by=ann, project="p", deadlines={})
    last, first = schedule.history(store, **where)
    assert (first.by, [line.split(":")[1] for line in first.what]) == (
        "lea",
        [f" due {day(store, 9)} (was due on no day)"],
    )
    assert last.by is None
    assert last.what[0].endswith(f"due on no day (was {day(store, 9)})")
    assert last.what[1].startswith("Offered in the order ")
    assert [each.data["number"] for each in audit.entries(store, by=lea, project="p", kinds=["schedule.set"])] == [2, 1]


def test_targets_that_were_changed_stand_in_the_history(store: Store) -> None:
    text = BLIND.replace("RATERS", "2").replace("PER_SOURCE", "2").replace("ADJUDICATION", SETTLING)
    make_project(store, loaded=load_text(text, "Be exact.", "blind"))
    assert "wanted: 4" in text
    later = text.replace("wanted: 4", "wanted: 70", 1).replace("version: 1", "version: 2")
    migration.migrate(store, by=None, project="p", loaded=load_text(later, "Be exact.", "blind"))
    (changed,) = schedule.history(store, by=None, project="p")
    assert changed.what == ["Colour: 70 wanted (was 4)"]


def test_a_deadline_is_told_in_time_to_those_with_that_stage_while_something_is_left(
    store: Store, clock: Clock
) -> None:
    make_project(store, loaded=make_schema())
    make_items(store, 1)
    ann, ben = make_people(store, "ann", "ben", stages=[VERIFY])
    cat = make_person(store, "cat", stages=[Stage.AUTHORING])

    def told(person: object) -> list[str]:
        found = notices.of_person(store, person=person)  # type: ignore[arg-type]
        return [each.words for each in found if each.kind == "deadline"]

    due = day(store, 5)
    schedule.put(store, by=None, project="p", deadlines={VERIFY: due})
    assert told(ann) == []
    clock.advance(days=2)
    assert [said for said in told(ann) if f"is due on {due}, in 3 days" in said]
    assert len(told(ben)) == 1
    assert told(cat) == [], "it is no stage of hers"
    keys = [key for each in notices.of_person(store, person=ann) for key in each.keys]
    notices.see_all(store, person=ann, keys=keys)
    assert notices.n_unseen(store, person=ann) == 0
    clock.advance(days=4)
    assert [said for said in told(ann) if f"was due on {due}, yesterday" in said]
    assert notices.n_unseen(store, person=ann) == 1, "that it is over is news"
    vote(store, ann)
    assert len(told(ann)) == 1
    vote(store, ben)
    assert told(ann) == [], "nothing is left"


@pytest.mark.parametrize(
    ("ahead", "words"),
    [
        (-40, "was due on 2026-04-22, 40 days ago"),
        (-1, "was due on 2026-05-31, yesterday"),
        (0, "is due on 2026-06-01, today"),
        (1, "is due on 2026-06-02, tomorrow"),
        (9, "is due on 2026-06-10, in 9 days"),
    ],
)
def test_how_far_a_deadline_is(ahead: int, words: str) -> None:
    now = datetime(2026, 6, 1, 23, 59, tzinfo=UTC)
    assert said_of(now.date() + timedelta(days=ahead), now) == words
