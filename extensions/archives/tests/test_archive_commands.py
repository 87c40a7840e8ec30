"""``touchstone project export``, ``import``, ``clone`` and ``delete``."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app import services
from app.cli import cli
from domain.errors import TouchstoneError
from workflow.access import audit


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


@pytest.mark.thorough
def test_a_project_out_and_in_and_next_to_itself(run: CliRunner, tmp_path: Path) -> None:
    archive, who = str(tmp_path / "ego.zip"), tmp_path / "who.csv"
    out = run.invoke(cli, ["project", "export", "ego", "--out", archive])
    assert "ego.zip: 0 items, 0 submissions, 1 member, 0 runs" in out.output
    assert (tmp_path / "ego.zip").stat().st_mode & 0o077 == 0  # for its owner alone
    who.write_text("login,account\nlea,\n")
    for given, told in (
        (["import", archive], "Another project has the ID 'ego'"),
        (["import", archive, "--name", "two"], "lea (Lea in the archive, Lea on this server)"),
        (["import", archive, "--name", "two", "--people", "map"], "Use --people map and --map FILE.csv together"),
        (["import", archive, "--name", "a/b"], "up to 64 letters"),
        (["export", "ego", "--out", archive], "already exists"),
        (["clone", "ego", "two", "--without", "votes,times"], "--without times: unknown part"),
        (["clone", "nothing", "two"], "There is no project 'nothing'"),
    ):
        assert told in str(run.invoke(cli, ["project", *given]).exception), given
    mapped = ["project", "import", archive, "--name", "two", "--people", "map", "--map", str(who)]
    assert "1 new account (lea-2)" in run.invoke(cli, mapped).output
    copied = run.invoke(cli, ["project", "clone", "ego", "three", "--without", "people", "--without", "runs,votes"])
    assert "Imported the project three: 0 items, 0 submissions, 0 members" in copied.output
    listed = run.invoke(cli, ["project", "list"]).output
    assert sorted(line.split()[0] for line in listed.splitlines() if "egothink" in line) == ["ego", "three", "two"]


def test_a_project_is_deleted_by_its_name(run: CliRunner) -> None:
    def said(*given: str, typed: str | None = None) -> str:
        done = run.invoke(cli, ["project", *given], input=typed)
        return str(done.exception) if isinstance(done.exception, TouchstoneError) else done.output

    for typed, told in (
        ("", "You typed no project ID. Nothing was deleted."),
        ("Ego\n", "To delete the project, type the project ID, ego."),
    ):
        assert told in said("delete", "ego", typed=typed or "\n")
    assert "To delete the project, type the project ID, ego." in said("delete", "ego", "--yes", "two")
    gone = said("delete", "ego", typed="ego\n")
    assert "0 items, 0 submissions, 0 answers, 1 membership, 0 images and clips that no other project has" in gone
    assert "ego is deleted" in gone
    assert "There is no project 'ego'" in said("delete", "ego", "--yes", "ego")
    (entry,) = audit.entries(services.resources().store, by=None, project=None, kinds=["project.deleted"])
    assert entry.data["name"] == "ego"
