"""A whole project as one zip: a JSON lines file for each table, the media by hash, and a manifest.

    manifest.json          the description, and the columns, rows, bytes and SHA-256 of each table
    tables/NAME.jsonl      a row a line, in the order of its key
    media/SHA256           an original, unchanged

The same rows make the same bytes. Rows are written as they arrive, so memory does not grow with their number.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

ARCHIVE_FORMAT = "touchstone-project"
ARCHIVE_VERSION = 1
"""The version of archives that are written. Older archives can be read, newer ones are refused."""
_THEN = (1980, 1, 1, 0, 0, 0)
_CHUNK = 1024 * 1024
_LINES = 256


class ArchiveWriter:
    """A writer of an archive into a file, used as a context manager. Call ``finish`` last."""

    def __init__(self, out: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, allowZip64=True, compresslevel=6)
        self._tables: list[dict[str, Any]] = []
        self._media = {"files": 0, "bytes": 0}

    def __enter__(self) -> ArchiveWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._zip.close()

    def table(self, name: str, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> int:
        """Write the rows of a table. Return the number of rows."""
        digest, n, n_bytes = hashlib.sha256(), 0, 0
        dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
        path = f"tables/{name}.jsonl"
        with self._zip.open(_entry(path, zipfile.ZIP_DEFLATED), "w", force_zip64=True) as out:
            lines: list[str] = []

            def flush() -> None:
                nonlocal n_bytes
                data = "".join(lines).encode()
                digest.update(data)
                out.write(data)
                n_bytes += len(data)
                lines.clear()

            for row in rows:
                lines.append(dump(row) + "\n")
                n += 1
                if len(lines) == _LINES:
                    flush()
            flush()
        entry = {"path": path, "columns": list(columns), "rows": n, "bytes": n_bytes, "sha256": digest.hexdigest()}
        self._tables.append(entry)
        return n

    def media(self, sha256: str, path: Path) -> None:
        """Write an original without compression, because images and clips are compressed already."""
        with (
            path.open("rb") as source,
            self._zip.open(_entry(f"media/{sha256}", zipfile.ZIP_STORED), "w", force_zip64=True) as out,
        ):
            while chunk := source.read(_CHUNK):
                out.write(chunk)
                self._media["bytes"] += len(chunk)
        self._media["files"] += 1

    def finish(self, about: Mapping[str, Any], *, with_media: bool) -> None:
        """Write the manifest, which begins with ``about``."""
        media = {**self._media, "inside": with_media}
        manifest = {
            "format": ARCHIVE_FORMAT,
            "version": ARCHIVE_VERSION,
            **about,
            "media": media,
            "tables": self._tables,
        }
        text = json.dumps(manifest, ensure_ascii=False, indent=1) + "\n"
        self._zip.writestr(_entry("manifest.json", zipfile.ZIP_DEFLATED), text.encode())


def _entry(path: str, packing: int) -> zipfile.ZipInfo:
    """Return a zip entry without the time and place of writing."""
    entry = zipfile.ZipInfo(path, _THEN)
    entry.compress_type, entry.create_system, entry.external_attr = packing, 3, 0o600 << 16
    return entry
