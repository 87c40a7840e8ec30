"""Do the same work twice: by people in Label Studio over its API, and through the calls of our own screens.

Both worlds are copies of one home with the same projects, seeds and items. Only the way of the answers differs.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlmodel import col, select

from agreement.summary import Result
from app.services import Resources
from db.engine import Store, open_store
from db.tables import AnnotationRow, ItemRow, PersonRow, PredictionRow
from domain.records import NoTask, Person, TaskView
from domain.settings import settings_from
from domain.states import Stage
from extensions.labelstudio.client import Client
from extensions.labelstudio.exchange import bridge
from extensions.labelstudio.serving import bridging
from extensions.labelstudio.tests.live.server import annotate, tasks
from extensions.labelstudio.tokens import Token
from media.store import MediaStore
from tools.label_studio import Account, LabelStudio
from workflow.access import accounts
from workflow.annotate import claims, submissions
from workflow.files.export import exported
from workflow.results.rater_agreement import agreement_of

PROJECT = "p"
NOWHERE = "http://127.0.0.1:9"
"""The address of pictures on pages that no one opens."""
MOST_ROUNDS = 20


@dataclass(frozen=True)
class AnswerTwin:
    """One answer in two forms: as our own screens send it, and as Label Studio's page stores it."""

    values: Mapping[str, Any]
    result: Sequence[Mapping[str, Any]]
    reasons: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""


Answering = Callable[[str, Stage, Set[str]], AnswerTwin]
"""Returns a person's answer in a stage, from the person's login and the texts on the page."""


class ChoicesResult(dict[str, Any]):
    """The result that Label Studio's page stores for the choices of a control."""

    def __init__(self, control: str, *values: str) -> None:
        super().__init__(from_name=control, to_name="about", type="choices", value={"choices": list(values)})


class World:
    """An open home with the project."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.store: Store = open_store(None, home)
        self.media = MediaStore(home / "media")

    def person(self, login: str) -> Person:
        return accounts.find_person(self.store, login=login)

    def rows(self, table: Any) -> list[Any]:
        with self.store.read() as session:
            return list(session.exec(select(table).order_by(col(table.id))))

    # ---- comparisons -----------------------------------------------------------------------------------------------

    def verdicts(self) -> dict[str, tuple[str, int]]:
        """Return state and revision, by item."""
        return {row.external_id: (row.state.value, row.current_revision) for row in self.rows(ItemRow)}

    def votes(self) -> list[tuple[Any, ...]]:
        """Return all votes: person, item, answer, revision, reasons, and the order of the options."""
        people = {row.id: row.login for row in self.rows(PersonRow)}
        items = {row.id: row.external_id for row in self.rows(ItemRow)}
        answers = {row.id: row.model for row in self.rows(PredictionRow)}
        found = [
            (
                row.stage.value,
                items[row.item_id],
                answers.get(row.prediction_id) or "",
                row.revision,
                people[row.person_id],
                json.dumps([row.answers, row.reasons, row.note, row.shown], sort_keys=True),
            )
            for row in self.rows(AnnotationRow)
        ]
        return sorted(found)

    def agreement(self, stage: Stage) -> list[Result]:
        return agreement_of(self.store, person=None, project=PROJECT, stage=stage)

    def exported(self, format: str, *, only: Sequence[str] | None = None) -> Mapping[str, bytes]:
        """Return the bytes of every file of an export, with its manifest if ``only`` names items."""
        return exported(self.store, by=None, project=PROJECT, format=format, only=only, private=True).files


@contextmanager
def twins(folder: Path, template: Path, make: Callable[[World], None]) -> Iterator[tuple[World, World]]:
    """Yield two equal worlds: one for Label Studio, one for our own screens."""
    homes = folder / "there", folder / "here"
    homes[0].mkdir()
    shutil.copyfile(template, homes[0] / "touchstone.db")
    first = World(homes[0])
    make(first)
    first.store.close()
    shutil.copytree(*homes)
    worlds = World(homes[0]), World(homes[1])
    yield worlds
    for world in worlds:
        world.store.close()


def forms(world: World, *, media_from: str = NOWHERE) -> bridge.Forms:
    """Return the forms in the same way as the command."""
    given = settings_from({"TOUCHSTONE_HOME": str(world.home)}, world.home)
    shared = Resources(world.store, world.media, given)
    return bridging.forms_of(bridging.Media(shared, media_from=media_from))


class Front(Client):
    """The unchanged client, which also records every byte that it sends."""

    def __init__(self, there: LabelStudio) -> None:
        super().__init__(there.url, Token(there.admin.personal, whence="here"))
        self.sent: list[bytes] = []
        http = self._requests._http
        hooks = http.event_hooks
        http.event_hooks = {**hooks, "request": [*hooks.get("request", []), self._remember]}

    def _remember(self, request: Any) -> None:
        self.sent.append(b"\n".join([request.method.encode(), str(request.url).encode(), request.read()]))


def connected(
    world: World, front: Client, people: Mapping[str, Account], stages: Sequence[Stage], *, ahead: int = 200
) -> None:
    """Send the work of people to the server."""
    bridge.connect(world.store, by=None, project=PROJECT, address=front.address, stages=stages, ahead=ahead)
    for login, account in people.items():
        bridge.map_person(
            world.store, by=None, project=PROJECT, address=front.address, login=login, email=account.email
        )


def waiting(account: Account, name: str) -> list[tuple[Stage, dict[str, Any]]]:
    """Return the waiting tasks that a person sees there, in the projects with the person's name."""
    projects = account.call("GET", "/api/projects?page_size=1000&include=id,title")["results"]
    mine = [each for each in projects if each["title"].startswith(f"{name} · ")]
    return [
        (Stage(each["title"].split(" · ")[1]), task)
        for each in mine
        for task in tasks(account, each["id"])
        if not task["annotations"]
    ]


def in_label_studio(
    world: World, front: Client, people: Mapping[str, Account], stages: Sequence[Stage], answer: Answering
) -> Counter[str]:
    """Let all people answer their tasks at the same time, until no more tasks are sent.

    Return the number of answers of each person.
    """
    connected(world, front, people, stages)
    how = forms(world)
    given: Counter[str] = Counter()

    def work(login: str) -> int:
        account, found = people[login], waiting(people[login], world.person(login).name)
        for stage, task in found:
            said = answer(login, stage, read_there(task))
            annotate(account, task["id"], [*said.result, *_note_of(said)], seconds=3.0)
        return len(found)

    for _ in range(MOST_ROUNDS):
        bridge.push(world.store, front, how, by=None, project=PROJECT)
        with ThreadPoolExecutor(len(people)) as pool:
            done = dict(zip(people, pool.map(work, people), strict=True))
        bridge.pull(world.store, front, how, by=None, project=PROJECT)
        given.update(done)
        if not sum(done.values()):
            return +given
    raise AssertionError("it does not end")


def on_our_screens(world: World, logins: Sequence[str], stages: Sequence[Stage], answer: Answering) -> Counter[str]:
    """Let all people take and answer tasks in turn, until no one gets a task.

    Return the number of answers of each person.
    """
    given: Counter[str] = Counter()
    busy = True
    while busy:
        busy = False
        for login in logins:
            person = world.person(login)
            for stage in stages:
                view = claims.next_task(world.store, person=person, project=PROJECT, stage=stage)
                if isinstance(view, NoTask):
                    continue
                said = answer(login, stage, read_here(view))
                submissions.submit(
                    world.store,
                    person=person,
                    task=view.id,
                    key=view.id,
                    values=said.values,
                    reasons=said.reasons,
                    note=said.note,
                )
                given[login] += 1
                busy = True
    return given


def read_there(task: Mapping[str, Any]) -> Set[str]:
    """Return the texts on Label Studio's page."""
    return {each["text"] for each in task["data"]["shown"]}


def read_here(view: TaskView) -> Set[str]:
    """Return the texts on our page."""
    texts = {text for text in view.fields.values() if isinstance(text, str)}
    return texts | ({view.answer} if view.answer else set())


def _note_of(said: AnswerTwin) -> list[dict[str, Any]]:
    if not said.note:
        return []
    return [{"from_name": "touchstone-note", "to_name": "about", "type": "textarea", "value": {"text": [said.note]}}]


def without_times(manifest: bytes) -> dict[str, Any]:
    """Return a manifest without the time of the last event, its only time."""
    content: dict[str, Any] = json.loads(manifest)
    assert content.pop("date")
    return content
