"""Frames out of videos, on their way into the pool: where a project's sets of them lie, and what is kept of each frame
that is taken into the pool: its video, its moment, how sharp it is, why it was chosen."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from db import assets as stock
from db.engine import Store
from db.events import FRAMES_POOLED
from domain.errors import Conflict
from domain.records import AddedMedia, Person
from importers.media_files import folder_of
from workflow.access.event_log import log
from workflow.access.projects import require_lead
from workflow.annotate import frame_choices, image_pool

if TYPE_CHECKING:
    from media.store import MediaStore

AT_ONCE = 500
"""So many frames come in with one line of the log."""
TOLD = ("source", "exact", "time", "frame", "sharpness", "brightness", "motion", "group", "kept", "why")
"""What the log keeps of a frame, as its manifest calls it."""


@dataclass(frozen=True)
class Chosen:
    """A frame that somebody takes into the pool."""

    name: str
    """As the pool calls it: its video, a slash, its time."""
    path: Path
    told: Mapping[str, Any]
    """Its line in the manifest."""


def place(store: Store, home: Path, *, by: Person, project: str, changes: bool = False) -> Path:
    """The folder for sets of frames of a project, for its leads; ``changes``: something is to be made there."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
    if changes and access.archived:
        raise Conflict(f"{access.title} is archived: nothing in it is changed any more.")
    return sets_in(home, project) / hashlib.sha256(access.began.encode()).hexdigest()[:8]


def sets_in(home: Path, project: str) -> Path:
    """Where all frames lie of projects of that name: of this one, and of those before it that were deleted."""
    return home / "frames" / project


def free_clips(store: Store, media: MediaStore, *, by: Person, project: str) -> list[tuple[str, Path]]:
    """The clips that are free in the pool, by name, for leads."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        found = stock.free_clips(session, project_id=access.project_id)
    return [(name, media.path(sha256, "original")) for name, sha256 in found]


def add(
    store: Store,
    media: MediaStore,
    *,
    by: Person | None,
    project: str,
    frames: Sequence[Chosen],
    dropped: Mapping[str, Mapping[str, Any]] | None = None,
    settings: Mapping[str, Any],
    source_of: Callable[[str], str | None] = folder_of,
    dimension: str | None = None,
    role: str | None = None,
    told: Callable[[int], None] = lambda _: None,
) -> AddedMedia:
    """Take frames into the pool as ``image_pool.add_to_pool`` does, and note where each is from.

    The log says first which frames are taken and which are dropped, each with the reason.

    Parameters
    ----------
    dropped
        Frames of the same videos that are not taken: by name, their line in the manifest.
    settings
        How they were taken and screened, as their manifest says it.
    told
        Hears how many have been looked at.
    """
    frame_choices.decided(
        store,
        by=by,
        project=project,
        settings=settings,
        taken={each.name: each.told for each in frames if each.told},
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
            files=_counted(some, seen, told),
            source_of=source_of,
            dimension=dimension,
            role=role,
        )
        refused = {name for name, _ in added.refused}
        those = {
            each.name: {name: each.told[name] for name in TOLD if name in each.told}
            for each in some
            if each.told and each.name not in refused
        }
        if those and added.added:
            with store.write() as session:
                access = require_lead(session, by=by, project=project)
                data = {**settings, "frames": those}
                log(session, FRAMES_POOLED, by=by, project=access, now=store.now(), data=data)
        done = _sum(done, added)
    return done


def _counted(some: Sequence[Chosen], seen: int, told: Callable[[int], None]) -> Iterable[tuple[str, Path]]:
    for at, each in enumerate(some, seen):
        told(at)
        yield each.name, each.path


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
