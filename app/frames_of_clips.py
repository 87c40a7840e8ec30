"""The sets of frames of a project, as files that were made from its clips (``workflow.files.derived_media``)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from app import frame_work
from app.frame_work import About
from db.engine import Store
from domain.records import Person
from workflow.annotate import frame_pool


def names_of(home: Path, project: str, files: Collection[str]) -> list[str]:
    """Return the names of the sets of these clips."""
    return [About.read(each).called for each in frame_work.of_files(frame_pool.sets_in(home, project), files)]


def require_idle(home: Path, project: str, files: Collection[str]) -> None:
    """Raise ``Conflict`` while frames of one of these clips are being taken."""
    frame_work.must_rest(frame_work.of_files(frame_pool.sets_in(home, project), files))


def delete(store: Store, *, by: Person | None, home: Path, project: str, instead: Mapping[str, Path]) -> list[str]:
    """Delete the frames of replaced clips, and return the names of their sets."""
    changed = frame_work.of_files(frame_pool.sets_in(home, project), set(instead))
    return frame_work.taken_back(store, changed, instead, by=by)
