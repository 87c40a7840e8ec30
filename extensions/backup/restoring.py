"""A server out of a backup: the file is checked in full, and then fills an empty home folder and database."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from domain.errors import ConflictError, InvalidFileError, InvalidMediaError, NotFoundError, SettingsError
from domain.jobs import Progress, unheard
from extensions.backup import queries
from extensions.backup.backup_reader import BackupFile, FileInBackup
from extensions.backup.creating import folders
from media.copying import copy_media
from media.opening import open_media, open_storage
from media.storage import FolderStorage
from media.store import MediaStore

if TYPE_CHECKING:
    from domain.settings import Settings

STAGING = "restoring"
"""The folder below the home folder in which media and other files wait for their place."""
_SHOWN = 5


@dataclass(frozen=True)
class RestoredServer:
    """The result of restoring a backup."""

    taken_at: datetime
    database: str
    """The database from which the backup was made: ``sqlite`` or ``postgresql``."""
    rows: Mapping[str, int]
    """The number of rows of each table."""
    media: int
    """The number of restored images and clips."""
    missing: tuple[str, ...]
    """The hashes of images and clips that were missing already when the backup was made."""
    open_runs: int
    """The number of runs that a worker will continue."""


def restore_backup(
    settings: Settings, *, path: Path, media: Path | None = None, progress: Progress = unheard
) -> RestoredServer:
    """Fill an empty home folder and database from a backup: all of it, or nothing.

    Parameters
    ----------
    media
        A copy of the folder ``media`` of the server, for a backup without images and clips. With a bucket, the backup
        can do without: then the bucket must have them.

    Raises
    ------
    InvalidFileError
        The backup is damaged, incomplete, foreign or from a newer Touchstone, or the database refuses a row.
    ConflictError
        The home folder or the database is not empty.
    SettingsError
        The backup has no images and clips, and no folder was given; or both were.
    """
    home = settings.home
    with BackupFile(path) as backup:
        if backup.has_media and media is not None:
            raise SettingsError(f"{path.name} contains the images and clips. Remove the option --media.")
        _must_be_unused(home)
        named = _verified(backup, progress)
        source = _media_source(backup, settings, media, named)
        with _Staging(home) as staging, queries.filling(settings.database_url, home) as connection:
            _create_tables(connection, backup)
            store = MediaStore(staging.folder / "media")
            for done, file in enumerate(backup.files()):
                progress("files restored", done, backup.manifest["files"]["files"])
                _restore_file(connection, backup, file, staging.folder, store)
            if source is not None and source.cache is None:
                _copy_media(source, store, named, progress)
            if settings.media is not None:
                _move_to_bucket(settings, staging.folder / "media", progress)
            queries.finish(connection)
            open_runs = queries.count_open_runs(connection)
            os.sync()
            staging.move()
        manifest = backup.manifest
        return RestoredServer(
            datetime.fromisoformat(manifest["taken_at"]),
            manifest["database"],
            {table.name: table.rows for table in backup.tables.values()},
            len(named) - len(manifest["media"]["missing"]),
            tuple(manifest["media"]["missing"]),
            open_runs,
        )


def _must_be_unused(home: Path) -> None:
    """Raise ``ConflictError`` if the home folder holds data of a server, or leftovers of another restore."""
    if (home / STAGING).exists():
        raise ConflictError(
            "Another restore is running, or was interrupted. If no other restore is running, delete the "
            f"folder {home / STAGING}. Then run the command again."
        )
    for place in (home / "touchstone.db", *(home / name for name in ("media", *folders()))):
        if place.is_file() or (place.is_dir() and any(place.iterdir())):
            raise ConflictError(
                f"{place} exists, so the home folder is in use. Nothing was restored. Set TOUCHSTONE_HOME to an empty "
                "folder, or move this folder away."
            )


def _verified(backup: BackupFile, progress: Progress) -> dict[str, int]:
    """Check the whole backup. Return the size of each image and clip that it names, by hash."""
    named: dict[str, int] = {}
    inside: set[str] = set()
    columns = list(backup.tables["media_object"].columns)
    sha256, n_bytes = columns.index("sha256"), columns.index("bytes")

    def look(file: FileInBackup, rows: list[list[Any]]) -> None:
        if file.table == "media_object":
            named.update({row[sha256]: row[n_bytes] for row in rows})
        elif file.media is not None and file.media[1] == "original":
            inside.add(file.media[0])

    n_files = backup.manifest["files"]["files"]
    backup.verify(each=look, done=lambda done: progress("files checked", done, n_files))
    gone = named.keys() - inside - {*backup.manifest["media"]["missing"]} if backup.has_media else set()
    if gone:
        backup.refuse(f"images or clips are missing: {_listed(sorted(gone))}")
    return named


def _media_source(
    backup: BackupFile, settings: Settings, folder: Path | None, named: Mapping[str, int]
) -> MediaStore | None:
    """Return the media store from which images and clips are copied, after a check of each; None without one."""
    if backup.has_media or not named:
        return None
    if folder is None and settings.media is None:
        raise SettingsError(
            f"{backup.name} was made without images and clips. Add --media FOLDER with a copy of the "
            "server's `media` folder."
        )
    store = MediaStore(folder) if folder is not None else open_media(settings)
    wrong = []
    for sha256, n_bytes in named.items():
        try:
            store.verify(sha256, n_bytes=n_bytes, content=True)
        except (NotFoundError, InvalidMediaError):
            wrong.append(sha256)
    if wrong:
        raise InvalidFileError(
            f"{folder or settings.media}: images or clips are missing or changed: {_listed(wrong)}. Nothing was "
            "restored. Give a complete copy of the server's `media` folder."
        )
    return store


def _move_to_bucket(settings: Settings, folder: Path, progress: Progress) -> None:
    """Copy the restored images and clips into the bucket, and remove them here."""
    if settings.media is not None and folder.is_dir():
        done = copy_media(FolderStorage(folder), open_storage(settings.media), progress=progress)
        if done.failed:
            raise InvalidFileError(f"Nothing was restored. {next(iter(done.failed.values()))}")
        shutil.rmtree(folder)


def _listed(hashes: list[str]) -> str:
    shown = ", ".join(f"{sha256[:12]}..." for sha256 in hashes[:_SHOWN])
    return f"{len(hashes):,} ({shown})"


class _Staging:
    """A folder for files that wait for their place, as a context manager. An error removes everything restored."""

    def __init__(self, home: Path) -> None:
        self.home, self.folder = home, home / STAGING
        self._moved: list[Path] = []

    def __enter__(self) -> _Staging:
        self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder.mkdir(mode=0o700)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for place in (self.folder, *(self._moved if kind is not None else ())):
            shutil.rmtree(place, ignore_errors=True)

    def move(self) -> None:
        """Move everything into the home folder, as the last step before the database is committed."""
        for place in sorted(self.folder.iterdir()):
            target = self.home / place.name
            if target.is_dir():
                target.rmdir()
            self._moved.append(place.rename(target))


def _create_tables(connection: Any, backup: BackupFile) -> None:
    manifest = backup.manifest
    try:
        queries.create_tables(connection, revision=str(manifest["revision"]))
    except SettingsError as error:
        raise InvalidFileError(
            f"{backup.name} was made by Touchstone {manifest['touchstone']} (database revision "
            f"{manifest['revision']}), which this version cannot restore. Nothing was restored. Use that "
            "version of Touchstone or a newer version."
        ) from error
    for table in backup.tables.values():
        queries.require_columns(connection, table=table.name, columns=list(table.columns), name=backup.name)


def _restore_file(connection: Any, backup: BackupFile, file: FileInBackup, staging: Path, store: MediaStore) -> None:
    if file.table is not None:
        columns = backup.tables[file.table].columns
        queries.add_rows(connection, table=file.table, columns=columns, rows=backup.rows(file))
    elif file.media is not None:
        store.restore(*file.media, file.content)
    elif file.home is not None and file.home[0] in folders():
        path = staging.joinpath(*file.home)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with path.open("xb") as out:
            shutil.copyfileobj(file.content, out)


def _copy_media(source: MediaStore, store: MediaStore, named: Mapping[str, int], progress: Progress) -> None:
    for done, sha256 in enumerate(named):
        progress("images and clips", done, len(named))
        for path in source.files_to_keep(sha256):
            with path.open("rb") as content:
                store.restore(sha256, path.name, content)
        store.verify(sha256, n_bytes=named[sha256], content=True)
