"""Many hands at once, in threads and in processes: what the database holds against what the clients were told."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest
from sqlalchemy import text

from db.engine import Store
from domain.errors import AlreadyTakenError, LeaseLostError, TouchstoneError
from domain.records import NoTask, Person, TaskView
from domain.states import Stage
from testkit.factories import (
    Clock,
    claimed,
    make_fields,
    make_items,
    make_people,
    make_pool,
    make_project,
    make_schema,
)
from testkit.forked import Forked
from testkit.serving import environment
from tests.paths import ROOT
from workflow.annotate import claims, image_pool, submissions
from workflow.files.project_check import check

pytestmark = pytest.mark.both_databases

T = TypeVar("T")


def at_once(*calls: Callable[[], T]) -> list[T | TouchstoneError]:
    """The results of calls that begin at the same moment; a refusal is a result."""
    barrier = threading.Barrier(len(calls))

    def run(call: Callable[[], T]) -> T | TouchstoneError:
        barrier.wait()
        try:
            return call()
        except TouchstoneError as refusal:
            return refusal

    with ThreadPoolExecutor(len(calls)) as threads:
        return [done.result() for done in [threads.submit(run, call) for call in calls]]


def counted(store: Store) -> dict[str, int]:
    """What plain SQL says about the votes."""
    with store.read() as session:
        rows = session.connection().execute(
            text("SELECT unit, t.person_id, a.public_id FROM annotation a JOIN task t ON t.id = a.task_id")
        )
        votes = [(unit, person) for unit, person, _ in rows]
    per_unit: dict[str, int] = {}
    for unit, _ in votes:
        per_unit[unit] = per_unit.get(unit, 0) + 1
    return {
        "votes": len(votes),
        "distinct": len(set(votes)),
        "most": max(per_unit.values(), default=0),
        "fewest": min(per_unit.values(), default=0),
        "units": len(per_unit),
    }


@pytest.mark.thorough
def test_two_people_one_slot_exactly_one_wins(store: Store) -> None:
    make_project(store, loaded=make_schema(raters=1))
    ann, bob = make_people(store, "ann", "bob")
    for _ in range(15):
        make_items(store)
        views = at_once(
            *[
                lambda person=person: claims.next_task(store, person=person, project="p", stage=Stage.VERIFICATION)
                for person in (ann, bob)
            ]
        )
        winners = [(person, view) for person, view in zip((ann, bob), views, strict=True) if isinstance(view, TaskView)]
        assert len(winners) == 1
        person, view = winners[0]
        submissions.submit(store, person=person, task=view.id, key=view.id, values={"choice": "red"})
    assert counted(store) == {"votes": 15, "distinct": 15, "most": 1, "fewest": 1, "units": 15}


def test_one_person_in_two_tabs_holds_one_task(store: Store) -> None:
    make_project(store)
    make_items(store, 20)
    (ann,) = make_people(store, "ann")
    for _ in range(5):
        views = at_once(
            *[lambda: claims.next_task(store, person=ann, project="p", stage=Stage.VERIFICATION) for _ in range(2)]
        )
        ids = {view.id for view in views if isinstance(view, TaskView)}
        for id in ids:
            submissions.submit(store, person=ann, task=id, key=id, values={"choice": "red"})
    figures = counted(store)
    assert figures["votes"] == figures["distinct"] == figures["units"]


@pytest.mark.thorough
def test_a_picked_image_is_someones_only_once(store: Store) -> None:
    make_project(store, loaded=make_schema(per_source=2))
    people = make_people(store, "ann", "bob", "cy", "di")
    for round in range(4):
        images = make_pool(store, 3, source=f"video {round}")

        got = at_once(
            *[
                lambda person=person, image=images[at % 3]: image_pool.pick(
                    store, person=person, project="p", dimension="colour", assets=[image]
                )
                for at, person in enumerate([*people, *people])
            ]
        )
        views = [view for view in got if isinstance(view, TaskView)]
        assert all(isinstance(other, TaskView | AlreadyTakenError) for other in got)
        assert len({view.assets[0].id for view in views}) == len(views) == 2  # two a source


def test_the_same_key_at_once_is_one_annotation(store: Store) -> None:
    make_project(store)
    make_items(store, 5)
    (ann,) = make_people(store, "ann")
    for _ in range(5):
        view = claimed(store, ann)
        done = at_once(
            *[
                lambda view=view: submissions.submit(
                    store, person=ann, task=view.id, key=view.id, values={"choice": "red"}
                )
                for _ in range(4)
            ]
        )
        assert len({each.annotation for each in done if not isinstance(each, TouchstoneError)}) == 1
        assert sorted(each.repeated for each in done if not isinstance(each, TouchstoneError)) == [False] + [True] * 3
    assert counted(store)["votes"] == 5


@pytest.mark.thorough
def test_a_late_submit_and_a_takeover_at_once_never_make_two_votes(store: Store) -> None:
    clock = store.clock = Clock()
    make_project(store, loaded=make_schema(raters=1))
    ann, bob = make_people(store, "ann", "bob")
    for _ in range(8):
        make_items(store)
        view = claimed(store, ann)
        clock.advance(minutes=31)

        def late(view: TaskView = view) -> object:
            return submissions.submit(store, person=ann, task=view.id, key=f"a{view.id}", values={"choice": "red"})

        def takeover() -> object:
            mine = claims.next_task(store, person=bob, project="p", stage=Stage.VERIFICATION)
            if isinstance(mine, NoTask):
                return mine
            return submissions.submit(store, person=bob, task=mine.id, key=f"b{mine.id}", values={"choice": "red"})

        first, second = at_once(late, takeover)
        assert isinstance(first, LeaseLostError) != isinstance(second, NoTask)
    figures = counted(store)
    assert (figures["votes"], figures["most"]) == (8, 1)
    assert check(store) == []


@pytest.mark.thorough
def test_votes_of_one_item_at_once_make_one_verdict(store: Store) -> None:
    make_project(store, loaded=make_schema(raters=3))
    people = make_people(store, "ann", "bob", "cy")
    for _ in range(6):
        make_items(store)
        views = [claimed(store, person) for person in people]
        at_once(
            *[
                lambda person=person, view=view, choice=choice: submissions.submit(
                    store, person=person, task=view.id, key=view.id, values={"choice": choice}
                )
                for person, view, choice in zip(people, views, ("red", "red", "blue"), strict=True)
            ]
        )
    with store.read() as session:
        states = session.connection().execute(text("SELECT state, count(*) FROM item GROUP BY state")).all()
        waiting = session.connection().execute(text("SELECT count(*) FROM task WHERE stage = 'adjudication'")).scalar()
    assert [tuple(row) for row in states] == [("in_adjudication", 6)]
    assert waiting == 6
    assert check(store) == []


@pytest.mark.thorough
def test_writing_in_threads(store: Store) -> None:
    make_project(store, loaded=make_schema(per_source=100))
    people = make_people(store, "ann", "bob", "cy", "di")
    make_pool(store, 12, source="video")

    def write_all(person: Person) -> int:
        n = 0
        while free := image_pool.pool(store, person=person, project="p", limit=3).assets:
            for asset in free:
                try:
                    view = image_pool.pick(store, person=person, project="p", dimension="colour", assets=[asset.id])
                except AlreadyTakenError:
                    continue
                submissions.submit(store, person=person, task=view.id, key=view.id, values=make_fields(n))
                n += 1
        return n

    written = at_once(*[lambda person=person: write_all(person) for person in people])
    assert sum(n for n in written if isinstance(n, int)) == 12
    assert check(store) == []


@pytest.mark.slow
def test_processes_some_of_them_killed_fill_every_slot_exactly_once(store: Store, store_url: str, home: Path) -> None:
    make_project(store)
    make_items(store, 40)
    logins = ["ann", "bob", "cy"]
    make_people(store, *logins)
    names = itertools.count()

    def worker(login: str) -> Forked:
        out, err = (home / f"worker-{next(names)}.{kind}" for kind in ("out", "err"))
        return Forked(
            [store_url, home, login],
            env=environment(home),
            cwd=ROOT,
            out=out,
            err=err,
            main="tests.workflow.worker:main",
        )

    running = [worker(login) for login in logins]
    told: list[str] = []
    for n_receipts in (3, 4):
        victim = running[0]
        while victim.output().count("\n") < n_receipts and victim.poll() is None:
            time.sleep(0.005)
        victim.kill()  # SIGKILL, wherever it is just now
        victim.wait(300)
        told += victim.output().split()
        running[0] = worker("ann")
    for process in running:
        assert process.wait(300) == 0
        told += process.output().split()
    figures = counted(store)
    assert figures == {"votes": 80, "distinct": 80, "most": 2, "fewest": 2, "units": 40}
    with store.read() as session:
        stored = set(session.connection().execute(text("SELECT public_id FROM annotation")).scalars())
    assert set(told) <= stored
    assert len(stored - set(told)) <= 2  # stored, but killed before it could say so
    assert check(store) == []
