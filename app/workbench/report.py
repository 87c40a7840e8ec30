"""Put a report with charts on a page."""

from __future__ import annotations

import streamlit as st

from app.workbench import assets

_component = st.components.v2.component("touchstone_report", js=assets.loader("report"))


def report(html: str, *, key: str) -> None:
    """Show HTML from ``reports`` with its charts, because ``st.html`` would remove every SVG."""
    _component(key=key, data={"html": html})
