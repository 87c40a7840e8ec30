"""The one dialog that is open: it stands until it is answered, left or replaced, whichever runs come meanwhile.

Streamlit shows a dialog only for the run that opens it, and ends a run in the middle when another is asked for. So
what is open is kept here, and every run of its page draws it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import streamlit as st

from app import markup

_OPEN = "touchstone.dialog"
_PLACE = "touchstone.dialog.place"


@dataclass(frozen=True)
class _Dialog:
    title: str
    body: Callable[[], None]
    name: str


def show(title: str, body: Callable[[], None], *, name: str) -> None:
    """Open a dialog from now on, in the place of one that is open; best from a widget's callback, which is never lost.

    ``body`` draws what is in it, each time that something in it is pressed.
    """
    st.session_state[_OPEN] = _Dialog(title, body, name)


def close(name: str) -> None:
    """Close the dialog of this name, if it is the one that is open."""
    if is_open(name):
        del st.session_state[_OPEN]


def is_open(name: str | None = None) -> bool:
    """Whether a dialog is open: this one, or any."""
    found: _Dialog | None = st.session_state.get(_OPEN)
    return found is not None and name in (None, found.name)


def enter(screen: str) -> None:
    """A run for this screen begins: a dialog that was left open at another address is not shown here."""
    place = (screen, st.query_params.to_dict())
    if st.session_state.get(_PLACE) != place:
        st.session_state.pop(_OPEN, None)
    st.session_state[_PLACE] = place


def draw() -> None:
    """Draw the dialog that is open, if one is: once, at the end of a run."""
    found: _Dialog | None = st.session_state.get(_OPEN)
    if found is not None:
        st.dialog(markup.label(found.title), on_dismiss=partial(close, found.name))(found.body)()
