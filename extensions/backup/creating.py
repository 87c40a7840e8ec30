"""A backup of the whole server, made while people work.

The database is read in one transaction, so the rows fit together. The media are read after that: a file is named by its
content and stored before any row names it, so everything that the rows name is there, except what was deleted since.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from db import project_rows
from db.engine import Store
from domain import extensions
from domain.errors import ConflictError
from domain.installation import own_version
from domain.jobs import Progress, unheard
from extensions.backup import queries
from extensions.backup.backup_writer import BackupWriter

if TYPE_CHECKING:
    from media.store import MediaStore

_FOLDERS = ("releases", "batches", "imports")
_LOT = 500


@dataclass(frozen=True)
class BackupContents:
    """The contents of a backup."""

    taken_at: datetime
    """Everything that was acknowledged before this time is in the backup."""
    rows: Mapping[str, int]
    """The number of rows of each table."""
    media: int
    """The number of images and clips in the backup."""
    media_named: int
    """The number of images and clips that the rows name."""
    missing: tuple[str, ...]
    """The hashes of images and clips that the rows name, but that the media store does not have."""
    bytes: int
    """The size of the backup."""


def folders() -> list[str]:
    """Return the folders of the home folder, other than media, whose files belong to a backup."""
    return sorted({*_FOLDERS, *extensions.home_folders()})


def create_backup(
    store: Store, media: MediaStore, home: Path, *, out: Path, with_media: bool = True, progress: Progress = unheard
) -> BackupContents:
    """Write everything that the server stores into a new file, readable only by its owner.

    Raises
    ------
    ConflictError
        The file exists, or a file of the home folder became shorter while it was read.
    """
    if out.exists():
        raise ConflictError(f"{out} already exists. Choose another file name, or delete this file.")
    out.parent.mkdir(parents=True, exist_ok=True)
    handle, made = tempfile.mkstemp(dir=out.parent, prefix=f".{out.name}.")  # for its owner alone
    try:
        with os.fdopen(handle, "wb") as file:
            with BackupWriter(file) as backup:
                written = _write(store, media, home, backup, with_media, progress)
            file.flush()
            os.fsync(file.fileno())
            size = file.tell()
        Path(made).rename(out)
        return BackupContents(*written, bytes=size)
    finally:
        Path(made).unlink(missing_ok=True)


def _write(
    store: Store, media: MediaStore, home: Path, backup: BackupWriter, with_media: bool, progress: Progress
) -> tuple[datetime, dict[str, int], int, int, tuple[str, ...]]:
    taken_at = store.now()
    counts: dict[str, int] = {}
    hashes: list[str] = []
    with store.read() as session:
        project_rows.hold_still(session)
        revision = project_rows.revision(session)
        tables = queries.tables()
        for done, table in enumerate(tables):
            progress("tables read", done, len(tables))
            columns = queries.columns(table)
            rows = queries.rows(session, table=table)
            if table == "media_object":
                rows = _noting(rows, list(columns).index("sha256"), hashes)
            counts[table] = backup.table(table, columns, rows)
    missing = _write_media(backup, media, hashes, progress) if with_media else []
    if missing:
        missing = _still_named(store, missing)
    for name in folders():
        _write_folder(backup, home, name)
    about = {
        "touchstone": own_version(),
        "taken_at": taken_at.isoformat(),
        "database": "sqlite" if store.is_sqlite else "postgresql",
        "revision": revision,
    }
    backup.finish(about, media={"inside": with_media, "named": len(hashes), "missing": missing})
    return taken_at, counts, backup.n_media, len(hashes), tuple(missing)


def _noting(rows: Iterator[list[object]], at: int, hashes: list[str]) -> Iterator[list[object]]:
    """Yield the rows, and add the value at this place of each to ``hashes``."""
    for row in rows:
        hashes.append(str(row[at]))
        yield row


def _write_media(backup: BackupWriter, media: MediaStore, hashes: Sequence[str], progress: Progress) -> list[str]:
    """Write the images and clips. Return the hashes of those that are missing."""
    missing: list[str] = []
    for done, sha256 in enumerate(hashes):
        progress("images and clips", done, len(hashes))
        paths = media.files_to_keep(sha256)
        if paths and paths[0].name == "original":
            backup.media(sha256, paths)
        else:
            missing.append(sha256)
    return missing


def _still_named(store: Store, missing: Sequence[str]) -> list[str]:
    """Return those of the missing images and clips that were not deleted since the database was read."""
    named: list[str] = []
    with store.read() as session:
        for start in range(0, len(missing), _LOT):
            named += queries.still_named(session, hashes=missing[start : start + _LOT])
    return named


def _write_folder(backup: BackupWriter, home: Path, name: str) -> None:
    """Write the files of a folder of the home folder. Links and locks stay behind."""
    for folder, inside, files in os.walk(home / name):
        inside.sort()
        for path in (Path(folder, file) for file in sorted(files)):
            if path.is_symlink() or not path.is_file() or path.suffix == ".lock":
                continue
            try:
                backup.file(f"home/{path.relative_to(home).as_posix()}", path)
            except FileNotFoundError:  # deleted since the folder was listed
                continue
            except OSError as error:
                if error.errno is not None:
                    raise
                raise ConflictError(
                    f"{path} became shorter during the backup, so no backup was written. Run the command again."
                ) from error
