"""Streamlit's theme, composed once: Streamlit sends it with every run of a page and would compose it each time anew,
out of all of its options."""

from __future__ import annotations

import inspect

from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session

_NAME = "_populate_theme_msg"

compose = getattr(app_session, _NAME, None)
"""Streamlit's own way: it fills a message from the options of a section."""

_composed: dict[str, CustomThemeConfig] = {}


def compose_once() -> None:
    """Keep each part of the theme as it is composed when it is first sent.

    The options are flags of this process and do not change while it serves. A Streamlit that composes its theme in
    another way is left as it is.
    """
    _composed.clear()
    if compose is not None and list(inspect.signature(compose).parameters) == ["msg", "section"]:
        setattr(app_session, _NAME, _fill)


def _fill(msg: CustomThemeConfig, section: str = "theme") -> None:
    if section not in _composed:
        part = CustomThemeConfig()
        compose(part, section)  # type: ignore[misc]
        _composed[section] = part
    if _composed[section].ListFields():
        msg.MergeFrom(_composed[section])
