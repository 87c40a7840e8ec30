"""The checkboxes before the items of a list. The browser tab keeps the ticks over all pages of the list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

import streamlit as st

from app.workbench import assets

_component = st.components.v2.component("touchstone_ticks", js=assets.loader("ticks"))

MOST = 5_000
"""Largest number of ticked items."""


class TickReply(TypedDict):
    """The browser's reply."""

    asked: int
    """The number of requests before this reply."""
    ticked: list[str]


def ticks(project: str, person: int, *, wanted: bool) -> tuple[str, ...] | None:
    """Show how many items are ticked. If ``wanted``, also return their ids in files, or None until the browser replies.

    The ids come from the browser, so check them before use. The browser sends ids only when they are wanted, because
    each reply runs the page again and could lose a press of a button at that moment. A checkbox is markup with
    ``data-tick``. ``data-ticks="page"`` ticks all items on the page.
    """
    kept = f"touchstone.ticks.{person}.{project}"
    key = f"items.ticks.{project}"
    state = st.session_state

    def heard() -> None:
        reply = _said(state[key])
        state[f"{kept}.said"] = reply
        if not set(reply["ticked"]) & set(
            state.get(f"{kept}.drop", ())
        ):  # dropped earlier, so they may be ticked again
            state.pop(f"{kept}.drop", None)

    if wanted and not state.get(f"{kept}.wanted"):  # an earlier reply may be outdated
        state[f"{kept}.asked"] = state.get(f"{kept}.asked", 0) + 1
    state[f"{kept}.wanted"] = wanted
    asked: int = state.get(f"{kept}.asked", 0)
    reply: TickReply = state.get(f"{kept}.said", TickReply(asked=0, ticked=[]))
    drop = list(state.get(f"{kept}.drop", ()))
    data = {"kept": kept, "wanted": wanted, "asked": asked, "said": reply, "drop": drop, "most": MOST}
    _component(key=key, data=data, default={"said": reply}, on_said_change=heard)
    return tuple(reply["ticked"]) if wanted and reply["asked"] == asked else None


def untick(project: str, person: int, names: Sequence[str]) -> None:
    """Untick these items with the next run."""
    st.session_state[f"touchstone.ticks.{person}.{project}.drop"] = tuple(names)


def _said(state: object) -> TickReply:
    given = state.get("said") if isinstance(state, dict) or hasattr(state, "get") else None
    if not isinstance(given, Mapping):
        return TickReply(asked=0, ticked=[])
    asked, names = given.get("asked"), given.get("ticked")
    ticked = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    return TickReply(asked=asked if isinstance(asked, int) else 0, ticked=list(dict.fromkeys(ticked))[:MOST])
