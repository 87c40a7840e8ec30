"""Frame sets out of clips in which something was covered: their frames still show it, so the frames are deleted."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from db.engine import Store
from domain.errors import ConflictError
from domain.records import Person
from extensions.frames import frame_pool, frame_sets
from extensions.frames.frame_sets import ABOUT, BUSY, LOCK, SetDescription
from workflow.jobs import folder_lock

COVERED_SINCE = (
    "Part of a clip in this set was covered, so Touchstone removed all frames of this set. Press “Continue” to take "
    "the frames again."
)


def names_of(home: Path, project: str, files: Collection[str]) -> list[str]:
    """Return what the page calls the sets that were made from these stored files."""
    return [SetDescription.read(folder).called for folder in _sets_of(home, project, files)]


def require_idle(home: Path, project: str, files: Collection[str]) -> None:
    """Raise ``ConflictError`` while work on a set of one of these files is running."""
    for folder in _sets_of(home, project, files):
        if folder_lock.is_held(folder / LOCK):
            raise ConflictError(f"{SetDescription.read(folder).called}: {BUSY}")


def delete(store: Store, *, by: Person | None, home: Path, project: str, instead: Mapping[str, Path]) -> list[str]:
    """Delete the frames of sets that were made from files no longer shown, and return what the page calls the sets.

    The frames can be taken again, from the files that are shown ``instead``.
    """
    names = []
    for folder in _sets_of(home, project, instead):
        with folder_lock.hold_folder(folder / LOCK, BUSY):
            frame_sets.clear_frames(store, folder, by=by, why="part of a clip in this set was covered")
            about = SetDescription.read(folder)
            now = [(name, str(instead.get(Path(path).parent.name, path))) for name, path in about.paths]
            replace(about, paths=now, done=0.0, refused=COVERED_SINCE).write(folder)
        names.append(about.called)
    return names


def _sets_of(home: Path, project: str, files: Collection[str]) -> list[Path]:
    """Return the folders of sets, of all projects of this name, that were made from one of these stored files."""
    folders = []
    for folder in sorted(path.parent for path in frame_pool.sets_in(home, project).glob(f"*/*/{ABOUT}")):
        if any(Path(path).parent.name in files for _, path in SetDescription.read(folder).paths):
            folders.append(folder)
    return folders
