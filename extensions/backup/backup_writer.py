"""A backup as one tar file, written from the first byte to the last.

    tables/NAME/NUMBER.jsonl.gz    some rows of a table, a JSON list a line, in the order of the table's columns
    media/SHA256/NAME              the files of an image or clip: the original, its copies, and the facts about it
    home/FOLDER/...                other files of the home folder, such as releases
    files.jsonl                    path, bytes and SHA-256 of every file above, a file a line
    manifest.json                  version, time, tables with columns and rows, and the SHA-256 of ``files.jsonl``
    manifest.sha256                the SHA-256 of the manifest, as sha256sum writes it

A file without the last entry was not written to its end. Memory does not grow with rows or files.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tarfile
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

BACKUP_FORMAT = "touchstone-backup"
BACKUP_VERSION = 1
"""The version of backups that are written. Newer ones are refused."""
FILES, MANIFEST, SEAL = LAST = ("files.jsonl", "manifest.json", "manifest.sha256")
_CHUNK = 1024 * 1024
_PART = 4 * 1024 * 1024
"""Bytes of rows that one part of a table has, before packing."""


class BackupWriter:
    """A writer of a backup into a file, used as a context manager. Call ``finish`` last."""

    def __init__(self, out: IO[bytes]) -> None:
        self._tar = tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT)  # noqa: SIM115  (closed at exit)
        self._files = tempfile.TemporaryFile(prefix="touchstone-")  # noqa: SIM115  (closed at exit)
        self._n_files = 0
        self._tables: list[dict[str, Any]] = []
        self._media = {"files": 0, "bytes": 0}

    def __enter__(self) -> BackupWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._files.close()
        if kind is None:
            self._tar.close()

    def table(self, name: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> int:
        """Write the rows of a table, whose columns each have a kind. Return the number of rows."""
        dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
        n = parts = size = 0
        lines: list[bytes] = []
        for row in rows:
            lines.append(f"{dump(row)}\n".encode())
            n, size = n + 1, size + len(lines[-1])
            if size >= _PART:
                self._part(name, parts := parts + 1, lines)
                lines, size = [], 0
        if lines:
            self._part(name, parts + 1, lines)
        self._tables.append({"name": name, "rows": n, "columns": dict(columns)})
        return n

    def _part(self, table: str, number: int, lines: Sequence[bytes]) -> None:
        packed = gzip.compress(b"".join(lines), compresslevel=6, mtime=0)
        self._add(f"tables/{table}/{number:06}.jsonl.gz", io.BytesIO(packed), len(packed))

    @property
    def n_media(self) -> int:
        """The number of images and clips written so far."""
        return self._media["files"]

    def media(self, sha256: str, paths: Iterable[Path]) -> None:
        """Write the files of an image or clip."""
        for path in paths:
            self._media["bytes"] += self.file(f"media/{sha256}/{path.name}", path)
        self._media["files"] += 1

    def file(self, name: str, path: Path) -> int:
        """Write a file under this name, and return its size. ``FileNotFoundError`` if the file is gone."""
        with path.open("rb") as source:
            size = os.fstat(source.fileno()).st_size
            self._add(name, source, size)
        return size

    def _add(self, name: str, source: IO[bytes], size: int) -> None:
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode = size, 0o600
        hashing = HashingReader(source)
        self._tar.addfile(entry, hashing)
        self._tar.members.clear()  # type: ignore[attr-defined]  # it would keep an entry of every file in memory
        line = {"path": name, "bytes": size, "sha256": hashing.sha256()}
        self._files.write(json.dumps(line).encode() + b"\n")
        self._n_files += 1

    def finish(self, about: Mapping[str, Any], *, media: Mapping[str, Any]) -> None:
        """Write the list of files, and the manifest, which begins with ``about``."""
        size, n_files = self._files.tell(), self._n_files
        self._files.seek(0)
        digest = hashlib.file_digest(self._files, "sha256").hexdigest()
        self._files.seek(0)
        entry = tarfile.TarInfo(FILES)
        entry.size, entry.mode = size, 0o600
        self._tar.addfile(entry, self._files)
        manifest = {
            "format": BACKUP_FORMAT,
            "version": BACKUP_VERSION,
            **about,
            "tables": self._tables,
            "media": {**media, **self._media},
            "files": {"files": n_files, "bytes": size, "sha256": digest},
        }
        text = (json.dumps(manifest, ensure_ascii=False, indent=1) + "\n").encode()
        for name, content in ((MANIFEST, text), (SEAL, seal(text))):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o600
            self._tar.addfile(entry, io.BytesIO(content))


def seal(manifest: bytes) -> bytes:
    """Return the content of the last entry."""
    return f"{hashlib.sha256(manifest).hexdigest()}  {MANIFEST}\n".encode()


class HashingReader:
    """A file that is read once while its SHA-256 is computed."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
        self._digest = hashlib.sha256()

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes."""
        data = self._source.read(size)
        self._digest.update(data)
        return data

    def sha256(self) -> str:
        """Read the rest, and return the SHA-256 of the whole file."""
        while self.read(_CHUNK):
            pass
        return self._digest.hexdigest()
