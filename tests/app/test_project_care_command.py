"""``touchstone project edit``: the title, and archiving."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app import services
from app.cli import cli
from domain.errors import TouchstoneError


@pytest.fixture
def run(home: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CliRunner]:
    """The command in this process, on a home with an empty project and a lead."""
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    shutil.copyfile(sqlite_template, home / "touchstone.db")
    services.resources.cache_clear()
    runner = CliRunner()
    runner.invoke(cli, ["project", "create", "ego", "--schema", "egothink"])
    runner.invoke(cli, ["person", "create", "lea", "--name", "Lea", "--project", "ego", "--role", "lead"])
    yield runner
    services.resources().store.close()
    services.resources.cache_clear()


def test_a_project_renamed_archived_and_taken_back(run: CliRunner) -> None:
    def said(*given: str, typed: str | None = None) -> str:
        done = run.invoke(cli, ["project", *given], input=typed)
        return str(done.exception) if isinstance(done.exception, TouchstoneError) else done.output

    assert "The title of ego is now Öl & <b>." in said("edit", "ego", "--title", " Öl & <b> ")
    assert "Enter a name for the project." in said("edit", "ego", "--title", " ")
    assert "invisible character U+202E" in said("edit", "ego", "--title", "safe\u202egnp")
    assert "ego is archived." in said("edit", "ego", "--archive")
    assert "ego was archived already." in said("edit", "ego", "--archive")
    assert "Öl & <b>  (archived)" in said("list")
    assert "You can read and export everything" not in said("edit", "ego", "--unarchive")
    assert "ego is not archived, so there is nothing to restore." in said("edit", "ego", "--unarchive")
