"""The operator's folder of tool sets."""

from __future__ import annotations

from pathlib import Path

from domain.settings import settings_from
from extensions.holmes.settings import ToolSettings


def test_the_folder_of_tools_is_a_setting(tmp_path: Path) -> None:
    found = settings_from({"TOUCHSTONE_TOOLS": "lab"}, tmp_path).of(ToolSettings)
    assert found.tools == tmp_path / "lab"
    assert settings_from({"TOUCHSTONE_TOOLS": ""}, tmp_path).of(ToolSettings).tools is None
