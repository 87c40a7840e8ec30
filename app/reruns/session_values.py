"""Session values that a press stores for the next drawing of the page, safe from a second press.

Streamlit may end a run whenever the run touches its session state, also in a widget's callback. On a double press, the
first press would do its work and end before it could store its message. So this module looks up the place before the
work begins, and later writes there without touching the session state.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import streamlit as st

_PLACE = "touchstone.kept"
_at_hand: ContextVar[dict[str, Any] | None] = ContextVar("touchstone_kept", default=None)


def place() -> dict[str, Any]:
    """Return this session's stored values by name, for reading and writing."""
    values = _at_hand.get()
    if values is None:
        values = st.session_state.setdefault(_PLACE, {})
    return values


@contextmanager
def at_hand() -> Iterator[None]:
    """Keep ``place`` from touching the session state inside of the ``with`` block."""
    token = _at_hand.set(place())
    try:
        yield
    finally:
        _at_hand.reset(token)
