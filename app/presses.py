"""Presses that mean what the page holds by then: what was typed last, and not what the button was drawn with.

A widget's callback is called with what the run before gave it. Who types into a box and presses a button next to it
sends both nearly at once, and the callback would do what was asked for before the last word. So here it only notes the
press, which no run cuts off, and the run that draws the button with what is typed by now is told of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from app import kept

_SCREEN, _NOTED = "touchstone.presses.screen", "touchstone.presses"


@contextmanager
def on(screen: str) -> Iterator[None]:
    """A screen is drawn. What was pressed on another one means nothing here, and when this one is drawn to its end, or
    cannot be, a press whose button was not drawn is forgotten; a run that is cut off leaves it to the next one."""
    place = kept.place()
    if place.get(_SCREEN) != screen:
        place[_SCREEN], place[_NOTED] = screen, set()
    try:
        yield
    except Exception:
        place[_NOTED] = set()
        raise
    place[_NOTED] = set()


def pressed(where: Any, label: str, *, key: str, disabled: bool = False, **how: Any) -> bool:
    """Draw a button in ``where``; whether it was pressed since the screen was last drawn to its end.

    A press of a button that is disabled by now is forgotten: what it would do is not to be done any more.
    """
    where.button(label, key=key, disabled=disabled, on_click=_note, args=(key,), **how)
    noted = kept.place().setdefault(_NOTED, set())
    was = key in noted
    noted.discard(key)
    return was and not disabled


def _note(key: str) -> None:
    kept.place().setdefault(_NOTED, set()).add(key)
