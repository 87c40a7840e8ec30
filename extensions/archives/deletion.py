"""The deletion of a project for good: a list of the losses, and the deletion of all data that no other project uses."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from db import projects, runs
from db.engine import Store
from domain import extensions
from domain.errors import InvalidInputError, Problem
from domain.jobs import Progress, unheard
from domain.project_parts import archive_in
from domain.records import Person
from extensions.archives.queries import removal, transit
from extensions.archives.queries.transit import ProjectInTransit
from extensions.archives.transit_cleanup import clear, clear_abandoned
from workflow.access import project_care
from workflow.access.event_log import log
from workflow.access.projects import Access, lead_alone, require_lead
from workflow.files.release_folder import alone_with_releases, remove_releases

if TYPE_CHECKING:
    from media.store import MediaStore

DELETED = "project.deleted"


@dataclass(frozen=True)
class Losses:
    """The data that is lost with a project."""

    items: int
    submissions: int
    """The number of people's submissions in any stage, including replaced ones."""
    answers: int
    """The number of answers by models, and by people as models."""
    people: int
    """Members; their accounts stay."""
    files: int
    """Images and clips that no other project has."""
    releases: int
    """Frozen releases, with their files on this machine."""
    history: int
    """Lines of its log."""

    @property
    def words(self) -> str:
        """Return the list of the data in words."""
        counts = (
            (self.items, "item"),
            (self.submissions, "submission"),
            (self.answers, "answer"),
            (self.people, "membership"),
            (self.files, "image or clip that no other project has"),
            (self.releases, "frozen release"),
            (self.history, "line of history"),
        )
        plurals = {
            "image or clip that no other project has": "images and clips that no other project has",
            "line of history": "lines of history",
        }
        return ", ".join(f"{n:,} {noun if n == 1 else plurals.get(noun, noun + 's')}" for n, noun in counts)


def losses(store: Store, *, by: Person | None, project: str) -> Losses:
    """Return the data that would be lost, for leads."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return _losses(removal.sizes(session, project_id=access.project_id))


def _losses(sizes: dict[str, int]) -> Losses:
    return Losses(
        items=sizes["item"],
        submissions=sizes["annotation"] + sizes["sift_decision"],
        answers=sizes["prediction"],
        people=sizes["member"],
        files=sizes["media_object"],
        releases=sizes["release"],
        history=sizes["event"],
    )


def delete_project(
    store: Store,
    media: MediaStore,
    *,
    by: Person | None,
    project: str,
    typed: str,
    home: Path | None = None,
    progress: Progress = unheard,
) -> Losses:
    """Delete a project for good, for its leads: rows, history, and images and clips that no other project uses.

    The server's log keeps a line. The project is archived first, so that no new work starts. Then it becomes invisible,
    and its rows are deleted in lots. If the deletion is interrupted, the next import, copy or deletion of a project
    continues it.

    Parameters
    ----------
    typed
        The project's name, typed again by the person who deletes it.
    home
        The home folder with the project's releases, archive, boxes found in pictures, files of extensions
        and batch files, which are deleted too.

    Raises
    ------
    InvalidInputError
        The typed name is different.
    ConflictError
        Runs, an exchange with Label Studio, or a release are in progress.
    """
    if typed.strip() != project:
        raise InvalidInputError(
            [Problem("name", f"Nothing was deleted. To delete the project, type the project ID, {project}.")]
        )
    with store.read() as session:
        lead_alone(session, by=by, project=project)
    clear_abandoned(store, media)
    with alone_with_releases(home, project, then="delete the project") if home is not None else nullcontext():
        lost, of_runs = _clear(store, media, by, project, progress)
        if home is not None:
            _remove_files(home, project, of_runs)
    return lost


def runs_of(store: Store, *, by: Person | None, project: str) -> list[str]:
    """Return the ids of a project's runs, which ``finish_deletion`` needs; for its leads."""
    with store.read() as session:
        return list(runs.public_ids(session, project_id=require_lead(session, by=by, project=project).project_id))


def finish_deletion(
    store: Store,
    media: MediaStore,
    *,
    home: Path,
    project: str,
    of_runs: Sequence[str],
    progress: Progress = unheard,
) -> None:
    """Continue a deletion whose process died after the project had become invisible."""
    clear_abandoned(store, media)
    progress("files", 0, 1)
    with alone_with_releases(home, project, then="delete the project"):
        _remove_files(home, project, of_runs)


def _remove_files(home: Path, project: str, of_runs: Sequence[str]) -> None:
    """Remove the files of a project in the home folder."""
    remove_releases(home, project)
    archive_in(home, project).unlink(missing_ok=True)
    for place in (home / folder / project for folder in sorted(extensions.home_folders())):
        shutil.rmtree(place, ignore_errors=True)
    for path in (file for run in of_runs for file in (home / "batches").glob(f"{run}-*")):
        path.unlink(missing_ok=True)


def _clear(
    store: Store, media: MediaStore, by: Person | None, project: str, progress: Progress
) -> tuple[Losses, Sequence[str]]:
    """Archive the project and remove it from the database. Return the lost data and the ids of its runs."""
    with store.write(archived_too=True) as session:
        access = lead_alone(session, by=by, project=project)
        project_care.must_be_still(session, access, now=store.now(), to="delete the project")
        if not access.archived:
            projects.archive(session, row=projects.lock(session, id=access.project_id), at=store.now())
    lost, of_runs, leaving = _leave(store, access, by)
    with transit.hold_name(store, leaving.name):
        clear(store, media, leaving, progress=progress)
    return lost, of_runs


def _leave(store: Store, access: Access, by: Person | None) -> tuple[Losses, Sequence[str], ProjectInTransit]:
    """Make the project invisible. Return the lost data, the ids of its runs, and the project to clear."""
    with store.read() as session:
        lost = _losses(removal.sizes(session, project_id=access.project_id))
        of_runs = runs.public_ids(session, project_id=access.project_id)
    with store.write(archived_too=True) as session:
        now = lead_alone(session, by=by, project=access.name)
        project_care.must_be_still(session, now, now=store.now(), to="delete the project")
        leaving = transit.leave(session, row=projects.lock(session, id=now.project_id))
        data = {"name": access.name, "title": now.title, **asdict(lost)}
        log(session, DELETED, by=by, now=store.now(), data=data)
        return lost, of_runs, leaving
