"""A statistic is one file: what docs/contributing.md shows is in every list without another edit."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import agreement
from agreement import Ratings, Scale
from annotation_schemas import registry
from annotation_schemas.json_schema import json_schema_text
from annotation_schemas.loader import examine
from app.cli import cli
from domain.records import Rating
from domain.registers import Register
from domain.statistics import STATISTICS
from testkit.missing_extensions import needs
from tests.paths import ROOT
from tests.planting import planted
from tools import reference

pytestmark = pytest.mark.thorough

FILE = "agreement/unanimous.py"

SAID = [(1, 1, 1), (2, 2, 1), (3, 3, 3), (1, 2, None), (2, None, None)]
"""Of the four units with two ratings, two are unanimous; the last has one rating."""


@pytest.fixture
def extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a file that the room has for the length of a test."""
    folder = planted(tmp_path, FILE)
    monkeypatch.setattr(agreement, "__path__", [*agreement.__path__, str(folder)])
    monkeypatch.setattr(STATISTICS, "_rows", None)
    yield folder
    sys.modules.pop("agreement.unanimous", None)


@needs("readers", "ratings")
@pytest.mark.usefixtures("extra")
def test_a_new_row_is_in_summaries_schemas_commands_and_reference(tmp_path: Path) -> None:
    rows = [
        Rating(f"u{at}", rater, "c", value)
        for at, unit in enumerate(SAID)
        for rater, value in zip("abc", unit, strict=True)
        if value is not None
    ]
    found = {each.statistic: each for each in agreement.summarise(rows)}
    assert list(found)[:2] == ["percent_agreement", "unanimity"]  # by its place
    line = found["unanimity"]
    assert (line.title, line.value, line.n_units, line.n_left_out) == ("Unanimous units", 0.5, 4, 1)
    assert agreement.unanimity(Ratings.from_rows(rows)).value == 0.5  # type: ignore[attr-defined]

    row = registry.find("statistic", "unanimity")
    assert row is not None
    assert row.meaning == "share of units on which all raters say the same"
    assert '"unanimity"' in json_schema_text()
    schema = tmp_path / "study.yaml"
    text = (ROOT / "annotation_schemas" / "egoplan.yaml").read_text(encoding="utf-8")
    schema.write_text(text.replace("statistics: [", "statistics: [unanimity, "), encoding="utf-8")
    shutil.copytree(ROOT / "annotation_schemas" / "guidelines", tmp_path / "guidelines")
    assert "unanimity" in examine(schema).loaded.schema_.report.statistics
    assert "| `unanimity` | share of units on which all raters say the same |" in reference.written()

    file = tmp_path / "ratings.csv"
    lines = [f"{each.unit},{each.rater},{each.criterion},{each.value}" for each in rows]
    file.write_text("\n".join(["unit,rater,criterion,value", *lines]), encoding="utf-8")
    told = CliRunner().invoke(cli, ["agreement", "show", "--ratings", str(file), "--statistic", "unanimity"])
    assert told.exit_code == 0, told.output
    assert "Unanimous units" in told.output
    assert "0.500" in told.output


def test_a_new_row_is_in_all_property_tests(tmp_path: Path) -> None:
    """It passes them as it is; if it says of itself what is not true, they fail."""
    folder = planted(tmp_path, FILE)
    (tmp_path / "planted.py").write_text(
        f"import agreement\n\nagreement.__path__.append({str(folder)!r})\n", encoding="utf-8"
    )
    assert _property_tests(tmp_path) == 0
    file = tmp_path / FILE
    file.write_text(file.read_text(encoding="utf-8").replace("constant=1.0", "constant=None"), encoding="utf-8")
    assert _property_tests(tmp_path) == 1


def _property_tests(plugin: Path) -> int:
    options = ["-q", "-x", "-p", "planted", "-p", "no:cacheprovider", "-k", "unanimity"]
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            *options,
            "tests/agreement/test_properties.py",
            "tests/agreement/test_common.py",
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(plugin)},
        capture_output=True,
        check=False,
    ).returncode


def test_two_rows_of_one_name_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("twice_a", "twice_b"):
        (tmp_path / f"{name}.py").write_text(
            "from types import SimpleNamespace\n\n\ndef rows():\n    return [SimpleNamespace(name='alpha')]\n"
        )
    monkeypatch.syspath_prepend(str(tmp_path))
    twice: Register[agreement.Result] = Register("twice_a", "twice_b")
    with pytest.raises(ValueError, match="Two rows have the name 'alpha'"):
        len(twice)


def test_turns_of_variants_keep_their_order() -> None:
    """Of three raters each weight has Cohen's kappa for all pairs, then Light's mean of them."""
    rows = [Rating(f"u{at}", rater, "c", 1 + (at + k) % 3) for at in range(5) for k, rater in enumerate("abc")]
    lines = agreement.summarise(rows, scales={"c": Scale("interval")}, statistics=["cohen_kappa", "light_kappa"])
    turn = ["cohen_kappa"] * 3 + ["light_kappa"]
    assert [each.statistic for each in lines] == turn * 3
    assert [each.args["weights"] for each in lines] == ["none"] * 4 + ["linear"] * 4 + ["quadratic"] * 4
