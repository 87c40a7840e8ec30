"""Put a report with charts on a page."""

from __future__ import annotations

import streamlit as st

from app import markup
from app.workbench import assets

_component = st.components.v2.component("touchstone_report", js=assets.loader("report"))

STYLE = f"<style>{markup.scroll_bar('.report .scroll')}.report thead :is(th, th.n) {{ white-space: normal; }}</style>"
"""In a window, unlike on paper, a wide table scrolls. Titles of columns wrap, so that more columns fit."""


def report(html: str, *, key: str) -> None:
    """Show HTML from ``reports`` with its charts, because ``st.html`` would remove every SVG."""
    _component(key=key, data={"html": STYLE + html})
