"""The one open dialog. The dialog stays until someone answers, closes or replaces it, whatever runs come in between.

Streamlit shows a dialog only in the run that opens it, and stops a run when another one is requested. So the session
stores the open dialog, and every run of its page draws the dialog again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import streamlit as st

from app import markup

_OPEN = "touchstone.dialog"
_PLACE = "touchstone.dialog.place"


@dataclass(frozen=True)
class _Dialog:
    title: str
    body: Callable[[], None]
    name: str
    width: Literal["small", "large"]


def show(title: str, body: Callable[[], None], *, name: str, width: Literal["small", "large"] = "small") -> None:
    """Open a dialog in place of any open one. Best called from a widget's callback, which always runs.

    ``body`` draws the content, again after each press inside of the dialog.
    """
    st.session_state[_OPEN] = _Dialog(title, body, name, width)


def close(name: str) -> None:
    """Close the dialog of this name, if it is open."""
    if is_open(name):
        del st.session_state[_OPEN]


def is_open(name: str | None = None) -> bool:
    """Tell whether this dialog, or any dialog, is open."""
    dialog: _Dialog | None = st.session_state.get(_OPEN)
    return dialog is not None and name in (None, dialog.name)


def enter(screen: str) -> None:
    """Start a run of this screen. A dialog left open at another address is dropped."""
    place = (screen, st.query_params.to_dict())
    if st.session_state.get(_PLACE) != place:
        st.session_state.pop(_OPEN, None)
    st.session_state[_PLACE] = place


def draw() -> None:
    """Draw the open dialog, if there is one. Call this once, at the end of a run."""
    dialog: _Dialog | None = st.session_state.get(_OPEN)
    if dialog is not None:
        st.dialog(markup.label(dialog.title), width=dialog.width, on_dismiss=partial(close, dialog.name))(dialog.body)()
