"""Put the working page on the screen: one component in one fragment, so that the next item needs one small rerun."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

import streamlit as st

from app.serving.precedence import precedence
from app.workbench import assets
from domain.errors import DatabaseUnavailableError

Json = dict[str, Any]

_component = st.components.v2.component("touchstone_workbench", js=assets.loader())


def _fired() -> None:
    """Do nothing.

    Streamlit knows a trigger only with a callback; its value is read elsewhere and survives a restart.
    """


@st.fragment
def workbench(
    key: str,
    page: Callable[[Mapping[str, Any]], Json],
    guard: Callable[[Callable[[DatabaseUnavailableError], None]], AbstractContextManager[None]],
    note: Callable[[Json], None],
) -> None:
    """Draw the page that ``page(wish)`` returns. A wish is the data of the browser's request for the next page.

    The wish's number goes back with the page, so that the browser knows which wish was answered. While the database is
    away, the page stays with all typed text, and shows that the database is away.

    Parameters
    ----------
    guard
        Turns errors into messages, because a fragment runs without the page around it.
    note
        Records the data before it is sent.
    """

    def away(error: DatabaseUnavailableError) -> None:
        _component(key=key, data={"away": str(error)}, on_next_change=_fired)

    with precedence.at_work(), guard(away):
        known = st.session_state.get(key)
        wish = known.get("next") if known is not None else None
        asked = wish if isinstance(wish, dict) else {}
        data = {**page(asked), "n": asked.get("n")}
        note(data)
        _component(key=key, data=data, on_next_change=_fired)
