"""Folded sections of pages that open with an answer. A closed section sends nothing to the browser but its title."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from app import markup

SHOW = "show"
"""The parameter of the address with the names of sections that are open from the start."""


def fold(title: str, about: str = "", *, key: str, name: str = "", expanded: bool = False) -> Any | None:
    """Draw a folded section. Return the place for its content, or None while it is closed.

    Parameters
    ----------
    about
        A few words about the content, next to the title.
    key
        The section stays open under this key.
    name
        The section's name in the address (``SHOW``), which opens it.
    expanded
        Whether the section is open at first.
    """
    words = f"**{markup.label(title)}**" + (f" · {markup.label(about)}" if about else "")
    asked = bool(name) and name in st.query_params.get_all(SHOW)
    place = st.expander(words, key=key, expanded=expanded or asked, on_change="rerun")
    return place if place.open else None


def folded(page: str, name: str, title: str, about: str, draw: Callable[[], object], *, expanded: bool = False) -> None:
    """Draw a folded section of a page, and its content with ``draw`` while it is open."""
    place = fold(title, about, key=f"{page}.fold.{name}", name=name, expanded=expanded)
    if place is not None:
        with place:
            draw()
