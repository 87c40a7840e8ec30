"""Where a release is written: files below one root, hashed as they come, each whole or not there."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from domain.errors import FileRefused


@dataclass(frozen=True)
class Written:
    """A file of a release."""

    bytes: int
    sha256: str


class ReleaseFolder:
    """A folder that fills; ``hashes`` has what is in it so far, by path."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.hashes: dict[str, Written] = {}
        root.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def open(self, path: str) -> Iterator[BinaryIO]:
        """A new file below the root. ``FileRefused`` where there is one of that name, or it would lie elsewhere."""
        place = self._place(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("xb") as raw:
            hashed = _Hashed(raw)
            with io.BufferedWriter(hashed, 1 << 20) as out:  # type: ignore[type-var]
                yield out
        self.hashes[path] = Written(hashed.n, hashed.digest.hexdigest())

    def link(self, path: str, source: Path, known: Written) -> None:
        """A file that lies elsewhere already, of which the hash is known: it takes no room where links are possible."""
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
            raise FileRefused(f"The file name {path!r} would lie outside of the release.")
        if path in self.hashes:
            raise FileRefused(f"Two formats write the file {path!r}; take one of them.")
        return self.root / parts


def hash_of(path: Path) -> Written:
    """The size and hash of a file."""
    digest, n = hashlib.sha256(), 0
    with path.open("rb") as given:
        while chunk := given.read(1 << 20):
            digest.update(chunk)
            n += len(chunk)
    return Written(n, digest.hexdigest())


class _Hashed(io.RawIOBase):
    """Passes on what is written, and hashes it."""

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
