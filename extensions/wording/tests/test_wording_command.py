"""``touchstone wording check``: lines, a file and JSON; a schema without rules says so."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from annotation_schemas.loader import load_text
from app.cli import cli
from app.services import resources
from db.engine import open_store
from testkit.factories import UNVERIFIED, make_items, make_project


@pytest.fixture
def home(tmp_path: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    store = open_store(None, tmp_path)
    text = UNVERIFIED.replace("kind: text}", "kind: text, wording: {words: {least: 2, most: 3}, ends_with: '?'}}")
    make_project(store, loaded=load_text(text, "", "plain"))
    for question in ("What is it?", "What", "=is this one?"):
        make_items(store, 1, fields={"question": question})
    make_project(store, name="free")
    store.close()
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path))
    resources.cache_clear()
    yield tmp_path
    resources.cache_clear()


def said(*arguments: str) -> str:
    done = CliRunner().invoke(cli, ["wording", "check", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_what_a_lead_reads_and_keeps(home: Path) -> None:
    assert said("p").splitlines() == [
        "Written only: 1 of 3 items breaks a wording rule.",
        "  question, words: least 2, most 3: 1",
        "  question, ends_with: ?: 1",
        "colour/1 (unverified), question, words: The text has 1 word. Write at least 2.",
        "colour/1 (unverified), question, ends_with: End the text with \u201c?\u201d.",
    ]
    assert said("p", "--rule", "ends_with", "--out", str(home / "l.csv")).endswith("question, ends_with: ?: 1\n")
    with (home / "l.csv").open(newline="", encoding="utf-8") as file:
        assert [row["item"] for row in csv.DictReader(file)] == ["colour/1"]
    told = json.loads(said("p", "--json", "--field", "question"))
    assert (told["items"], told["unheld"], [each["items"] for each in told["rules"]]) == (3, 1, [1, 1])
    assert "no wording rules" in said("free")
