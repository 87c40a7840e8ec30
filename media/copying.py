"""Copy all media of one storage to another. A copy that stops early continues when it is repeated."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from domain.errors import InvalidMediaError, NotFoundError
from domain.jobs import Progress, unheard
from media.storage import KEPT, ORIGINAL, Storage, full_disk_told, missing


@dataclass
class CopiedMedia:
    """The result of a copy."""

    copied: int = 0
    there: int = 0
    """The number of originals that the target already had."""
    failed: dict[str, str] = field(default_factory=dict)
    """For each SHA-256 that was not copied, a sentence with the reason."""


def copy_media(source: Storage, target: Storage, *, progress: Progress = unheard) -> CopiedMedia:
    """Copy every original with its files.

    The SHA-256 of each original is compared when it leaves the source, and again in the target. What the target
    already has is compared by the sizes of its files. A faulty original is left out, and the others are still copied.

    Raises
    ------
    MediaUnavailableError
        A storage does not answer, or a disk is full. What was copied stays.
    """
    result = CopiedMedia()
    hashes = list(source.list())
    for done, sha256 in enumerate(hashes):
        progress("images and clips", done, len(hashes))
        try:
            if _copy(source, target, sha256):
                result.copied += 1
            else:
                result.there += 1
        except (InvalidMediaError, NotFoundError) as error:
            result.failed[sha256] = str(error)
    return result


def _copy(source: Storage, target: Storage, sha256: str) -> bool:
    """Copy an original with its files. Return False if the target has them already."""
    sizes = source.stat(sha256)
    if sizes is None or ORIGINAL not in sizes:
        raise missing(sha256)
    there = target.stat(sha256)
    if there is not None and ORIGINAL in there:
        if there[ORIGINAL] != sizes[ORIGINAL]:
            raise _changed(sha256, target)
        return False
    with tempfile.TemporaryDirectory(prefix="touchstone-") as work:
        files = []
        for name in KEPT:
            if name not in sizes:
                continue
            files.append(Path(work) / name)
            with full_disk_told(Path(work)), files[-1].open("xb") as out:
                digest = _hash(source, sha256, name, write=out.write)
            if name == ORIGINAL and digest != sha256:
                raise _changed(sha256, source)
        is_new = target.put(sha256, files)
    if _hash(target, sha256, ORIGINAL) != sha256:
        raise _changed(sha256, target)
    return is_new


def _hash(storage: Storage, sha256: str, name: str, *, write: Callable[[bytes], object] = len) -> str:
    digest = hashlib.sha256()
    for chunk in storage.open(sha256, name):
        digest.update(chunk)
        write(chunk)
    return digest.hexdigest()


def _changed(sha256: str, storage: Storage) -> InvalidMediaError:
    return InvalidMediaError(
        f"The file {sha256[:12]}... in {storage.address} differs from its SHA-256. Restore the file there, or delete "
        "it there and copy again."
    )
