"""A whole project as one archive, for another server or database."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from db import events, project_rows, projects
from db.engine import Store
from domain.errors import ConflictError, NotFoundError
from domain.jobs import Progress, unheard
from domain.project_parts import archive_in
from domain.records import Person
from extensions.archives.archive_writer import ArchiveWriter
from workflow.access.projects import require_lead

if TYPE_CHECKING:
    from media.store import MediaStore


@dataclass(frozen=True)
class ArchiveContents:
    """The contents of an archive."""

    rows: Mapping[str, int]
    """The number of rows of each table."""
    media: int
    """The number of images and clips."""
    left_out: int
    """The number of images and clips that are only named."""


def archive_for(store: Store, home: Path, *, by: Person, project: str) -> Path | None:
    """Return the latest requested archive, for the project's leads; None without one."""
    with store.read() as session:
        path = archive_in(home, require_lead(session, by=by, project=project).name)
    return path if path.is_file() else None


def export_project(
    store: Store,
    media: MediaStore,
    *,
    by: Person | None,
    project: str,
    out: Path,
    with_media: bool = True,
    progress: Progress = unheard,
) -> ArchiveContents:
    """Write a whole project into a new file, while people work. Equal states give equal bytes.

    Raises
    ------
    ConflictError
        The file exists.
    NotFoundError
        The project does not exist, or one of its images or clips is missing from the media store.
    """
    if out.exists():
        raise ConflictError(f"{out} already exists. Choose another file name, or delete this file.")
    out.parent.mkdir(parents=True, exist_ok=True)
    handle, made = tempfile.mkstemp(dir=out.parent, prefix=f".{out.name}.")  # for its owner alone
    try:
        with os.fdopen(handle, "wb") as file, ArchiveWriter(file) as archive:
            done = _write(store, media, archive, by, project, with_media, progress)
        Path(made).replace(out)
        return done
    finally:
        Path(made).unlink(missing_ok=True)


def _write(
    store: Store,
    media: MediaStore,
    archive: ArchiveWriter,
    by: Person | None,
    project: str,
    with_media: bool,
    progress: Progress,
) -> ArchiveContents:
    with store.read() as session:
        project_rows.hold_still(session)
        access = require_lead(session, by=by, project=project)
        stored = projects.by_id(session, id=access.project_id)
        last = events.last_at(session, project_id=access.project_id) or stored.created_at
        counts: dict[str, int] = {}
        hashes: list[str] = []
        for done, table in enumerate(tables := project_rows.tables()):
            progress("tables read", done, len(tables))
            rows = project_rows.rows(session, project_id=access.project_id, table=table, last=last)
            if table == "media_object":
                every = list(rows)
                hashes = [row["sha256"] for row in every]
                rows = iter(every)
            counts[table] = archive.table(table, project_rows.columns(table), rows)
        about = {
            "database": project_rows.revision(session),
            "project": access.name,
            "title": access.title,
            "made_up": access.made_up,
            "date": last.isoformat(),
            "schema": {"name": access.schema.name, "version": access.schema.version, "sha256": access.loaded.hash},
        }
    for done, sha256 in enumerate(hashes if with_media else ()):
        progress("images and clips", done, len(hashes))
        try:
            archive.media(sha256, media.path(sha256))
        except NotFoundError as error:
            raise NotFoundError(
                f"{error} `touchstone check {project} --media` lists all missing files. Restore these files, then "
                "export again."
            ) from error
    archive.finish(about, with_media=with_media)
    return ArchiveContents(counts, len(hashes), 0 if with_media else len(hashes))
