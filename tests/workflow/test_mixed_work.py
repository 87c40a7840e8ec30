"""Everything at once, at random, in threads: no errors but those that people are told, and a clean check at the end."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Any

import pytest

from db.engine import Store
from domain.errors import TouchstoneError
from domain.records import Person, TaskView
from domain.roles import Role
from domain.states import Stage
from testkit.factories import Clock, make_fields, make_items, make_person, make_pool, make_project, make_schema
from workflow.annotate import authoring, claims, drafts, image_pool, submissions
from workflow.files.project_check import check

pytestmark = pytest.mark.both_databases

N_PEOPLE = 6
N_STEPS = 80
STEPS = {
    "verify": 4,
    "settle": 1,
    "pick": 1,
    "submit": 6,
    "undo": 1,
    "release": 1,
    "heartbeat": 1,
    "type": 1,
    "edit": 1,
}


class Worker:
    """Someone who does whatever comes to mind."""

    def __init__(self, store: Store, person: Person, seed: int) -> None:
        self.store, self.person = store, person
        self.random = random.Random(seed)
        self.held: list[TaskView] = []
        self.n = 0

    def step(self) -> None:
        """One random thing."""
        self.n += 1
        kinds, weights = zip(*STEPS.items(), strict=True)
        act: Callable[[], Any] = getattr(self, self.random.choices(kinds, weights)[0])
        act()

    def verify(self) -> None:
        self.keep(claims.next_task(self.store, person=self.person, project="p", stage=Stage.VERIFICATION))

    def settle(self) -> None:
        self.keep(claims.next_task(self.store, person=self.person, project="p", stage=Stage.ADJUDICATION))

    def pick(self) -> None:
        free = image_pool.pool(self.store, person=self.person, project="p", limit=3).assets
        if free:
            image = self.random.choice(free).id
            self.keep(image_pool.pick(self.store, person=self.person, project="p", dimension="colour", assets=[image]))

    def undo(self) -> None:
        stage = self.random.choice([Stage.VERIFICATION, Stage.AUTHORING])
        self.keep(submissions.undo(self.store, person=self.person, project="p", stage=stage))

    def edit(self) -> None:
        if self.random.random() < 0.2:
            item = f"colour/{self.random.randrange(20)}"
            fields = {"question": f"{self.n} by {self.person.login}?"}
            authoring.edit_item(self.store, person=self.person, project="p", item=item, fields=fields)

    def submit(self) -> None:
        if not self.held:
            return
        view = self.held.pop(self.random.randrange(len(self.held)))
        decision = self.random.choice(["accept", "reject", "edit"])
        question = {"question": f"{self.n} of {self.person.login}?"}
        values: dict[Stage, dict[str, Any]] = {
            Stage.VERIFICATION: {"choice": self.random.choice(["red", "red", "blue"])},
            Stage.AUTHORING: make_fields(self.n),
            Stage.ADJUDICATION: {"decision": decision, "cause": "wrong_key", "fields": question},
        }
        submissions.submit(
            self.store, person=self.person, task=view.id, key=f"{self.person.login}-{self.n}", values=values[view.stage]
        )

    def release(self) -> None:
        if self.held:
            claims.release(self.store, person=self.person, task=self.held.pop().id)

    def heartbeat(self) -> None:
        if self.held:
            claims.heartbeat(self.store, person=self.person, task=self.held[-1].id)

    def type(self) -> None:
        if self.held:
            drafts.save_draft(self.store, person=self.person, task=self.held[-1].id, seq=self.n, values={"n": self.n})

    def keep(self, view: object) -> None:
        if isinstance(view, TaskView):
            self.held.append(view)


@pytest.mark.slow
def test_everything_at_once(store: Store) -> None:
    clock = store.clock = Clock()
    make_project(store, loaded=make_schema(per_source=3))
    make_items(store, 20)
    for number in range(4):
        make_pool(store, 4, source=f"video {number}")
    roles = [Role.SENIOR if number % 3 == 0 else Role.ANNOTATOR for number in range(N_PEOPLE)]
    people = [make_person(store, f"p{number}", role=role) for number, role in enumerate(roles)]
    bugs: list[BaseException] = []

    def work(number: int) -> None:
        worker = Worker(store, people[number], seed=number)
        for _ in range(N_STEPS):
            try:
                worker.step()
            except TouchstoneError:
                pass
            except Exception as bug:  # what a person would see as a broken page
                bugs.append(bug)
                return
            if worker.random.random() < 0.02:
                clock.advance(minutes=worker.random.choice([5, 31]))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(N_PEOPLE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bugs == []
    assert check(store) == []
