"""The reader of an evidence bundle that ``exporters.evidence_folder`` wrote. The folder is not trusted.

Only files with known names are opened, links are not followed, and sizes are checked before reading. A changed file is
not refused: its present content is read, so that the effect is visible. An unreadable file is refused with a sentence.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NoReturn, Self

from domain.errors import InvalidFileError
from domain.evidence import (
    FIGURES,
    FOLDER,
    FORMAT,
    MANIFEST,
    POLICIES,
    VERDICTS,
    VERSION,
    table_path,
)
from importers.table_entries import MIB, TableEntry, is_table_entry

_KNOWN = re.compile(
    r"(?:tables/[a-z_]{1,60}\.jsonl|lines/[a-z_]{1,60}\.txt|figures\.json|verdicts\.jsonl|policies\.json)"
)
_NAME = re.compile(r"[a-z_]{1,60}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_AGAIN = "Nothing was recomputed. Copy the whole release again."


@dataclass(frozen=True)
class Limits:
    """The size limits of a bundle."""

    manifest: int = 16 * MIB
    whole: int = 256 * MIB
    """Bytes of a file that is read at once: the figures."""
    line: int = 32 * MIB
    slack: int = 16 * MIB
    """The number of bytes by which a changed file may exceed the size in its manifest."""


LIMITS = Limits()


class EvidenceFolder:
    """An open evidence bundle, with the interface that an import of a project reads.

    Raises
    ------
    InvalidFileError
        The folder is not a bundle, is unreadable, or comes from a newer Touchstone. The message gives the advice.
    """

    def __init__(self, folder: Path, *, limits: Limits = LIMITS) -> None:
        self.limits = limits
        inside = folder / FOLDER
        self.path = inside if is_folder(inside) else folder
        self.root = folder
        self.name = self.path.name if self.path != folder else folder.name
        if not is_folder(self.path):
            raise InvalidFileError(
                f"{folder} is not a folder. Choose the folder of a release, or its subfolder {FOLDER}."
            )
        self.manifest = self._manifest()
        self.tables = self._tables()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Do nothing, because each file is closed as soon as it has been read."""

    @property
    def revision(self) -> str:
        """The version of the tables that it was written from."""
        return str(self.manifest.get("database", ""))

    def rows(self, table: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield every present row of a table with its number, from 1, whether it was changed or not."""
        table_entry = self.tables[table]
        if not table_entry.sha256:
            return
        wanted = set(table_entry.columns)
        with self._open(table_path(table)) as lines:
            for number, line in self._lines(lines, table_path(table)):
                yield number, self._row(line, table, number, wanted)

    def lines(self, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield every line of a JSON lines file with its number, from 1."""
        if path not in self._told:
            self._refuse(f"the file {path[:100]!r} is missing")
        with self._open(path) as lines:
            for number, line in self._lines(lines, path):
                row = json_object(line)
                if row is None:
                    self._refuse(f"line {number:,} of {path} is not a valid row")
                yield number, row

    def without_rows(self, tables: Mapping[str, Sequence[str]]) -> None:
        """Add empty tables (with their columns) for tables that the bundle leaves out or that did not exist yet."""
        for name, columns in tables.items():
            self.tables.setdefault(name, TableEntry(name, tuple(columns), 0, 0, ""))

    def figures(self) -> Mapping[str, Any]:
        """Return the printed figures."""
        with self._open(FIGURES) as file:
            data = file.read(self.limits.whole + 1)
        contents = json_object(data) if len(data) <= self.limits.whole else None
        listed = contents.get("figures") if contents else None
        if not isinstance(contents, dict) or not isinstance(listed, list):
            self._refuse(f"{FIGURES} has no figures")
        ids = [figure.get("id") for figure in listed if isinstance(figure, dict)]
        if len(ids) != len(listed) or not all(isinstance(id, str) for id in ids) or len({*ids}) != len(ids):
            self._refuse(f"{FIGURES} has a figure without an id, or two figures with the same id")
        return contents

    # ---- inside ------------------------------------------------------------------------------------------------------

    def _manifest(self) -> dict[str, Any]:
        if not is_file(self.path / MANIFEST):
            self._refuse(f"the file {MANIFEST} is missing")
        with self._open(MANIFEST) as file:
            data = file.read(self.limits.manifest + 1)
        manifest = json_object(data) if len(data) <= self.limits.manifest else None
        version = manifest.get("version") if manifest else None
        if (
            manifest is None
            or manifest.get("format") != FORMAT
            or not isinstance(version, int)
            or isinstance(version, bool)
        ):
            self._refuse("the manifest is not a manifest of evidence")
        if version > VERSION:
            raise InvalidFileError(
                f"{self.name} has evidence from a newer version of Touchstone (evidence version {version}, but this "
                f"installation reads {VERSION}). Nothing was recomputed. Update Touchstone."
            )
        if not isinstance(manifest.get("project"), str):
            self._refuse("the manifest names no project")
        return manifest

    def _tables(self) -> dict[str, TableEntry]:
        self._told: dict[str, tuple[int, str]] = {}
        for file in _listed(self.manifest.get("files")):
            path, n_bytes, sha256 = file.get("path"), file.get("bytes"), str(file.get("sha256"))
            fit = isinstance(n_bytes, int) and not isinstance(n_bytes, bool) and n_bytes >= 0
            known = isinstance(path, str) and _KNOWN.fullmatch(path) and path not in self._told
            if not known or not fit or not _SHA256.fullmatch(sha256):
                self._refuse(f"the manifest has a wrong entry for {str(path)[:100]!r}")
            self._told[str(path)] = (int(n_bytes or 0), sha256)
        table_entries: dict[str, TableEntry] = {}
        for listed_table in _listed(self.manifest.get("tables")):
            name, columns = listed_table.get("name"), listed_table.get("columns")
            if (
                not isinstance(name, str)
                or not _NAME.fullmatch(name)
                or name in table_entries
                or not is_table_entry(listed_table)
            ):
                self._refuse("the manifest has a wrong entry for a table")
            if table_path(name) not in self._told:
                self._refuse(f"the manifest lists the table {name!r}, but not the table's file")
            n_bytes, sha256 = self._told[table_path(name)]
            table_entries[name] = TableEntry(name, tuple(columns or ()), listed_table["rows"], n_bytes, sha256)
        for path in (FIGURES, VERDICTS, POLICIES):
            if path not in self._told:
                self._refuse(f"the manifest does not name {path}")
        return table_entries

    def _lines(self, file: BinaryIO, path: str) -> Iterator[tuple[int, bytes]]:
        number = 0
        while line := file.readline(self.limits.line + 1):
            number += 1
            if len(line) > self.limits.line:
                self._refuse(f"line {number:,} of {path} is longer than {self.limits.line // MIB} MiB")
            yield number, line

    def _row(self, line: bytes, table: str, number: int, wanted: set[str]) -> dict[str, Any]:
        row = json_object(line)
        if row is None or row.keys() != wanted:
            self._refuse(f"line {number:,} of {table_path(table)} does not match the columns in the manifest")
        return row

    def _open(self, path: str) -> BinaryIO:
        at = self.path / path
        try:
            for part in (*reversed(at.relative_to(self.path).parents),):
                if not is_folder(self.path / part):
                    self._refuse(f"{part} is not a folder")
            handle = os.open(at, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            self._refuse(f"{path} is missing")
        except OSError as error:
            self._refuse(f"Touchstone cannot read {path} ({error.strerror}); links are not allowed")
        file: BinaryIO = os.fdopen(handle, "rb")
        bounds = getattr(self, "_told", {}).get(path)
        size = os.fstat(handle).st_size
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            file.close()
            self._refuse(f"{path} is not a file")
        if bounds is not None and size > 2 * bounds[0] + self.limits.slack:
            file.close()
            self._refuse(f"{path} has {size:,} bytes instead of {bounds[0]:,}")
        return file

    def _refuse(self, why: str) -> NoReturn:
        raise InvalidFileError(f"{self.name}: {why}. {_AGAIN}")


def _listed(value: Any) -> list[dict[str, Any]]:
    return [record for record in value if isinstance(record, dict)] if isinstance(value, list) else []


def json_object(data: bytes) -> dict[str, Any] | None:
    """Return the JSON object of some bytes; None for anything else."""
    try:
        contents = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return contents if isinstance(contents, dict) else None


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder, and no link."""
    return path.is_dir() and not path.is_symlink()


def is_file(path: Path) -> bool:
    """Return whether a path is a file, and no link."""
    return path.is_file() and not path.is_symlink()
