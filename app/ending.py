"""Signals that end a process, so that what it leaves behind is tidied up all the same."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that end a process without a word to it, as when its terminal is closed."""


@contextmanager
def exiting_on_signals() -> Iterator[None]:
    """The process exits on these signals as a program does, and with success, since it was asked to end: what waits for
    its end is done."""
    before = {each: signal.signal(each, lambda *_: sys.exit(0)) for each in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
