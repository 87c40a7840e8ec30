"""Covering, also of what extensions made from pictures and clips and keep outside of a project's records."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from db.engine import Store
from domain.privacy import MARGIN, Told
from domain.records import Person
from media.store import MediaStore
from workflow.files import derived_media, privacy
from workflow.files.privacy import Decided


def sets_of(home: Path, project: str, files: Collection[str]) -> list[str]:
    """Return what pages call the things that extensions made from these stored files."""
    return derived_media.names_of(home, project, files)


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
    """Keep and cover as decided (``workflow.files.privacy.decide``), and delete what extensions made from those files.

    Returns what became of the decisions, and what pages call the things that were deleted.

    Raises
    ------
    Conflict
        An extension makes something from one of the files, too.
    """
    derived_media.require_idle(home, project, {each.file for each in told})
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
    paths = {was: media.path(now) for was, now in done.instead.items()}
    return done, derived_media.delete(store, by=by, home=home, project=project, instead=paths)
