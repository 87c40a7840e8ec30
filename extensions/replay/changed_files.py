"""What differs from its manifest in a bundle of evidence: whole files, and the lines of tables."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from domain.english import with_noun
from domain.errors import InvalidFileError
from domain.evidence import FOLDER, LINE_DIGITS, MANIFEST, VERDICTS, lines_path
from importers.evidence_folder import LIMITS, EvidenceFolder, Limits, is_file, is_folder, json_object
from importers.table_entries import MIB

SHOWN = 20
"""The largest number of lines of a file that are named."""
_AGAIN = "Nothing was recomputed. Copy the whole release again."


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


class ComparedEvidence(EvidenceFolder):
    """An open evidence bundle whose files are compared with its manifest."""

    def verdicts(self) -> Iterator[dict[str, Any]]:
        """Yield the printed verdict of every item."""
        for number, row in self.lines(VERDICTS):
            if not isinstance(row.get("item"), str) or not isinstance(row.get("verdict"), str):
                self._refuse(f"line {number:,} of {VERDICTS} contains no valid verdict")
            yield row

    def changed(self, recorded: Mapping[str, str] | None = None) -> list[FileChange]:
        """Return every file that differs from its manifest, with the changed lines of tables.

        ``recorded`` has the SHA-256 of files in the release's manifest, by path from its root.
        """
        changes = []
        for path, (n_bytes, sha256) in self._told.items():
            at = self._at(path)
            if not is_file(self.path / path):
                changes.append(FileChange(at, "is missing"))
            elif self._digest(path) != (n_bytes, sha256):
                changes.append(self._what_changed(path, n_bytes))
        known = {self._at(path): sha256 for path, (_, sha256) in self._told.items()}
        inside = f"{FOLDER}/"
        for path, sha256 in (recorded or {}).items():
            if path == f"{inside}{MANIFEST}" and self._digest(MANIFEST)[1] != sha256:
                changes.append(FileChange(path, "differs from the manifest of the release"))
            elif path in known and known[path] != sha256:
                changes.append(
                    FileChange(path, "has different hashes in the manifests of the release and of the evidence")
                )
        if recorded is not None:
            unnamed = [path for path in (*known, self._at(MANIFEST)) if path not in recorded]
            changes += [FileChange(path, "is missing from the manifest of the release") for path in unnamed]
        return changes

    # ---- inside ------------------------------------------------------------------------------------------------------

    def _at(self, path: str) -> str:
        return f"{FOLDER}/{path}"

    def _what_changed(self, path: str, n_bytes: int) -> FileChange:
        at, size = self._at(path), (self.path / path).stat().st_size
        name = path.partition("/")[2].partition(".")[0]
        if not path.startswith("tables/") or lines_path(name) not in self._told:
            return FileChange(at, "was changed and no longer matches its manifest")
        if self._digest(lines_path(name)) != self._told[lines_path(name)]:
            return FileChange(at, "was changed together with the hashes of its lines, so the changed lines are unknown")
        lines, there = self._changed_lines(path, name)
        recorded = self.tables[name].rows if name in self.tables else there
        if there < recorded and len(lines) == recorded - there:
            return FileChange(at, f"was shortened to {there:,} of {with_noun(recorded, 'line')}", tuple(lines[:SHOWN]))
        if there == recorded and self._same_lines(path, name):
            return FileChange(
                at, f"has the same {there:,} lines in another order, starting at line {lines[0]:,}", (lines[0],)
            )
        words = ", ".join(f"{line:,}" for line in lines[:SHOWN])
        more = f" and {len(lines) - SHOWN:,} more" if len(lines) > SHOWN else ""
        count = "" if there == recorded else f" (the file has {with_noun(there, 'line')}, but should have {recorded:,})"
        what = "line" if len(lines) == 1 else "lines"
        grown = "" if size == n_bytes else f", {size:,} bytes instead of {n_bytes:,}"
        return FileChange(at, f"was changed in {what} {words}{more}{count}{grown}", tuple(lines[:SHOWN]))

    def _changed_lines(self, path: str, name: str) -> tuple[list[int], int]:
        """Return the changed lines, including missing ones, and the number of lines."""
        numbers: list[int] = []
        with self._open(lines_path(name)) as hashes, self._open(path) as lines:
            number = 0
            for number, line in self._lines(lines, path):
                wanted = hashes.readline(LINE_DIGITS + 2).strip().decode("ascii", "replace")
                if hashlib.sha256(line).hexdigest()[:LINE_DIGITS] != wanted:
                    numbers.append(number)
            gone = sum(1 for _ in hashes)
        return numbers + list(range(number + 1, number + 1 + gone)), number

    def _same_lines(self, path: str, name: str) -> bool:
        with self._open(lines_path(name)) as hashes, self._open(path) as lines:
            wanted = sorted(line.strip().decode("ascii", "replace") for line in hashes)
            here = sorted(hashlib.sha256(line).hexdigest()[:LINE_DIGITS] for _, line in self._lines(lines, path))
        return wanted == here

    def _digest(self, path: str) -> tuple[int, str]:
        with self._open(path) as file:
            return os.fstat(file.fileno()).st_size, _sha256(file)


def recorded_of(folder: Path, *, limits: Limits = LIMITS) -> Mapping[str, str] | None:
    """Return the hashes of the evidence in the manifest of a release; None without a manifest.

    Raises ``InvalidFileError`` for an unreadable manifest.
    """
    path = folder / MANIFEST
    if not is_folder(folder / FOLDER) or not is_file(path):
        return None
    if path.stat().st_size > limits.whole:
        raise InvalidFileError(
            f"{MANIFEST} is too large for the manifest of a release ({path.stat().st_size:,} bytes). {_AGAIN}"
        )
    manifest = json_object(path.read_bytes())
    listed = manifest.get("files") if manifest else None
    if isinstance(listed, dict):
        listed = [
            {"path": name, **(entry if isinstance(entry, dict) else {"sha256": entry})}
            for name, entry in listed.items()
        ]
    if not isinstance(listed, list):
        raise InvalidFileError(
            f"{MANIFEST} is not the manifest of a release, because the file lists no other files. {_AGAIN}"
        )
    hashes = {str(entry.get("path")): str(entry.get("sha256")) for entry in listed if isinstance(entry, dict)}
    return {path: sha256 for path, sha256 in hashes.items() if path.startswith(f"{FOLDER}/")}


def _sha256(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    while chunk := file.read(MIB):
        digest.update(chunk)
    return digest.hexdigest()
