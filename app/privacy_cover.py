"""Covering, with what of pictures and clips lies outside of a project's records: sets of frames on the page Frames."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from app.derived_media import derived_media
from db.engine import Store
from domain.privacy import MARGIN, Told
from domain.records import Person
from media.store import MediaStore
from workflow.files import privacy
from workflow.files.privacy import Decided


def sets_of(home: Path, project: str, files: Collection[str]) -> list[str]:
    """Return the titles of what was made from these stored files."""
    return [title for each in derived_media() for title in each.titles(home, project, files)]


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
    for each in derived_media():
        each.must_rest(home, project, {one.file for one in told})
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
    instead = {was: media.path(now) for was, now in done.instead.items()}
    return done, [title for each in derived_media() for title in each.remove(store, home, project, instead, by=by)]
