"""Test that nothing is lost or doubled when a server, a process or a reply fails."""

from __future__ import annotations

import copy
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import count
from typing import Any

import pytest
from sqlmodel import Session, col, select

from db.engine import Store
from db.tables import AnnotationRow, BridgeAnswerRow, BridgeRow, ProjectRow
from domain.bridge import BridgeOutcome
from domain.errors import ConflictError, ServiceUnreachableError
from domain.roles import Role
from domain.states import Stage
from extensions.labelstudio import labeling, results
from extensions.labelstudio.exchange import bridge
from extensions.labelstudio.exchange.bridge import Forms
from extensions.labelstudio.tests.outside import ADDRESS, Kill, Outside, Task, link
from extensions.labelstudio.tests.test_bridge import ANN, BOB, CAT, answers, both, bridged, pull, push, rows, state_of
from testkit.factories import Clock, make_items, make_person, make_predictions, make_project, make_schema
from workflow.files.project_check import check

pytestmark = pytest.mark.thorough


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
            with pytest.raises(ConflictError, match="Another process is synchronizing"):
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
