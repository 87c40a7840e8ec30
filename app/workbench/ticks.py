"""The boxes before the items of a list: what is ticked waits in the tab of the browser, over all pages of the list."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app.workbench import assets

_component = st.components.v2.component("touchstone_ticks", js=assets.loader("ticks"))

MOST = 5_000
"""So many are ticked at most."""


def ticks(project: str, person: int) -> tuple[str, ...]:
    """Say how many are ticked, and return which, by their ids in files as the browser says them: ask before you trust
    them. A box is markup with ``data-tick``; ``data-ticks="page"`` ticks all that the page shows."""
    kept = f"touchstone.ticks.{person}.{project}"
    key = f"items.ticks.{project}"

    def heard() -> None:
        names = st.session_state[kept] = _names(st.session_state[key])
        if not set(names) & set(st.session_state.get(f"{kept}.drop", ())):  # dropped: they may be ticked again
            st.session_state.pop(f"{kept}.drop", None)

    ticked: tuple[str, ...] = st.session_state.get(kept, ())
    drop = [name for name in st.session_state.get(f"{kept}.drop", ()) if name in ticked]
    data = {"kept": kept, "ticked": list(ticked), "drop": drop, "most": MOST}
    _component(key=key, data=data, default={"ticked": list(ticked)}, on_ticked_change=heard)
    return ticked


def untick(project: str, person: int, names: Sequence[str]) -> None:
    """Take the ticks from these items with the next run."""
    st.session_state[f"touchstone.ticks.{person}.{project}.drop"] = tuple(names)


def _names(state: object) -> tuple[str, ...]:
    given = state.get("ticked") if isinstance(state, dict) or hasattr(state, "get") else None
    if not isinstance(given, list):
        return ()
    return tuple(dict.fromkeys(name for name in given if isinstance(name, str)))[:MOST]
