"""Puts pictures in which something may have to be covered on a page, with their boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from app.workbench import assets
from extensions.privacy.boxes import KINDS

_component = st.components.v2.component("touchstone_privacy", js=assets.loader("privacy"))


def data(
    pictures: Sequence[Any], *, csrf: str, path: str, total: int, clips: bool, open_: int, waiting: int
) -> dict[str, Any]:
    """What the page is given; ``open_`` and ``waiting`` count what is not on it."""
    told = {
        "csrf": csrf,
        "path": path,
        "kinds": [*KINDS],
        "total": total,
        "clips": clips,
        "open": open_,
        "waiting": waiting,
    }
    return {**told, "pictures": [*pictures]}


def pictures(given: dict[str, Any]) -> None:
    """Draw them."""
    _component(key="privacy.pictures", data=given)
