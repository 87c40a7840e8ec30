"""The reviewer's bundle as a folder: a JSON lines file and line hashes for each table, figures, and a manifest.

    manifest.json          the description, and the bytes and SHA-256 of every other file
    tables/NAME.jsonl      a row a line, in the order of its key
    lines/NAME.txt         the beginning of the SHA-256 of each of these lines
    verdicts.jsonl         the verdict on each item
    figures.json           every figure that was printed, with the rows that prove it
    policies.json          the policies that made verdicts from votes

The same rows make the same bytes. Rows are written as they arrive, so memory does not grow with their number.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotation_schemas.formats.released import ReleaseFolder
from domain.evidence import FOLDER, FORMAT, LINE_DIGITS, MANIFEST, VERSION, lines_path, table_path

_LINES = 256
_CHUNK = 1024 * 1024


class EvidenceWriter:
    """A writer of a bundle into an empty folder, from which ``copy`` copies it into a release."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._tables: list[dict[str, Any]] = []
        self._files: list[dict[str, Any]] = []
        self._left_out: dict[str, str] = {}

    def table(self, name: str, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> int:
        """Write the rows of a table, and the hash of each. Return the number of rows."""
        n = self._written(table_path(name), rows, lines_path(name))
        self._tables.append({"name": name, "columns": list(columns), "rows": n, **self._files[-2]})
        return n

    def without(self, name: str, why: str) -> None:
        """Record that a table is left out."""
        self._left_out[name] = why

    def lines(self, path: str, rows: Iterable[Mapping[str, Any]]) -> int:
        """Write a file of JSON lines. Return the number of lines."""
        return self._written(path, rows, None)

    def json(self, path: str, value: Any) -> None:
        """Write a file of JSON."""
        self._whole(path, json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1).encode() + b"\n")

    def manifest(self, about: Mapping[str, Any]) -> None:
        """Write the manifest with all files written until now. The last manifest counts."""
        files = [file for file in self._files if file["path"] != MANIFEST]
        contents = {"format": FORMAT, "version": VERSION, **about, "left_out": self._left_out}
        contents |= {"tables": self._tables, "files": files}
        self._whole(MANIFEST, json.dumps(contents, ensure_ascii=False, indent=1).encode() + b"\n")

    def copy(self, out: ReleaseFolder) -> int:
        """Copy everything into a release, in the order of its paths. Return the number of files."""
        paths = sorted({file["path"] for file in self._files})
        for path in paths:
            with (self.folder / path).open("rb") as source, out.open(f"{FOLDER}/{path}") as to:
                while chunk := source.read(_CHUNK):
                    to.write(chunk)
        return len(paths)

    # ---- private parts -----------------------------------------------------------------------------------------------

    def _written(self, path: str, rows: Iterable[Mapping[str, Any]], lines: str | None) -> int:
        dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
        at, n = self.folder / path, 0
        at.parent.mkdir(parents=True, exist_ok=True)
        beside = self.folder / (lines or path + ".lines")
        beside.parent.mkdir(parents=True, exist_ok=True)
        with at.open("wb") as out, beside.open("wb") as hashes:
            lot: list[bytes] = []
            for row in rows:
                lot.append(dump(row).encode() + b"\n")
                n += 1
                if len(lot) == _LINES:
                    _flush(lot, out, hashes)
            _flush(lot, out, hashes)
        self._note(path)
        if lines is None:
            beside.unlink()
        else:
            self._note(lines)
        return n

    def _whole(self, path: str, data: bytes) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_bytes(data)
        self._note(path)

    def _note(self, path: str) -> None:
        with (self.folder / path).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        about = {"path": path, "bytes": (self.folder / path).stat().st_size, "sha256": digest}
        self._files = [file for file in self._files if file["path"] != path] + [about]


def _flush(lot: list[bytes], out: Any, hashes: Any) -> None:
    out.write(b"".join(lot))
    hashes.write(b"".join(line_hash(line).encode() + b"\n" for line in lot))
    lot.clear()


def line_hash(line: bytes) -> str:
    """Return the beginning of the SHA-256 of a line, including its line break."""
    return hashlib.sha256(line).hexdigest()[:LINE_DIGITS]
