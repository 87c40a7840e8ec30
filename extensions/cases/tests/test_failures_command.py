"""``touchstone failure show``: the three forms say the same, codes leave as a file, and mistakes are told."""

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
from domain.errors import ConflictError
from testkit.coded_world import answer, code, schema
from testkit.factories import make_items, make_people, make_project

HEADS = ["criterion", "code", "model", "dimension", "n", "of", "share", "low", "high"]


@pytest.fixture
def store(tmp_path: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    (tmp_path / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    store = open_store(None, tmp_path)
    make_project(store, loaded=schema())
    answer(store, make_items(store, 2), "m", lambda at: "blue")
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path))
    resources.cache_clear()
    yield store
    store.close()
    resources.cache_clear()


def said(*arguments: str) -> str:
    done = CliRunner().invoke(cli, ["failure", "show", "p", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.thorough
def test_wrong_answers_are_sent_coded_and_counted_in_three_forms(store: Store, tmp_path: Path) -> None:
    assert "0 answers in coding" in said()
    assert "2 answers in coding: 0 settled" in said("--send")
    ann, bob = make_people(store, "ann", "bob")
    code(store, ann, ["perception"])
    code(store, ann, ["perception", "format"])
    code(store, bob, ["perception"])  # they take the two in orders of their own
    code(store, bob, ["perception"])
    rows = list(csv.reader(io.StringIO(said("--format", "csv"))))
    assert rows[0] == HEADS
    told = json.loads(said("--format", "json"))
    assert told["standing"] == {"waiting": 0, "differ": 1, "unanimous": 1, "arbitrated": 0}
    assert [[*map(str, row[1:4])] for row in rows[1:]] == [
        [each["code"], each["model"], each["dimension"] or ""] for each in told["counts"]
    ]
    first = told["counts"][0]
    assert (first["criterion"], first["code"], first["n"], first["of"]) == ("failure", "perception", 1, 1)
    # Wilson's lower limit of 1 of 1 is 1 / (1 + 1.96^2)
    assert (first["low"], first["high"]) == (pytest.approx(1 / (1 + 1.959963984540054**2)), 1)
    assert "  m  all     perception      1        1  1.000  0.207 to 1.000" in said().splitlines()
    said("--answers", str(tmp_path / "codes.csv"))
    written = (tmp_path / "codes.csv").read_text(encoding="utf-8")
    lines = list(csv.DictReader(io.StringIO(written)))
    assert {line["item"] for line in lines} == {"colour/0", "colour/1"}
    assert sorted((line["standing"], line["failure"]) for line in lines) == [
        ("differ", ""),
        ("unanimous", "perception"),
    ]
    assert "perception|format" in {line[name] for line in lines for name in line if name.startswith("failure of ")}
    assert not {"ann", "bob"} & set(written.replace(",", " ").split())


def test_a_project_whose_schema_codes_nothing_is_told_so(store: Store) -> None:
    make_project(store, name="plain")
    done = CliRunner().invoke(cli, ["failure", "show", "plain"])
    assert isinstance(done.exception, ConflictError)
    assert "The schema blind has no coding stage" in str(done.exception)
