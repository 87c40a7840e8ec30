"""Video frames on their way into the pool.

This module knows the folder of a project's frame sets. It also defines the record of each pooled frame: its
video, its time, its sharpness, and why it was chosen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from db import assets as stock
from db import events
from db.engine import Store
from db.events import FRAMES_POOLED
from domain.errors import ConflictError
from domain.records import AddedMedia, Person
from extensions.frames import frame_choices
from importers.media_files import folder_of
from workflow.access.event_log import log
from workflow.access.projects import require_lead
from workflow.annotate import image_pool

if TYPE_CHECKING:
    from media.store import MediaStore

HOME_FOLDER = "frames"
AT_ONCE = 500
"""Number of frames added with one event of the log."""
LOGGED_COLUMNS = ("source", "exact", "time", "frame", "sharpness", "brightness", "motion", "group", "kept", "why")
"""Manifest columns of a frame that the log keeps."""


@dataclass(frozen=True)
class FrameForPool:
    """A frame to be added to the pool."""

    name: str
    """The frame's name in the pool: its video, a slash, its time."""
    path: Path
    row: Mapping[str, Any]
    """The frame's row in the manifest."""


@dataclass(frozen=True)
class PooledFrames:
    """The frames that one event of the log added to the pool."""

    at: datetime
    n: int


def place(store: Store, home: Path, *, by: Person, project: str, changes: bool = False) -> Path:
    """Return the folder for a project's frame sets; leads only.

    ``changes`` states that the caller will write there, which an archived project refuses.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
    if changes and access.archived:
        raise ConflictError(
            f"{access.title} is archived, so you cannot change the project. Restore the project in Settings first."
        )
    return sets_in(home, project) / hashlib.sha256(access.began.encode()).hexdigest()[:8]


def sets_in(home: Path, project: str) -> Path:
    """Return the folder for the frames of all projects of this name, deleted ones included."""
    return home / HOME_FOLDER / project


def free_clips(store: Store, media: MediaStore, *, by: Person, project: str) -> list[tuple[str, Path]]:
    """Return the free clips of the pool, by name; leads only."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        clips = stock.free_clips(session, project_id=access.project_id)
    return [(name, media.place(sha256)) for name, sha256 in clips]


def pooled(store: Store, *, by: Person, project: str) -> list[PooledFrames]:
    """Return which frames entered the pool, oldest first; leads only."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        additions = events.of_kinds(session, project_id=access.project_id, kinds=(FRAMES_POOLED,))
    return [PooledFrames(event.at, len(event.data["frames"])) for event, _ in additions]


def add(
    store: Store,
    media: MediaStore,
    *,
    by: Person | None,
    project: str,
    frames: Sequence[FrameForPool],
    dropped: Mapping[str, Mapping[str, Any]] | None = None,
    settings: Mapping[str, Any],
    source_of: Callable[[str], str | None] = folder_of,
    dimension: str | None = None,
    role: str | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> AddedMedia:
    """Add frames to the pool as ``image_pool.add_to_pool`` does, and record where each frame comes from.

    The log first records which frames are added and which are dropped, each with the reason.

    Parameters
    ----------
    dropped
        Manifest rows, by name, of frames that are not added.
    settings
        The extraction and screening settings from the manifest.
    progress
        Called with the number of frames processed.
    """
    frame_choices.decided(
        store,
        by=by,
        project=project,
        settings=settings,
        taken={frame.name: frame.row for frame in frames if frame.row},
        dropped=dropped or {},
    )
    done = AddedMedia(0, 0)
    for seen in range(0, len(frames), AT_ONCE):
        some = frames[seen : seen + AT_ONCE]
        added = image_pool.add_to_pool(
            store,
            media,
            by=by,
            project=project,
            files=_counted(some, seen, progress),
            source_of=source_of,
            dimension=dimension,
            role=role,
        )
        refused = {name for name, _ in added.refused}
        those = {
            frame.name: {name: frame.row[name] for name in LOGGED_COLUMNS if name in frame.row}
            for frame in some
            if frame.row and frame.name not in refused
        }
        if those and added.added:
            with store.write() as session:
                access = require_lead(session, by=by, project=project)
                data = {**settings, "frames": those}
                log(session, FRAMES_POOLED, by=by, project=access, now=store.now(), data=data)
        done = _sum(done, added)
    return done


def _counted(some: Sequence[FrameForPool], seen: int, progress: Callable[[int], None]) -> Iterable[tuple[str, Path]]:
    for at, frame in enumerate(some, seen):
        progress(at)
        yield frame.name, frame.path


def _sum(one: AddedMedia, other: AddedMedia) -> AddedMedia:
    sources = {name: one.sources.get(name, 0) + other.sources.get(name, 0) for name in {**one.sources, **other.sources}}
    return replace(
        one,
        added=one.added + other.added,
        repeated=one.repeated + other.repeated,
        refused=(*one.refused, *other.refused),
        clips=one.clips + other.clips,
        sources=sources,
    )
