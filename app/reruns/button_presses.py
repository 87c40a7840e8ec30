"""Presses of buttons that use the page's newest input, and not the input from when the button was drawn.

Streamlit calls a widget's callback with the values of the previous run. A person who types and then presses a button
sends both nearly at once, so the callback would miss the last words. So the callback here only notes the press, which
no run can cut off. The next run draws the button, has the newest input, and handles the press.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from app.reruns import session_values

_SCREEN, _NOTED = "touchstone.presses.screen", "touchstone.presses"


@contextmanager
def on(screen: str) -> Iterator[None]:
    """Mark a ``with`` block that draws a screen, and drop presses that no longer apply.

    Presses on another screen are dropped at the start. After a complete or failed drawing, a press whose button was not
    drawn is dropped too. A run that is cut off leaves the press to the next run.
    """
    place = session_values.place()
    if place.get(_SCREEN) != screen:
        place[_SCREEN], place[_NOTED] = screen, set()
    try:
        yield
    except Exception:
        place[_NOTED] = set()
        raise
    place[_NOTED] = set()


def pressed(where: Any, label: str, *, key: str, disabled: bool = False, **how: Any) -> bool:
    """Draw a button in ``where``. Tell whether it was pressed since the screen was last drawn in full.

    A press of a button that is now disabled is dropped, because its action no longer applies.
    """
    where.button(label, key=key, disabled=disabled, on_click=_note, args=(key,), **how)
    noted = session_values.place().setdefault(_NOTED, set())
    was = key in noted
    noted.discard(key)
    return was and not disabled


def _note(key: str) -> None:
    session_values.place().setdefault(_NOTED, set()).add(key)
