"""Test the operator's settings for Label Studio."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.errors import SettingsError
from domain.settings import settings_from
from extensions.labelstudio.settings import LabelStudioSettings


def test_a_token_is_read_and_not_shown(tmp_path: Path) -> None:
    settings = settings_from(
        {"TOUCHSTONE_LABEL_STUDIO_TOKEN": " 0123456789 ", "TOUCHSTONE_LABEL_STUDIO_TOKEN_FILE": "tokens"}, tmp_path
    )
    assert settings.of(LabelStudioSettings).label_studio_token == "0123456789"
    assert settings.of(LabelStudioSettings).label_studio_token_file == tmp_path / "tokens"
    assert "0123456789" not in f"{settings!r} {settings.of(LabelStudioSettings)!r}"


def test_the_secret_of_webhooks_is_long_enough_and_is_not_shown(tmp_path: Path) -> None:
    settings = settings_from({"TOUCHSTONE_LABEL_STUDIO_HOOK": " 0123456789abcdef "}, tmp_path)
    assert settings.of(LabelStudioSettings).label_studio_hook == "0123456789abcdef"
    assert "0123456789abcdef" not in f"{settings!r} {settings.of(LabelStudioSettings)!r}"
    assert settings_from({}, tmp_path).of(LabelStudioSettings).label_studio_hook is None
    with pytest.raises(SettingsError, match=r"TOUCHSTONE_LABEL_STUDIO_HOOK .*16 letters") as told:
        settings_from({"TOUCHSTONE_LABEL_STUDIO_HOOK": "too-short"}, tmp_path)
    assert "too-short" not in str(told.value)
