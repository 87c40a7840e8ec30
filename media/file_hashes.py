"""The SHA-256 of files that are sent again and again. Each file is read once, as long as it does not change."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

MOST = 20_000
"""Number of cached hashes."""


def of(path: Path) -> tuple[str, int]:
    """Return the hash and the size of a file."""
    stat = path.stat()
    return _read(path, stat.st_mtime_ns, stat.st_size), stat.st_size


@functools.lru_cache(maxsize=MOST)
def _read(path: Path, changed: int, size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
