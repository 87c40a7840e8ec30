"""Runs: what is asked, by whom, how often, and what is kept, no matter who dies on the way."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlmodel import col, select

from annotation_schemas import registry
from db import run_chunks
from db import runs as rows
from db.engine import Store
from db.tables import PredictionRow, RunChunkRow
from domain.errors import (
    ConflictError,
    InvalidInputError,
    ModelError,
    NotAllowedError,
    NotAvailableError,
    NotFoundError,
    RunStoppedError,
)
from domain.records import Person
from domain.roles import Role
from domain.runs import Answerer, Attempt, Outcome, Question, RunPlan, RunState
from domain.settings import Settings
from inference.spec import Endpoint, ModelSpec
from testkit.factories import Clock, make_items, make_people, make_person, make_project
from workflow.annotate import grading
from workflow.runs import attempt_keeper, run_control, run_grading, run_start, run_views, worker_registry
from workflow.runs.worker import Means, work

pytestmark = pytest.mark.thorough

SPEC = ModelSpec(name="tiny", adapter="chat", model="nobody/tiny", batch_size=2)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt_keeper, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(attempt_keeper, "HEARTBEAT_SECONDS", 0.1)
    monkeypatch.setattr(registry, "require_row", lambda registry_, name: None)


def stored_answers(store: Store) -> list[str]:
    """The texts of all stored answers, the newest first."""
    with store.read() as session:
        return list(session.exec(select(PredictionRow.text).order_by(col(PredictionRow.id).desc())))


class Fake:
    """A model that answers with the name of the item, and does with the n-th question what ``does`` says."""

    about: dict[str, Any] = {"device": "none"}  # noqa: RUF012

    def __init__(self, does: Callable[[Question], Sequence[Attempt]] | None = None, pause: float = 0.0) -> None:
        self.does = does or (lambda question: [Attempt(question.unit_id, Outcome.ANSWERED, question.text)])
        self.pause = pause
        self.asked: list[int] = []
        self.closed = 0

    def answer(
        self, questions: Sequence[Question], *, tell: Callable[[Attempt], None], stop: Callable[[], bool]
    ) -> None:
        for question in questions:
            if stop():
                return
            time.sleep(self.pause)
            self.asked.append(question.unit_id)
            for attempt in self.does(question):
                tell(attempt)

    def close(self) -> None:
        self.closed += 1


class Asks:
    """Questions without reading anything."""

    def __init__(self, cannot: Sequence[int] = ()) -> None:
        self.cannot = cannot

    def ask(self, item_ids: Sequence[int]) -> list[Question]:
        return [
            Question(id, f"item {id}", "colour", (f"about {id}",), cannot="No image." if id in self.cannot else "")
            for id in item_ids
        ]


def means(answerer: Answerer, cannot: Sequence[int] = ()) -> Means:
    return Means(lambda spec, plan: answerer, lambda row, spec, plan: Asks(cannot))


def begun(store: Store, n: int = 20, **plan: Any) -> tuple[str, list[int]]:
    """A run over n items; its id and theirs."""
    make_project(store)
    ids = make_items(store, n)
    return run_start.start(store, by=None, project="p", spec=SPEC, plan=RunPlan(**plan)), ids


def counted(store: Store) -> dict[str, int]:
    """What plain SQL says."""
    with store.read() as session:

        def one(sql: str) -> int:
            return int(session.connection().execute(text(sql)).scalar() or 0)

        return {
            "attempts": one("SELECT count(*) FROM attempt"),
            "predictions": one("SELECT count(*) FROM prediction"),
            "answered": one("SELECT count(DISTINCT item_id) FROM prediction"),
        }


def answered_all(store: Store, n: int) -> None:
    assert counted(store) == {"attempts": n, "predictions": n, "answered": n}


# ---- starting --------------------------------------------------------------------------------------------------------


@pytest.mark.both_databases
def test_a_run_asks_every_item_once_in_an_order_of_its_own(store: Store) -> None:
    run, ids = begun(store, 21)
    model = Fake()
    assert work(store, run, means=means(model)) is RunState.DONE
    assert sorted(model.asked) == ids
    assert model.asked != ids
    assert model.closed == 1
    answered_all(store, 21)
    view = run_views.view(store, by=None, run=run)
    assert (view.wanted, view.done, view.answered, view.left, view.failed) == (21, 21, 21, 0, 0)
    assert view.by_outcome == {Outcome.ANSWERED: 21}
    assert view.ended_at is not None
    assert not view.worked_on
    assert view.workers[0].about["device"] == "none"
    assert stored_answers(store)[0].startswith("about ")
    with store.read() as session:
        text_of = session.connection().execute(text("SELECT item_id, text FROM prediction")).all()
    assert all(answer == f"about {item_id}" for item_id, answer in text_of)


def test_what_was_chosen_is_frozen_with_the_run(store: Store) -> None:
    make_project(store)
    make_items(store, 3)
    make_items(store, 2, dimension="shape")
    plan = RunPlan(dimensions=("shape",), injections=("objects",), variants={"short": ("colour",)})
    run = run_start.start(store, by=None, project="p", spec=SPEC, plan=plan)
    view = run_views.view(store, by=None, run=run)
    assert (view.name, view.wanted, view.plan) == ("tiny +objects", 2, plan)
    assert ModelSpec.model_validate(view.spec) == SPEC
    again = run_start.start(store, by=None, project="p", spec=SPEC, plan=plan)
    assert run_views.view(store, by=None, run=again).name == "tiny +objects", "it is the same model"
    assert [each.id for each in run_views.runs_of(store, by=None, project="p")] == [again, run]
    other = run_start.start(store, by=None, project="p", spec=SPEC, plan=RunPlan(limit=4, text_only=True))
    view = run_views.view(store, by=None, run=other)
    assert (view.name, view.wanted) == ("tiny, text only", 4)


def test_the_same_limit_takes_the_same_items(store: Store) -> None:
    make_project(store)
    make_items(store, 30)
    taken = []
    for _ in range(2):
        model = Fake()
        work(store, run_start.start(store, by=None, project="p", spec=SPEC, plan=RunPlan(limit=7)), means=means(model))
        taken.append(model.asked)
    assert taken[0] == taken[1]
    assert len(taken[0]) == 7


@pytest.mark.both_databases
def test_nothing_to_ask_is_refused_with_a_sentence(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    make_project(store)

    def refused(plan: RunPlan, spec: ModelSpec = SPEC) -> str:
        with pytest.raises((InvalidInputError, ModelError, NotAvailableError)) as told:
            run_start.start(store, by=None, project="p", spec=spec, plan=plan)
        return str(told.value)

    assert refused(RunPlan()) == "No items to ask about: the project p has no items."
    make_items(store, 1)
    assert "no items that you chose" in refused(RunPlan(dimensions=("shape",)))
    assert "no dimension 'taste'" in refused(RunPlan(dimensions=("taste",)))
    assert "no item state 'odd'" in refused(RunPlan(states=("odd",)))
    assert "limit" in refused(RunPlan(limit=0))
    assert "come from a file" in refused(RunPlan(), ModelSpec(name="f", adapter="file"))
    monkeypatch.undo()
    assert "no strategy `guess`" in refused(RunPlan(strategy="guess"))
    assert run_views.runs_of(store, by=None, project="p") == []


def test_only_leads(store: Store) -> None:
    run, _ = begun(store, 2)
    (ann,) = make_people(store, "ann")
    lead = make_person(store, "lea", role=Role.LEAD)
    stranger = make_person(store, "sam", project=None)
    for call in (
        run_control.pause,
        run_control.resume,
        run_control.cancel,
        run_control.retry_failed,
        run_grading.send_to_grading,
        run_views.view,
    ):
        with pytest.raises(NotAllowedError):
            call(store, by=ann, run=run)  # type: ignore[operator]
        with pytest.raises(NotFoundError):
            call(store, by=stranger, run=run)  # type: ignore[operator]
    with pytest.raises(NotAllowedError):
        run_start.start(store, by=ann, project="p", spec=SPEC, plan=RunPlan())
    assert run_views.view(store, by=lead, run=run).state is RunState.WAITING
    with pytest.raises(NotFoundError):
        run_views.view(store, by=lead, run="nothing")


# ---- stopping and going on -------------------------------------------------------------------------------------------


@pytest.mark.both_databases
def test_paused_within_a_moment_and_resumed_where_it_was(store: Store) -> None:
    run, _ = begun(store, 60)
    asked, paused = threading.Event(), threading.Event()

    class Watched(Fake):
        def answer(self, questions: Sequence[Question], *, tell: Any, stop: Callable[[], bool]) -> None:
            """Between the first question and the second someone presses Pause, and the worker hears of it."""
            super().answer(questions[:1], tell=tell, stop=stop)
            asked.set()
            paused.wait(60)
            end = time.monotonic() + 60
            while len(self.asked) == 1 and not stop() and time.monotonic() < end:
                time.sleep(0.01)
            super().answer(questions[1:], tell=tell, stop=stop)

    model = Watched()
    worker = threading.Thread(target=work, args=(store, run), kwargs={"means": means(model)})
    worker.start()
    assert asked.wait(60)
    run_control.pause(store, by=None, run=run)
    paused.set()
    worker.join(60)
    assert not worker.is_alive()
    some = len(model.asked)
    assert some == 1
    assert run_views.view(store, by=None, run=run).state is RunState.PAUSED
    assert run_views.view(store, by=None, run=run).done == some
    assert work(store, run, means=means(model)) is RunState.PAUSED
    assert len(model.asked) == some
    run_control.resume(store, by=None, run=run)
    assert run_views.view(store, by=None, run=run).state is RunState.WAITING
    assert work(store, run, means=means(model)) is RunState.DONE
    assert len(set(model.asked)) == len(model.asked) == 60
    answered_all(store, 60)
    with store.read() as session:
        kinds = session.connection().execute(text("SELECT kind FROM event WHERE kind LIKE 'run.%' ORDER BY id"))
        assert [kind for (kind,) in kinds] == ["run.started", "run.paused", "run.resumed", "run.done"]


def test_cancelled_is_for_good_and_keeps_what_was_answered(store: Store) -> None:
    run, _ = begun(store, 10)
    model = Fake(lambda question: [Attempt(question.unit_id, Outcome.ANSWERED, "x")])
    work(store, run, means=means(model), stop=lambda: len(model.asked) >= 3)
    assert run_views.view(store, by=None, run=run).state is RunState.WAITING
    run_control.cancel(store, by=None, run=run)
    view = run_views.view(store, by=None, run=run)
    assert (view.state, view.answered) == (RunState.CANCELLED, 3)
    assert work(store, run, means=means(model)) is RunState.CANCELLED
    for call in (run_control.pause, run_control.resume, run_control.retry_failed):
        with pytest.raises(ConflictError):
            call(store, by=None, run=run)  # type: ignore[operator]
    assert len(model.asked) == 3


def test_a_wrong_key_stops_the_run_with_its_sentence(store: Store) -> None:
    run, _ = begun(store, 10)

    def does(question: Question) -> Sequence[Attempt]:
        if len(model.asked) == 3:
            raise RunStoppedError("The key in LAB_API_KEY is refused.")
        return [Attempt(question.unit_id, Outcome.ANSWERED, "x")]

    model = Fake(does)
    assert work(store, run, means=means(model)) is RunState.STOPPED
    view = run_views.view(store, by=None, run=run)
    assert (view.said, view.answered) == ("The key in LAB_API_KEY is refused.", 2)
    run_control.resume(store, by=None, run=run)
    assert run_views.view(store, by=None, run=run).said == ""
    assert work(store, run, means=means(Fake())) is RunState.DONE
    answered_all(store, 10)


def test_a_model_that_cannot_be_opened_stops_the_run(store: Store) -> None:
    run, _ = begun(store, 3)

    def refuse(spec: ModelSpec, plan: RunPlan) -> Answerer:
        raise ModelError("The folder has no config.json.")

    assert work(store, run, means=replace(means(Fake()), open=refuse)) is RunState.STOPPED
    assert run_views.view(store, by=None, run=run).said == "The folder has no config.json."


def test_an_unknown_error_is_logged_under_a_number_and_nothing_is_lost(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    run, _ = begun(store, 8)

    def does(question: Question) -> Sequence[Attempt]:
        if len(model.asked) == 4:
            raise ZeroDivisionError("secret detail")
        return [Attempt(question.unit_id, Outcome.ANSWERED, "x")]

    model = Fake(does)
    assert work(store, run, means=means(model)) is RunState.STOPPED
    said = run_views.view(store, by=None, run=run).said
    assert "secret" not in said
    number = said.partition("number ")[2].partition(")")[0]
    assert f"error {number} in run {run}" in caplog.text
    assert model.closed == 1
    run_control.resume(store, by=None, run=run)
    work(store, run, means=means(Fake()))
    answered_all(store, 8)


# ---- what is kept ----------------------------------------------------------------------------------------------------


@pytest.mark.both_databases
def test_every_attempt_is_kept_and_only_answers_become_predictions(store: Store) -> None:
    run, ids = begun(store, 4)
    first, second, third, fourth = ids

    def does(question: Question) -> Sequence[Attempt]:
        id = question.unit_id
        if id == first:
            again = Attempt(id, Outcome.TRANSPORT_ERROR, final=False, status=500, error="Status 500.", waited=0.5)
            return [again, replace(again, status=429), Attempt(id, Outcome.ANSWERED, "late", cost=0.5, tokens_in=3)]
        if id == second:
            return [Attempt(id, Outcome.TRUNCATED, "half", finish_reason="length", tokens_in=4, detail={"batch": 2})]
        return [Attempt(id, Outcome.EMPTY, error="It answered with nothing.")]

    assert work(store, run, means=means(Fake(does), cannot=[fourth])) is RunState.DONE
    view = run_views.view(store, by=None, run=run)
    assert view.by_outcome == {Outcome.ANSWERED: 1, Outcome.TRUNCATED: 1, Outcome.EMPTY: 1, Outcome.SKIPPED: 1}
    assert (view.done, view.answered, view.failed, view.attempts) == (4, 2, 2, 6)
    assert (view.cost, view.tokens_in, view.tokens_out, view.without_cost) == (0.5, 7, None, 4)
    tried = run_views.attempts_of(store, by=None, run=run, item_id=first)
    assert [(each.attempt.status, each.attempt.final) for each in tried] == [(None, True), (429, False), (500, False)]
    assert tried[0].attempt.prompt_hash == Asks().ask([first])[0].prompt_hash
    (half,) = run_views.attempts_of(store, by=None, run=run, outcomes=[Outcome.TRUNCATED])
    assert (half.attempt.text, half.attempt.finish_reason, half.attempt.detail) == ("half", "length", {"batch": 2})
    told = {(each.outcome, each.reason, each.items) for each in run_views.failures_of(store, by=None, run=run)}
    assert told == {(Outcome.EMPTY, "It answered with nothing.", 1), (Outcome.SKIPPED, "No image.", 1)}
    failed = run_views.attempts_of(store, by=None, run=run, outcomes=[Outcome.EMPTY, Outcome.SKIPPED], only_last=True)
    assert {each.item_id for each in failed} == {third, fourth}


@pytest.mark.both_databases
def test_attempts_come_in_pages(store: Store) -> None:
    run, ids = begun(store, 7)
    work(store, run, means=means(Fake()))
    pages, before = [], None
    while page := run_views.attempts_of(store, by=None, run=run, before=before, limit=3):
        pages.append([each.item_id for each in page])
        before = page[-1].id
    assert [len(page) for page in pages] == [3, 3, 1]
    assert sorted(id for page in pages for id in page) == ids
    assert run_views.attempts_of(store, by=None, run=run, dimension="shape") == ()
    assert len(run_views.attempts_of(store, by=None, run=run, dimension="colour")) == 7


def test_what_failed_is_asked_again_only_when_someone_says_so(store: Store) -> None:
    run, ids = begun(store, 12)
    bad = set(ids[:3])

    def does(question: Question) -> Sequence[Attempt]:
        if question.unit_id in bad:
            return [Attempt(question.unit_id, Outcome.TRANSPORT_ERROR, error="No connection.")]
        return [Attempt(question.unit_id, Outcome.ANSWERED, "x")]

    model = Fake(does)
    assert work(store, run, means=means(model)) is RunState.DONE
    assert work(store, run, means=means(model)) is RunState.DONE
    assert len(model.asked) == 12
    assert run_control.retry_failed(store, by=None, run=run) == 3
    view = run_views.view(store, by=None, run=run)
    assert (view.state, view.done, view.left) == (RunState.WAITING, 9, 3)
    assert (view.answered, view.failed, dict(view.by_outcome)) == (9, 0, {Outcome.ANSWERED: 9})  # with 3 left: 12
    run_control.pause(store, by=None, run=run)
    assert run_control.retry_failed(store, by=None, run=run) == 0  # they wait already
    bad.clear()
    assert work(store, run, means=means(model)) is RunState.DONE
    assert sorted(model.asked[12:]) == ids[:3]
    view = run_views.view(store, by=None, run=run)
    assert (view.done, view.answered, view.failed, view.attempts) == (12, 12, 0, 15)
    assert run_control.retry_failed(store, by=None, run=run) == 0
    assert run_views.view(store, by=None, run=run).state is RunState.DONE


def test_a_unit_that_was_still_being_tried_is_asked_again(store: Store) -> None:
    run, ids = begun(store, 3)

    def does(question: Question) -> Sequence[Attempt]:
        tries.append(question.unit_id)
        if len(tries) == 2:
            stopping.set()
            return [Attempt(question.unit_id, Outcome.TRANSPORT_ERROR, final=False, error="Status 500.")]
        return [Attempt(question.unit_id, Outcome.ANSWERED, "x")]

    tries: list[int] = []
    stopping = threading.Event()
    assert work(store, run, means=means(Fake(does)), stop=stopping.is_set) is RunState.WAITING
    stopping.clear()
    assert work(store, run, means=means(Fake(does))) is RunState.DONE
    assert sorted(tries) == sorted([*ids, tries[1]])
    assert counted(store) == {"attempts": 4, "predictions": 3, "answered": 3}


def test_a_model_that_says_nothing_about_an_item_is_a_failure(store: Store) -> None:
    run, ids = begun(store, 2)
    model = Fake(lambda question: [] if question.unit_id == ids[0] else [Attempt(question.unit_id, Outcome.ANSWERED)])
    work(store, run, means=means(model))
    (failure,) = run_views.attempts_of(store, by=None, run=run, outcomes=[Outcome.FAILED], only_last=True)
    assert (failure.item_id, failure.attempt.outcome) == (ids[0], Outcome.FAILED)
    assert "returned neither an answer nor an error" in failure.attempt.error


@pytest.mark.parametrize("wrong", ["twice", "stranger"])
def test_an_answer_that_was_not_asked_for_is_never_stored(store: Store, wrong: str) -> None:
    run, _ = begun(store, 2)

    def does(question: Question) -> Sequence[Attempt]:
        one = Attempt(question.unit_id, Outcome.ANSWERED, "x")
        return [one, one] if wrong == "twice" else [replace(one, unit_id=99_999)]

    assert work(store, run, means=means(Fake(does))) is RunState.STOPPED
    assert counted(store)["predictions"] == (1 if wrong == "twice" else 0)


def test_text_that_no_database_holds_is_stored_as_far_as_it_goes(store: Store) -> None:
    run, _ = begun(store, 1)
    detail = {"scores": [float("-inf"), 0.5], "raw": "a\0b"}
    model = Fake(lambda question: [Attempt(question.unit_id, Outcome.ANSWERED, "a\0b\ud83d c", detail=detail)])
    assert work(store, run, means=means(model)) is RunState.DONE
    (kept,) = run_views.attempts_of(store, by=None, run=run)
    assert kept.attempt.text == "a\ufffdb? c"
    assert kept.attempt.detail == {"scores": ["-inf", 0.5], "raw": "a\ufffdb"}
    assert stored_answers(store) == ["a\ufffdb? c"]


# ---- many workers ----------------------------------------------------------------------------------------------------


@pytest.mark.both_databases
def test_workers_share_a_run(store: Store) -> None:
    run, ids = begun(store, 80)
    models = [Fake(pause=0.005) for _ in range(3)]
    threads = [
        threading.Thread(target=work, args=(store, run), kwargs={"means": means(model), "wait": True})
        for model in models
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(id for model in models for id in model.asked) == ids
    assert all(model.asked for model in models)
    answered_all(store, 80)
    view = run_views.view(store, by=None, run=run)
    assert (view.state, len(view.workers)) == (RunState.DONE, 3)


@pytest.mark.both_databases
def test_a_late_worker_never_writes_over_the_one_who_took_over(store: Store) -> None:
    clock = store.clock = Clock()
    run, ids = begun(store, 2)
    clock.advance(seconds=1)
    there, go_on = threading.Event(), threading.Event()

    def slow(question: Question) -> Sequence[Attempt]:
        there.set()
        go_on.wait(60)
        return [Attempt(question.unit_id, Outcome.ANSWERED, "late")]

    late = Fake(slow)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(attempt_keeper, "HEARTBEAT_SECONDS", 1e9)  # it hangs: nothing is heard of it
        thread = threading.Thread(target=work, args=(store, run), kwargs={"means": means(late)})
        thread.start()
        assert there.wait(60)
        quick = Fake(lambda question: [Attempt(question.unit_id, Outcome.ANSWERED, "in time")])
        work(store, run, means=means(quick))
        assert quick.asked == []  # the lease holds
        clock.advance(seconds=61)
        assert work(store, run, means=means(quick)) is RunState.DONE
        go_on.set()
        thread.join(60)
    assert sorted(quick.asked) == ids
    answered_all(store, 2)
    with store.read() as session:
        told = session.connection().execute(text("SELECT DISTINCT text FROM prediction")).scalars().all()
        kept = session.connection().execute(text("SELECT DISTINCT text FROM attempt")).scalars().all()
    assert (told, kept) == (["in time"], ["in time"])


def leased(store: Store) -> datetime:
    """Until when the one chunk that someone works on is theirs."""
    with store.read() as session:
        (until,) = session.exec(select(RunChunkRow.lease_until).where(col(RunChunkRow.lease_until).is_not(None))).all()
    assert until is not None
    return until


@pytest.mark.both_databases
def test_a_worker_that_says_it_is_there_keeps_its_chunk(store: Store) -> None:
    clock = store.clock = Clock()
    run, ids = begun(store, 2)
    there, go_on = threading.Event(), threading.Event()

    def slow(question: Question) -> Sequence[Attempt]:
        there.set()
        go_on.wait(60)
        return [Attempt(question.unit_id, Outcome.ANSWERED, "x")]

    thread = threading.Thread(target=work, args=(store, run), kwargs={"means": means(Fake(slow))})
    thread.start()
    assert there.wait(60)
    other = Fake()
    for _ in range(4):
        clock.advance(seconds=40)
        end = time.monotonic() + 60
        while leased(store) < clock.now + timedelta(seconds=59):  # it says so every tenth of a second here
            assert time.monotonic() < end, "nothing was heard of it"
            time.sleep(0.01)
        work(store, run, means=means(other))
    assert run_views.view(store, by=None, run=run).worked_on
    go_on.set()
    thread.join(60)
    assert other.asked == []
    answered_all(store, 2)
    assert run_views.view(store, by=None, run=run).done == len(ids)


@pytest.mark.both_databases
def test_what_a_dead_process_had_taken_is_free_at_once(store: Store) -> None:
    run, _ = begun(store, 5)
    now = store.now()
    gone = {**worker_registry.process(), "born": "1"}
    with store.write() as session:
        row = rows.by_public_id(session, public_id=run)
        assert row is not None
        assert row.id is not None
        dead = run_chunks.add_worker(session, run_id=row.id, name="dead", about={"process": gone}, now=now)
        assert run_chunks.claim(session, run_id=row.id, worker_id=dead, now=now, until=now + worker_registry.LEASE)
    assert not run_views.view(store, by=None, run=run).worked_on
    assert work(store, run, means=means(Fake())) is RunState.DONE
    answered_all(store, 5)


def test_a_worker_that_was_given_up_and_is_heard_of_again_is_there(store: Store) -> None:
    run, _ = begun(store, 1)
    now = store.now()
    with store.write() as session:
        row = rows.by_public_id(session, public_id=run)
        assert row is not None
        worker = run_chunks.add_worker(session, run_id=row.id, name="w", about={}, now=now)
        run_chunks.end_worker(session, worker_id=worker, now=now)
    assert not run_views.view(store, by=None, run=run).worked_on
    with store.write() as session:
        run_chunks.extend(session, worker_id=worker, now=now, until=now + worker_registry.LEASE)
    assert run_views.view(store, by=None, run=run).worked_on


# ---- afterwards ------------------------------------------------------------------------------------------------------


def test_answers_are_sent_to_grading_once(store: Store) -> None:
    run, _ = begun(store, 3)
    work(store, run, means=means(Fake()))
    assert run_grading.slots_of(store, by=None, run=run) == {"colour": 6}
    assert run_grading.send_to_grading(store, by=None, run=run) == 6  # two graders each
    assert run_grading.send_to_grading(store, by=None, run=run) == 0
    assert run_grading.slots_of(store, by=None, run=run) == {}
    assert run_views.view(store, by=None, run=run).in_grading == 3


def test_many_answers_are_sent_a_lot_at_a_time_and_anyone_who_was_stopped_sends_the_rest(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, _ = begun(store, 5)
    work(store, run, means=means(Fake()))
    lots: list[int] = []
    pass_on = grading.pass_on

    def stopped(*args: Any, predictions: Any, **more: Any) -> int:
        lots.append(len(predictions))
        if len(lots) == 2:
            raise KeyboardInterrupt
        return pass_on(*args, predictions=predictions, **more)

    monkeypatch.setattr(run_grading, "SENT_AT_ONCE", 2)
    monkeypatch.setattr(run_grading, "BETWEEN_LOTS_SECONDS", 0.0)
    monkeypatch.setattr(grading, "pass_on", stopped)
    with pytest.raises(KeyboardInterrupt):
        run_grading.send_to_grading(store, by=None, run=run)
    assert run_views.view(store, by=None, run=run).in_grading == 2, "the first lot stands"
    assert run_grading.send_to_grading(store, by=None, run=run) == 6  # the other three, two graders each
    assert lots == [2, 2, 2, 2, 1]
    assert run_grading.send_to_grading(store, by=None, run=run) == 0
    assert run_views.view(store, by=None, run=run).in_grading == 5


def test_a_changed_model_folder_is_refused(store: Store, tmp_path: Any) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    make_project(store)
    make_items(store, 4)
    spec = SPEC.model_copy(update={"model": str(folder)})
    run = run_start.start(store, by=None, project="p", spec=spec, plan=RunPlan())
    model = Fake()
    work(store, run, means=means(model), stop=lambda: len(model.asked) >= 1)
    (folder / "config.json").write_text('{"other": 1}')
    assert work(store, run, means=means(model)) is RunState.STOPPED
    assert "has changed since this run started" in run_views.view(store, by=None, run=run).said
    with pytest.raises(ModelError, match="has changed"):
        run_control.resume(store, by=None, run=run)
    (folder / "config.json").write_text("{}")
    run_control.resume(store, by=None, run=run)
    assert work(store, run, means=means(model)) is RunState.DONE
    answered_all(store, 4)


def test_a_budget_hears_what_the_whole_run_has_cost(store: Store) -> None:
    run, ids = begun(store, 6)
    heard: list[tuple[int, float]] = []

    class Budgeted(Fake):
        def spent(self, calls: int, cost: float) -> None:
            heard.append((calls, cost))

    model = Budgeted(lambda question: [Attempt(question.unit_id, Outcome.ANSWERED, "x", cost=0.25)])
    work(store, run, means=means(model, cannot=[ids[0]]))
    assert heard[0] == (0, 0.0)
    assert heard[-1][1] == 0.25 * heard[-1][0] > 0


@pytest.mark.both_databases
def test_pieces_keep_batches_whole_and_let_workers_share() -> None:
    endpoint = ModelSpec(
        name="e", adapter="endpoint", model="m", endpoint=Endpoint(base_url="http://127.0.0.1/v1", concurrency=8)
    )
    for spec, at_once in ((SPEC, 2), (endpoint, 8), (SPEC.model_copy(update={"batch_size": 1}), 1)):
        for wanted in (1, 7, 100, 5000):
            size = run_start._chunk_size(spec, wanted)
            assert size % at_once == 0
            assert at_once <= size <= 16 * max(at_once, 4)
    assert 500 / run_start._chunk_size(SPEC, 500) >= 7
    assert run_start._chunk_size(SPEC, 500, clips=True) == 8  # of dozens of pictures each


@pytest.mark.both_databases
def test_a_lead_names_models_below_the_operators_folder_only(store: Store, tmp_path: Path) -> None:
    make_project(store)
    make_items(store, 1)
    lead = make_person(store, "lea", role=Role.LEAD)
    settings = Settings(home=tmp_path, database_url="", models=tmp_path / "models")
    inside, outside = tmp_path / "models" / "small", tmp_path / "elsewhere"
    for folder in (inside, outside):
        folder.mkdir(parents=True)
    (tmp_path / "models" / "link").symlink_to(outside)

    def started(model: str, by: Person | None) -> str:
        spec = ModelSpec(name="m", adapter="chat", model=model)
        run = run_start.start(store, by=by, project="p", spec=spec, plan=RunPlan(), settings=settings)
        return str(run_views.view(store, by=None, run=run).spec["model"])

    assert started("small", lead) == started(str(inside), lead) == str(inside)
    assert started("someone/model", lead) == "someone/model"  # a repository of the hub
    for model in (str(outside), "../elsewhere", "link", "app", str(tmp_path / "nowhere")):
        with pytest.raises(ModelError, match="must be inside"):
            started(model, lead)
    assert started(str(outside), None) == str(outside)
