"""The reader of a backup that ``extensions.backup.backup_writer`` wrote.

Every file is compared with its hash, and no name in the backup becomes a path unchecked.
"""

from __future__ import annotations

import gzip
import json
import re
import tarfile
import zlib
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NoReturn

from domain.errors import InvalidFileError
from extensions.backup.backup_writer import BACKUP_FORMAT, BACKUP_VERSION, FILES, LAST, SEAL, HashingReader, seal

_TABLE = re.compile(r"tables/([a-z_]{1,60})/\d{6,}\.jsonl\.gz")
_MEDIA = re.compile(r"media/([0-9a-f]{64})/([a-z0-9.]{1,40})")
_AGAIN = "Nothing was restored. Use another backup, or copy this one again."
_KINDS = {"whole", "number", "truth", "moment", "json", "text"}


@dataclass(frozen=True)
class TableInBackup:
    """The manifest's entry of a table."""

    name: str
    rows: int
    columns: dict[str, str]
    """The kind of each column."""


@dataclass(frozen=True)
class FileInBackup:
    """A file of a backup, to be read once."""

    path: str
    content: HashingReader

    @property
    def table(self) -> str | None:
        """The table to which it belongs; None for other files."""
        match = _TABLE.fullmatch(self.path)
        return match[1] if match else None

    @property
    def media(self) -> tuple[str, str] | None:
        """The hash of its image or clip, and its name in the media store; None for other files."""
        match = _MEDIA.fullmatch(self.path)
        return (match[1], match[2]) if match else None

    @property
    def home(self) -> tuple[str, str] | None:
        """Its folder in the home folder, and its path in that folder; None for other files."""
        place, *parts = self.path.split("/")
        if place != "home" or len(parts) < 2 or {"", ".", ".."} & {*parts}:
            return None
        return parts[0], "/".join(parts[1:])


class BackupFile:
    """An open backup, as a context manager.

    Raises
    ------
    InvalidFileError
        The file is unreadable, is no backup, was cut off or comes from a newer Touchstone. The message gives the
        advice.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, path.name
        try:
            self._tar = tarfile.open(path, "r:")  # noqa: SIM115  (closed at exit)
        except tarfile.TarError as error:
            raise InvalidFileError(f"{self.name} is not a backup ({error}). {_AGAIN}") from error
        except OSError as error:
            raise InvalidFileError(
                f"Touchstone cannot read {path}: {error.strerror}. Check the file and its permissions."
            ) from error
        try:
            self._list, manifest = self._last_entries()
            self.manifest = self._read_manifest(manifest)
            self.tables = {entry["name"]: TableInBackup(**entry) for entry in self.manifest["tables"]}
        except BaseException:
            self._tar.close()
            raise

    def __enter__(self) -> BackupFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._tar.close()

    @property
    def has_media(self) -> bool:
        """Whether images and clips are in it."""
        return bool(self.manifest["media"]["inside"])

    def files(self) -> Iterator[FileInBackup]:
        """Yield every file in the order of the backup, and then compare it with the list of files.

        Raises ``InvalidFileError`` for the first file that is changed, missing or not in the list.
        """
        with self._open(self._list) as lines:
            members = self._members()
            n = 0
            for line in self._lines(lines):
                listed = json.loads(line)
                member = next(members)
                if member.name != listed["path"] or member.size != listed["bytes"]:
                    self.refuse(
                        f"{listed['path']} is missing or has a different size, and "
                        f"{member.name[:100]!r} is in its place"
                    )
                file = FileInBackup(member.name, HashingReader(self._open(member)))
                if file.table not in self.tables and not file.media and not file.home:
                    self.refuse(f"the backup contains an unexpected file {member.name[:100]!r}")
                yield file
                self._compare(file, listed["sha256"])
                n += 1
            last = next(members)
            if last.name != FILES or n != self.manifest["files"]["files"]:
                self.refuse(f"{last.name[:100]!r} is not in the list of files")

    def rows(self, file: FileInBackup) -> list[list[Any]]:
        """Return the rows of a part of a table."""
        wanted = len(self.tables[str(file.table)].columns)
        try:
            rows = [json.loads(line) for line in gzip.decompress(file.content.read()).splitlines()]
        except (ValueError, EOFError, zlib.error, OSError) as error:
            raise InvalidFileError(f"{self.name}: {file.path} is damaged ({error}). {_AGAIN}") from error
        if any(not isinstance(row, list) or len(row) != wanted for row in rows):
            self.refuse(f"{file.path} has a row with a different number of columns than the manifest names")
        return rows

    def verify(self, *, each: Callable[[FileInBackup, list[list[Any]]], None], done: Callable[[int], None]) -> None:
        """Read the whole backup, and raise ``InvalidFileError`` for the first fault.

        ``each`` gets every file with its rows (none for other files), and ``done`` the number of files read.
        """
        with self._open(self._list) as lines:
            if HashingReader(lines).sha256() != self.manifest["files"]["sha256"]:
                self.refuse(f"{FILES} differs from the manifest")
        counted: Counter[str] = Counter()
        for n, file in enumerate(self.files(), 1):
            rows = self.rows(file) if file.table else []
            if file.table:
                counted[file.table] += len(rows)
            each(file, rows)
            done(n)
        for table in self.tables.values():
            if counted[table.name] != table.rows:
                self.refuse(f"the table {table.name} has {counted[table.name]:,} rows, not {table.rows:,}")

    def refuse(self, why: str) -> NoReturn:
        """Raise ``InvalidFileError`` with a reason."""
        raise InvalidFileError(f"{self.name}: {why}. {_AGAIN}")

    # ---- inside ------------------------------------------------------------------------------------------------------

    def _members(self) -> Iterator[tarfile.TarInfo]:
        """Yield every entry, whose memory is then free again."""
        with tarfile.open(self.path, "r:") as tar:
            while member := self._next(tar):
                tar.members.clear()  # type: ignore[attr-defined]
                yield member

    def _next(self, tar: tarfile.TarFile) -> tarfile.TarInfo | None:
        try:
            return tar.next()
        except (tarfile.TarError, OSError, ValueError) as error:
            raise InvalidFileError(f"{self.name} is incomplete or damaged ({error}). {_AGAIN}") from error

    def _last_entries(self) -> tuple[tarfile.TarInfo, bytes]:
        """Return the entry of the list of files, and the manifest."""
        last: deque[tarfile.TarInfo] = deque(self._members(), len(LAST))
        if tuple(member.name for member in last) != LAST:
            self.refuse(f"{SEAL} is missing at the end, so the backup is incomplete, or is not a backup")
        files, manifest, sealed = last
        with self._open(manifest) as content, self._open(sealed) as known:
            text = content.read()
            if known.read() != seal(text):
                self.refuse(f"{manifest.name} does not match {SEAL}")
        return files, text

    def _read_manifest(self, text: bytes) -> dict[str, Any]:
        try:
            manifest = json.loads(text)
        except ValueError:
            manifest = None
        if not isinstance(manifest, dict) or manifest.get("format") != BACKUP_FORMAT:
            self.refuse("the manifest does not describe a backup")
        if manifest.get("version") != BACKUP_VERSION:
            raise InvalidFileError(
                f"{self.name} has format version {manifest.get('version')}, but this server reads only "
                f"version {BACKUP_VERSION}. Nothing was restored. Update Touchstone, then restore again."
            )
        kinds = {kind for table in manifest["tables"] for kind in table["columns"].values()}
        if not kinds <= _KINDS:
            self.refuse("the manifest names unknown kinds of columns")
        return manifest

    def _open(self, entry: tarfile.TarInfo) -> IO[bytes]:
        content = self._tar.extractfile(entry) if entry.isreg() else None
        if content is None:
            self.refuse(f"{entry.name[:100]!r} is not a regular file")
        return content

    def _lines(self, lines: IO[bytes]) -> Iterator[bytes]:
        try:
            yield from lines
        except (tarfile.TarError, OSError) as error:
            raise InvalidFileError(f"{self.name}: {FILES} is damaged ({error}). {_AGAIN}") from error

    def _compare(self, file: FileInBackup, sha256: str) -> None:
        try:
            found = file.content.sha256()
        except (tarfile.TarError, OSError) as error:
            raise InvalidFileError(f"{self.name}: {file.path} is damaged ({error}). {_AGAIN}") from error
        if found != sha256:
            self.refuse(f"the content of {file.path} has changed since the backup")
