"""What takes long about a whole project (its archive, a copy, deleting it), in a process of its own that says how far
it is: the process that serves pages serves voters, too."""

from __future__ import annotations

import json
import logging
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.services import Services
from app.supervisor import environment
from db.engine import Store, open_store
from domain.errors import Conflict, TouchstoneError
from domain.origin import acting_from, origin
from domain.project_parts import ProjectPart
from domain.records import Person
from media.store import MediaStore
from workflow.access import project_care
from workflow.files import project_copy, project_export, project_removal
from workflow.files.project_export import Progress

log = logging.getLogger(__name__)
_NICE = 10
_BROKEN = "This was broken off; the log of the server says why. Nothing was half done: try again."


@dataclass
class Job:
    """One of them, under way or over."""

    kind: str
    """A key of ``WORKS``."""
    project: str
    args: Mapping[str, Any]
    """What its work is called with."""
    at: str = ""
    """What is going on, in words."""
    done: int = 0
    of: int = 0
    said: str = ""
    """What came of it."""
    refused: str = ""
    """Why nothing came of it."""
    over: threading.Event = field(default_factory=threading.Event)


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
        job = _jobs[services.person.id, project] = Job(kind, project, args)
    order = {
        "url": services.store.engine.url.render_as_string(hide_password=False),  # no command line tells it
        "home": services.settings.home,
        "person": services.person,
        "origin": origin(),
        "kind": kind,
        "project": project,
        "args": args,
    }
    threading.Thread(target=_see_through, args=(job, order), name="project job", daemon=True).start()
    return job


def _see_through(job: Job, order: Mapping[str, Any]) -> None:
    try:
        command = (sys.executable, "-P", "-m", "app.project_jobs")
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            with suppress(BrokenPipeError):
                process.stdin.write(pickle.dumps(order))
                process.stdin.close()
            for line in process.stdout:
                for name, value in json.loads(line).items():
                    setattr(job, name, value)
        if not (job.said or job.refused):
            log.error("the process for %s of a project ended with %s", job.kind, process.returncode)
    finally:
        if not (job.said or job.refused):
            job.refused = _BROKEN
        job.over.set()


# ---- the process of its own -----------------------------------------------------------------------------------------


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


WORKS: Mapping[str, Callable[..., str]] = {"export": _export, "copy": _copy, "delete": _delete}
"""What can be done, each with the store, the home, who does it, the project, and a function that hears how far it is;
the sentence that each gives says what came of it."""


def carry_out(order: Mapping[str, Any], tell: Callable[[Mapping[str, Any]], None]) -> None:
    """Do what an order says; ``tell`` hears how far it is and, last, what came of it or why nothing did."""
    last = -1

    def progress(what: str, done: int, of: int) -> None:
        nonlocal last
        percent = 100 * done // max(of, 1)
        if percent != last:
            tell({"at": what, "done": done, "of": of})
        last = percent

    store = open_store(order["url"], order["home"])
    try:
        with acting_from(order["origin"]):
            work = WORKS[order["kind"]]
            said = work(store, order["home"], order["person"], order["project"], progress, **order["args"])
            tell({"said": said})
    except TouchstoneError as error:
        tell({"refused": str(error)})
    finally:
        store.close()


def _work_in_process() -> int:
    """As told through the standard input. It goes on to its end if the one who began it is gone: what is half done
    would be done again."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever is printed by others is no reply
    if hasattr(os, "nice"):
        os.nice(_NICE)

    def tell(about: Mapping[str, Any]) -> None:
        with suppress(BrokenPipeError):
            replies.write(json.dumps(about) + "\n")
            replies.flush()

    carry_out(pickle.loads(sys.stdin.buffer.read()), tell)
    return 0


if __name__ == "__main__":
    # under its own name, so that what is pickled there is what is read here
    from app.project_jobs import _work_in_process as work_in_process

    sys.exit(work_in_process())
