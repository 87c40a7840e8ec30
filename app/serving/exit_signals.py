"""Exit cleanly on signals, so that a process removes its temporary data."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that end a process without notice, as when its terminal is closed."""


@contextmanager
def exiting_on_signals() -> Iterator[None]:
    """Exit with success on these signals inside of the ``with`` block, so that cleanup at exit runs."""
    before = {signum: signal.signal(signum, lambda *_: sys.exit(0)) for signum in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
