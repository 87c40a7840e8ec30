"""Groups of models in ``touchstone result show``."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli
from domain.errors import InvalidInputError
from tests.app.test_results_command import said


def test_groups_of_models_are_in_all_three_forms(home: Path, tmp_path: Path) -> None:
    sizes = tmp_path / "models.csv"
    sizes.write_text("model,size\nran,7B\nfiled,7B\n", encoding="utf-8")
    brought = CliRunner().invoke(cli, ["item", "import", "p", "models", str(sizes)], catch_exceptions=False)
    assert "Imported 2 described models." in brought.stdout
    by_size = ("--group-models-by", "size")
    rows = list(csv.DictReader(io.StringIO(said(*by_size, "--format", "csv"))))
    assert [row["model"] for row in rows] == ["ran", "ran", "filed", "filed", "7B", "7B"]
    assert float(rows[4]["value"]) == pytest.approx((float(rows[0]["value"]) + float(rows[2]["value"])) / 2)
    assert (rows[4]["grouped_by"], rows[4]["models"], rows[0]["models"]) == ("size", "2", "")
    told = json.loads(said(*by_size, "--format", "json"))
    assert told["models"] == {"ran": {"size": "7B"}, "filed": {"size": "7B"}}
    assert told["boards"][0]["groups"][0]["of"] == ["ran", "filed"]
    text = said(*by_size)
    assert "7B: 2 models, ran, filed" in text
    assert "Model attributes" in text
    assert "grouped_by" not in said("--format", "csv")


def test_an_attribute_that_no_model_has_is_refused(home: Path) -> None:
    with pytest.raises(
        InvalidInputError,
        match=r"an attribute 'size'. This project has no attributes. Import attributes in the format `models`",
    ):
        said("--group-models-by", "size")
