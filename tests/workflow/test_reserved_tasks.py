"""The task after the current one: held for a person until they see it, and free again if they never do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from app.services import Services
from app.workbench import sent
from db.engine import Store
from db.tables import AnnotationRow, EventRow, PostponementRow, TaskRow
from domain.errors import LeaseLostError, NotFoundError
from domain.policies import LEASE, RESERVED
from domain.records import NoTask, Person, TaskView
from domain.settings import Settings
from domain.states import Stage, TaskState
from media.store import MediaStore
from testkit.factories import Clock, claimed, make_items, make_people, make_person, make_project, make_schema
from workflow.annotate import claim_rules, claims, drafts, expired_drafts, free_slots, submissions
from workflow.annotate.next_page import PageRequest, next_page
from workflow.files.project_check import check

pytestmark = pytest.mark.both_databases

PLACE: dict[str, Any] = {"project": "p", "stage": Stage.VERIFICATION}


@pytest.fixture
def clock(store: Store) -> Clock:
    store.clock = Clock()
    return store.clock


def begin(store: Store, n: int, *, raters: int = 1) -> None:
    make_project(store, loaded=make_schema(raters=raters))
    make_items(store, n)


def page(store: Store, person: Person) -> tuple[TaskView, TaskView | None]:
    """What a person's page shows, and what waits behind it."""
    turn = next_page(store, person=person, wanted=PageRequest(ahead=True, **PLACE))
    assert isinstance(turn.found, TaskView)
    return turn.found, turn.upcoming


def events(store: Store, task: TaskView) -> list[str]:
    with store.read() as session:
        row = session.exec(select(TaskRow).where(TaskRow.public_id == task.id)).one()
        return list(session.exec(select(EventRow.kind).where(EventRow.task_id == row.id).order_by(EventRow.id)))  # type: ignore[arg-type]


def row_of(store: Store, task: TaskView) -> TaskRow:
    with store.read() as session:
        return session.exec(select(TaskRow).where(TaskRow.public_id == task.id)).one()


def submit(store: Store, person: Person, task: TaskView, **given: Any) -> None:
    submissions.submit(store, person=person, task=task.id, key=task.id, values={"choice": "red"}, **given)


def test_the_lease_begins_when_the_task_is_shown(store: Store, clock: Clock) -> None:
    begin(store, 12)
    ann = make_person(store, "ann")
    first, behind = page(store, ann)
    assert behind is not None
    assert behind.item != first.item
    assert (behind.lease_until, events(store, behind)) == (clock.now + RESERVED, [])
    again, same = page(store, ann)  # the page is loaded once more
    assert same is not None
    assert (again.id, same.id) == (first.id, behind.id)
    clock.advance(minutes=3)
    submit(store, ann, first)
    shown, third = page(store, ann)
    assert third is not None
    assert (shown.id, shown.lease_until, events(store, shown)) == (behind.id, clock.now + LEASE, ["task.claimed"])
    clock.advance(seconds=5)
    submit(store, ann, shown, seconds=100.0)
    with store.read() as session:
        spent = session.exec(
            select(AnnotationRow.seconds).where(AnnotationRow.task_id == row_of(store, shown).id)
        ).one()
    assert spent == 5  # not the minutes in which it waited
    assert check(store) == []


def test_no_one_else_gets_a_reserved_task_and_it_is_free_when_its_time_is_over(store: Store, clock: Clock) -> None:
    begin(store, 12)
    ann, bob = make_people(store, "ann", "bob")
    mine, behind = page(store, ann)
    assert behind is not None
    his: set[str] = set()
    while isinstance(task := claims.next_task(store, person=bob, **PLACE), TaskView):
        his.add(task.item)
        submit(store, bob, task)
    assert (len(his), {mine.item, behind.item} & his) == (10, set())
    clock.advance(seconds=RESERVED.total_seconds() + 1)
    late = claims.next_task(store, person=bob, **PLACE)
    assert isinstance(late, TaskView)
    assert (late.id, events(store, late)) == (behind.id, ["task.claimed"])  # ann has abandoned nothing
    submit(store, ann, mine)
    assert isinstance(claims.next_task(store, person=ann, **PLACE), NoTask)
    assert check(store) == []


@pytest.mark.parametrize("submits", [False, True])
def test_text_about_a_reserved_task_that_went_to_another_person_is_kept(
    store: Store, clock: Clock, tmp_path: Path, submits: bool
) -> None:
    begin(store, 12)
    ann, bob, eve = make_people(store, "ann", "bob", "eve")
    _, behind = page(store, ann)
    assert behind is not None
    services = Services(store, MediaStore(tmp_path), Settings(tmp_path, ""), ann, "csrf")
    sent.page(services, {"upcoming": {"id": behind.id, "fields": dict(behind.fields)}})
    clock.advance(seconds=RESERVED.total_seconds() + 1)  # the server was away, and ann saw the task meanwhile
    assert claimed(store, bob).id == behind.id
    answers: dict[str, Any] = {"values": {"choice": "red"}, "note": "mine"}
    if submits:
        with pytest.raises(LeaseLostError, match="Your text is saved as a draft"):
            submit(store, ann, behind, note="mine")
    else:
        drafts.save_draft(store, person=ann, task=behind.id, seq=1, values=answers)
    (kept,) = expired_drafts.of_person(store, person=ann)
    assert (kept.task, kept.lines[-1].text) == (behind.id, "mine")
    with pytest.raises(NotFoundError):  # eve was never sent it
        drafts.save_draft(store, person=eve, task=behind.id, seq=1, values=answers)
    submit(store, bob, behind)
    assert check(store) == []


def test_a_task_that_is_never_shown_goes_back_without_a_trace(store: Store, clock: Clock) -> None:
    begin(store, 12)
    ann = make_person(store, "ann")
    first, behind = page(store, ann)
    assert behind is not None
    claims.release(store, person=ann, task=behind.id, unseen=True)
    row = row_of(store, behind)
    assert (row.state, row.person_id, row.reserved, events(store, behind)) == (TaskState.OPEN, None, False, [])
    with store.read() as session:
        assert session.exec(select(PostponementRow)).all() == []
    claims.release(store, person=ann, task=first.id, unseen=True)  # she sees this one
    assert row_of(store, first).state is TaskState.CLAIMED


def test_the_last_tasks_are_left_for_others(store: Store, clock: Clock) -> None:
    begin(store, 1 + free_slots.LEFT_FOR_OTHERS)
    ann = make_person(store, "ann")
    first, behind = page(store, ann)
    assert behind is not None
    submit(store, ann, first)
    _, behind = page(store, ann)
    assert behind is None


def test_who_is_stopped_does_not_get_the_reserved_task(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(store, 12)
    ann = make_person(store, "ann")
    first, behind = page(store, ann)
    assert behind is not None
    submit(store, ann, first)
    stopped = NoTask(code="stopped", sentence="Stopped.")
    monkeypatch.setattr(claim_rules, "why_stopped", lambda *_, **__: stopped)
    turn = next_page(store, person=ann, wanted=PageRequest(ahead=True, **PLACE))
    assert (turn.found, turn.upcoming) == (stopped, None)
    assert (row_of(store, behind).state, events(store, behind)) == (TaskState.OPEN, [])


def test_an_answer_to_a_reserved_task_counts_as_having_seen_it(store: Store, clock: Clock) -> None:
    begin(store, 12)
    ann = make_person(store, "ann")
    _, behind = page(store, ann)
    assert behind is not None
    submit(store, ann, behind)
    assert events(store, behind) == ["task.claimed", "task.submitted"]
    assert row_of(store, behind).reserved is False
    assert check(store) == []
