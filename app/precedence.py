"""Who votes goes first: pages that are only looked at give way, for a moment, to people at work.

One interpreter draws all pages, and whoever computes in it keeps everyone else from it. A page for leads takes a few
tenths of a second; someone who votes needs a few hundredths, many times an hour. So while an answer is being stored or
the next item drawn, a page that is only looked at waits before it asks the database the next thing: there it holds
nothing that others wait for.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE_SECONDS = 0.5
"""So long a page gives way in all, however many people are at work: it is drawn for somebody, too."""


class Precedence:
    """People at work, and pages that give way to them."""

    def __init__(self) -> None:
        self._at_work = 0
        self._changed = threading.Condition()
        self._mine = threading.local()

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Around what someone at work waits for."""
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
        """Around the drawing of a page that is only looked at, in the thread that draws it."""
        before = self._left
        self._left = PATIENCE_SECONDS
        try:
            yield
        finally:
            self._left = before

    def give_way(self) -> None:
        """Called where a thread holds nothing that others wait for: if it draws such a page, and someone is at work, it
        waits until they have what they wait for."""
        left = self._left
        if not left or not self._at_work:
            return
        begun = time.monotonic()
        with self._changed:
            self._changed.wait_for(lambda: not self._at_work, timeout=left)
        self._left = max(left - (time.monotonic() - begun), 0.0)

    @property
    def _left(self) -> float | None:
        """How long this thread still gives way, in seconds; None: it draws no such page."""
        found: float | None = getattr(self._mine, "left", None)
        return found

    @_left.setter
    def _left(self, left: float | None) -> None:
        self._mine.left = left


precedence = Precedence()
"""This process's own."""
