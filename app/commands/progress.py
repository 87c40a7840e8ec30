"""Show the progress of a command on a terminal."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def shown_progress() -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function that shows the progress on one changing line of a terminal.

    The line is cleared at the end. Without a terminal, the function prints nothing.
    """
    screen = sys.stderr.isatty()

    def tell(what: str, done: int, of: int) -> None:
        if screen:
            n = f" {done:,} of {of:,}" if of > 1 else ""
            width = shutil.get_terminal_size().columns - 1
            print(f"\r{_CLEARED}{f'{what}{n}'[:width]}", end="", file=sys.stderr, flush=True)

    try:
        yield tell
    finally:
        if screen:
            print(f"\r{_CLEARED}", end="", file=sys.stderr, flush=True)


_CLEARED = "\x1b[K"
"""The control sequence that clears the rest of a terminal's line."""
