"""Test the exchange of work with another tool's screens: each answer counts once, whatever happens in between."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlmodel import col, select

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
    ItemRow,
    TaskRow,
)
from domain.bridge import BridgeOutcome, BridgeState
from domain.policies import LEASE
from domain.records import Person
from domain.roles import Role
from domain.states import ItemState, Purpose, Stage, TaskState
from extensions.labelstudio.exchange import bridge
from extensions.labelstudio.exchange.bridge import BridgeStatus, PullResult, PushResult
from extensions.labelstudio.tests.outside import ADDRESS, FORMS, Outside, Task, written
from testkit.factories import (
    BLIND,
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
from testkit.qualification import begin_try, make_set, needs_qualification
from workflow.annotate import (
    claims,
    drafts,
    image_pool,
    submissions,
)
from workflow.files.project_check import check

pytestmark = pytest.mark.thorough

ANN, BOB, CAT = 1, 2, 3
"""Their ids there."""


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


@needs_qualification
@pytest.mark.both_databases
def test_who_has_not_qualified_gets_the_qualification_only(store: Store, clock: Clock, front: Outside) -> None:
    text = QUALIFIED.replace("PER_SOURCE", "2").replace("ADJUDICATION", "none")
    make_project(store, loaded=load_text(text, "Be exact.", "blind"))
    make_items(store, 5)
    (ann,) = bridged(store, "ann")
    push(store, front)
    assert front.all_tasks() == {}
    assert "no set of items is ready" in state_of(store).people[0].why
    make_set(store, n=2)
    begin_try(store, ann)
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
