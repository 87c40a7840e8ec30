"""Puts a report with charts on a page."""

from __future__ import annotations

import streamlit as st

from app.workbench import assets

_component = st.components.v2.component("touchstone_report", js=assets.loader("report"))


def report(html: str, *, key: str, asked: int = 0) -> None:
    """Show HTML that ``reports`` wrote, its charts included: ``st.html`` would take every SVG out of it.

    A page goes there each time ``asked``, how often someone has asked for it, grows.
    """
    _component(key=key, data={"html": html, "asked": asked})
