"""``touchstone shortcut check``: tables, JSON and a file of scores; a project without items says so."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.services import resources
from db.engine import open_store
from testkit.factories import make_items, make_project
from testkit.scripted import ScriptedServer, chat


@pytest.fixture
def home(tmp_path: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    store = open_store(None, tmp_path)
    make_project(store)
    make_items(store, 4)
    make_project(store, name="empty")
    store.close()
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path))
    resources.cache_clear()
    yield tmp_path
    resources.cache_clear()


def said(*arguments: str) -> str:
    done = CliRunner().invoke(cli, ["shortcut", "check", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_what_a_lead_reads_and_keeps(home: Path) -> None:
    text = said("p", "--scores", str(home / "scores.csv"))
    # the four items all ask for red of red and blue
    assert "| Always place 1 | 100.0 %" in text
    assert "A randomly drawn option is right in 50.0 % of the items." in text
    with (home / "scores.csv").open(newline="", encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 4
    told = json.loads(said("p", "--json"))
    assert told["baselines"]["Longest option"]["value"] == 0
    assert told["chance"] == 0.5
    assert "No items have a multiple-choice key" in said("empty")


def test_a_model_is_asked_without_images_and_what_it_knows_is_told(home: Path) -> None:
    """It says what is right, whatever the order: 1/8 by chance in three orders of two options."""
    assert "No model has answered without images" in said("p", "--models")

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(cli, ["run", *arguments], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    with ScriptedServer([chat("red")]) as server:
        spec = home / "gpt.yaml"
        spec.write_text(
            "name: gpt\nadapter: endpoint\nmodel: gpt\n"
            f"endpoint: {{base_url: '{server.url}', concurrency: 4, probe: false}}\n"
        )
        told = run("shortcut", "p", "--spec", str(spec), "--without", "images", "--orders", "3", "--dry-run")
        assert "gpt for shortcuts: without images, order 3 of 3: 4 items" in told
        assert not server.asked
        run("shortcut", "p", "--spec", str(spec), "--without", "images", "--orders", "3")
        assert len(server.asked) == 12
    assert run("list", "p").count("gpt for shortcuts: without images, order") == 3
    text = said("p", "--models", "--scores", str(home / "said.csv"))
    assert (
        "Without images, 1 model or more gets 4 of 4 items right in every order of options (number of orders: at "
        "least 3)" in text
    )
    assert text.count("gpt is right without images in all 3 orders of options (by chance 12.5 %)") == 4
    assert "| gpt | without images | 4 | 3 | 100.0 %" in text
    (address,) = {
        line.partition(", open ")[2] for line in text.splitlines() if line.startswith("To verify these items again")
    }
    query = parse_qs(urlsplit(address).query)
    assert (query["project"], len(query["ids"])) == (["p"], 4)
    told = json.loads(said("p", "--models", "--json", "--model", "gpt"))
    assert [each["chance"] for each in told["flagged"]] == [0.125] * 4
    assert told["models"][0]["gain"]["why"] == "no item was shown both with and without images."
    assert len(told["second_look"]["items"]) == 4
    with (home / "said.csv").open(newline="", encoding="utf-8") as file:
        assert [(row["orders"], row["right"]) for row in csv.DictReader(file)] == [("3", "3")] * 4
    for wrong in (
        ("--models", "--flagged", "0.1"),
        ("--strong", "gpt"),
        ("--models", "--strong", "other"),
        ("--models", "--gate"),  # no one has said how many there may be
        ("--models", "--without-images", "2"),
    ):
        assert CliRunner().invoke(cli, ["shortcut", "check", "p", *wrong]).exit_code not in (0, None), wrong
    # all four items are right without images: more than nine of ten, and no limit is that high
    over = CliRunner().invoke(cli, ["shortcut", "check", "p", "--models", "--gate", "--without-images", "0.9"])
    assert over.exit_code == 1
    assert "Right without images: not within: 4 of 4 items (100.0 %)" in over.stdout
    assert "Right without images: not within: 4 of 4 items" in said("p", "--models", "--without-images", "0.9")
    rules = ("--above-chance", "0.6", "--gate")
    assert CliRunner().invoke(cli, ["shortcut", "check", "p", *rules]).exit_code == 0
    over = CliRunner().invoke(cli, ["shortcut", "check", "p", *rules, "--without-images", "0.9"])
    assert over.exit_code == 1, "what models come to is a limit as others are"
    told = json.loads(said("p", "--above-chance", "0.6", "--without-images", "0.9", "--json"))
    assert (told["limits"]["outcome"], told["without_images"]["flagged"]) == ("within", 4)


def test_limits_that_are_given_are_held_against_and_end_with_one_where_they_are_not_kept(home: Path) -> None:
    def end(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(cli, ["shortcut", "check", "p", *arguments])
        return done.exit_code, done.stdout or str(done.exception)

    # the first option is right in all four, so that rules which take it are right always, and no limit is that high
    code, text = end("--gate")
    assert code == 1
    assert "Limits: not within: Always the best position 100.0 %" in text
    code, text = end("--above-chance", "0.6", "--gate")
    assert (code, "Limits: within every limit" in text) == (0, True), "a half by chance, and six tenths"
    code, text = end("--above-chance", "0.6", "--score", "0.000001", "--flagged", "0.5", "--json", "--gate")
    assert code == 1
    told = json.loads(text)
    assert (told["limits"]["outcome"], told["limits"]["flagged"]) == ("not within", 4)
    for wrong, says in (
        ("longset=0.3", "did you mean `longest`?"),
        ("longest=30", "30 % is 0.3"),
        ("longest", "NAME="),
    ):
        code, text = end("--at-most", wrong)
        assert code != 0
        assert says in text
