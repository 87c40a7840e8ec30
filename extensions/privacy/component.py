"""The pictures of the page Privacy with their boxes, as a component."""

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
    """Return the data of the component. ``open_`` and ``waiting`` count pictures that are not on the shown page."""
    common = {
        "csrf": csrf,
        "path": path,
        "kinds": [*KINDS],
        "total": total,
        "clips": clips,
        "open": open_,
        "waiting": waiting,
    }
    return {**common, "pictures": [*pictures]}


def pictures(given: dict[str, Any]) -> None:
    """Draw the pictures."""
    _component(key="privacy.pictures", data=given)
