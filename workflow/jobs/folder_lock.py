"""A lock across processes: a file that the working process holds until it ends, however it ends."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from domain.errors import ConflictError

_LOOK_SECONDS = 0.02


def is_held(lock: Path) -> bool:
    """Tell whether another process holds the lock."""
    try:
        with lock.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


@contextmanager
def hold_folder(lock: Path, why: str, *, wait_seconds: float = 0.1) -> Iterator[None]:
    """Hold the lock. Raise ``ConflictError`` with the text ``why`` if another process still holds it after
    ``wait_seconds``.

    Wait for a moment at least, because ``is_held`` itself holds the lock for a moment.
    """
    end = time.monotonic() + wait_seconds
    with lock.open("ab") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= end:
                    raise ConflictError(why) from None
                time.sleep(_LOOK_SECONDS)
        yield
