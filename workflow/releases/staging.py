"""Where releases are kept on this machine, and where one is built until it is whole."""

from __future__ import annotations

import fcntl
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from domain.errors import Conflict

_MAKING = ".making-"


def place_of(home: Path, project: str, version: str) -> Path:
    """Where a release is kept."""
    return home / "releases" / project / version


@contextmanager
def staging(home: Path, project: str) -> Iterator[Path]:
    """A folder to build in, which is gone if it comes to nothing; what earlier ones left that were killed goes first.

    Raises ``Conflict`` while another release of the project is being built on this machine.
    """
    above = home / "releases" / project
    above.mkdir(mode=0o700, parents=True, exist_ok=True)
    with above.with_name(f".{project}.lock").open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Conflict(
                f"A release of {project} is being made just now. Wait until it is done; then make this one."
            ) from None
        for left in above.glob(f"{_MAKING}*"):
            shutil.rmtree(left, ignore_errors=True)
        made = above / f"{_MAKING}{secrets.token_hex(8)}"
        made.mkdir(mode=0o700)
        try:
            yield made
        finally:
            shutil.rmtree(made, ignore_errors=True)
