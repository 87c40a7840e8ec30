"""The five operations by which files are stored, and the storage in a folder.

A stored file is an original with the small files that belong to it (``KEPT``), under the SHA-256 of the original:

    ab/abcdef.../original, display.jpg, thumb.jpg, about.json, frames.json, copies.json

Every storage has this layout, so that other programs can copy one to another. ``about.json`` comes last and goes
first: without it, a storage does not have the file.
"""

from __future__ import annotations

import errno
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from domain.errors import MediaUnavailableError, NotFoundError
from media import copies, images
from media.limits import MIB

ORIGINAL = "original"
ABOUT = "about.json"
TIMES = "frames.json"
KEPT = (
    ORIGINAL,
    *(f"{size}{ending}" for size in ("display", "thumb") for ending in images.COPIES),
    TIMES,
    copies.RECORD,
    ABOUT,
)
"""The names of an original's files in a storage and in a backup."""
CHUNK = 1 * MIB
_SHA256 = re.compile(r"[0-9a-f]{64}")


class Storage(Protocol):
    """The storage of media. Every operation raises ``MediaUnavailableError`` if the storage does not answer."""

    @property
    def address(self) -> str:
        """Return the address of the storage in messages, without any key."""

    def put(self, sha256: str, files: Sequence[Path]) -> bool:
        """Store an original and the files that belong to it: all of them, or none.

        Return False if the storage already has the original, and leave that one unchanged.
        """

    def open(self, sha256: str, name: str) -> Iterator[bytes]:
        """Yield the content of one of the files. Raise ``NotFoundError`` if the storage does not have it."""

    def stat(self, sha256: str) -> Mapping[str, int] | None:
        """Return the names of the stored files with their sizes in bytes; None if the storage has no such original."""

    def list(self) -> Iterator[str]:
        """Yield the SHA-256 of every stored original, in order."""

    def delete(self, sha256: str) -> None:
        """Delete an original and the files that belong to it. A missing original is ignored."""


def require_hash(sha256: str) -> str:
    """Return a SHA-256 in hexadecimal. Raise ``NotFoundError`` for any other text."""
    if not _SHA256.fullmatch(sha256):
        raise NotFoundError("The media store has no file with this SHA-256. Check the SHA-256.")
    return sha256


def missing(sha256: str) -> NotFoundError:
    """Return the error for a file that a storage does not have."""
    return NotFoundError(f"The media store does not have the file {sha256[:12]}... Import the file again.")


@contextmanager
def full_disk_told(folder: Path) -> Iterator[None]:
    """Turn the error of a full disk into ``MediaUnavailableError``."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise MediaUnavailableError(
            f"The disk of the folder {folder} is full, so Touchstone cannot store images and clips there. Free some "
            "space on this disk. Then try again."
        ) from error


class FolderStorage:
    """The storage in a folder. Safe to share between threads and processes."""

    def __init__(self, root: Path) -> None:
        self.root = Path(root)

    @property
    def address(self) -> str:
        """Return the path of the folder."""
        return str(self.root)

    def folder(self, sha256: str) -> Path:
        """Return the folder of an original, whether it exists or not."""
        return self.root / require_hash(sha256)[:2] / sha256

    @contextmanager
    def incoming(self) -> Iterator[Path]:
        """Yield a new folder for files that are being written. It is deleted at the end."""
        parent = self.root / "incoming"
        with full_disk_told(self.root):
            parent.mkdir(parents=True, exist_ok=True)
            folder = Path(tempfile.mkdtemp(dir=parent))
            folder.chmod(0o755)
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)

    def settle(self, folder: Path, sha256: str) -> bool:
        """Move a filled folder to its place, after it is safely on disk. Return False if another one is there."""
        for path in (*folder.iterdir(), folder):
            copies.to_disk(path)
        final = self.folder(sha256)
        final.parent.mkdir(parents=True, exist_ok=True)
        try:
            folder.rename(final)
        except OSError:
            if not (final / ABOUT).is_file():
                raise
            return False
        copies.to_disk(final.parent)
        return True

    def put(self, sha256: str, files: Sequence[Path]) -> bool:
        """Store files: see ``Storage``. A folder appears whole or not at all."""
        if self.stat(sha256) is not None:
            return False
        with self.incoming() as folder:
            for path in files:
                shutil.copyfile(path, folder / path.name)
            return self.settle(folder, sha256)

    def open(self, sha256: str, name: str) -> Iterator[bytes]:
        """Yield the content of a file: see ``Storage``."""
        try:
            with (self.folder(sha256) / name).open("rb") as file:
                while chunk := file.read(CHUNK):
                    yield chunk
        except FileNotFoundError:
            raise missing(sha256) from None

    def stat(self, sha256: str) -> Mapping[str, int] | None:
        """Return the names and sizes of files: see ``Storage``."""
        folder = self.folder(sha256)
        sizes = {}
        for name in KEPT:
            with suppress(FileNotFoundError, NotADirectoryError):
                sizes[name] = (folder / name).stat().st_size
        return sizes if ABOUT in sizes else None

    def list(self) -> Iterator[str]:
        """Yield every stored original: see ``Storage``."""
        for parent in sorted(self.root.glob("[0-9a-f][0-9a-f]")):
            for folder in sorted(parent.iterdir()):
                if _SHA256.fullmatch(folder.name) and (folder / ABOUT).is_file():
                    yield folder.name

    def delete(self, sha256: str) -> None:
        """Delete an original: see ``Storage``. Its folder goes in full or not at all."""
        with self.incoming() as out, suppress(FileNotFoundError):
            self.folder(sha256).rename(out / "gone")
