"""The demo project: everything in it is made up, and says so.

It is built with the same use cases that the screens call, so it holds nothing that people could not have entered:
images go into the pool, authors pick them and write about them, verifiers vote, the senior settles, imaginary models
answer, graders grade. Only the clock is set back, so that the work seems to have been done over the last days.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db import assets
from db.engine import Store
from domain.errors import NotFoundError
from domain.rated_units import unit_of
from domain.records import BadRow, Person, Rating, TaskView
from domain.roles import Role
from domain.states import RatersAre, Stage
from examples.answers import JUDGES, MODELS, Answer, answers_of, graded
from examples.scenes import DIMENSIONS, Scene, scenes, tables
from importers.items import refusal
from media.store import MediaStore
from workflow.access import accounts, memberships, projects
from workflow.annotate.claims import next_task
from workflow.annotate.drafts import save_draft
from workflow.annotate.image_pool import add_to_pool, pick
from workflow.annotate.project_progress import dashboard as progress_of
from workflow.annotate.submissions import submit
from workflow.files.import_files import import_files
from workflow.results.ratings_from_files import take_ratings
from workflow.runs import run_grading

PROJECT = "demo"
SEED = 1
"""Every demo is the same, orders that are drawn included."""
DAYS = 5
"""How far back the work of the demo's people begins."""

Progress = Callable[[str, int, int], None]
"""What is being done, how much of it is done, how much there is."""


@dataclass(frozen=True)
class Member:
    """One of the demo's people."""

    login: str
    name: str
    role: Role
    stages: tuple[Stage, ...] | None
    dimensions: tuple[str, ...] | None = None


def _author(number: int, name: str) -> Member:
    return Member(
        login=f"demo-{name.lower()}",
        name=f"{name} (author)",
        role=Role.ANNOTATOR,
        stages=(Stage.AUTHORING,),
        dimensions=DIMENSIONS[2 * number : 2 * number + 2],
    )


AUTHORS = [_author(k, name) for k, name in enumerate(("Ana", "Ben", "Chidi", "Dina", "Emil", "Fatou"))]
VERIFIERS = [
    Member(f"demo-{name.lower()}", f"{name} (verifier)", Role.ANNOTATOR, (Stage.VERIFICATION,))
    for name in ("Goro", "Hanna", "Ines")
]
GRADERS = [
    Member(f"demo-{name.lower()}", f"{name} (grader)", Role.ANNOTATOR, (Stage.GRADING,))
    for name in ("Jonas", "Kavya", "Luis")
]
LEAD = Member("demo-mara", "Mara (lead)", Role.LEAD, None)
SENIOR = Member("demo-noor", "Noor (senior)", Role.SENIOR, (Stage.ADJUDICATION, Stage.VERIFICATION))
PEOPLE = [LEAD, SENIOR, *AUTHORS, *VERIFIERS, *GRADERS]

# ---- what becomes of each scene -------------------------------------------------------------------------------------

KEPT, ACCEPTED, EDITED, STRUCK, REJECTED = "kept", "accepted", "edited", "struck", "rejected"
DISPUTED, HALF, FRESH, DRAFTED, FREE = "disputed", "half", "fresh", "drafted", "free"
FATES: dict[str, str] = {
    KEPT: "two votes for it",
    ACCEPTED: "votes differed, the senior accepted it",
    EDITED: "votes differed, the senior mended its answer, then two votes for it",
    STRUCK: "votes differed, the senior rejected it",
    REJECTED: "two votes against it",
    DISPUTED: "votes differ, it waits for the senior",
    HALF: "one vote so far",
    FRESH: "written, nobody has voted yet",
    DRAFTED: "somebody has begun to write about it",
    FREE: "in the pool",
}
_THIRD = (KEPT, ACCEPTED, KEPT, REJECTED, KEPT, EDITED, KEPT, REJECTED, KEPT, STRUCK, KEPT, REJECTED)
_FOURTH = (DISPUTED, HALF, FRESH, HALF, DISPUTED, FRESH, HALF, DISPUTED, FRESH, HALF, DISPUTED, KEPT)
_FIFTH = (DRAFTED, FRESH, FRESH, FRESH, DRAFTED, FRESH, FRESH, FRESH, FRESH, FRESH, DRAFTED, FRESH)


def fates() -> dict[str, str]:
    """Scene -> what becomes of it."""
    found: dict[str, str] = {}
    for row, dimension in enumerate(DIMENSIONS):
        row_of_fates = (KEPT, KEPT, _THIRD[row], _FOURTH[row], _FIFTH[row], FREE)
        found |= {scene.name: fate for scene, fate in zip(scenes(dimension), row_of_fates, strict=True)}
    return found


_IN_THE_END_KEPT = (KEPT, ACCEPTED, EDITED)
_FAULTY = {EDITED, REJECTED, STRUCK}
"""Fates of items whose author gave a wrong answer."""
_VOTES: dict[str, tuple[tuple[str, str | None], ...]] = {
    KEPT: (("yes", None), ("yes", None)),
    ACCEPTED: (("yes", None), ("no", "ambiguous")),
    EDITED: (("no", "wrong_answer"), ("yes", None)),
    STRUCK: (("yes", None), ("no", "wrong_answer")),
    REJECTED: (("no", "wrong_answer"), ("no", "wrong_answer")),
    DISPUTED: (("yes", None), ("no", "other_dimension")),
    HALF: (("yes", None),),
    FRESH: (),
}
"""The two votes on an item, in the order in which they come in."""
_GRADED_SHARE = {"demo-jonas": 0.82, "demo-kavya": 0.74, "demo-luis": 0.66}


# ---- building -------------------------------------------------------------------------------------------------------


def exists(store: Store) -> bool:
    """Whether this database has a demo project."""
    return any(view.name == PROJECT for view in projects.all_projects(store))


def complete(store: Store) -> bool:
    """Whether all of the demo project is there: its making may have been interrupted."""
    if not exists(store):
        return False
    return progress_of(store, person=None, project=PROJECT).graded >= sum(_to_grade().values())  # the last step


def build(store: Store, media: MediaStore, *, progress: Progress | None = None) -> None:
    """Make the demo project with its people, images, items, votes, models' answers and grades."""
    tell = progress or (lambda what, done, total: None)
    drawn = _bring_in(media, tell)
    with _earlier(store) as clock:
        projects.create_project(store, name=PROJECT, loaded=load_schema(shipped()["demo"]), made_up=True, seed=SEED)
        people = {member.login: _join(store, member) for member in PEOPLE}
        _Builder(store, media, people, clock, tell, drawn).everything()
    _begin_drafts(store, people, drawn)


class _Clock:
    """A clock that is set back, and goes on only when someone has worked."""

    def __init__(self, start: datetime, end: datetime) -> None:
        self.moment, self.end = start, end

    def __call__(self) -> datetime:
        return self.moment

    def work(self, seconds: float) -> None:
        self.moment = min(self.moment + timedelta(seconds=seconds), self.end)


@contextmanager
def _earlier(store: Store) -> Iterator[_Clock]:
    """The store's clock set back by some days while the demo's people do their work."""
    real = store.clock
    now = real()
    clock = _Clock(now - timedelta(days=DAYS), now - timedelta(minutes=1))
    store.clock = clock
    try:
        yield clock
    finally:
        store.clock = real


def _bring_in(media: MediaStore, tell: Progress) -> dict[str, str]:
    """Put every picture into the media store; its name -> SHA-256."""
    everything = [*(scene.path for scene in scenes()), *tables()]

    def add(path: Path) -> tuple[str, str]:
        return path.stem, media.add(path, name=file_name(path)).sha256

    drawn = {}
    with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as workers:
        for done, (name, sha256) in enumerate(workers.map(add, everything), 1):
            drawn[name] = sha256
            tell("bringing in the pictures", done, len(everything))
    return drawn


def file_name(path: Path) -> str:
    """What a picture of the demo is called."""
    return f"made-up/{path.name}"


def _join(store: Store, member: Member) -> Person:
    try:
        person = accounts.find_person(store, login=member.login)
    except NotFoundError:
        person = accounts.create_person(store, login=member.login, name=member.name)
    memberships.set_member(
        store,
        by=None,
        project=PROJECT,
        login=member.login,
        role=member.role,
        dimensions=member.dimensions,
        stages=member.stages,
    )
    return person


@dataclass
class _Builder:
    """Does the work of the demo's people, one after the other."""

    store: Store
    media: MediaStore
    people: dict[str, Person]
    clock: _Clock
    tell: Progress
    drawn: dict[str, str]
    fate: dict[str, str] = field(default_factory=fates)
    scene_of: dict[str, Scene] = field(default_factory=dict)
    """By the item's page id."""
    names: dict[str, str] = field(default_factory=dict)
    """Scene -> the item's external id."""
    votes: dict[str, int] = field(default_factory=dict)
    """How many votes an item's present revision has."""
    mended: set[str] = field(default_factory=set)
    """Items whose answer the senior has mended."""
    n_keys: int = 0

    def everything(self) -> None:
        self._fill_pool()
        decided = [fate for fate in FATES if fate not in (DISPUTED, HALF, FRESH, DRAFTED, FREE)]
        # An item is written only when the ones before it have come to rest, so that each step finds its own work only.
        for step, batch in enumerate((decided, [DISPUTED], [HALF], [FRESH])):
            self.tell("writing and verifying items", step, 4)
            self._write([scene for scene in scenes() if self.fate[scene.name] in batch])
            self._verify(VERIFIERS if batch != [HALF] else VERIFIERS[:1], stop=batch == [FRESH])
            if batch == decided:
                self._adjudicate()
                self._verify(VERIFIERS)
        self.tell("writing and verifying items", 4, 4)
        answers = self._predict()
        self._judge(answers)
        self._grade({(answer.scene, answer.text): answer for answer in answers})

    def _fill_pool(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            files = []
            source = {}
            for number, path in enumerate([*(scene.path for scene in scenes()), *tables()]):
                link = Path(folder) / path.name
                link.symlink_to(self.media.path(self.drawn[path.stem], "original").resolve())
                files.append((file_name(path), link))
                source[file_name(path)] = f"made-up video {number // 2 + 1:02}"
            add_to_pool(self.store, self.media, by=None, project=PROJECT, files=files, source_of=source.get)

    def _submit(self, person: Person, task: TaskView, seconds: float, **answers: Any) -> str | None:
        self.clock.work(seconds)
        self.n_keys += 1
        done = submit(
            self.store, person=person, task=task.id, key=f"demo-{self.n_keys}", seconds=round(seconds, 1), **answers
        )
        return done.item

    def _write(self, batch: Sequence[Scene]) -> None:
        for scene in batch:
            author = self.people[_author_of(scene.dimension).login]
            task = pick(
                self.store,
                person=author,
                project=PROJECT,
                dimension=scene.dimension,
                assets=[_asset(self.store, self.drawn[scene.name])],
            )
            answer = scene.wrong[0] if self.fate[scene.name] in _FAULTY else scene.answer
            spent = 40 + 1.5 * len(scene.question + answer)
            item = self._submit(author, task, spent, values={"question": scene.question, "answer": answer})
            self.scene_of[item or ""] = scene
            self.names[scene.name] = f"{scene.dimension}/{task.id}"

    def _verify(self, verifiers: Sequence[Member], *, stop: bool = False) -> None:
        """Let these people verify in turn until nothing is left for any of them."""
        waiting = [] if stop else [self.people[member.login] for member in verifiers]
        while waiting:
            person = waiting.pop(0)
            task = next_task(self.store, person=person, project=PROJECT, stage=Stage.VERIFICATION)
            if not isinstance(task, TaskView):
                continue
            value, reason = self._vote(task)
            reasons = {"fits": reason} if reason else {}
            self._submit(person, task, 9 + len(task.id) % 7, values={"fits": value}, reasons=reasons)
            waiting.append(person)

    def _vote(self, task: TaskView) -> tuple[str, str | None]:
        item = task.item or ""
        if item in self.mended:
            return "yes", None
        number = self.votes.get(item, 0)
        self.votes[item] = number + 1
        return _VOTES[self.fate[self.scene_of[item].name]][number]

    def _adjudicate(self) -> None:
        senior = self.people[SENIOR.login]
        while True:
            task = next_task(self.store, person=senior, project=PROJECT, stage=Stage.ADJUDICATION)
            if not isinstance(task, TaskView):
                return
            scene = self.scene_of[task.item or ""]
            mended = {"question": scene.question, "answer": scene.answer}
            decisions: dict[str, dict[str, Any]] = {
                ACCEPTED: {"decision": "accept", "cause": "annotator_error"},
                EDITED: {"decision": "edit", "cause": "wrong_key", "fields": mended},
                STRUCK: {"decision": "reject", "cause": "wrong_key"},
            }
            values = decisions[self.fate[scene.name]]
            if values["decision"] == "edit":
                self.mended.add(task.item or "")
            self._submit(senior, task, 35, values=values)

    def _predict(self) -> list[Answer]:
        """Bring in the models' answers to the items that were kept."""
        kept = [scene for scene in scenes() if self.fate[scene.name] in _IN_THE_END_KEPT]
        answers = [answer for model in MODELS for answer in answers_of(model, kept)]
        rows = [{"item": self.names[answer.scene], "model": answer.model, "text": answer.text} for answer in answers]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "imaginary models.jsonl"
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
            import_files(self.store, self.media, by=None, project=PROJECT, format="predictions", path=path)
            run_grading.send_imports(self.store, by=None, project=PROJECT)
        return answers

    def _judge(self, answers: Sequence[Answer]) -> None:
        """Store what the judges gave each answer, as out of a file."""
        rows = [
            Rating(unit_of(self.names[answer.scene], answer.model), judge, "score", graded(judge, answer))
            for judge in JUDGES
            for answer in answers
        ]
        file = "imaginary judges.csv"
        with self.store.write() as session:
            take_ratings(
                session,
                self.store,
                projects.require_lead(session, by=None, project=PROJECT),
                by=None,
                rows=[(rating, BadRow(file, number, "", "")) for number, rating in enumerate(rows, 2)],
                bad=[],
                refuse=_refuse,
                file=file,
                raters=RatersAre.MACHINES,
            )

    def _grade(self, answers: dict[tuple[str, str], Answer]) -> None:
        left = _to_grade()
        total = sum(left.values())
        while any(left.values()):
            self.tell("grading models' answers", total - sum(left.values()), total)
            for login in [login for login, n in left.items() if n]:
                person = self.people[login]
                task = next_task(self.store, person=person, project=PROJECT, stage=Stage.GRADING)
                if not isinstance(task, TaskView):
                    left[login] = 0
                    continue
                answer = answers[self.scene_of[task.item or ""].name, task.answer or ""]
                left[login] -= 1
                self._submit(person, task, 11 + len(answer.text) % 9, values={"score": graded(login, answer)})
        self.tell("grading models' answers", total, total)


def _refuse(bad: Sequence[BadRow]) -> None:
    if bad:
        raise refusal(bad)


def _to_grade() -> dict[str, int]:
    """Grader's login -> how many of the models' answers they have graded."""
    n_answers = len(MODELS) * sum(fate in _IN_THE_END_KEPT for fate in fates().values())
    return {login: round(share * n_answers) for login, share in _GRADED_SHARE.items()}


def _author_of(dimension: str) -> Member:
    return next(author for author in AUTHORS if dimension in (author.dimensions or ()))


def _asset(store: Store, sha256: str) -> str:
    """The page id of the demo's asset with this content."""
    with store.read() as session:
        row = assets.by_hash(session, project_id=_project_id(store), sha256=sha256)
        if row is None:
            raise NotFoundError("The demo's images are not in its pool; build it anew with: touchstone demo --reset")
        return row.public_id


def _project_id(store: Store) -> int:
    with store.read() as session:
        return projects.access_to(session, person=None, project=PROJECT).project_id


def _begin_drafts(store: Store, people: dict[str, Person], drawn: dict[str, str]) -> None:
    """Some authors have an item in hand, by the real clock: half a question each."""
    fate = fates()
    for scene in scenes():
        if fate[scene.name] != DRAFTED:
            continue
        person = people[_author_of(scene.dimension).login]
        task = pick(
            store, person=person, project=PROJECT, dimension=scene.dimension, assets=[_asset(store, drawn[scene.name])]
        )
        words = scene.question.split()
        values: dict[str, Any] = {"question": " ".join(words[: max(2, len(words) // 2)]), "answer": ""}
        save_draft(store, person=person, task=task.id, seq=1, values={"values": values, "reasons": {}, "note": ""})
