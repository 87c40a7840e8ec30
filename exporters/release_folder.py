"""The folder of a release: files below one root, hashed while they are written, each complete or absent."""

from __future__ import annotations

import hashlib
import io
import os
import secrets
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from domain.errors import InvalidFileError

_THEN = (1980, 1, 1, 0, 0, 0)
_PACKED_ALREADY = {".jpg", ".png", ".webp", ".gif", ".avif", ".webm", ".mp4", ".parquet"}


@dataclass(frozen=True)
class FileDigest:
    """The size and hash of a file in a release."""

    bytes: int
    sha256: str


class FolderWriter:
    """A folder that is being filled. ``hashes`` describes its files so far, by path."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.hashes: dict[str, FileDigest] = {}
        root.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def open(self, path: str) -> Iterator[BinaryIO]:
        """Open a new file below the root. Raise ``InvalidFileError`` if the name is taken or leads outside."""
        place = self._place(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("xb") as raw:
            hashed = _HashingStream(raw)
            with io.BufferedWriter(hashed, 1 << 20) as out:  # type: ignore[type-var]
                yield out
        self.hashes[path] = FileDigest(hashed.n, hashed.digest.hexdigest())

    def link(self, path: str, source: Path, known: FileDigest) -> None:
        """Add an existing file with a known hash. It needs no extra space where hard links are possible."""
        place = self._place(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(source, place)
        except OSError:  # another file system, or one without links
            with source.open("rb") as given, place.open("xb") as out:
                while chunk := given.read(1 << 20):
                    out.write(chunk)
        self.hashes[path] = known

    def _place(self, path: str) -> Path:
        parts = PurePosixPath(path)
        if parts.is_absolute() or ".." in parts.parts or not parts.name or "\\" in path or "\0" in path:
            raise InvalidFileError(f"The file name {path!r} is outside the release. Use a relative path.")
        if path in self.hashes:
            raise InvalidFileError(f"Two formats write the file {path!r}. Choose one of the formats.")
        return self.root / parts


def hash_of(path: Path) -> FileDigest:
    """Return the size and hash of a file."""
    digest, n = hashlib.sha256(), 0
    with path.open("rb") as given:
        while chunk := given.read(1 << 20):
            digest.update(chunk)
            n += len(chunk)
    return FileDigest(n, digest.hexdigest())


def packed(folder: Path, out: Path) -> Path:
    """Return a folder as one zip, which is created if it is missing.

    The same files make the same bytes. The zip is complete or absent.
    """
    if out.is_file():
        return out
    made = out.with_name(f".{out.name}.{secrets.token_hex(4)}")
    try:
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, allowZip64=True, compresslevel=6) as archive:
            for path in sorted(file for file in folder.rglob("*") if file.is_file()):
                name = path.relative_to(folder).as_posix()
                entry = zipfile.ZipInfo(name, _THEN)
                entry.compress_type = zipfile.ZIP_STORED if path.suffix in _PACKED_ALREADY else zipfile.ZIP_DEFLATED
                entry.create_system, entry.external_attr = 3, 0o644 << 16
                with path.open("rb") as given, archive.open(entry, "w", force_zip64=True) as to:
                    shutil.copyfileobj(given, to, 1 << 20)
        made.replace(out)
    finally:
        made.unlink(missing_ok=True)
    return out


class _HashingStream(io.RawIOBase):
    """A stream that hashes the data it passes on."""

    def __init__(self, out: BinaryIO) -> None:
        super().__init__()
        self._out, self.n, self.digest = out, 0, hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, data: memoryview | bytes, /) -> int:  # type: ignore[override]
        self.digest.update(data)
        self.n += len(data)
        self._out.write(data)
        return len(data)

    def tell(self) -> int:
        return self.n
