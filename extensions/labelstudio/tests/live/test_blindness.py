"""Test every byte that Label Studio gets, and the short time in which its people can see each other's answers."""

from __future__ import annotations

import shutil
import threading
import time
import urllib.error
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlmodel import select

from db.tables import BridgeAnswerRow, ImportedRatingRow, ItemRow, ProjectRow
from domain.bridge import BridgeOutcome
from domain.states import Stage
from extensions.labelstudio.exchange import bridge
from extensions.labelstudio.tests.live import server
from extensions.labelstudio.tests.live.twins import (
    PROJECT,
    ChoicesResult,
    Front,
    World,
    connected,
    forms,
    twins,
    waiting,
)
from extensions.labelstudio.tests.outside import ADDRESS, Outside
from testkit.factories import claimed, make_fields, make_items, make_person, make_predictions, make_project, make_schema
from tools.label_studio import Account, LabelStudio
from workflow.annotate import submissions

Person = Callable[[str], Account]
DOMAIN = "blind.example.org"
ITEMS = 4


@dataclass(frozen=True)
class Secrets:
    """Facts that a rater must not know, in words that occur nowhere else."""

    key: str
    origin: str
    author: str
    models: tuple[str, str]
    vote: str
    note: str
    judge: str
    score: float

    def words(self) -> list[str]:
        return [self.origin, self.author, *self.models, self.note, self.judge]


ONE = Secrets("red", "origin-7c41", "author-b02e", ("model-5fa9", "model-11d3"), "red", "note-88e6", "judge-2a6f", 0.5)
OTHER = Secrets(
    "blue", "origin-e19d", "author-406b", ("model-c7f2", "model-9e08"), "blue", "note-31aa", "judge-d5c4", 1.0
)


@contextmanager
def hiding(folder: Path, template: Path, secrets: Secrets) -> Iterator[World]:
    """Yield a world with items that have a key, an author and a vote, and two judged answers for each.

    Apart from the secrets, every such world is the same.
    """
    folder.mkdir()
    shutil.copyfile(template, folder / "touchstone.db")
    world = World(folder)
    make_project(world.store, loaded=make_schema(raters=3, adjudication=False))
    with world.store.write() as session:
        project = session.exec(select(ProjectRow)).one()
        project_id, project.seed = project.id, 7
    author = make_person(world.store, secrets.author)
    ids: list[int] = []
    for number in range(ITEMS):
        fields = make_fields(number, answer=secrets.key, origin=secrets.origin)
        ids += make_items(world.store, author_id=author.id, fields=fields)
    make_predictions(world.store, ids, models=secrets.models)
    early = make_person(world.store, "early")
    for _ in ids:
        view = claimed(world.store, early)
        values = {"choice": secrets.vote}
        submissions.submit(world.store, person=early, task=view.id, key=view.id, values=values, note=secrets.note)
    rated = {Stage.GRADING: "score", Stage.VERIFICATION: "choice"}
    with world.store.write() as session:
        for item in session.exec(select(ItemRow)).all():
            for stage, criterion in rated.items():
                judged = ImportedRatingRow(
                    project_id=project_id,
                    stage=stage,
                    unit=item.external_id,
                    rater=secrets.judge,
                    criterion=criterion,
                    value=secrets.score,
                    created_at=world.store.now(),
                )
                session.add(judged)
    for login in ("lars", "mona"):
        make_person(world.store, login)
    yield world
    world.store.close()


def test_no_byte_sent_says_a_secret(
    tmp_path: Path, sqlite_template: Path, label_studio: LabelStudio, label_studio_person: Person
) -> None:
    people = {login: label_studio_person(f"{login}@{DOMAIN}") for login in ("lars", "mona")}
    stages = [Stage.VERIFICATION, Stage.GRADING]
    with hiding(tmp_path / "home", sqlite_template, ONE) as world:
        front = Front(label_studio)
        connected(world, front, people, stages)
        how = forms(world)
        bridge.push(world.store, front, how, by=None, project=PROJECT)
        for login, account in people.items():
            found = waiting(account, world.person(login).name)
            assert [stage for stage, _ in found].count(Stage.VERIFICATION) == ITEMS
            assert [stage for stage, _ in found].count(Stage.GRADING) == 2 * ITEMS
            for stage, task in found[:3] + found[-3:]:
                answer = (
                    ChoicesResult("choice", "blue") if stage is Stage.VERIFICATION else ChoicesResult("score", "0.5")
                )
                server.annotate(account, task["id"], [answer])
        bridge.pull(world.store, front, how, by=None, project=PROJECT)
        bridge.push(world.store, front, how, by=None, project=PROJECT)
        sent = b"\n".join(front.sent).lower()
        assert sent.count(b"question 1?") >= len(people)
        assert not [word for word in ONE.words() if word.lower().encode() in sent]
        front.close()


def test_what_is_sent_is_the_same_whatever_the_secrets_are(tmp_path: Path, sqlite_template: Path) -> None:
    """The key is one of the options and a score is a number, so a search cannot find them.

    So the same project is sent with all secrets changed, and the sent data must not change by a single character.
    """
    # graders may see the key
    for stage, other in ((Stage.VERIFICATION, OTHER), (Stage.GRADING, replace(OTHER, key=ONE.key))):
        with (
            hiding(tmp_path / f"{stage}-one", sqlite_template, ONE) as first,
            hiding(tmp_path / f"{stage}-other", sqlite_template, other) as second,
        ):
            assert sent_of(first, stage) == sent_of(second, stage)


def sent_of(world: World, stage: Stage) -> list[tuple[str, str, list[Mapping[str, Any]]]]:
    """Return the projects that a push makes: title, labeling, and the data of their tasks without our random keys."""
    outside = Outside(f"lars@{DOMAIN}", f"mona@{DOMAIN}")
    bridge.connect(world.store, by=None, project=PROJECT, address=ADDRESS, stages=[stage], ahead=50)
    for login in ("lars", "mona"):
        email = f"{login}@{DOMAIN}"
        bridge.map_person(world.store, by=None, project=PROJECT, address=ADDRESS, login=login, email=email)
    bridge.push(world.store, outside, forms(world), by=None, project=PROJECT)
    found = [
        (
            project.title,
            project.labeling,
            [
                {name: told for name, told in task.data.items() if name != "touchstone"}
                for task in project.tasks.values()
            ],
        )
        for project in outside.projects.values()
    ]
    assert sum(len(tasks) for _, _, tasks in found) == 2 * ITEMS * (2 if stage is Stage.GRADING else 1)
    return found


# ---- raters' views of each other ------------------------------------------------------------------------------------

EVERY = 1.0
"""Seconds between two rounds of the loop, the shortest allowed pause."""
FIRST, LATER = 3, 6
"""Answers before the loop runs, and while it runs."""
PAUSE = 0.1
"""Seconds between two looks of the other rater."""
PATIENCE = 60.0
"""Seconds in which the loop must fetch everything, on a busy machine."""


def seen_by(account: Account, mine: str) -> dict[int, Any]:
    """Return all annotations and drafts of others that a person finds in the projects that we made."""
    found: dict[int, Any] = {}
    for project in account.call("GET", "/api/projects?page_size=1000&include=id,title")["results"]:
        if not project["title"].endswith(TITLE) or project["title"].startswith(f"{mine} · "):
            continue
        try:
            for task in server.tasks(account, project["id"]):
                found |= {each["id"]: each["result"] for each in [*task["annotations"], *task.get("drafts", [])]}
        except urllib.error.HTTPError as error:  # it was removed in the meantime
            error.close()
    return found


def is_there(account: Account, annotation: int) -> bool:
    try:
        account.call("GET", f"/api/annotations/{annotation}/")
    except urllib.error.HTTPError as error:
        error.close()
        if error.code != 404:
            raise
        return False
    return True


TITLE = " · A blind test"


def two(world: World) -> None:
    make_project(world.store, loaded=make_schema(raters=2, adjudication=False))
    make_items(world.store, FIRST + LATER)
    for login in ("nora", "otto"):
        make_person(world.store, login)


def test_what_a_rater_sees_of_another_is_what_was_not_fetched_yet(
    tmp_path: Path, sqlite_template: Path, label_studio: LabelStudio, label_studio_person: Person
) -> None:
    nora, otto = (label_studio_person(f"{login}@{DOMAIN}") for login in ("nora", "otto"))
    with twins(tmp_path, sqlite_template, two) as (world, _):
        front = Front(label_studio)
        connected(world, front, {"nora": nora, "otto": otto}, [Stage.VERIFICATION])
        how = forms(world)
        bridge.push(world.store, front, how, by=None, project=PROJECT)
        tasks = [task["id"] for _, task in waiting(otto, "Otto")]
        assert seen_by(nora, "Nora") == {}
        given = [server.annotate(otto, task, [ChoicesResult("choice", "red")]) for task in tasks[:FIRST]]
        assert sorted(seen_by(nora, "Nora")) == given  # the free edition shows it to anyone
        bridge.pull(world.store, front, how, by=None, project=PROJECT)
        assert seen_by(nora, "Nora") == {}
        assert not [annotation for annotation in given if is_there(nora, annotation)]

        loop = Loop(world, front, how, looking=nora)
        loop.start()
        try:
            watch = Watch(nora)
            watch.start()
            for number, task in enumerate(tasks[FIRST:]):
                watch.given(server.annotate(otto, task, [ChoicesResult("choice", "blue")]))
                time.sleep(0.3 + number * 0.37 % 1)  # at every moment of a round
            until = time.monotonic() + PATIENCE
            while len(loop.stored()) < FIRST + LATER and time.monotonic() < until:
                time.sleep(0.1)
            time.sleep(2 * EVERY)
        finally:
            watch.stop()
            loop.stop()
        assert len(loop.stored()) == FIRST + LATER
        assert (loop.left, loop.broken) == ([], "")
        assert seen_by(nora, "Nora") == {}
        assert len(watch.submitted) == LATER
        assert set(watch.seen) <= set(watch.submitted)
        windows = [watch.seen.get(each, at) - at for each, at in watch.submitted.items()]
        print(
            f"\nan answer could be seen for up to {max(windows):.2f} s ({sum(windows) / LATER:.2f} s on average), with"
            f" a look every {EVERY:g} s ({watch.looks} looks by another rater; a round took up to {loop.longest:.2f} s)"
        )
        # submitted just after a round has read it, fetched by the next round, and seen by a look of the other that
        # began before
        assert max(windows) <= 2 * loop.longest + EVERY + watch.longest
        front.close()


class Loop(threading.Thread):
    """Runs ``sync`` in the same way as the command."""

    def __init__(self, world: World, front: Front, how: bridge.Forms, *, looking: Account) -> None:
        super().__init__(daemon=True)
        self.world, self.front, self.how, self.looking = world, front, how, looking
        self.left: list[int] = []
        """Annotations that were stored here and still to be seen there after that round."""
        self.broken = ""
        self.ended = threading.Event()
        self.longest = 0.0
        self._last = time.monotonic()

    def run(self) -> None:
        bridge.sync(
            self.world.store,
            self.front,
            self.how,
            by=None,
            project=PROJECT,
            every=EVERY,
            stop=self.ended.is_set,
            tell=self._told,
        )

    def _told(self, pulled: object, pushed: object, said: str) -> None:
        self.broken += said
        self.longest = max(self.longest, time.monotonic() - self._last)
        stored = [row.outside_annotation for row in self.stored()]
        self.left += [each for each in stored if is_there(self.looking, each)]
        self._last = time.monotonic() + EVERY

    def stored(self) -> list[BridgeAnswerRow]:
        return [row for row in self.world.rows(BridgeAnswerRow) if row.outcome is BridgeOutcome.STORED]

    def stop(self) -> None:
        self.ended.set()
        self.join(30)


class Watch(threading.Thread):
    """A rater who looks at the other's work again and again."""

    def __init__(self, account: Account) -> None:
        super().__init__(daemon=True)
        self.account = account
        self.submitted: dict[int, float] = {}
        self.seen: dict[int, float] = {}
        """By annotation: when it was seen last."""
        self.looks = 0
        self.longest = 0.0
        self.ended = threading.Event()

    def given(self, annotation: int) -> None:
        self.submitted[annotation] = time.monotonic()

    def run(self) -> None:
        while not self.ended.is_set():
            began = time.monotonic()
            found = seen_by(self.account, "Nora")
            now = time.monotonic()
            self.seen |= dict.fromkeys(found, now)
            self.looks += 1
            self.longest = max(self.longest, now - began + PAUSE)
            self.ended.wait(PAUSE)

    def stop(self) -> None:
        self.ended.set()
        self.join(30)
