"""Puts the working page on the screen: one component in one fragment, so that the next item costs one small rerun."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

import streamlit as st

from app.precedence import precedence
from app.workbench import assets
from domain.errors import Unavailable

Json = dict[str, Any]

_component = st.components.v2.component("touchstone_workbench", js=assets.loader())


def _fired() -> None:
    """A trigger needs a callback to be known; what it says is read from its value, which survives a restart."""


@st.fragment
def workbench(
    key: str,
    page: Callable[[Mapping[str, Any]], Json],
    guard: Callable[[Callable[[Unavailable], None]], AbstractContextManager[None]],
    note: Callable[[Json], None],
) -> None:
    """Draw the page that ``page(wish)`` returns; a wish is what the browser sends with its request for the next one.

    The wish's number goes back with the page, so that the browser knows which of its wishes was answered. ``guard``
    turns errors into words, because a fragment runs without the page around it; ``note`` notes what is sent, before it
    is. While the database is away the page
    stays, and says so itself: what is typed on it waits there.
    """

    def away(error: Unavailable) -> None:
        _component(key=key, data={"away": str(error)}, on_next_change=_fired)

    with precedence.at_work(), guard(away):
        known = st.session_state.get(key)
        wish = known.get("next") if known is not None else None
        asked = wish if isinstance(wish, dict) else {}
        data = {**page(asked), "n": asked.get("n")}
        note(data)
        _component(key=key, data=data, on_next_change=_fired)
