"""Folded parts of a page. An address may unfold one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from streamlit.delta_generator import ExpanderContainer  # type: ignore[attr-defined]

SHOW = "show"
"""The parameter of the address with the name of the fold that is open from the start."""


def fold(page: str, name: str, title: str, *, unfolded: bool = False) -> ExpanderContainer:
    """Return a fold. Draw its content only if it is ``open``, so that a closed one costs nothing."""
    opened = unfolded or st.query_params.get(SHOW) == name
    return st.expander(title, expanded=opened, key=f"{page}.fold.{name}", on_change="rerun")
