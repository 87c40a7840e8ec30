"""Keys and clicks of the table of items: J and K move, Escape closes the open item, a click on a row opens it."""

from __future__ import annotations

import streamlit as st

from app.workbench import assets
from domain.item_filter import ItemList
from domain.records import ProjectView

_component = st.components.v2.component("touchstone_item_rows", js=assets.loader("item_rows"))


def listen(view: ProjectView, asked: ItemList, opened: str | None) -> None:
    """Listen for keys and clicks. ``opened`` is the open item (its id on pages)."""
    _component(key="items.rows", data={"item": opened, "close": asked.address(view.name), "focus": False})
