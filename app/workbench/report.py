"""Put a report with charts on a page."""

from __future__ import annotations

import streamlit as st

from app.workbench import assets

_component = st.components.v2.component("touchstone_report", js=assets.loader("report"))


def report(html: str, *, key: str, asked: int = 0) -> None:
    """Show HTML from ``reports`` with its charts, because ``st.html`` would remove every SVG.

    The page scrolls to the report each time ``asked`` grows. ``asked`` counts the requests for the report.
    """
    _component(key=key, data={"html": html, "asked": asked})
