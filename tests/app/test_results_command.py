"""``touchstone results`` on a small project: the three forms say the same, and mistakes are told."""

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
from domain.errors import InvalidInputError, NotFoundError
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
    done = CliRunner().invoke(cli, ["results", "p", *arguments], catch_exceptions=False)
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
    assert "Accuracy against the key, what cannot be read counts as wrong, by dimension" in text
    assert "ran has answered 1 of 4 items" in text
    assert "1 earlier answers are left out" in text
    assert "ran: the winner depends on the score on 1 of 1 items" in text


def test_slices_are_told_with_their_number(home: Path) -> None:
    text = said("--by", "question~answer")
    assert "by words in common of question and answer (words that both have" in text
    assert "mean over" not in text


def test_numbers_are_cut_at_the_edges_that_are_given(home: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(said("--by", "question.words", "--edges", "0,3,40", "--format", "csv"))))
    assert {row["part"] for row in rows if row["part"]} <= {"0 to 2", "3 to 39", "40 and more"}


def test_groups_of_models_are_in_all_three_forms(home: Path, tmp_path: Path) -> None:
    sizes = tmp_path / "models.csv"
    sizes.write_text("model,size\nran,7B\nfiled,7B\n", encoding="utf-8")
    brought = CliRunner().invoke(cli, ["import", "p", "models", str(sizes)], catch_exceptions=False)
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
    assert "What is said of the models" in text
    assert "grouped_by" not in said("--format", "csv")


@pytest.mark.thorough
def test_mistakes_are_told_in_a_sentence(home: Path) -> None:
    for arguments, words in (
        (["--by", "goal"], "Items cannot be cut by 'goal'"),
        (["--criterion", "beauty"], "no criterion 'beauty' whose values are numbers or named options; it has score"),
        (["--edges", "1,5"], "dimension has no numbers that could be cut at 1,5"),
        (["--edges", "5,1"], "Slices begin at numbers from low to high"),
        (["--cluster", "goal"], "not put together by 'goal'"),
        (["--group-models-by", "size"], "an attribute 'size'; there are none; import them with the format models"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            said(*arguments)
    with pytest.raises(NotFoundError):
        CliRunner().invoke(cli, ["results", "nothing"], catch_exceptions=False)


def test_without_anything_to_score_it_says_so(home: Path) -> None:
    assert "There is nothing to score here" in said("--scores", "human")


def test_side_by_side_needs_two_criteria(home: Path) -> None:
    assert "No one has scored two criteria or more." in said("--side-by-side")
    assert json.loads(said("--side-by-side", "--format", "json")) == {"project": "p", "by": "dimension", "rows": []}
