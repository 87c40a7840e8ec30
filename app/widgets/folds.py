"""Folded sections of pages that open with an answer. A closed section sends nothing to the browser but its title."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app import markup


def fold(title: str, about: str = "", *, key: str, expanded: bool = False) -> Any | None:
    """Draw a folded section. Return the place for its content, or None while it is closed.

    Parameters
    ----------
    about
        A few words about the content, next to the title.
    key
        The section stays open under this key.
    expanded
        Whether the section is open at first.
    """
    words = f"**{markup.label(title)}**" + (f" · {markup.label(about)}" if about else "")
    place = st.expander(words, key=key, expanded=expanded, on_change="rerun")
    return place if place.open else None
