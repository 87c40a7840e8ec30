"""One at a time, across processes: a file that whoever is at work holds, until it ends, however it ends."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from domain.errors import Conflict

_LOOK_SECONDS = 0.02


def is_held(lock: Path) -> bool:
    """Whether someone is at work."""
    try:
        with lock.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


@contextmanager
def held(lock: Path, why: str, *, wait_seconds: float = 0.1) -> Iterator[None]:
    """Hold the lock; ``Conflict`` with these words if someone else still holds it after ``wait_seconds``.

    Wait a moment at least: whoever asks ``is_held`` holds the lock for that moment.
    """
    end = time.monotonic() + wait_seconds
    with lock.open("ab") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= end:
                    raise Conflict(why) from None
                time.sleep(_LOOK_SECONDS)
        yield
