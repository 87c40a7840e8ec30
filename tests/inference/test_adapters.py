"""Models that run on this machine, where the extension that opens them is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain import extensions
from domain.errors import ModelError
from domain.settings import settings_from
from inference.opening import open_answerer
from inference.spec import ModelSpec
from workflow.runs.model_descriptions import find_device

NAMED = (
    "Touchstone cannot open little. The adapter `chat` belongs to the extension Local models, which is not installed. "
    "Restore the folder `extensions/local_models` of this version of Touchstone, then start Touchstone again."
)


@pytest.fixture
def without_extensions(monkeypatch: pytest.MonkeyPatch) -> None:
    """No extension is installed."""
    monkeypatch.setattr(extensions, "installed", dict)


@pytest.mark.parametrize("strategy", ["generate", "rank_options", "two_steps"])
def test_opening_a_local_model_names_the_missing_extension(without_extensions: None, strategy: str) -> None:
    with pytest.raises(ModelError) as refused:
        open_answerer(ModelSpec(name="little", adapter="chat", model="folder"), strategy=strategy)
    assert str(refused.value) == NAMED


def test_the_preview_of_a_run_names_the_missing_extension(without_extensions: None, tmp_path: Path) -> None:
    settings = settings_from({"TOUCHSTONE_HOME": str(tmp_path)}, tmp_path)
    device = find_device(ModelSpec(name="little", adapter="chat", model="folder"), settings, by=None)
    assert (device.sentence, device.fits) == (NAMED, False)


def test_answers_from_a_file_are_not_opened() -> None:
    with pytest.raises(ModelError, match="cannot open far: no extension has the adapter file"):
        open_answerer(ModelSpec(name="far", adapter="file"), strategy="generate")
