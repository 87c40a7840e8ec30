"""One at a time, across processes: a file that whoever is at work holds, until it ends, however it ends."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from domain.errors import Conflict

_TRIES, _WAIT_SECONDS = 5, 0.02


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
def held(lock: Path, why: str) -> Iterator[None]:
    """Be the one at work; ``Conflict`` with these words where someone else is."""
    with lock.open("ab") as file:
        for left in reversed(range(_TRIES)):  # anyone who asks whether it is held holds it for that moment
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not left:
                    raise Conflict(why) from None
                time.sleep(_WAIT_SECONDS)
        yield
