"""``touchstone result show`` on a small project: the three forms say the same, and mistakes are told."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.services import resources
from db.engine import Store, open_store
from domain import extensions
from domain.errors import InvalidInputError, NotAvailableError, NotFoundError
from tests.workflow.test_results import filled


@pytest.fixture
def home(tmp_path: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    store: Store = open_store(None, tmp_path)
    filled(store)
    store.close()
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path))
    resources.cache_clear()
    yield tmp_path
    resources.cache_clear()


def said(*arguments: str) -> str:
    done = CliRunner().invoke(cli, ["result", "show", "p", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_three_forms_say_the_same(home: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(said("--format", "csv"))))
    told = json.loads(said("--format", "json"))
    (board,) = told["boards"]
    assert (
        [row["model"] for row in rows] == [line["model"] for line in board["lines"]] == ["ran", "ran", "filed", "filed"]
    )
    assert [float(row["value"]) for row in rows] == [line["value"] for line in board["lines"]]
    # one of three items: "Red." is the key, "Answer 0 of 2" is none of the options and counts as wrong
    assert (float(rows[2]["value"]), rows[2]["n"], rows[2]["asked"]) == (pytest.approx(1 / 3), "3", "3")
    assert (rows[2]["unread"], rows[2]["unread_counts_as"], rows[2]["reader"]) == ("2", "wrong", "rules")
    # the option that it ranked first is right, one item it refused, which counts as wrong, two have no answer
    assert (rows[0]["asked"], rows[0]["answered"], rows[0]["left_out"], rows[0]["value"]) == ("4", "1", "2", "0.5")
    assert (float(rows[0]["if_rest_lowest"]), float(rows[0]["if_rest_highest"])) == (0.25, 1.0)
    text = said()
    assert "Accuracy against the key, unreadable answers count as wrong, by dimension" in text
    assert "ran has answered 1 of 4 items" in text
    assert "1 earlier answer does not count" in text


def test_slices_are_told_with_their_number(home: Path) -> None:
    text = said("--by", "question~answer")
    assert "by shared words of question and answer (share of the words in either text that occur in both texts" in text
    assert "mean over" not in text


def test_numbers_are_cut_at_the_edges_that_are_given(home: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(said("--by", "question.words", "--edges", "0,3,40", "--format", "csv"))))
    assert {row["part"] for row in rows if row["part"]} <= {"0 to 2", "3 to 39", "40 and more"}


@pytest.mark.thorough
def test_mistakes_are_told_in_a_sentence(home: Path) -> None:
    for arguments, words in (
        (["--by", "goal"], "Touchstone cannot slice items by 'goal'"),
        (["--criterion", "beauty"], "no criterion 'beauty' with numbers or named options. Its criteria: score"),
        (["--edges", "1,5"], "--edges 1,5 needs numeric slices, but dimension is not numeric"),
        (["--edges", "5,1"], "is not valid. Enter up to 20 numbers from low to high"),
        (["--cluster", "goal"], "cannot group items by 'goal'"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            said(*arguments)
    with pytest.raises(NotFoundError):
        CliRunner().invoke(cli, ["result", "show", "nothing"], catch_exceptions=False)


def test_without_anything_to_score_it_says_so(home: Path) -> None:
    assert "There are no scores" in said("--scores", "human")


def test_an_option_of_a_missing_extension_names_the_extension(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extensions, "installed", dict)
    for option in (["--side-by-side"], ["--group-models-by", "size"], ["--comparisons", "pairs.csv"]):
        with pytest.raises(NotAvailableError, match=rf"The option `result show {option[0]}` belongs to the extension"):
            said(*option)
    assert [line["model"] for line in json.loads(said("--format", "json"))["boards"][0]["lines"]] == [
        *("ran", "ran", "filed", "filed")
    ]
