"""``touchstone project migrate``: it says everything first, does it when asked to, and takes it back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from annotation_schemas.loader import load_text
from app import services
from app.cli import cli
from db.engine import open_store
from testkit.factories import make_items, make_people, make_project, vote

FIRST = """
name: minds
version: 1
title: Minds
dimensions: [{id: colour, title: Colour}]
item:
  assets: [{role: image, kind: image, min: 0}]
  fields: [{name: question, kind: text}]
stages:
  verification:
    raters: 2
    criteria: [{name: choice, kind: choice, prompt: Does it fit?, options: [red, blue, unsure]}]
    keep: {rule: unanimous, criterion: choice, value: red}
  adjudication: {reasons: [hard]}
"""


@pytest.mark.thorough
def test_it_is_said_then_done_then_taken_back(
    tmp_path: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    shutil.copyfile(sqlite_template, home / "touchstone.db")
    store = open_store(None, home)
    make_project(store, loaded=load_text(FIRST, "", "first"))
    make_items(store, 2, fields={"question": "?"})
    ann, bob = make_people(store, "ann", "bob")
    for said in ("red", "unsure"):
        vote(store, ann, said)
    for _ in range(2):
        vote(store, bob, "red")
    store.close()
    new = tmp_path / "second.yaml"
    new.write_text(FIRST.replace("version: 1", "version: 2").replace(", unsure", ""))
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    services.resources.cache_clear()

    def run(*said: str, code: int = 0) -> str:
        result = CliRunner().invoke(cli, ["project", "migrate", "p", *said])
        assert result.exit_code == code, result.output + str(result.exception)
        return " ".join(result.output.split())

    try:
        look = run("--schema", str(new), code=1)
        assert "--ask-again choice:unsure" in look
        assert "Missing decisions: 1. Nothing was changed." in look
        decided = ("--schema", str(new), "--ask-again", "choice:unsure")
        look = run(*decided)
        assert "Votes that count: 4. Votes asked again: 1." in look
        assert "in adjudication 1 0" in look
        assert "Nothing was changed. To make the change, add --yes" in look
        assert "first schema" in run("--history")
        done = run(*decided, "--yes")
        assert "Change 1: version 2 of the schema is now in force." in done
        assert "in adjudication -> in verification. Votes so far: 1 of 2." in done
        assert "version 1 -> 2 --ask-again choice:unsure" in run("--undo")
        assert "Change 2: version 1" in run("--undo", "--yes")
        assert "undoes change 1" in run("--history")
        assert "Give exactly one of" in str(CliRunner().invoke(cli, ["project", "migrate", "p"]).exception)
    finally:
        services.resources().store.close()
        services.resources.cache_clear()
