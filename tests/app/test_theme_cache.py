"""The theme that is composed once is the one that Streamlit composes with every run."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit import config
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session

from app import server
from app.reruns import theme_cache


def composed(fill: Callable[..., None]) -> CustomThemeConfig:
    """The whole theme, put together part by part as Streamlit does it at the beginning of a run."""
    whole = CustomThemeConfig()
    fill(whole)
    for part, section in (
        (whole.light, "theme.light"),
        (whole.dark, "theme.dark"),
        (whole.sidebar, "theme.sidebar"),
        (whole.light.sidebar, "theme.light.sidebar"),
        (whole.dark.sidebar, "theme.dark.sidebar"),
    ):
        fill(part, section)
    return whole


def test_it_is_what_streamlit_composes_and_composed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    own = theme_cache.compose
    assert own is not None, "Streamlit composes its theme elsewhere now; see whether it still does so with every run"
    asked: list[str] = []

    def counted(section: str) -> dict[str, object]:
        asked.append(section)
        return before(section)

    before = config.get_options_for_section
    monkeypatch.setattr(app_session, "_populate_theme_msg", own)
    server.configure(host="127.0.0.1", port=8501)
    assert app_session._populate_theme_msg is not own  # so that the server's runs use it
    expected = composed(own)
    assert expected.light.background_color == server.OPTIONS["theme.light.backgroundColor"]
    assert not expected.HasField("sidebar")
    monkeypatch.setattr(config, "get_options_for_section", counted)
    for _ in range(3):
        assert composed(app_session._populate_theme_msg) == expected
    assert len(asked) == 6


def test_another_way_of_composing_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(message: CustomThemeConfig) -> None:
        raise AssertionError

    monkeypatch.setattr(app_session, "_populate_theme_msg", other)
    monkeypatch.setattr(theme_cache, "compose", other)
    theme_cache.compose_once()
    assert app_session._populate_theme_msg is other
