"""The reader of a project archive that ``extensions.archives.archive_writer`` wrote. The file is not trusted.

No content of the archive becomes a path. Sizes are counted while reading, because an archive may state wrong ones, and
every file is compared with its hash.
"""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NoReturn

from domain.errors import InvalidFileError
from extensions.archives.archive_writer import ARCHIVE_FORMAT, ARCHIVE_VERSION
from importers.table_entries import MIB, TableEntry, is_table_entry

_TABLE = re.compile(r"tables/([a-z_]{1,60})\.jsonl")
_MEDIA = re.compile(r"media/([0-9a-f]{64})")
_AGAIN = "Nothing was imported. Export the project again, and copy the complete file."


@dataclass(frozen=True)
class Limits:
    """The size limits of an archive."""

    manifest: int = 4 * MIB
    line: int = 32 * MIB
    """Bytes of one row."""
    ratio: int = 200
    """Unpacked bytes of a table for each packed one, from the first ten megabytes on; rows pack to about a "
    "twentieth."""
    free: int = 10 * MIB


LIMITS = Limits()


class ProjectArchive:
    """An open archive, as a context manager.

    Raises
    ------
    InvalidFileError
        The file is unreadable, is not a project archive, or comes from a newer Touchstone. The message gives the
        advice.
    """

    def __init__(self, path: Path, *, limits: Limits = LIMITS) -> None:
        self.path, self.name, self.limits = path, path.name, limits
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError) as error:
            raise InvalidFileError(f"{self.name} is not a complete ZIP archive ({error}). {_AGAIN}") from error
        except OSError as error:
            raise InvalidFileError(
                f"Touchstone cannot read {path}: {error.strerror}. Check the file and its permissions."
            ) from error
        try:
            self._entries = self._looked_at()
            self.manifest = self._manifest()
            self.tables = self._tables()
        except BaseException:
            self._zip.close()
            raise

    def __enter__(self) -> ProjectArchive:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._zip.close()

    @property
    def revision(self) -> str:
        """The version of the tables that it was written from."""
        return str(self.manifest.get("database", ""))

    @property
    def has_media(self) -> bool:
        """Whether images and clips are in it."""
        return bool(self.manifest["media"].get("inside"))

    def rows(self, table: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield every row of a table with its number, from 1. After the last row, check the table against the manifest.

        Raises ``InvalidFileError`` for an invalid row, or for a table that differs from the manifest.
        """
        entry = self.tables[table]
        digest, n, n_bytes, wanted = hashlib.sha256(), 0, 0, set(entry.columns)
        with self._open(f"tables/{table}.jsonl") as lines:
            while line := self._line(lines, table, n + 1):
                digest.update(line)
                n, n_bytes = n + 1, n_bytes + len(line)
                if n_bytes > entry.bytes:
                    break
                yield n, self._row(line, table, n, wanted)
        if (n, n_bytes, digest.hexdigest()) != (entry.rows, entry.bytes, entry.sha256):
            raise InvalidFileError(f"{self.name}: tables/{table}.jsonl does not match the manifest. {_AGAIN}")

    def media(self) -> list[str]:
        """Return the hashes of the archive's images and clips."""
        return sorted(match[1] for path in self._entries if (match := _MEDIA.fullmatch(path)))

    def copy_media(self, sha256: str, out: IO[bytes], *, n_bytes: int) -> None:
        """Write an image or clip of this size. Raises ``InvalidFileError`` if its content does not match its name."""
        digest, n = hashlib.sha256(), 0
        with self._open(f"media/{sha256}") as source:
            while chunk := self._read(source, MIB, f"media/{sha256}"):
                n += len(chunk)
                if n > n_bytes:
                    break
                digest.update(chunk)
                out.write(chunk)
        if n != n_bytes or digest.hexdigest() != sha256:
            raise InvalidFileError(f"{self.name}: media/{sha256[:12]}... does not match its name. {_AGAIN}")

    # ---- inside ------------------------------------------------------------------------------------------------------

    def _looked_at(self) -> dict[str, zipfile.ZipInfo]:
        by_path: dict[str, zipfile.ZipInfo] = {}
        for entry in self._zip.infolist():
            path = entry.filename
            if path != "manifest.json" and not _TABLE.fullmatch(path) and not _MEDIA.fullmatch(path):
                self._refuse(f"the archive contains an unexpected file {path[:100]!r}")
            if path in by_path:
                self._refuse(f"the archive contains {path!r} twice")
            if entry.flag_bits & 1:
                self._refuse(f"{path!r} is protected by a password")
            swells = entry.file_size > max(self.limits.free, self.limits.ratio * entry.compress_size)
            if swells and not _MEDIA.fullmatch(path):
                self._refuse(
                    f"{path!r} is too large after unpacking ({entry.file_size:,} bytes from "
                    f"{entry.compress_size:,} bytes)"
                )
            by_path[path] = entry
        return by_path

    def _manifest(self) -> dict[str, Any]:
        if "manifest.json" not in self._entries:
            self._refuse("the archive has no manifest.json")
        with self._open("manifest.json") as file:
            data = self._read(file, self.limits.manifest + 1, "manifest.json")
        try:
            manifest = json.loads(data) if len(data) <= self.limits.manifest else None
        except (ValueError, RecursionError):
            manifest = None
        if (
            not isinstance(manifest, dict)
            or manifest.get("format") != ARCHIVE_FORMAT
            or not isinstance(manifest.get("version"), int)
        ):
            self._refuse("the manifest does not describe a project")
        if manifest["version"] > ARCHIVE_VERSION:
            raise InvalidFileError(
                f"A newer version of Touchstone wrote {self.name}. The archive has version {manifest['version']}, "
                f"but this server reads only versions up to {ARCHIVE_VERSION}. Nothing was imported. Update "
                "Touchstone, then import the archive again."
            )
        if not isinstance(manifest.get("media"), dict) or not isinstance(manifest.get("project"), str):
            self._refuse("the manifest does not describe a project")
        return manifest

    def _tables(self) -> dict[str, TableEntry]:
        table_entries: dict[str, TableEntry] = {}
        listed = self.manifest.get("tables")
        for entry in listed if isinstance(listed, list) else []:
            match = _TABLE.fullmatch(str(entry.get("path"))) if isinstance(entry, dict) else None
            whole = match and entry["path"] in self._entries and is_table_entry(entry)
            if match is None or not whole or match[1] in table_entries:
                self._refuse("the manifest names a missing table or describes a table incorrectly")
            table_entries[match[1]] = TableEntry(
                match[1], tuple(entry["columns"]), entry["rows"], entry["bytes"], str(entry["sha256"])
            )
        stray = [path for path in self._entries if (match := _TABLE.fullmatch(path)) and match[1] not in table_entries]
        if stray:
            self._refuse(f"the archive contains {stray[0]!r}, which is not in the manifest")
        return table_entries

    def _line(self, lines: IO[bytes], table: str, number: int) -> bytes:
        try:
            line = lines.readline(self.limits.line + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            raise InvalidFileError(f"{self.name}: tables/{table}.jsonl is damaged ({error}). {_AGAIN}") from error
        if len(line) > self.limits.line:
            self._refuse(f"row {number:,} of {table} is longer than {self.limits.line // MIB} MiB")
        return line

    def _row(self, line: bytes, table: str, number: int, wanted: set[str]) -> dict[str, Any]:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict) or row.keys() != wanted:
            self._refuse(f"row {number:,} of {table} does not have the columns that the manifest names")
        return row

    def _open(self, path: str) -> IO[bytes]:
        try:
            return self._zip.open(self._entries[path])
        except (KeyError, zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
            raise InvalidFileError(f"{self.name}: Touchstone cannot read {path} ({error}). {_AGAIN}") from error

    def _read(self, file: IO[bytes], n: int, path: str) -> bytes:
        try:
            return file.read(n)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            raise InvalidFileError(f"{self.name}: {path} is damaged ({error}). {_AGAIN}") from error

    def _refuse(self, why: str) -> NoReturn:
        raise InvalidFileError(f"{self.name}: {why}. {_AGAIN}")
