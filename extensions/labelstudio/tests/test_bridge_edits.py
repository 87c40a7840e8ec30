"""Test answers that do not fit, and what people edit or delete in the other tool."""

from __future__ import annotations

from typing import Any

import pytest

from db.engine import Store
from db.tables import AnnotationRow, BridgeAnswerRow
from domain.bridge import BridgeOutcome
from domain.errors import InvalidInputError
from domain.states import Stage
from extensions.labelstudio.exchange import bridge
from extensions.labelstudio.tests.outside import ADDRESS, Outside, Task, written
from extensions.labelstudio.tests.test_bridge import ANN, BOB, answers, both, bridged, pull, push, rows, state_of
from testkit.factories import Clock, make_items, make_person, make_project, make_schema
from workflow.files.project_check import check

pytestmark = pytest.mark.thorough


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
    assert "could not store your answer" in again.data["says"]
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
    assert any("Talk to Ann (ann) about colour/0: 5 answers were invalid" in step for step in told.next_steps)
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
    assert any("open only their own project" in step for step in state_of(store).next_steps)


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
