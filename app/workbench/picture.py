"""Buttons that save a chart on the page as a picture."""

from __future__ import annotations

import re

import streamlit as st

from app.workbench import assets

_component = st.components.v2.component("touchstone_picture", js=assets.loader("picture"))


def pictures(chart: str, *, title: str, file: str, key: str) -> None:
    """Draw buttons that save the chart in the container with the key ``chart`` as SVG or PNG.

    ``file`` is the name of the saved file.
    """
    _component(key=key, data={"chart": re.sub(r"[^a-zA-Z0-9_-]", "-", chart), "title": title, "file": file})
