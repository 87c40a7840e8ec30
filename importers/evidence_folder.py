"""The reader of an evidence bundle that ``exporters.evidence_folder`` wrote. The folder is not trusted.

Only files with known names are opened, links are not followed, and sizes are checked before reading. A changed file is
not refused: its changes are named line by line, and its present content is read, so that the effect is visible. An
unreadable file is refused with a sentence.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NoReturn

from domain.errors import InvalidFileError
from domain.evidence import (
    FIGURES,
    FOLDER,
    FORMAT,
    LINE_DIGITS,
    MANIFEST,
    POLICIES,
    VERDICTS,
    VERSION,
    lines_path,
    table_path,
)
from importers.table_entries import MIB, TableEntry, is_table_entry

_KNOWN = re.compile(
    r"(?:tables/[a-z_]{1,60}\.jsonl|lines/[a-z_]{1,60}\.txt|figures\.json|verdicts\.jsonl|policies\.json)"
)
_NAME = re.compile(r"[a-z_]{1,60}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_AGAIN = "Nothing was recomputed. Copy the release again, whole."
SHOWN = 20
"""The largest number of lines of a file that are named."""


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


@dataclass(frozen=True)
class FileChange:
    """A file of a bundle that differs from the manifest."""

    path: str
    """The path from the root of the release."""
    why: str
    """A sentence's end: ``is not there``, ``has other lines: 17``."""
    lines: tuple[int, ...] = ()
    """The changed lines of a table, counted from 1."""

    @property
    def sentence(self) -> str:
        """Return the change as a sentence."""
        return f"{self.path} {self.why}."


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
        self.path = inside if _is_folder(inside) else folder
        self.root = folder
        self.name = self.path.name if self.path != folder else folder.name
        if not _is_folder(self.path):
            raise InvalidFileError(f"{folder} is no folder; name the folder of a release, or its {FOLDER}.")
        self.manifest = self._manifest()
        self.tables = self._tables()

    def __enter__(self) -> EvidenceFolder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Do nothing, because each file is closed as soon as it has been read."""

    @property
    def revision(self) -> str:
        """The version of the tables that it was written from."""
        return str(self.manifest.get("database", ""))

    def rows(self, table: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield every present row of a table with its number, from 1, whether it was changed or not."""
        told = self.tables[table]
        if not told.sha256:
            return
        wanted = set(told.columns)
        with self._open(table_path(table)) as lines:
            for number, line in self._lines(lines, table_path(table)):
                yield number, self._row(line, table, number, wanted)

    def lines(self, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield every line of a JSON lines file with its number, from 1."""
        if path not in self._told:
            self._refuse(f"it has no {path[:100]!r}")
        with self._open(path) as lines:
            for number, line in self._lines(lines, path):
                row = _object(line)
                if row is None:
                    self._refuse(f"line {number:,} of {path} is no row")
                yield number, row

    def without_rows(self, tables: Mapping[str, Sequence[str]]) -> None:
        """Add empty tables (with their columns) for tables that the bundle leaves out or that did not exist yet."""
        for name, columns in tables.items():
            self.tables.setdefault(name, TableEntry(name, tuple(columns), 0, 0, ""))

    def verdicts(self) -> Iterator[dict[str, Any]]:
        """Yield the printed verdict of every item."""
        for number, row in self.lines(VERDICTS):
            if not isinstance(row.get("item"), str) or not isinstance(row.get("verdict"), str):
                self._refuse(f"line {number:,} of {VERDICTS} is no verdict")
            yield row

    def figures(self) -> Mapping[str, Any]:
        """Return the printed figures."""
        with self._open(FIGURES) as file:
            data = file.read(self.limits.whole + 1)
        found = _object(data) if len(data) <= self.limits.whole else None
        listed = found.get("figures") if found else None
        if not isinstance(found, dict) or not isinstance(listed, list):
            self._refuse(f"{FIGURES} holds no figures")
        ids = [each.get("id") for each in listed if isinstance(each, dict)]
        if len(ids) != len(listed) or not all(isinstance(id, str) for id in ids) or len({*ids}) != len(ids):
            self._refuse(f"{FIGURES} has a figure without an id, or two of the same")
        return found

    def changed(self, recorded: Mapping[str, str] | None = None) -> list[FileChange]:
        """Return every file that differs from its manifest, with the changed lines of tables.

        ``recorded`` has the SHA-256 of files in the release's manifest, by path from its root.
        """
        found = []
        for path, (n_bytes, sha256) in self._told.items():
            at = self._at(path)
            if not _is_file(self.path / path):
                found.append(FileChange(at, "is not there"))
            elif self._digest(path) != (n_bytes, sha256):
                found.append(self._what_changed(path, n_bytes))
        known = {self._at(path): sha256 for path, (_, sha256) in self._told.items()}
        inside = f"{FOLDER}/"
        for path, sha256 in (recorded or {}).items():
            if path == f"{inside}{MANIFEST}" and self._digest(MANIFEST)[1] != sha256:
                found.append(FileChange(path, "is not what the manifest of the release says"))
            elif path in known and known[path] != sha256:
                found.append(
                    FileChange(path, "has one hash in the manifest of the release, another in that of the evidence")
                )
        if recorded is not None:
            unnamed = [path for path in (*known, self._at(MANIFEST)) if path not in recorded]
            found += [FileChange(path, "is not named by the manifest of the release") for path in unnamed]
        return found

    # ---- inside ------------------------------------------------------------------------------------------------------

    def _at(self, path: str) -> str:
        return f"{FOLDER}/{path}"

    def _manifest(self) -> dict[str, Any]:
        if not _is_file(self.path / MANIFEST):
            self._refuse(f"it has no {MANIFEST}")
        with self._open(MANIFEST) as file:
            data = file.read(self.limits.manifest + 1)
        told = _object(data) if len(data) <= self.limits.manifest else None
        version = told.get("version") if told else None
        if told is None or told.get("format") != FORMAT or not isinstance(version, int) or isinstance(version, bool):
            self._refuse("its manifest is not that of evidence")
        if version > VERSION:
            raise InvalidFileError(
                f"{self.name} was written by a newer Touchstone (evidence version {version}; this one reads {VERSION})."
                " Update Touchstone here. Nothing was recomputed."
            )
        if not isinstance(told.get("project"), str):
            self._refuse("its manifest names no project")
        return told

    def _tables(self) -> dict[str, TableEntry]:
        self._told: dict[str, tuple[int, str]] = {}
        for each in _listed(self.manifest.get("files")):
            path, n_bytes, sha256 = each.get("path"), each.get("bytes"), str(each.get("sha256"))
            fit = isinstance(n_bytes, int) and not isinstance(n_bytes, bool) and n_bytes >= 0
            known = isinstance(path, str) and _KNOWN.fullmatch(path) and path not in self._told
            if not known or not fit or not _SHA256.fullmatch(sha256):
                self._refuse(f"its manifest names {str(path)[:100]!r}, which no evidence has, or names it wrongly")
            self._told[str(path)] = (int(n_bytes or 0), sha256)
        table_entries: dict[str, TableEntry] = {}
        for each in _listed(self.manifest.get("tables")):
            name, columns = each.get("name"), each.get("columns")
            if (
                not isinstance(name, str)
                or not _NAME.fullmatch(name)
                or name in table_entries
                or not is_table_entry(each)
            ):
                self._refuse("its manifest names a table wrongly")
            if table_path(name) not in self._told:
                self._refuse(f"its manifest names a table {name!r} without its file")
            n_bytes, sha256 = self._told[table_path(name)]
            table_entries[name] = TableEntry(name, tuple(columns or ()), each["rows"], n_bytes, sha256)
        for path in (FIGURES, VERDICTS, POLICIES):
            if path not in self._told:
                self._refuse(f"its manifest does not name {path}")
        return table_entries

    def _what_changed(self, path: str, n_bytes: int) -> FileChange:
        at, size = self._at(path), (self.path / path).stat().st_size
        name = path.partition("/")[2].partition(".")[0]
        if not path.startswith("tables/") or lines_path(name) not in self._told:
            return FileChange(at, "was changed: it is not what its manifest says")
        if self._digest(lines_path(name)) != self._told[lines_path(name)]:
            return FileChange(at, "was changed, and so were the hashes of its lines, so that no one can say which")
        lines, there = self._changed_lines(path, name)
        told = self.tables[name].rows if name in self.tables else there
        if there < told and len(lines) == told - there:
            return FileChange(at, f"was cut: {there:,} of {told:,} lines are there", tuple(lines[:SHOWN]))
        if there == told and self._same_lines(path, name):
            return FileChange(
                at, f"has the same {there:,} lines in another order, from line {lines[0]:,} on", (lines[0],)
            )
        words = ", ".join(f"{line:,}" for line in lines[:SHOWN])
        more = f" and {len(lines) - SHOWN:,} more" if len(lines) > SHOWN else ""
        count = "" if there == told else f" (it has {there:,} lines, and should have {told:,})"
        what = "line" if len(lines) == 1 else "lines"
        grown = "" if size == n_bytes else f", {size:,} bytes in place of {n_bytes:,}"
        return FileChange(at, f"was changed in {what} {words}{more}{count}{grown}", tuple(lines[:SHOWN]))

    def _changed_lines(self, path: str, name: str) -> tuple[list[int], int]:
        """Return the changed lines, including missing ones, and the number of lines."""
        found: list[int] = []
        with self._open(lines_path(name)) as hashes, self._open(path) as lines:
            number = 0
            for number, line in self._lines(lines, path):
                wanted = hashes.readline(LINE_DIGITS + 2).strip().decode("ascii", "replace")
                if hashlib.sha256(line).hexdigest()[:LINE_DIGITS] != wanted:
                    found.append(number)
            gone = sum(1 for _ in hashes)
        return found + list(range(number + 1, number + 1 + gone)), number

    def _same_lines(self, path: str, name: str) -> bool:
        with self._open(lines_path(name)) as hashes, self._open(path) as lines:
            wanted = sorted(line.strip().decode("ascii", "replace") for line in hashes)
            here = sorted(hashlib.sha256(line).hexdigest()[:LINE_DIGITS] for _, line in self._lines(lines, path))
        return wanted == here

    def _digest(self, path: str) -> tuple[int, str]:
        with self._open(path) as file:
            return os.fstat(file.fileno()).st_size, _sha256(file)

    def _lines(self, file: BinaryIO, path: str) -> Iterator[tuple[int, bytes]]:
        number = 0
        while line := file.readline(self.limits.line + 1):
            number += 1
            if len(line) > self.limits.line:
                self._refuse(f"line {number:,} of {path} is longer than {self.limits.line // MIB} MiB")
            yield number, line

    def _row(self, line: bytes, table: str, number: int, wanted: set[str]) -> dict[str, Any]:
        row = _object(line)
        if row is None or row.keys() != wanted:
            self._refuse(f"line {number:,} of {table_path(table)} is no row with the columns that the manifest names")
        return row

    def _open(self, path: str) -> BinaryIO:
        at = self.path / path
        try:
            for part in (*reversed(at.relative_to(self.path).parents),):
                if not _is_folder(self.path / part):
                    self._refuse(f"{part} is no folder")
            handle = os.open(at, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            self._refuse(f"{path} is not there")
        except OSError as error:
            self._refuse(f"{path} cannot be read ({error.strerror}); links are not followed")
        file: BinaryIO = os.fdopen(handle, "rb")
        told = getattr(self, "_told", {}).get(path)
        size = os.fstat(handle).st_size
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            file.close()
            self._refuse(f"{path} is no file")
        if told is not None and size > 2 * told[0] + self.limits.slack:
            file.close()
            self._refuse(f"{path} has {size:,} bytes, and should have {told[0]:,}")
        return file

    def _refuse(self, why: str) -> NoReturn:
        raise InvalidFileError(f"{self.name}: {why}. {_AGAIN}")


def recorded_of(folder: Path, *, limits: Limits = LIMITS) -> Mapping[str, str] | None:
    """Return the hashes of the evidence in the manifest of a release; None without a manifest.

    Raises ``InvalidFileError`` for an unreadable manifest.
    """
    path = folder / MANIFEST
    if not _is_folder(folder / FOLDER) or not _is_file(path):
        return None
    if path.stat().st_size > limits.whole:
        raise InvalidFileError(
            f"{MANIFEST} has {path.stat().st_size:,} bytes, which no manifest of a release has. {_AGAIN}"
        )
    told = _object(path.read_bytes())
    listed = told.get("files") if told else None
    if isinstance(listed, dict):
        listed = [
            {"path": name, **(each if isinstance(each, dict) else {"sha256": each})} for name, each in listed.items()
        ]
    if not isinstance(listed, list):
        raise InvalidFileError(f"{MANIFEST} is no manifest of a release: it names no files. {_AGAIN}")
    found = {str(each.get("path")): str(each.get("sha256")) for each in listed if isinstance(each, dict)}
    return {path: sha256 for path, sha256 in found.items() if path.startswith(f"{FOLDER}/")}


def _sha256(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    while chunk := file.read(MIB):
        digest.update(chunk)
    return digest.hexdigest()


def _listed(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()
