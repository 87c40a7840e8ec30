"""The cache of a bucket: a folder of bounded size with the files that were used last.

The copies and facts of an original come into the cache together, the original itself only when something needs it.
An original is compared with its SHA-256 on the way, and copies with ``copies.json`` before they are shown. Files that
were unused for the longest time leave, never one that a program on this machine has open. Several processes may share
the folder.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from domain.errors import InvalidMediaError, NotFoundError
from media import copies
from media.bucket import BucketStorage
from media.storage import ABOUT, KEPT, ORIGINAL, FolderStorage, full_disk_told, missing

_IN_USE_SECONDS = (300.0, 10.0)
"""Seconds during which a used file stays: usually, and if the cache would otherwise be too large."""
_FILLED_TO = 0.8
"""Share of the limit that remains in use after a cleanup."""
_TIDIED_EVERY = 0.05
"""Share of the limit after whose writing the folder's size is checked."""
_AT_ONCE = 4


class MediaCache:
    """Fetches files of a bucket into a folder."""

    def __init__(self, root: Path, storage: BucketStorage, *, room: int) -> None:
        """Set the folder, the bucket, and the largest size of the folder in bytes."""
        self.storage, self.room = storage, room
        self._local = FolderStorage(root)
        self._locks = [threading.Lock() for _ in range(64)]
        self._untidied: int | None = None
        """Bytes written since the folder was tidied; None: it never was."""

    def fetch(self, sha256: str, *, original: bool) -> None:
        """Fetch the copies and facts of an original, and with ``original`` the original, unless they are here.

        Files that the bucket does not have stay missing.

        Raises
        ------
        MediaUnavailableError
            The bucket does not answer, or the disk is full.
        InvalidMediaError
            The original in the bucket has changed.
        """
        folder = self._local.folder(sha256)
        with self._locks[int(sha256[:2], 16) % len(self._locks)]:
            if not _use(folder):
                self._fetch_copies(sha256)
            if original and not (folder / ORIGINAL).is_file() and _use(folder):
                with suppress(NotFoundError):
                    self._fetch_original(sha256)

    def _fetch_copies(self, sha256: str) -> None:
        names = [name for name in self.names(sha256) if name != ORIGINAL]
        if not names:
            return
        with self._local.incoming() as folder:
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                written = sum(pool.map(lambda name: self._write(sha256, name, folder / name)[0], names))
            self._local.settle(folder, sha256)
        self._count(written)

    def _fetch_original(self, sha256: str) -> None:
        with self._local.incoming() as folder:
            written, digest = self._write(sha256, ORIGINAL, folder / ORIGINAL)
            if digest != sha256:
                raise self._changed(sha256)
            copies.settle(folder / ORIGINAL, self._local.folder(sha256) / ORIGINAL)
        self._count(written)

    def _write(self, sha256: str, name: str, out: Path) -> tuple[int, str]:
        digest = hashlib.sha256()
        with full_disk_told(self._local.root), out.open("xb") as file:
            for chunk in self.storage.open(sha256, name):
                digest.update(chunk)
                file.write(chunk)
            return file.tell(), digest.hexdigest()

    def confirm(self, sha256: str) -> bool:
        """Tell whether the bucket has an original. Otherwise, forget what the cache knows of it."""
        is_there = ORIGINAL in self.names(sha256)
        if not is_there:
            self._local.delete(sha256)
        return is_there

    def names(self, sha256: str) -> set[str]:
        """Return the names of an original's files in the bucket; empty if the bucket does not have it."""
        return {*(self.storage.stat(sha256) or ())}

    def upload(self, folder: Path, sha256: str) -> None:
        """Store a new original, which is in a folder with its copies, in the bucket."""
        self.storage.put(sha256, [path for name in KEPT if (path := folder / name).is_file()])
        self._count(sum(path.stat().st_size for path in folder.iterdir()))

    def verify(self, sha256: str, *, n_bytes: int, content: bool) -> None:
        """Check an original in the bucket, as ``MediaStore.verify`` does. The content does not go through the cache."""
        sizes = self.storage.stat(sha256) or {}
        if ORIGINAL not in sizes:
            raise missing(sha256)
        digest = hashlib.sha256()
        if content:
            for chunk in self.storage.open(sha256, ORIGINAL):
                digest.update(chunk)
        if sizes[ORIGINAL] != n_bytes or (content and digest.hexdigest() != sha256):
            raise self._changed(sha256)

    def _changed(self, sha256: str) -> InvalidMediaError:
        return InvalidMediaError(
            f"The file {sha256[:12]}... in {self.storage.address} differs from the imported file. Restore the file "
            "from a backup."
        )

    # ---- space ------------------------------------------------------------------------------------------------------

    def _count(self, written: int) -> None:
        if self._untidied is None or self._untidied + written > self.room * _TIDIED_EVERY:
            self.tidy()
        else:
            self._untidied += written

    def tidy(self) -> int:
        """Delete the files that were unused for the longest time, if the folder is too large. Return their number."""
        self._untidied = 0
        there = []
        for about in self._local.root.glob(f"??/*/{ABOUT}"):
            with suppress(FileNotFoundError):  # another process may be tidying
                there.append((about.stat().st_mtime, _size(about.parent), about.parent))
        total, gone = sum(size for _, size, _ in there), 0
        if total <= self.room:
            return 0
        there.sort(reverse=True)
        for seconds, most in zip(_IN_USE_SECONDS, (self.room * _FILLED_TO, self.room), strict=True):
            kept = []
            while there and total > most and there[-1][0] < time.time() - seconds:
                used, size, folder = there.pop()
                if _is_open(folder):
                    kept.append((used, size, folder))
                else:
                    self._local.delete(folder.name)
                    total, gone = total - size, gone + 1
            there += reversed(kept)
        return gone


def _use(folder: Path) -> bool:
    """Tell whether a file is in the cache, and mark it as used."""
    try:
        os.utime(folder / ABOUT)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def _is_open(folder: Path) -> bool:
    """Tell whether a program on this machine has a file of the folder open."""
    for path in folder.iterdir():
        with suppress(FileNotFoundError):
            handle = os.open(path, os.O_RDONLY)
            try:
                fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_WRLCK)  # refused while another handle is open
                fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            except BlockingIOError:
                return True
            except OSError:  # a file system without leases: the times of use decide
                return False
            finally:
                os.close(handle)
    return False
