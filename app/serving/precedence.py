"""Voters go first: pages that people only look at wait for a moment while others work.

One interpreter draws all pages, and a computation in it delays everyone. A lead's page takes a few tenths of a second.
A voter needs a few hundredths, but many times an hour. So while an answer is stored or the next item is drawn, a page
that is only looked at waits before its next database query. At that point the page holds nothing that others need.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE_SECONDS = 0.5
"""Longest total wait of a page in seconds, however many people are at work. Someone waits for that page too."""


class Precedence:
    """Counts the people at work, and lets other pages wait for them."""

    def __init__(self) -> None:
        self._at_work = 0
        self._changed = threading.Condition()
        self._mine = threading.local()

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Mark a ``with`` block that a person at work waits for."""
        with self._changed:
            self._at_work += 1
        try:
            yield
        finally:
            with self._changed:
                self._at_work -= 1
                if not self._at_work:
                    self._changed.notify_all()

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Mark a ``with`` block that draws a page people only look at, in the thread that draws it."""
        before = self._left
        self._left = PATIENCE_SECONDS
        try:
            yield
        finally:
            self._left = before

    def give_way(self) -> None:
        """Wait while someone is at work, if this thread draws a page that people only look at.

        Call this only where the thread holds nothing that others need.
        """
        left = self._left
        if not left or not self._at_work:
            return
        begun = time.monotonic()
        with self._changed:
            self._changed.wait_for(lambda: not self._at_work, timeout=left)
        self._left = max(left - (time.monotonic() - begun), 0.0)

    @property
    def _left(self) -> float | None:
        """Return how many more seconds this thread may wait. None: the thread draws no such page."""
        seconds: float | None = getattr(self._mine, "left", None)
        return seconds

    @_left.setter
    def _left(self, left: float | None) -> None:
        self._mine.left = left


precedence = Precedence()
"""This process's own instance."""
