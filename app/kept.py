"""What a press leaves behind for the page that is drawn next, where a second press cannot cut it off.

Streamlit may end a run whenever its session state is touched, also in a widget's callback: where the second press of
two is waiting, the first one would do its work and end before it could say so. So the place is looked up before the
work begins, and written to afterwards without touching the session state.
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
    """What is kept in this session, by name; to be read and written."""
    found = _at_hand.get()
    if found is None:
        found = st.session_state.setdefault(_PLACE, {})
    return found


@contextmanager
def at_hand() -> Iterator[None]:
    """Inside of it, ``place`` touches the session state no more."""
    token = _at_hand.set(place())
    try:
        yield
    finally:
        _at_hand.reset(token)
