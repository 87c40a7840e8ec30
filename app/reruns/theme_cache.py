"""Compose Streamlit's theme only once. Streamlit would compose it again from all options for every run of a page."""

from __future__ import annotations

import inspect

from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session

_NAME = "_populate_theme_msg"

compose = getattr(app_session, _NAME, None)
"""Streamlit's own function, which fills a message from the options of a section."""

_composed: dict[str, CustomThemeConfig] = {}


def compose_once() -> None:
    """Keep each part of the theme after it is composed for the first time.

    The options are flags of this process and do not change while it serves. A Streamlit that composes its theme in
    another way stays unchanged.
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
