"""Does Label Studio hand out an item twice? Ten people at once, over its own queue and with our engine behind it.

    .venv/bin/python benchmarks/label_studio.py [--quick] [--people N] [--answers N] [--items N]

A stock Label Studio (community edition, SQLite) gets a project of questions that one person each shall answer, and
people who take the next task and submit it without pauses. Then the same server gets the same questions from
Touchstone: claimed for one person each, sent to projects of their own, answered through the same addresses, fetched and
counted here. An item with two answers is one that was handed out twice.

What was answered is counted in Label Studio's export, and in our database. It is installed into an environment of its
own and only ever spoken to over its own addresses. The last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import machine
from testkit.serving import free_port
from tools.label_studio import VERSION as VERSION
from tools.label_studio import Account, call
from tools.label_studio import LabelStudio as Running

LABELING = """<View><Image name="picture" value="$picture"/><Header value="$question"/>
<Choices name="verdict" toName="picture" choice="single" required="true">
<Choice value="yes"/><Choice value="no"/></Choices></View>"""

LOT = 1000
"""How many tasks are imported with one request."""


class LabelStudio:
    """A server on a project made for the occasion."""

    def __init__(self, folder: Path, questions: Sequence[str], *, overlap: int) -> None:
        self.questions, self.overlap = questions, overlap
        self.server = Running(folder, free_port())
        self.project = 0

    @property
    def url(self) -> str:
        """Where it answers."""
        return self.server.url

    @property
    def process(self) -> subprocess.Popen[bytes] | None:
        """The server, while it runs."""
        return self.server.process

    def start(self) -> LabelStudio:
        """Start the stock server, wait until it is healthy, and make the project."""
        self.server.start()
        self._make_project()
        return self

    def stop(self) -> None:
        """End the server."""
        self.server.kill()

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """One request to its API, as its admin."""
        return self.server.admin.call(method, path, body)

    def people(self, count: int) -> list[str]:
        """Let so many people sign up over the invitation; their tokens."""
        return [account.token for account in self.accounts(count)]

    def accounts(self, count: int) -> list[Account]:
        """Let so many people sign up over the invitation."""
        return [self.server.sign_up(f"person{number}@localhost.test") for number in range(count)]

    def stored(self) -> int:
        """How many answers the project holds."""
        return int(self.call("GET", f"/api/projects/{self.project}")["total_annotations_number"])

    def _make_project(self) -> None:
        made = {"title": "queue", "label_config": LABELING, "maximum_annotations": self.overlap}
        self.project = self.call("POST", "/api/projects", made)["id"]
        for begin in range(0, len(self.questions), LOT):
            lot = [
                {"data": {"picture": f"/static/icons/none-{begin + number}.png", "question": question}}
                for number, question in enumerate(self.questions[begin : begin + LOT])
            ]
            self.call("POST", f"/api/projects/{self.project}/import", lot)


# ---- handed out twice? -----------------------------------------------------------------------------------------------

PEOPLE, ANSWERS, ITEMS = 10, 300, 10_000
QUICK = {"answers": 100, "items": 1_000}
PATIENCE = 900.0
"""Seconds after which people go home, whatever is done."""
NOTHING_YET = 0.1
"""Seconds until someone without a task looks again."""
RATING = "verdict"
AHEAD = 10
"""So many tasks a person has there at once: people without pauses use up three before the next ones come."""

SCHEMA = """
name: queue
version: 1
title: A queue
dimensions: [{id: all, title: All, definition: "All of them."}]
item: {fields: [{name: question, kind: text}]}
stages:
  verification:
    raters: 1
    criteria: [{name: verdict, kind: choice, prompt: "Is it so?", options: ["yes", "no"]}]
    keep: {rule: unanimous, criterion: verdict, value: "yes"}
"""


class Target:
    """How many answers are wanted of all people together."""

    def __init__(self, wanted: int) -> None:
        self.wanted, self.submitted = wanted, 0
        self.errors: Counter[str] = Counter()
        self.begun = time.monotonic()
        self.ended = self.begun
        self._begun = 0
        self._lock = threading.Lock()

    def begin(self) -> bool:
        """Whether another answer is wanted; anyone who hears yes gives it, or gives up."""
        with self._lock:
            wanted = self._begun < self.wanted and time.monotonic() - self.begun < PATIENCE
            self._begun += wanted
            return wanted

    def give_up(self, why: str = "") -> None:
        """No answer came of it."""
        with self._lock:
            self._begun -= 1
            if why:
                self.errors[why] += 1

    def done(self) -> None:
        """An answer was acknowledged."""
        with self._lock:
            self.submitted += 1
            self.ended = time.monotonic()

    @property
    def over(self) -> bool:
        """Whether no one has anything left to do."""
        return self.submitted >= self.wanted or time.monotonic() - self.begun > PATIENCE

    @property
    def per_second(self) -> float:
        """Answers a second, from the first request to the last answer."""
        return round(self.submitted / max(self.ended - self.begun, 1e-9), 2)


def work(address: str, token: str, projects: Callable[[], Sequence[int]], target: Target, to: str) -> None:
    """One person: take the next task, submit it, without a pause, until there are enough answers of everyone."""
    chosen = {"from_name": RATING, "to_name": to, "type": "choices", "value": {"choices": ["yes"]}}
    while not target.over:
        if not target.begin():
            time.sleep(NOTHING_YET)
            continue
        try:
            task = upcoming(address, token, projects())
            if task is None:
                target.give_up()
                time.sleep(NOTHING_YET)
                continue
            made = {"result": [chosen], "lead_time": 1.0}
            call(address, "POST", f"/api/tasks/{task}/annotations/", made, token=token)
            target.done()
        except urllib.error.HTTPError as error:
            with error:
                target.give_up(f"{error.code}")
        except OSError as error:
            target.give_up(type(error).__name__)


def upcoming(address: str, token: str, projects: Sequence[int]) -> int | None:
    """The task that the server's queue gives next, from the first project that has one."""
    for project in projects:
        try:
            return int(call(address, "GET", f"/api/projects/{project}/next", token=token)["id"])
        except urllib.error.HTTPError as error:
            with error:
                if error.code != 404:  # else there is nothing in it just now
                    raise
    return None


def all_at_once(jobs: Sequence[threading.Thread]) -> None:
    """Start everyone, and wait until the last one has gone."""
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()


def stock(peer: LabelStudio, people: Sequence[Account], answers: int) -> dict[str, Any]:
    """The server's own queue."""
    target = Target(answers)

    def mine() -> Sequence[int]:
        return [peer.project]

    all_at_once([threading.Thread(target=work, args=(peer.url, who.token, mine, target, "picture")) for who in people])
    exported = peer.call("GET", f"/api/projects/{peer.project}/export?exportType=JSON")
    given = [len([each for each in task["annotations"] if not each["was_cancelled"]]) for task in exported]
    return {
        "submitted_stock": target.submitted,
        "stored_stock": sum(given),
        "double_stock": sum(1 for n in given if n > 1),
        "per_second_stock": target.per_second,
        "errors_stock": dict(target.errors),
    }


def ours(folder: Path, peer: LabelStudio, people: Sequence[Account], answers: int) -> dict[str, Any]:
    """Our engine behind the same server."""
    from sqlalchemy import text

    from annotation_schemas.loader import load_text
    from app.services import open_resources
    from db.engine import Store
    from domain.roles import Role
    from domain.settings import settings_from
    from domain.states import Stage
    from extensions.labelstudio import labeling
    from extensions.labelstudio.client import Client
    from extensions.labelstudio.exchange import bridge
    from extensions.labelstudio.results import read_result
    from extensions.labelstudio.tokens import Token
    from workflow.access import accounts
    from workflow.access.memberships import set_member
    from workflow.access.projects import access_to, create_project
    from workflow.annotate.authoring import NewItem, add_items

    shared = open_resources(settings_from({"TOUCHSTONE_HOME": str(folder / "home")}, folder))
    store: Store = shared.store
    store.upgrade()
    create_project(store, name="queue", loaded=load_text(SCHEMA, "", "queue"))
    with store.write() as session:
        access = access_to(session, person=None, project="queue")
        new = [
            NewItem(external_id=str(number), dimension="all", fields={"question": question})
            for number, question in enumerate(peer.questions)
        ]
        add_items(session, access=access, new=new, now=store.now())
    bridge.connect(store, by=None, project="queue", address=peer.url, stages=[Stage.VERIFICATION], ahead=AHEAD)
    logins = {}
    for number, who in enumerate(people):
        logins[who.email] = accounts.create_person(store, login=f"person{number}", name=f"Person {number}").id
        set_member(store, by=None, project="queue", login=f"person{number}", role=Role.ANNOTATOR)
        bridge.map_person(store, by=None, project="queue", address=peer.url, login=f"person{number}", email=who.email)

    def query(words: str, **values: Any) -> list[Any]:
        with store.read() as session:
            return [tuple(row) for row in session.connection().execute(text(words), values)]

    def places(person: int) -> Sequence[int]:
        found = query(
            "SELECT outside_id FROM bridge_project WHERE person_id = :person AND removed_at IS NULL", person=person
        )
        return [id for (id,) in found if id is not None]

    target, over = Target(answers), threading.Event()
    troubles: Counter[str] = Counter()

    def told(pulled: object, pushed: object, said: str) -> None:
        if said:
            troubles[said] += 1

    token = Token(peer.server.admin.token, whence="the benchmark")
    with closing(Client(peer.url, token)) as front:
        forms = bridge.Forms(
            labeling=labeling.labeling,
            data=labeling.data,
            read=lambda schema, stage, dimension, result, fields: read_result(
                schema, stage.value, dimension, result, fields
            ),
            link=lambda key, asset, until: "",  # these items have no media
        )
        syncing = threading.Thread(
            target=bridge.sync,
            args=(store, front, forms),
            kwargs={"by": None, "project": "queue", "every": 1.0, "stop": over.is_set, "tell": told},
        )
        syncing.start()
        all_at_once(
            [
                threading.Thread(
                    target=work,
                    args=(peer.url, who.token, lambda id=logins[who.email]: places(id), target, "about"),
                )
                for who in people
            ]
        )
        over.set()
        syncing.join()
        bridge.pull(store, front, forms, by=None, project="queue")
    live = "FROM annotation WHERE stage = 'verification' AND supersedes_id IS NULL"
    [(stored,)] = query(f"SELECT count(*) {live}")
    [(double,)] = query(f"SELECT count(*) FROM (SELECT item_id {live} GROUP BY item_id HAVING count(*) > 1) AS twice")
    handed = "SELECT task.item_id FROM bridge_task JOIN task ON task.id = bridge_task.task_id GROUP BY task.item_id"
    [(twice,)] = query(f"SELECT count(*) FROM ({handed} HAVING count(DISTINCT bridge_task.person_id) > 1) AS twice")
    return {
        "submitted_ours": target.submitted,
        "stored_ours": stored,
        "double_ours": double,
        "handed_to_two_ours": twice,
        "per_second_ours": target.per_second,
        "errors_ours": dict(target.errors),
        "troubles_ours": dict(troubles),
    }


def main() -> int:
    """Measure, and print one JSON object last."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="fewer answers and items, the same keys")
    parser.add_argument("--people", type=int, default=PEOPLE)
    parser.add_argument("--answers", type=int, help=f"how many are given; {ANSWERS} by default")
    parser.add_argument("--items", type=int, help=f"how many there are; {ITEMS} by default")
    chosen = parser.parse_args()
    answers = chosen.answers or (QUICK["answers"] if chosen.quick else ANSWERS)
    items = chosen.items or (QUICK["items"] if chosen.quick else ITEMS)
    busy = machine.busy_percent()
    with tempfile.TemporaryDirectory(prefix="touchstone-label-studio-") as name:
        folder = Path(name)
        peer = LabelStudio(folder / "label-studio", [f"Question {number}" for number in range(items)], overlap=1)
        try:
            machine.log(f"starting Label Studio {VERSION} with {items} tasks")
            peer.start()
            people = peer.accounts(chosen.people)
            machine.log(f"{chosen.people} people, {answers} answers: its own queue")
            figures = stock(peer, people, answers)
            machine.log("the same with our engine behind it")
            figures |= ours(folder, peer, people, answers)
        finally:
            peer.stop()
    about = {"people": chosen.people, "items": items, "label_studio": VERSION, "machine_busy_percent_before": busy}
    print(json.dumps({**figures, **about, **machine.described()}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
