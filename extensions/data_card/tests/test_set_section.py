"""What a set is made of, on the page Tables and by command: the same numbers, which are those of the items."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.services import resources
from db.engine import Store
from domain.roles import Role
from testkit.factories import make_items, make_person, make_project
from testkit.missing_extensions import needs
from tests.app.screens import drawn, rows, words

pytestmark = pytest.mark.thorough


@needs("pages", "tables")
def test_the_page_and_the_command_say_the_same(store: Store, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_project(store)
    make_person(store, "lea", role=Role.LEAD)
    make_items(store, 4)
    page = drawn(store, home, "tables", "lea", project="p", show="set")
    said = words(page)
    assert any("Composition of the data set" in section.label for section in page.expander)
    assert "All 4 items" in said
    # "Question 0?" is two words, the answer "red" is one of "red" and "blue", of which "blue" is longer
    assert {row["Number"]: row["What it is"] for row in rows(page, "Number")}["Items"] == "Counted items."
    assert "The longest option is right in 0.0 % of items. A random option is right in 50.0 %." in said
    assert "Questions have 2.0 words on average." in said
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    resources.cache_clear()
    out = home / "set.csv"
    for arguments in ([], ["--out", str(out)]):
        done = CliRunner().invoke(cli, ["release", "describe", "p", *arguments], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        if not arguments:
            assert "| 4 |" in done.stdout
            assert "Scenes: not counted, because" in done.stdout
    resources.cache_clear()
    with out.open(newline="", encoding="utf-8") as file:
        told = {row["statistic"]: row for row in csv.DictReader(file) if row["dimension"] == "All"}
    assert (told["Items"]["value"], told["Question, mean"]["value"], told["Longest option"]["value"]) == (
        "4",
        "2.0",
        "0.0",
    )
