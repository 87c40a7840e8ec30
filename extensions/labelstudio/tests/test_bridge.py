"""Test the exchange of work with another tool's screens: each answer counts once, whatever happens in between."""

from __future__ import annotations

import copy
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import count
from typing import Any

import pytest
from sqlalchemy import event, insert
from sqlmodel import Session, col, select

from annotation_schemas.loader import load_text
from db.engine import Store
from db.tables import (
    AnnotationRow,
    BridgeAnswerRow,
    BridgePersonRow,
    BridgeProjectRow,
    BridgeRow,
    BridgeTaskRow,
    DraftRow,
    ImportedRatingRow,
    ItemRow,
    ProjectRow,
    TaskRow,
)
from domain.bridge import BridgeOutcome, BridgeState
from domain.errors import ConflictError, InvalidInputError, NotAllowedError, NotFoundError, ServiceUnreachableError
from domain.policies import LEASE
from domain.records import Person
from domain.roles import Role
from domain.states import ItemState, Purpose, Stage, TaskState
from extensions.labelstudio import labeling, results
from extensions.labelstudio.exchange import bridge
from extensions.labelstudio.exchange.bridge import BridgeStatus, Forms, PullResult, PushResult
from extensions.labelstudio.tests.outside import ADDRESS, FORMS, Kill, Outside, Task, link, written
from testkit.factories import (
    BLIND,
    SETTLING,
    Clock,
    claimed,
    make_fields,
    make_items,
    make_person,
    make_pool,
    make_predictions,
    make_project,
    make_schema,
    vote,
)
from testkit.gold import make_gold
from testkit.missing_extensions import needs
from workflow.access import accounts, memberships, stored_schemas
from workflow.annotate import (
    claims,
    drafts,
    image_pool,
    qualification_sets,
    qualification_tries,
    submissions,
)
from workflow.annotate.authoring import edit_item
from workflow.files.project_check import check

pytestmark = pytest.mark.thorough

ANN, BOB, CAT = 1, 2, 3
"""Their ids there."""


@pytest.fixture
def clock(store: Store) -> Clock:
    """Return a clock that stands still until the test moves it."""
    moved = Clock()
    store.clock = moved
    return moved


@pytest.fixture
def front() -> Outside:
    """Return a server on which Ann, Bob and Cat have accounts."""
    return Outside("ann@x.org", "bob@x.org", "cat@x.org")


def bridged(
    store: Store,
    *logins: str,
    project: str = "p",
    stages: tuple[Stage, ...] = (Stage.VERIFICATION,),
    role: Role = Role.ANNOTATOR,
    **how: Any,
) -> list[Person]:
    """Create people whose work goes to the server."""
    bridge.connect(store, by=None, project=project, address=ADDRESS, stages=stages, **how)
    found = []
    for login in logins:
        found.append(make_person(store, login, project=project, role=role))
        bridge.map_person(store, by=None, project=project, address=ADDRESS, login=login, email=f"{login}@x.org")
    return found


def push(store: Store, front: Outside, project: str = "p") -> PushResult:
    return bridge.push(store, front, FORMS, by=None, project=project)


def pull(store: Store, front: Outside, project: str = "p") -> PullResult:
    return bridge.pull(store, front, FORMS, by=None, project=project)


def both(store: Store, front: Outside, project: str = "p") -> None:
    pull(store, front, project)
    push(store, front, project)


def state_of(store: Store, project: str = "p") -> BridgeStatus:
    (found,) = bridge.status(store, by=None, project=project)
    return found


def rows(store: Store, table: Any, **where: Any) -> list[Any]:
    with store.read() as session:
        wanted = select(table).order_by(col(table.id))
        for name, value in where.items():
            wanted = wanted.where(getattr(table, name) == value)
        return list(session.exec(wanted))


def answers(store: Store) -> list[tuple[int, Any]]:
    """Return the answers with their people, in the order of storage."""
    return [(row.person_id, row.answers.get("choice")) for row in rows(store, AnnotationRow)]


def outcomes(store: Store) -> list[BridgeOutcome]:
    return [row.outcome for row in rows(store, BridgeAnswerRow)]


# ---- normal case -----------------------------------------------------------------------------------------------------


def test_each_person_gets_their_own_slots_and_what_they_answer_is_stored(
    store: Store, clock: Clock, front: Outside
) -> None:
    make_project(store, loaded=make_schema(adjudication=False))
    make_items(store, 2)
    ann, bob = bridged(store, "ann", "bob")
    pushed = push(store, front)
    assert (pushed.sent, len(front.waiting("ann")), len(front.waiting("bob"))) == (4, 2, 2)
    assert [project.title for project in front.projects.values()] == [
        "Ann · verification · A blind test",
        "Bob · verification · A blind test",
    ]
    clock.advance(seconds=90)
    for name, id in (("ann", ANN), ("bob", BOB)):
        for task in front.waiting(name):
            front.answer(task, id, lead=12.5, choice="red", note=f"by {name}")
    pulled = pull(store, front)
    assert pulled.outcomes == {BridgeOutcome.STORED: 4}
    assert (pulled.tasks, pulled.removed) == (4, 4)
    assert sorted(answers(store)) == sorted([(ann.id, "red"), (bob.id, "red")] * 2)
    stored = rows(store, AnnotationRow)
    assert {row.seconds for row in stored} == {12.5}
    assert {row.note for row in stored if row.person_id == ann.id} == {"by ann"}
    assert [row.state for row in rows(store, ItemRow)] == ["kept", "kept"]
    assert front.all_tasks() == {}
    assert check(store) == []


@pytest.mark.parametrize("lead", [-5.0, float("inf"), float("nan"), 1e9])
def test_a_time_that_is_none_costs_no_one_their_answer(store: Store, front: Outside, lead: float) -> None:
    make_project(store, loaded=make_schema(raters=1, adjudication=False))
    make_items(store)
    bridged(store, "ann")
    push(store, front)
    front.answer(front.waiting("ann")[0], ANN, lead=lead, choice="red")
    assert pull(store, front).outcomes == {BridgeOutcome.STORED: 1}
    assert [row.seconds for row in rows(store, AnnotationRow)] == [None]


@pytest.mark.both_databases
def test_doing_it_twice_changes_nothing(store: Store, front: Outside) -> None:
    make_project(store, loaded=make_schema(raters=1, adjudication=False))
    make_items(store, 5)
    bridged(store, "ann", ahead=2)
    assert push(store, front).sent == 2
    before = dump(store)
    there = json.dumps([task.data for task in front.all_tasks().values()])
    assert push(store, front) == PushResult(sent=0, called_back=0, removed=0)
    assert dump(store) == before
    assert json.dumps([task.data for task in front.all_tasks().values()]) == there
    front.answer(front.waiting("ann")[0], ANN, choice="blue")
    assert pull(store, front).outcomes == {BridgeOutcome.STORED: 1}
    before = dump(store)
    assert pull(store, front).outcomes == {}
    assert dump(store) == before


def dump(store: Store) -> Any:
    """Return all stored data about work and sent tasks, except for the times of the last round."""
    with store.read() as session:
        return [
            [row.model_dump(exclude={"pulled_at", "pushed_at", "busy_until", "lease_until"}) for row in everything]
            for table in (AnnotationRow, BridgeAnswerRow, BridgeTaskRow, BridgeProjectRow, BridgeRow, TaskRow)
            for everything in [session.exec(select(table).order_by(col(table.id))).all()]
        ]


@pytest.mark.both_databases
def test_never_more_than_ahead_and_the_lease_is_as_long_as_was_asked(
    store: Store, clock: Clock, front: Outside
) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 9)
    bridged(store, "ann", ahead=4, hold_hours=2)
    push(store, front)
    assert len(front.waiting("ann")) == 4
    held = rows(store, TaskRow, state=TaskState.CLAIMED)
    assert {(row.lease_until - clock.now).total_seconds() for row in held} == {7200}
    front.answer(front.waiting("ann")[0], ANN, choice="red")
    both(store, front)
    assert len(front.waiting("ann")) == 4
    assert [row.state for row in rows(store, BridgeTaskRow)].count(BridgeState.STORED) == 1


def test_a_page_of_ours_does_not_shorten_what_is_held_there(store: Store, clock: Clock, front: Outside) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 1)
    (ann,) = bridged(store, "ann", hold_hours=8)
    push(store, front)
    view = claimed(store, ann)
    assert (view.lease_until - clock.now).total_seconds() == 8 * 3600
    drafts.save_draft(store, person=ann, task=view.id, seq=1, values={})
    assert rows(store, TaskRow)[0].lease_until == view.lease_until
    clock.advance(hours=7, minutes=50)
    assert claims.heartbeat(store, person=ann, task=view.id) == clock.now + LEASE


def test_what_is_answered_here_first_wins_and_its_task_goes_away_there(store: Store, front: Outside) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 1)
    (ann,) = bridged(store, "ann")
    push(store, front)
    vote(store, ann, "red")
    front.answer(front.waiting("ann")[0], ANN, choice="blue")
    assert pull(store, front).outcomes == {BridgeOutcome.SETTLED: 1}
    assert answers(store) == [(ann.id, "red")]
    assert front.all_tasks() == {}
    (kept,) = rows(store, BridgeAnswerRow)
    assert kept.raw["result"] == written(choice="blue")


def test_a_task_that_was_answered_here_is_called_back_by_a_push_alone(store: Store, front: Outside) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 1)
    (ann,) = bridged(store, "ann")
    push(store, front)
    vote(store, ann, "red")
    pushed = push(store, front)
    assert (pushed.called_back, pushed.removed, front.all_tasks()) == (1, 1, {})


def test_grades_and_decisions_go_out_as_well(store: Store, front: Outside) -> None:
    make_project(store)
    make_predictions(store, make_items(store, 1), models=["secret-model"])
    bridged(
        store, "ann", "bob", "cat", role=Role.SENIOR, stages=(Stage.VERIFICATION, Stage.ADJUDICATION, Stage.GRADING)
    )
    for person in ("dan", "eve"):
        who = make_person(store, person)
        vote(store, who, "red" if person == "dan" else "blue")
    push(store, front)
    by_stage: dict[str, list[Task]] = {}
    for project in front.projects.values():
        by_stage.setdefault(project.title.split(" · ")[1], []).extend(project.tasks.values())
    assert len(by_stage["adjudication"]) == 1
    assert len(by_stage["grading"]) == 2
    (settling,) = by_stage["adjudication"]
    owner = next(id for id, name in ((ANN, "ann"), (BOB, "bob"), (CAT, "cat")) if settling in front.of(name))
    front.answer(settling, owner, decision="accept", cause="wrong_key")
    grader = next(
        id for id, name in ((ANN, "ann"), (BOB, "bob"), (CAT, "cat")) if by_stage["grading"][0] in front.of(name)
    )
    front.answer(by_stage["grading"][0], grader, score=0.5)
    assert pull(store, front).outcomes == {BridgeOutcome.STORED: 2}
    assert {row.stage for row in rows(store, AnnotationRow)[2:]} == {Stage.ADJUDICATION, Stage.GRADING}
    assert check(store) == []


@pytest.mark.both_databases
def test_what_an_author_has_begun_goes_out(store: Store, front: Outside) -> None:
    make_project(store)
    images = make_pool(store, 2, source="video")
    (ann,) = bridged(store, "ann", stages=(Stage.AUTHORING,))
    push(store, front)
    assert front.all_tasks() == {}
    assert "Pick an image" in rows(store, BridgePersonRow)[0].why
    image_pool.pick(store, person=ann, project="p", dimension="colour", assets=[images[0]])
    push(store, front)
    (task,) = front.waiting("ann")
    front.answer(task, ANN, **make_fields())
    pull(store, front)
    (item,) = rows(store, ItemRow)
    assert item.author_id == ann.id
    assert front.all_tasks() == {}


# ---- rules -----------------------------------------------------------------------------------------------------------


def test_several_in_hand_keep_to_the_rules(store: Store, front: Outside) -> None:
    """No one gets two slots of one item or their own item, and gold comes like any other item."""
    make_project(store, loaded=make_schema(raters=2, adjudication=False))
    ann, _ = bridged(store, "ann", "bob", ahead=50)
    make_items(store, 3)
    make_items(store, 2, author_id=ann.id)
    push(store, front)
    assert (len(front.waiting("ann")), len(front.waiting("bob"))) == (3, 5)
    units = [(row.person_id, row.unit) for row in rows(store, TaskRow) if row.person_id is not None]
    assert len(set(units)) == len(units) == 8


WITH_GOLD = BLIND.replace("    raters: RATERS\n", "    raters: 1\n    gold: {rate: 0.5}\n")


@needs("schema_keys", "stages.*.gold")
def test_gold_goes_out_among_the_rest_and_looks_like_it(store: Store, front: Outside) -> None:
    text = WITH_GOLD.replace("PER_SOURCE", "2").replace("ADJUDICATION", "none")
    make_project(store, loaded=load_text(text, "Be exact.", "blind"))
    make_items(store, 4)
    dan = make_person(store, "dan")
    for _ in range(2):
        vote(store, dan, "red")
    for settled in [row for row in rows(store, ItemRow) if row.state is ItemState.KEPT]:
        make_gold(store, settled.external_id, {"choice": "red"})
    make_items(store, 10)
    bridged(store, "ann", ahead=8)
    push(store, front)
    out = {row.task_id for row in rows(store, BridgeTaskRow)}
    purposes = [row.purpose for row in rows(store, TaskRow) if row.id in out]
    assert sorted(purposes) == sorted([Purpose.GOLD] * 2 + [Purpose.LIVE] * 6)
    assert len({tuple(sorted(task.data)) for task in front.waiting("ann")}) == 1
    for task in front.waiting("ann"):
        front.answer(task, ANN, choice="red")
    assert pull(store, front).outcomes == {BridgeOutcome.STORED: 8}
    assert check(store) == []


QUALIFIED = BLIND.replace(
    "    raters: RATERS\n", "    raters: 1\n    qualification: {items: 2, reviewers: 1, pass_mark: 0.5}\n"
)


@pytest.mark.both_databases
def test_who_has_not_qualified_gets_the_qualification_only(store: Store, clock: Clock, front: Outside) -> None:
    text = QUALIFIED.replace("PER_SOURCE", "2").replace("ADJUDICATION", "none")
    make_project(store, loaded=load_text(text, "Be exact.", "blind"))
    make_items(store, 5)
    (ann,) = bridged(store, "ann")
    push(store, front)
    assert front.all_tasks() == {}
    assert "no set of items is ready" in state_of(store).people[0].why
    qualification_sets.make_set(store, by=None, project="p", n=2)
    qualification_tries.begin(store, person=ann, project="p")
    push(store, front)
    assert len(front.waiting("ann")) == 2
    assert {row.purpose for row in rows(store, TaskRow, person_id=ann.id)} == {Purpose.QUALIFICATION}
    one, two = front.waiting("ann")
    front.skip(one, ANN)
    front.answer(two, ANN, choice="red")
    both(store, front)
    assert front.all_tasks() == {}
    clock.advance(hours=1, minutes=1)
    push(store, front)
    (one,) = front.waiting("ann")
    front.answer(one, ANN, choice="red")
    both(store, front)
    assert front.all_tasks() == {}
    assert "not finished" not in state_of(store).people[0].why


def test_skipped_tasks_go_back_and_come_again_much_later(store: Store, clock: Clock, front: Outside) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 1)
    (ann,) = bridged(store, "ann")
    push(store, front)
    front.skip(front.waiting("ann")[0], ANN)
    assert pull(store, front).outcomes == {BridgeOutcome.SKIPPED: 1}
    assert rows(store, TaskRow)[0].state is TaskState.OPEN
    for minutes in (0, 30, 29):
        clock.advance(minutes=minutes)
        push(store, front)
        assert front.all_tasks() == {}
    clock.advance(minutes=2)
    push(store, front)
    front.answer(front.waiting("ann")[0], ANN, choice="red")
    pull(store, front)
    assert answers(store) == [(ann.id, "red")]


def test_what_is_not_answered_in_time_goes_to_someone_else(store: Store, clock: Clock, front: Outside) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 1)
    _, bob = bridged(store, "ann", "bob", hold_hours=8)
    push(store, front)
    assert (len(front.waiting("ann")), len(front.waiting("bob"))) == (1, 0)
    clock.advance(hours=8, minutes=1)
    pushed = push(store, front)
    assert (pushed.called_back, pushed.sent) == (1, 1)
    assert (len(front.waiting("ann")), len(front.waiting("bob"))) == (0, 1)
    front.answer(front.waiting("bob")[0], BOB, choice="red")
    pull(store, front)
    assert answers(store) == [(bob.id, "red")]


@pytest.mark.both_databases
def test_a_late_answer_counts_if_no_one_has_the_slot_and_else_it_is_kept(
    store: Store, clock: Clock, front: Outside
) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 2)
    ann, bob = bridged(store, "ann", hold_hours=1)[0], make_person(store, "bob")
    push(store, front)
    one, two = front.waiting("ann")
    clock.advance(hours=2)
    lost = claimed(store, bob)
    key = {row.task_id: row.key for row in rows(store, BridgeTaskRow)}
    lost_id = next(row.id for row in rows(store, TaskRow) if row.public_id == lost.id)
    for task in (one, two):
        front.answer(task, ANN, choice="blue" if task.data["touchstone"] == key[lost_id] else "red", note="mine")
    assert pull(store, front).outcomes == {BridgeOutcome.STORED: 1, BridgeOutcome.LATE: 1}
    assert answers(store) == [(ann.id, "red")]
    (kept,) = rows(store, DraftRow)
    assert (kept.lost, kept.content["note"], kept.content["values"]) == (True, "mine", {"choice": "blue"})
    assert front.all_tasks() == {}
    submissions.submit(store, person=bob, task=lost.id, key="k", values={"choice": "red"})
    assert check(store) == []


# ---- invalid answers -------------------------------------------------------------------------------------------------


@pytest.mark.both_databases
def test_what_does_not_fit_is_kept_and_comes_again_with_the_reason(store: Store, front: Outside) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 1)
    (ann,) = bridged(store, "ann")
    push(store, front)
    front.answer(front.waiting("ann")[0], ANN, choice="green")
    assert pull(store, front).outcomes == {BridgeOutcome.REFUSED: 1}
    push(store, front)
    (again,) = front.waiting("ann")
    assert "could not be stored" in again.data["says"]
    assert again.predictions == [{"result": written(choice="green")}]
    front.annotate(again, ANN, [{"from_name": "colour_of_the_sky", "value": "red"}])
    pull(store, front)
    push(store, front)
    (again,) = front.waiting("ann")
    assert "'colour_of_the_sky'" in again.data["says"]
    front.answer(again, ANN, choice="red")
    pull(store, front)
    assert answers(store) == [(ann.id, "red")]
    raw = [row.raw["result"] for row in rows(store, BridgeAnswerRow, outcome=BridgeOutcome.REFUSED)]
    assert raw == [written(choice="green"), [{"from_name": "colour_of_the_sky", "value": "red"}]]
    assert front.all_tasks() == {}


@pytest.mark.both_databases
def test_after_five_tries_it_stays_and_the_lead_is_told(store: Store, front: Outside) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 1)
    (ann,) = bridged(store, "ann")
    for _ in range(5):
        push(store, front)
        front.answer(front.waiting("ann")[0], ANN, choice="green")
        pull(store, front)
    both(store, front)
    (task,) = front.of("ann")
    told = state_of(store)
    assert told.lines[0].refused == 5
    assert any("Talk to Ann (ann) about colour/0: 5 tries were refused" in step for step in told.next_steps)
    front.edit(next(iter(task.annotations.values())), choice="red")
    both(store, front)
    assert answers(store) == [(ann.id, "red")]
    assert front.all_tasks() == {}
    assert not any("Talk to" in step for step in state_of(store).next_steps)


@pytest.mark.parametrize(
    "result", [[{}], [{"from_name": "choice"}], [{"from_name": "choice", "value": ["\0", float("nan")]}]]
)
def test_what_no_database_could_hold_is_kept_in_another_form(store: Store, front: Outside, result: Any) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 1)
    bridged(store, "ann")
    push(store, front)
    task = front.waiting("ann")[0]
    front.annotate(task, ANN, [{"value": None, **part} for part in result])
    assert pull(store, front).outcomes == {BridgeOutcome.REFUSED: 1}
    assert answers(store) == []


def test_someone_elses_answer_does_not_count_and_the_task_comes_again(store: Store, front: Outside) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 1)
    (ann,) = bridged(store, "ann")
    push(store, front)
    for stranger in (BOB, None):
        front.answer(front.waiting("ann")[0], stranger, choice="blue")
        assert pull(store, front).outcomes == {BridgeOutcome.NOT_THEIRS: 1}
        push(store, front)
    front.answer(front.waiting("ann")[0], ANN, choice="red")
    pull(store, front)
    assert answers(store) == [(ann.id, "red")]
    assert any("open their own project only" in step for step in state_of(store).next_steps)


@pytest.mark.both_databases
def test_tasks_of_others_in_our_projects_are_left_alone_and_told(store: Store, front: Outside) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 1)
    bridged(store, "ann")
    push(store, front)
    (project,) = front.projects.values()
    project.tasks[999] = Task(999, {"text": "mine"}, [])
    pull(store, front)
    assert state_of(store).lines[0].strangers == 1
    bridge.connect(store, by=None, project="p", address=ADDRESS, stages=())
    push(store, front)
    assert list(front.all_tasks()) == [999]
    del project.tasks[999]
    push(store, front)
    assert front.projects == {}


# ---- edited and deleted by hand --------------------------------------------------------------------------------------


def test_an_answer_changed_after_it_was_read_supersedes_the_first(store: Store, front: Outside) -> None:
    """A change between the reading of the list and the removal of the task is found."""
    make_project(store, loaded=make_schema(raters=2))
    make_items(store, 1)
    (_ann,) = bridged(store, "ann")
    push(store, front)
    (task,) = front.waiting("ann")
    first = front.answer(task, ANN, choice="red")

    def change(when: str, name: str) -> None:
        if (when, name) == ("before", "task"):
            front.on_call = lambda *_: None
            front.edit(first, choice="blue")

    front.on_call = change
    assert pull(store, front).outcomes == {BridgeOutcome.STORED: 1, BridgeOutcome.SUPERSEDED: 1}
    one, two = rows(store, AnnotationRow)
    assert (one.answers["choice"], two.answers["choice"], two.supersedes_id) == ("red", "blue", one.id)
    assert front.all_tasks() == {}


@pytest.mark.both_databases
def test_where_answers_may_stay_they_can_be_changed_and_deleted_there(
    store: Store, clock: Clock, front: Outside
) -> None:
    make_project(store, loaded=make_schema(raters=2))
    make_items(store, 1)
    (_ann,) = bridged(store, "ann", stay=True, hold_hours=4)
    push(store, front)
    (task,) = front.waiting("ann")
    first = front.answer(task, ANN, choice="red")
    assert pull(store, front).outcomes == {BridgeOutcome.STORED: 1}
    assert list(front.all_tasks()) == [task.id]
    front.edit(first, choice="blue")
    assert pull(store, front).outcomes == {BridgeOutcome.SUPERSEDED: 1}
    front.edit(first, choice="blue")
    assert pull(store, front).outcomes == {BridgeOutcome.SUPERSEDED: 1}
    assert [choice for _, choice in answers(store)] == ["red", "blue"]
    front.edit(first, choice="green")
    assert pull(store, front).outcomes == {BridgeOutcome.REFUSED: 1}
    del task.annotations[first.id]
    assert pull(store, front).outcomes == {BridgeOutcome.DELETED: 1}
    assert pull(store, front).outcomes == {}
    assert [choice for _, choice in answers(store)] == ["red", "blue"]
    clock.advance(hours=4, minutes=1)
    push(store, front)
    assert front.all_tasks() == {}
    assert check(store) == []
    assert state_of(store).lines[0].deleted == 1


def test_after_the_verdict_nothing_is_changed(store: Store, clock: Clock, front: Outside) -> None:
    make_project(store, loaded=make_schema(raters=1, adjudication=False))
    make_items(store, 1)
    (ann,) = bridged(store, "ann", stay=True)
    push(store, front)
    first = front.answer(front.waiting("ann")[0], ANN, choice="red")
    pull(store, front)
    clock.advance(hours=1)  # longer than the time for corrections
    front.edit(first, choice="blue")
    assert pull(store, front).outcomes == {BridgeOutcome.SETTLED: 1}
    assert answers(store) == [(ann.id, "red")]


@pytest.mark.both_databases
def test_only_one_person_may_be_on_a_server_where_answers_stay(store: Store) -> None:
    make_project(store)
    bridged(store, "ann", stay=True)
    make_person(store, "bob")
    with pytest.raises(InvalidInputError, match="one rater"):
        bridge.map_person(store, by=None, project="p", address=ADDRESS, login="bob", email="bob@x.org")
    bridge.connect(store, by=None, project="p", address=ADDRESS, stages=[Stage.VERIFICATION])
    bridge.map_person(store, by=None, project="p", address=ADDRESS, login="bob", email="bob@x.org")
    with pytest.raises(InvalidInputError, match="one rater"):
        bridge.connect(store, by=None, project="p", address=ADDRESS, stages=[Stage.VERIFICATION], stay=True)


@pytest.mark.both_databases
def test_a_task_deleted_there_is_told_and_goes_out_again(store: Store, front: Outside) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 3)
    bridged(store, "ann")
    push(store, front)
    known = front.waiting("ann")
    front.delete_task(known[0].id)
    assert pull(store, front).outcomes == {BridgeOutcome.DELETED: 1}
    assert state_of(store).lines[0].deleted == 1
    push(store, front)
    assert len(front.waiting("ann")) == 3
    assert pull(store, front).outcomes == {}
    (project,) = front.projects.values()
    known[1] = front.waiting("ann")[0]  # that pull has noted its id there
    front.delete_task(known[1].id)
    assert pull(store, front).outcomes == {BridgeOutcome.DELETED: 1}
    project.tasks |= {task.id: task for task in known[:2]}  # a backup there was played back
    pull(store, front)
    assert len(front.waiting("ann")) == 2
    assert not {task.id for task in known[:2]} & set(front.all_tasks()), "each item is out once"


def test_a_whole_project_deleted_there_is_made_anew(store: Store, front: Outside) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 2)
    (ann,) = bridged(store, "ann")
    push(store, front)
    for first in (pull, push):
        front.projects.clear()
        first(store, front)
        both(store, front)
        assert len(front.waiting("ann")) == 2
    for task in front.waiting("ann"):
        front.answer(task, ANN, choice="red")
    pull(store, front)
    assert answers(store) == [(ann.id, "red")] * 2


# ---- people, schemas, settings ---------------------------------------------------------------------------------------


@pytest.mark.both_databases
@pytest.mark.parametrize("how", ["removed", "deactivated", "unmapped", "other stage", "disconnected"])
def test_anyone_who_leaves_has_nothing_there_any_more(store: Store, front: Outside, how: str) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 2)
    ann, _ = bridged(store, "ann", "bob", ahead=1)
    push(store, front)
    front.answer(front.waiting("ann")[0], ANN, choice="red")
    if how == "removed":
        memberships.remove_member(store, by=None, project="p", login="ann")
    elif how == "deactivated":
        accounts.set_active(store, login="ann", active=False)
    elif how == "unmapped":
        bridge.unmap_person(store, by=None, project="p", address=ADDRESS, login="ann")
    elif how == "other stage":
        memberships.set_member(store, by=None, project="p", login="ann", role=Role.ANNOTATOR, stages=[Stage.GRADING])
    else:
        bridge.connect(store, by=None, project="p", address=ADDRESS, stages=[])
    push(store, front)
    assert front.of("ann") == []
    assert not [row for row in rows(store, TaskRow, person_id=ann.id) if row.state is TaskState.CLAIMED]
    counted = how in ("unmapped", "disconnected")  # the person had the task at the time of the answer
    assert answers(store) == ([(ann.id, "red")] if counted else [])
    assert outcomes(store) == [BridgeOutcome.STORED if counted else BridgeOutcome.LATE]
    assert [project.title for project in front.projects.values()] == (
        [] if how == "disconnected" else ["Bob · verification · A blind test"]
    )


def test_another_labeling_empties_and_removes_the_old_project(store: Store, front: Outside) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 2)
    (ann,) = bridged(store, "ann")
    push(store, front)
    (old,) = front.projects
    one, _ = front.waiting("ann")
    front.answer(one, ANN, choice="red")
    newer = make_schema(raters=1)
    text = newer.text.replace("version: 1", "version: 2", 1)
    with store.write() as session:
        version = stored_schemas.store_schema(session, loaded=load_text(text, "Be exact.", "blind"), now=store.now())
        row = session.exec(select(ProjectRow)).one()
        row.schema_version_id = version
        session.add(row)
    push(store, front)
    assert old not in front.projects
    assert answers(store) == [(ann.id, "red")]
    assert len(front.waiting("ann")) == 1
    assert "verification 2" in next(iter(front.projects.values())).labeling
    front.answer(front.waiting("ann")[0], ANN, choice="red")
    pull(store, front)
    assert answers(store) == [(ann.id, "red")] * 2


def test_an_edited_item_goes_out_anew(store: Store, front: Outside) -> None:
    make_project(store)
    ids = make_items(store, 1)
    make_predictions(store, ids, models=["m"])
    bridged(store, "ann", stages=(Stage.GRADING,))
    push(store, front)
    edit_item(store, person=None, project="p", item="colour/0", fields=make_fields(question="Edited?"))
    assert push(store, front).called_back == 1
    assert [task.data["fields"]["question"] for task in front.waiting("ann")] == ["Edited?"]


def test_one_address_there_is_one_person(store: Store, front: Outside) -> None:
    make_project(store)
    bridged(store, "ann")
    make_person(store, "bob")
    with pytest.raises(ConflictError, match="is 'ann' already"):
        bridge.map_person(store, by=None, project="p", address=f"{ADDRESS}/", login="bob", email="ANN@x.org")
    with pytest.raises(NotFoundError, match="add them first"):
        bridge.map_person(store, by=None, project="p", address=ADDRESS, login="zoe", email="zoe@x.org")
    with pytest.raises(NotFoundError, match="connect it first"):
        bridge.map_person(store, by=None, project="p", address="http://else.test", login="bob", email="b@x.org")


def test_members_are_found_by_their_logins(store: Store, front: Outside) -> None:
    make_project(store)
    bridged(store)
    make_person(store, "ann@x.org")
    make_person(store, "zoe@x.org")
    assert bridge.match_people(store, front, by=None, project="p") == ["ann@x.org"]
    assert bridge.match_people(store, front, by=None, project="p") == []


def test_someone_without_an_account_there_is_told_of_and_found_later(store: Store, front: Outside) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 1)
    bridged(store, "zoe")
    push(store, front)
    assert state_of(store).next_steps[0].startswith("Invite zoe@x.org")
    front.accounts[9] = "Zoe@X.org"
    push(store, front)
    assert len(front.waiting("zoe")) == 1
    assert not any(step.startswith("Invite") for step in state_of(store).next_steps)


@pytest.mark.both_databases
def test_whose_address_changes_is_looked_up_anew(store: Store, front: Outside) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 4)
    bridged(store, "ann", ahead=1)
    push(store, front)
    assert [row.outside_user for row in rows(store, BridgePersonRow)] == [ANN]
    bridge.map_person(store, by=None, project="p", address=ADDRESS, login="ann", email="cat@x.org")
    push(store, front)
    assert [row.outside_user for row in rows(store, BridgePersonRow)] == [CAT]


def test_leads_only(store: Store, front: Outside) -> None:
    make_project(store)
    (ann,) = bridged(store, "ann")
    with pytest.raises(NotAllowedError):
        bridge.push(store, front, FORMS, by=ann, project="p")
    with pytest.raises(NotAllowedError):
        bridge.pull(store, front, FORMS, by=ann, project="p")
    with pytest.raises(NotAllowedError):
        bridge.status(store, by=ann, project="p")
    with pytest.raises(NotAllowedError):
        bridge.connect(store, by=ann, project="p", address=ADDRESS, stages=[])


@pytest.mark.parametrize(
    "address", ["", "there.test", "http://", "ftp://there.test", "http://ann:secret@there.test", "http://x/?token=1"]
)
def test_an_address_is_an_address_and_holds_no_token(store: Store, address: str) -> None:
    make_project(store)
    with pytest.raises(InvalidInputError, match="without names or tokens"):
        bridge.connect(store, by=None, project="p", address=address, stages=[Stage.VERIFICATION])


def test_settings_that_do_not_fit_are_refused(store: Store) -> None:
    make_project(store)
    with pytest.raises(InvalidInputError) as refused:
        bridge.connect(store, by=None, project="p", address=ADDRESS, stages=[Stage.REFINEMENT], ahead=0, hold_hours=0)
    assert {problem.name for problem in refused.value.problems} == {"stages", "ahead", "hold_hours"}


# ---- failures --------------------------------------------------------------------------------------------------------


def test_a_server_that_is_down_is_told_of_and_nothing_is_lost(store: Store, front: Outside) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 2)
    (ann,) = bridged(store, "ann")
    push(store, front)
    front.answer(front.waiting("ann")[0], ANN, choice="red")
    front.down = True
    for ask in (pull, push):
        if ask is push:
            make_items(store, 2)
        with pytest.raises(ServiceUnreachableError):
            ask(store, front)
        assert "does not answer" in state_of(store).next_steps[0]
    front.down = False
    both(store, front)
    assert state_of(store).said == ""
    assert answers(store) == [(ann.id, "red")]
    assert len(front.waiting("ann")) == 3


def test_two_processes_do_not_get_into_each_others_way(store: Store, front: Outside, monkeypatch: Any) -> None:
    monkeypatch.setattr("extensions.labelstudio.exchange.sync_lock.PATIENCE", 0.2)
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 2)
    bridged(store, "ann")
    met: list[str] = []

    def meanwhile(when: str, name: str) -> None:
        if (when, name) == ("before", "send"):
            front.on_call = lambda *_: None
            with pytest.raises(ConflictError, match="by another process"):
                push(store, front)
            met.append("refused")

    front.on_call = meanwhile
    push(store, front)
    assert met == ["refused"]
    assert len(front.all_tasks()) == 2


class Fate:
    """Kills this process at the n-th moment at which something has changed, or is about to change."""

    def __init__(self, store: Store, front: Outside, *, at: int, when: str) -> None:
        self.store, self.front, self.at, self.when = store, front, at, when
        self.moments = 0
        self.dead = False
        self._write = store.write
        self.begin()

    def begin(self) -> None:
        """Start counting moments."""
        self.front.on_call = self._called
        self.store.write = self._written  # type: ignore[method-assign]

    def _moment(self) -> None:
        self.moments += 1
        if self.moments == self.at:
            self.dead = True
        if self.dead:
            raise Kill

    def _called(self, when: str, name: str) -> None:
        if self.dead:
            raise Kill
        if when == self.when:
            self._moment()

    @contextmanager
    def _written(self) -> Iterator[Session]:
        if self.dead:
            raise Kill
        with self._write() as session:
            yield session
            if self.when == "before":
                self._moment()
        if self.when == "after":
            self._moment()

    def end(self) -> None:
        """Stop counting: the next process begins."""
        self.front.on_call = lambda *_: None
        self.store.write = self._write  # type: ignore[method-assign]


@pytest.mark.both_databases
@pytest.mark.slow
@pytest.mark.parametrize("when", ["before", "after"])
def test_killed_anywhere_nothing_is_lost_and_nothing_doubled(store: Store, clock: Clock, when: str) -> None:
    """Kill the process after one moment at which something changes, then after a later one, and so on to the last.

    One moment of five is tested, with odd and even numbers in turn, so that each kind of moment occurs again and again.
    The state after a change equals the state right before the next one, so those are tested less often. PostgreSQL is
    tested even less often, because it gets the same queries as SQLite.
    """
    moments = count(1, 25 if not store.is_sqlite else 9 if when == "before" else 5)
    mornings: list[DaySnapshot] = []
    if store.is_sqlite:
        assert not a_day(store, clock, Day(store, 0), when, at=0, keep=mornings).dead
    for n in moments:
        if mornings:
            morning = max((each for each in mornings if each.moments < n), key=lambda each: each.moments)
            fate = a_day(store, clock, morning.again(store, clock), when, at=n, moments=morning.moments)
        else:
            fate = a_day(store, clock, Day(store, n), when, at=n)
        if mornings or not fate.dead:
            assert check(store) == [], n
        if not fate.dead:
            break
    assert n > 60


class Day:
    """A project whose two items go to a server, and the events there so far."""

    def __init__(self, store: Store, n: int) -> None:
        self.n, self.project = n, f"p{n}"
        self.front = Outside("ann@x.org", "bob@x.org", page=2)
        self.step = 0
        """What comes next of ``HAPPENS``."""
        make_project(store, name=self.project, loaded=make_schema(raters=2, adjudication=False))
        make_items(store, 2, project=self.project)
        bridge.connect(store, by=None, project=self.project, address=ADDRESS, stages=[Stage.VERIFICATION])
        for login in ("ann", "bob"):
            make_person(store, f"{login}{n}", project=self.project)
            named = {"login": f"{login}{n}", "email": f"{login}@x.org"}
            bridge.map_person(store, by=None, project=self.project, address=ADDRESS, **named)

    def next_of(self, login: str) -> Task:
        return self.front.waiting(f"{login}{self.n}")[0]


class DaySnapshot:
    """A copy of a day between two steps, so that days with the same start need not be repeated."""

    def __init__(self, store: Store, clock: Clock, day: Day, moments: int) -> None:
        self.now, self.moments = clock.now, moments
        self._day = copy.deepcopy(day)
        self._file = sqlite3.connect(":memory:")
        self._copied(store, lambda file: file.backup(self._file))

    def again(self, store: Store, clock: Clock) -> Day:
        """Return the day after restoring database, clock and server."""
        self._copied(store, self._file.backup)
        clock.now = self.now
        return copy.deepcopy(self._day)

    @staticmethod
    def _copied(store: Store, copied: Callable[[sqlite3.Connection], None]) -> None:
        with closing(sqlite3.connect(store.engine.url.database or "")) as file:
            copied(file)


def _first_answers(day: Day, clock: Clock) -> None:
    day.front.answer(day.next_of("ann"), ANN, choice="red")
    day.front.answer(day.next_of("ann"), ANN, choice="green")
    day.front.answer(day.next_of("bob"), BOB, choice="red")
    day.front.answer(day.next_of("bob"), ANN, choice="blue")


def _a_skip_and_an_answer(day: Day, clock: Clock) -> None:
    day.front.skip(day.next_of("bob"), BOB)
    day.front.answer(day.next_of("ann"), ANN, choice="red")


def _an_hour(day: Day, clock: Clock) -> None:
    clock.advance(hours=1, minutes=1)


def _a_last_answer(day: Day, clock: Clock) -> None:
    day.front.answer(day.next_of("bob"), BOB, choice="red")


HAPPENS: tuple[Callable[[Day, Clock], None], ...] = (
    lambda *_: None,
    _first_answers,
    _a_skip_and_an_answer,
    _an_hour,
    _a_last_answer,
)
"""The events before each synchronization. There is nothing to pull at the first one."""


def a_day(
    store: Store, clock: Clock, day: Day, when: str, *, at: int, moments: int = 0, keep: list[DaySnapshot] | None = None
) -> Fate:
    """Run a day: answers, an invalid one, a skip, and an answer of another person.

    Moment ``at`` is the last one of the process. ``moments`` of them have passed.
    """
    front, project, n = day.front, day.project, at
    fate = Fate(store, front, at=at, when=when)
    fate.moments = moments
    for happens in HAPPENS[day.step :]:
        if keep is not None:
            fate.end()
            keep.append(DaySnapshot(store, clock, day, fate.moments))
            fate.begin()
        asks = (pull, push) if day.step else (push,)
        happens(day, clock)
        day.step += 1
        try:
            for ask in asks:
                ask(store, front, project)
        except Kill:  # the next process does it again
            fate.end()
            clock.advance(minutes=6)  # until the other process counts as gone
            for ask in asks:
                ask(store, front, project)
    fate.end()
    with store.read() as session:
        id = session.exec(select(ProjectRow.id).where(ProjectRow.name == project)).one()
        stored = session.exec(select(AnnotationRow).where(AnnotationRow.project_id == id)).all()
        found = session.exec(
            select(BridgeAnswerRow.outcome)
            .join(BridgeRow, col(BridgeRow.id) == BridgeAnswerRow.bridge_id)
            .where(BridgeRow.project_id == id)
        ).all()
    assert len({(row.item_id, row.person_id) for row in stored}) == len(stored) == 4, n
    assert {row.answers["choice"] for row in stored} == {"red"}, n
    assert front.all_tasks() == {}, n
    outcomes = {outcome: found.count(outcome) for outcome in set(found)}
    once = (BridgeOutcome.REFUSED, BridgeOutcome.NOT_THEIRS, BridgeOutcome.SKIPPED)
    assert outcomes == {BridgeOutcome.STORED: 4} | dict.fromkeys(once, 1), n
    return fate


@pytest.mark.both_databases
def test_what_was_sent_right_before_a_kill_is_not_sent_again(store: Store, clock: Clock, front: Outside) -> None:
    """The next push checks which tasks are there before it sends any, so no rater ever gets a task twice."""
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 3)
    bridged(store, "ann", ahead=3)

    def kill(when: str, name: str) -> None:
        if (when, name) == ("after", "send"):
            raise Kill

    front.on_call = kill
    with pytest.raises(Kill):
        push(store, front)
    arrived = set(front.all_tasks())
    assert len(arrived) == 3
    front.on_call = lambda *_: None
    clock.advance(minutes=6)  # until the other process counts as gone
    front.calls.clear()
    push(store, front)
    assert "send" not in front.calls
    assert set(front.all_tasks()) == arrived


def test_a_reply_that_is_lost_doubles_nothing(store: Store, front: Outside) -> None:
    """The server has carried out a request, but the client gets no reply: at every call of a day."""
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 4)
    (ann,) = bridged(store, "ann", ahead=2)
    lost: list[str] = []

    def lose(when: str, name: str) -> None:
        if when == "after" and lost.count(name) < 2:
            lost.append(name)
            raise ServiceUnreachableError("There was no reply.")

    front.on_call = lose
    while len(answers(store)) < 4 or front.all_tasks():
        for ask in (pull, push):
            try:
                ask(store, front)
            except ServiceUnreachableError:
                break
        for task in front.waiting("ann"):
            front.answer(task, ANN, choice="red")
    assert {"users", "make_project", "project_of", "send", "tasks", "task", "remove"} <= set(lost)
    assert answers(store) == [(ann.id, "red")] * 4
    assert len(front.projects) == 1
    assert front.all_tasks() == {}


def test_a_task_that_arrives_twice_is_answered_once(store: Store, front: Outside) -> None:
    """A slow server accepts tasks after the check for them."""
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 1)
    (ann,) = bridged(store, "ann")
    push(store, front)
    (project,) = front.projects.values()
    (task,) = project.tasks.values()
    project.tasks[500] = Task(500, dict(task.data), [])
    front.answer(project.tasks[500], ANN, choice="red")
    front.answer(task, ANN, choice="red")
    pulled = pull(store, front)
    assert pulled.outcomes[BridgeOutcome.STORED] == 1
    assert answers(store) == [(ann.id, "red")]
    assert front.all_tasks() == {}


def test_the_real_pages_and_what_is_read_from_them(store: Store, front: Outside) -> None:
    """Use Label Studio's own pages and results instead of the small language of these tests."""
    make_project(store, loaded=make_schema(raters=2))
    make_predictions(store, make_items(store, 1), models=["m"])
    stages = (Stage.VERIFICATION, Stage.ADJUDICATION, Stage.GRADING)
    ann, bob, cat = bridged(store, "ann", "bob", "cat", role=Role.SENIOR, stages=stages, ahead=1)
    forms = Forms(labeling=labeling.labeling, data=labeling.data, read=results.read_result, link=link)
    schema = make_schema(raters=2).schema_
    said: dict[str, dict[str, Any]] = {
        "verification": {"choice": "red"},
        "grading": {"score": 0.5},
        "adjudication": {"decision": "accept", "cause": "wrong_key"},
    }
    fields = {"options": ["red", "blue"]}
    for _ in range(4):
        bridge.push(store, front, forms, by=None, project="p")
        for project in front.projects.values():
            name, stage, _title = project.title.split(" · ")
            for task in project.tasks.values():
                given = dict(said[stage])
                if stage == "verification" and name == "Bob":
                    given = {"choice": "blue"}
                if stage == "verification" and name == "Cat":
                    given = {"choice": None}
                reasons = {"choice": "unclear"} if given.get("choice", "") is None else {}
                result = results.write_result(schema, stage, "colour", given, reasons, "a note", fields)
                front.annotate(task, {"Ann": ANN, "Bob": BOB, "Cat": CAT}[name], [dict(each) for each in result], 1.0)
        pulled = bridge.pull(store, front, forms, by=None, project="p")
        assert set(pulled.outcomes) <= {BridgeOutcome.STORED}
    stored = rows(store, AnnotationRow)
    assert sorted(row.stage for row in stored) == ["adjudication", "grading", "grading", "verification", "verification"]
    assert {row.note for row in stored} == {"a note"}
    assert {row.person_id for row in stored} <= {ann.id, bob.id, cat.id}
    assert front.all_tasks() == {}
    assert check(store) == []


# ---- secrets ---------------------------------------------------------------------------------------------------------


def test_no_secret_goes_out(store: Store, clock: Clock, front: Outside) -> None:
    text = BLIND.replace("RATERS", "2").replace("PER_SOURCE", "2").replace("ADJUDICATION", SETTLING)
    make_project(store, loaded=load_text(text, "Be exact.", "blind"))
    author = make_person(store, "secret-author")
    ids = make_items(
        store, 3, author_id=author.id, fields=make_fields(answer="red", origin="secret-origin", options=["red", "blue"])
    )
    make_predictions(store, ids, models=["secret-model"])
    judged(store, ids, "secret-judge")
    eve = make_person(store, "eve")
    for _ in range(3):
        view = claimed(store, eve)
        submissions.submit(
            store, person=eve, task=view.id, key=view.id, values={"choice": "blue"}, note="secret-note of another vote"
        )
    bridged(store, "ann", "bob", stages=(Stage.VERIFICATION, Stage.GRADING))
    push(store, front)
    front.answer(front.waiting("ann")[0], ANN, choice="green")
    front.answer(front.waiting("bob")[0], ANN, choice="red")
    both(store, front)
    clock.advance(hours=9)
    both(store, front)
    everything = "\n".join(front.given)
    assert len(front.given) > 20
    assert "Question" in everything
    lines = [json.loads(text) for text in front.given if text.startswith("{")]
    verifying = [line for line in lines if line["data"]["answer"] is None]
    grading = [line for line in lines if line["data"]["answer"] is not None]
    assert verifying
    assert grading
    for line in verifying:
        assert set(line["data"]["fields"]) == {"question", "options"}
        assert line["data"]["votes"] == []
    for line in grading:
        assert set(line["data"]["fields"]) == {"question", "answer"}  # the schema shows the key to graders
    with store.read() as session:
        inner = {row.public_id for row in session.exec(select(TaskRow))}
        inner |= {row.external_id for row in session.exec(select(ItemRow))}
    for secret in ["secret", "origin", "colour/", *inner]:
        assert secret not in everything, secret


def judged(store: Store, ids: list[int], judge: str) -> None:
    """Store ratings of a judge in the same way as an import."""
    with store.write() as session:
        for id in ids:
            session.add(
                ImportedRatingRow(
                    project_id=1,
                    stage=Stage.GRADING,
                    unit=f"secret-unit/{id}",
                    rater=judge,
                    criterion="score",
                    value=0.5,
                    created_at=store.now(),
                )
            )


# ---- status, the loop, and size --------------------------------------------------------------------------------------


def test_status_says_what_is_and_what_to_do(store: Store, clock: Clock, front: Outside) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 5)
    bridge.connect(store, by=None, project="p", address=ADDRESS, stages=[Stage.VERIFICATION])
    assert "No one's work goes there yet" in state_of(store).next_steps[0]
    bridged(store, "ann")
    assert "Nothing was sent yet" in state_of(store).next_steps[0]
    push(store, front)
    clock.advance(minutes=2)
    assert "3 tasks wait there and nothing was fetched yet" in state_of(store).next_steps[0]
    one, two, three = front.waiting("ann")
    front.answer(one, ANN, choice="red")
    front.answer(two, ANN, choice="green")
    front.skip(three, ANN)
    pull(store, front)
    told = state_of(store)
    (line,) = told.lines
    assert (line.stored, line.refused, line.skipped, line.out, line.late, line.deleted) == (1, 1, 1, 1, 0, 0)
    assert line.sentences == (
        "1 task waits there.",
        "1 answer is stored here.",
        "1 answer did not fit; it is kept, and its task was sent again with the reason.",
        "1 task was skipped there and given back.",
    )
    assert (told.pulled_at, told.busy, told.said) == (clock.now, False, "")


def test_the_loop_goes_on_after_a_server_was_down(store: Store, front: Outside, monkeypatch: Any) -> None:
    monkeypatch.setattr("extensions.labelstudio.exchange.bridge.OFTENEST", 0.01)
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 2)
    (ann,) = bridged(store, "ann", ahead=1)
    told: list[tuple[bool, str]] = []

    def tell(pulled: PullResult | None, pushed: PushResult | None, said: str) -> None:
        told.append((pushed is not None, said))
        front.down = len(told) == 2
        for task in front.waiting("ann"):
            front.answer(task, ANN, choice="red")

    bridge.sync(store, front, FORMS, by=None, project="p", every=0.01, stop=lambda: len(told) >= 6, tell=tell)
    assert [done for done, _ in told] == [True, True, False, True, True, True]
    assert "does not answer" in told[2][1]
    assert answers(store) == [(ann.id, "red")] * 2


def test_two_thousand_open_tasks_cost_as_few_questions_as_ten(store: Store, clock: Clock, front: Outside) -> None:
    asked: list[str] = []
    event.listen(store.engine, "before_cursor_execute", lambda c, cursor, statement, *_: asked.append(statement))
    make_project(store, loaded=make_schema(raters=1))
    (ann,) = bridged(store, "ann", ahead=10)
    make_items(store, 30)
    push(store, front)

    def cost() -> tuple[int, int, int]:
        pull(store, front)
        asked.clear()
        pull(store, front)
        n_pull = len(asked)
        asked.clear()
        push(store, front)
        n_push = len(asked)
        asked.clear()
        bridge.status(store, by=None, project="p")
        return n_pull, n_push, len(asked)

    few = cost()
    (project,) = front.projects.values()
    with store.write() as session:  # as if so many had been claimed and sent
        (place,) = session.exec(select(BridgeProjectRow)).all()
        (slot,) = session.exec(select(TaskRow).where(TaskRow.state == TaskState.CLAIMED).limit(1)).all()
        told = {"bridge_project_id": place.id, "task_id": slot.id, "person_id": ann.id, "state": BridgeState.OUT}
        made = {"number": 1, "says": "", "guideline": "", "why": "", "created_at": clock.now}
        keys = [f"key-{n}" for n in range(2_000)]
        session.connection().execute(insert(BridgeTaskRow), [{**told, **made, "key": key} for key in keys])
    for n, key in enumerate(keys, 2_000):
        project.tasks[n] = Task(n, {"touchstone": key}, [])
    many = cost()
    assert many[1:] == few[1:]
    # 2,010 tasks are looked up by key in pages of 200, and their stored facts in lots
    assert many[0] - few[0] <= 4 * (2_010 // 200 + 1)
    assert front.calls.count("task") == 0
