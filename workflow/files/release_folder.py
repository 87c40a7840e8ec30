"""The folder of a project's releases on this machine, and its lock."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from domain.errors import ConflictError


def releases_in(home: Path, project: str) -> Path:
    """Return the folder of a project's releases."""
    return home / "releases" / project


def _lock_of(home: Path, project: str) -> Path:
    folder = releases_in(home, project)
    return folder.with_name(f".{folder.name}.lock")


@contextmanager
def alone_with_releases(home: Path, project: str, *, then: str) -> Iterator[None]:
    """Hold the lock on a project's releases.

    Raises ``ConflictError`` while another release is being built on this machine. ``then`` is the advice in the error.
    """
    lock = _lock_of(home, project)
    lock.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with lock.open("ab") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConflictError(
                f"Another process is creating a release of {project}. Wait until that release is done. Then {then}."
            ) from None
        yield


def remove_releases(home: Path, project: str) -> None:
    """Take the files of a project's releases away, their private parts too."""
    folder = releases_in(home, project)
    if folder.is_dir():
        shutil.rmtree(folder)
    _lock_of(home, project).unlink(missing_ok=True)
