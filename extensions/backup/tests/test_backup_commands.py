"""``touchstone backup`` and ``touchstone restore``."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app import services
from app.cli import cli


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CliRunner]:
    """The command in this process, on a home with an empty project and a lead."""
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "old"))
    services.resources.cache_clear()
    runner = CliRunner()
    runner.invoke(cli, ["project", "create", "ego", "--schema", "egothink"])
    runner.invoke(cli, ["person", "create", "lea", "--name", "Lea", "--project", "ego", "--role", "lead"])
    yield runner
    services.resources().store.close()
    services.resources.cache_clear()


def test_out_and_into_an_empty_home(run: CliRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = str(tmp_path / "b.tar")
    out = run.invoke(cli, ["backup", file])
    assert "b.tar: 1 project, 1 account, 0 items, 0 submissions, 0 images and clips, 0." in out.output
    assert out.exit_code == 0
    assert "already exists" in str(run.invoke(cli, ["backup", file]).exception)
    assert "touchstone.db exists, so the home folder is in use" in str(run.invoke(cli, ["restore", file]).exception)
    services.resources().store.close()
    services.resources.cache_clear()
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "new"))
    done = run.invoke(cli, ["restore", file])
    assert "1 project, 1 account, 0 items" in done.output
    assert "Everyone must sign in again" in done.output
    assert "touchstone person delete" in done.output
    with closing(sqlite3.connect(tmp_path / "new/touchstone.db")) as connection:
        assert connection.execute("SELECT count(*) FROM jobs").fetchone() == (0,)  # not the backup itself
        (hashed,) = connection.execute("SELECT password_hash FROM person").fetchone()
    assert hashed is None or hashed not in out.output + done.output
    assert "All stored states match the votes." in run.invoke(cli, ["check", "--media"]).output
