"""Put the working page on the screen, with the first page of the person. The browser asks for further pages itself."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import streamlit as st

from app.serving.precedence import precedence
from app.workbench import assets
from domain.errors import DatabaseUnavailableError

Json = dict[str, Any]

_component = st.components.v2.component("touchstone_workbench", js=assets.loader())


def workbench(
    key: str,
    page: Callable[[], Json],
    guard: Callable[[Callable[[DatabaseUnavailableError], None]], AbstractContextManager[None]],
) -> None:
    """Draw the page that ``page`` returns.

    While the database is away, the page stays with all typed text, and shows that the database is away. ``guard`` turns
    other errors into messages.
    """

    def away(error: DatabaseUnavailableError) -> None:
        _component(key=key, data={"away": str(error)})

    with precedence.at_work(), guard(away):
        _component(key=key, data=page())
