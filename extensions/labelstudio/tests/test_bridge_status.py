"""Test that no secret goes to the other tool's server, and what the status, the loop and two thousand tasks come to."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import event, insert
from sqlmodel import select

from annotation_schemas.loader import load_text
from db.engine import Store
from db.tables import BridgeProjectRow, BridgeTaskRow, ImportedRatingRow, ItemRow, TaskRow
from domain.bridge import BridgeState
from domain.states import Stage, TaskState
from extensions.labelstudio.exchange import bridge
from extensions.labelstudio.exchange.bridge import PullResult, PushResult
from extensions.labelstudio.tests.outside import ADDRESS, FORMS, Outside, Task
from extensions.labelstudio.tests.test_bridge import ANN, answers, both, bridged, pull, push, state_of
from testkit.factories import (
    BLIND,
    SETTLING,
    Clock,
    claimed,
    make_fields,
    make_items,
    make_person,
    make_predictions,
    make_project,
    make_schema,
)
from workflow.annotate import submissions

pytestmark = pytest.mark.thorough


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
    assert "No accounts are matched yet" in state_of(store).next_steps[0]
    bridged(store, "ann")
    assert "No tasks have been sent yet" in state_of(store).next_steps[0]
    push(store, front)
    clock.advance(minutes=2)
    assert "Tasks waiting in Label Studio: 3. No answers have been fetched yet" in state_of(store).next_steps[0]
    one, two, three = front.waiting("ann")
    front.answer(one, ANN, choice="red")
    front.answer(two, ANN, choice="green")
    front.skip(three, ANN)
    pull(store, front)
    told = state_of(store)
    (line,) = told.lines
    assert (line.stored, line.refused, line.skipped, line.out, line.late, line.deleted) == (1, 1, 1, 1, 0, 0)
    assert line.sentences == (
        "1 task is waiting in Label Studio.",
        "Touchstone has stored 1 answer.",
        "1 answer was invalid. Touchstone sent the task again with the reason.",
        "1 task was skipped and returned to Touchstone.",
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
