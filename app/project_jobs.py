"""What takes long about a whole project (its archive, a copy, a release, deleting it), and what has become of each."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app import apart
from app.apart import Progress
from app.services import Services
from db.engine import Store
from domain.errors import Conflict
from domain.project_parts import ProjectPart
from domain.records import Person
from media.store import MediaStore
from workflow.access import project_care
from workflow.files import project_copy, project_export, project_removal
from workflow.releases import create, withdraw
from workflow.releases.settings import Asked

_BROKEN = (
    "This was broken off; the log of the server says why. No one sees what was half done, and it goes first: try again."
)


@dataclass(frozen=True)
class Order:
    """What is to be done with a project."""

    kind: str
    """A key of ``WORKS``."""
    project: str
    by: Person
    args: Mapping[str, Any] = field(default_factory=dict)
    """What its work is called with."""

    def run(self, store: Store, home: Path, progress: Progress) -> str:
        """Do it; the sentence says what came of it."""
        return WORKS[self.kind](store, home, self.by, self.project, progress, **self.args)


@dataclass
class Job(apart.Going):
    """One of them, under way or over."""

    kind: str = ""
    project: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)


_guard = threading.Lock()
_jobs: dict[tuple[int, str], Job] = {}
"""By person and project, the last one."""


def jobs_of(services: Services) -> list[Job]:
    """What this person has begun, and has not put away since it was over."""
    with _guard:
        return [job for (person, _), job in sorted(_jobs.items()) if person == services.person.id]


def forget(services: Services, job: Job) -> None:
    """Put a job away that is over."""
    with _guard:
        if job.over.is_set() and _jobs.get((services.person.id, job.project)) is job:
            del _jobs[services.person.id, job.project]


def begin(services: Services, kind: str, project: str, **args: Any) -> Job:
    """Begin with one; the same press again gives the one that is under way.

    It goes on to its end if the server is gone: what is half done would be done again.

    Raises
    ------
    Conflict
        This person has begun something else with the project, which is not done yet.
    """
    with _guard:
        there = _jobs.get((services.person.id, project))
        if there is not None and not there.over.is_set():
            if (there.kind, there.args) == (kind, args):
                return there
            raise Conflict(f"Something else that you began with {project} is under way; try again when it is done.")
        job = _jobs[services.person.id, project] = Job(kind=kind, project=project, args=args)
    order = Order(kind, project, services.person, args)
    apart.begin(services.store, services.settings.home, order, going=job, broken=_BROKEN, outlives=True)
    return job


# ---- what is done ---------------------------------------------------------------------------------------------------


def _export(store: Store, home: Path, by: Person, project: str, progress: Progress) -> str:
    out = project_export.archive_in(home, project)
    out.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = out.with_name(f"{project}.{os.getpid()}.partial")  # the one that is there may be read meanwhile
    try:
        media = MediaStore(home / "media")
        project_export.export_project(store, media, by=by, project=project, out=made, progress=progress)
        made.replace(out)
    finally:
        made.unlink(missing_ok=True)
    project_care.note_export(store, by=by, project=project)
    return "The archive is ready."


def _copy(
    store: Store, home: Path, by: Person, project: str, progress: Progress, *, name: str, title: str, without: list[str]
) -> str:
    parts = frozenset(map(ProjectPart, without))
    about: dict[str, Any] = {"project": project, "name": name, "title": title, "without": parts, "by": by}
    made = project_copy.clone_project(store, MediaStore(home / "media"), progress=progress, **about)
    return " ".join([f"The copy is made: {title}.", *made.notes])


def _delete(store: Store, home: Path, by: Person, project: str, progress: Progress, *, typed: str) -> str:
    media = MediaStore(home / "media")
    project_removal.delete_project(store, media, by=by, project=project, typed=typed, home=home, progress=progress)
    return f"{project} is deleted."


def _release(store: Store, home: Path, by: Person, project: str, progress: Progress, **asked: Any) -> str:
    made = create.create(
        store, MediaStore(home / "media"), home, by=by, project=project, asked=Asked.load(asked), progress=progress
    )
    return " ".join([f"Release {made.version} is made: {made.items:,} items in {made.files:,} files.", *made.notes])


def _withdraw(
    store: Store, home: Path, by: Person, project: str, progress: Progress, *, version: str, item: str, reason: str
) -> str:
    about: dict[str, Any] = {"version": version, "item": item, "reason": reason, "progress": progress}
    made = withdraw.withdraw(store, MediaStore(home / "media"), home, by=by, project=project, **about)
    return f"Release {made.version} is made, without {item}. Release {version} stays as it is."


WORKS: Mapping[str, Callable[..., str]] = {
    "export": _export,
    "copy": _copy,
    "delete": _delete,
    "release": _release,
    "withdraw": _withdraw,
}
"""What can be done, each with the store, the home, who does it, the project, and a function that hears how far it is;
the sentence that each gives says what came of it."""
