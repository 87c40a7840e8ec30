"""The command that plans a study before anyone grades."""

from __future__ import annotations

import json
import math

import pytest
from typer.testing import CliRunner

from app.cli import cli
from domain.errors import RatingsError


def run(*arguments: str) -> str:
    result = CliRunner().invoke(cli, ["agreement", "plan", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_width_is_that_of_the_large_sample_formula() -> None:
    found = json.loads(run("--expected", "0.6", "--raters", "2", "--units", "200", "--simulations", "600", "--json"))
    (design,) = found["designs"]
    # Two raters, two categories that are equally frequent: the variance of kappa is (1 - kappa^2) / n.
    assert design["half_width"] == pytest.approx(1.96 * math.sqrt((1 - 0.6**2) / 200), rel=0.15)
    assert design["ratings"] == 400


def test_the_table_names_the_cheapest_design() -> None:
    said = run("--expected", "0.6", "--raters", "2", "--units", "50,400", "--half-width", "0.1", "--simulations", "100")
    assert "The smallest design for ±0.1: 2 raters and 400 units, 800 ratings." in said
    said = run("--expected", "0.6", "--raters", "2", "--units", "20", "--half-width", "0.01", "--simulations", "50")
    assert "No design reaches ±0.01. Try more units." in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--expected", "1.5"], "between 0 and 1"),
        (["--expected", "0.5", "--shares", "a,b"], "--shares 'a,b' is not a list of numbers"),
        (["--expected", "0.5", "--raters", "2.5"], "--raters '2.5' is not a list of whole numbers"),
        (["--expected", "0.5", "--raters", "1"], "at least two raters"),
        (["--expected", "0.5", "--units", "1"], "at least two units"),
    ],
)
def test_what_cannot_be_planned_is_said(arguments: list[str], words: str) -> None:
    result = CliRunner().invoke(cli, ["agreement", "plan", *arguments])
    assert isinstance(result.exception, RatingsError)
    assert words in str(result.exception)
