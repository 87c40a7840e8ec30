"""Covering, with what of pictures and clips lies outside of a project's records: sets of frames on the page Frames."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from app import frame_work
from app.frame_work import About
from db.engine import Store
from domain.privacy import MARGIN, Told
from domain.records import Person
from media.store import MediaStore
from workflow.annotate import frame_pool
from workflow.files import privacy
from workflow.files.privacy import Decided


def sets_of(home: Path, project: str, files: Collection[str]) -> list[str]:
    """What the sets of frames are called that were taken out of these stored clips."""
    return [About.read(each).called for each in frame_work.of_files(frame_pool.sets_in(home, project), files)]


def decide(
    store: Store,
    media: MediaStore,
    home: Path,
    *,
    by: Person | None,
    project: str,
    told: Sequence[Told],
    looked: Mapping[str, Any] | None = None,
    margin: float = MARGIN,
    uncover: bool = False,
    after: Mapping[str, datetime | None] | None = None,
    marks: Mapping[str, int] | None = None,
) -> tuple[Decided, list[str]]:
    """``workflow.files.privacy.decide``; also the names of the sets of frames that were taken out of clips which look
    otherwise now: these frames are removed.

    Raises
    ------
    Conflict
        Frames are being taken out of one of the clips, too.
    """
    below = frame_pool.sets_in(home, project)
    sets = frame_work.of_files(below, {each.file for each in told})
    frame_work.must_rest(sets)
    done = privacy.decide(
        store,
        media,
        home,
        by=by,
        project=project,
        told=told,
        looked=looked,
        margin=margin,
        uncover=uncover,
        after=after,
        marks=marks,
    )
    changed = frame_work.of_files(below, set(done.instead))
    paths = {was: media.path(now) for was, now in done.instead.items()}
    return done, frame_work.taken_back(store, changed, paths, by=by)
