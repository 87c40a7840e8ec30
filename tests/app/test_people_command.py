"""``touchstone people password``: typed, never an argument."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app import services
from app.cli import cli
from db.engine import open_store
from domain.errors import NotAllowed, NotFound
from workflow.access import accounts, sign_in


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CliRunner]:
    """The command in this process, on an empty home."""
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    services.resources.cache_clear()
    yield CliRunner()
    services.resources().store.close()
    services.resources.cache_clear()


def test_a_password_is_typed_twice_and_ends_the_sessions(run: CliRunner, home: Path) -> None:
    assert run.invoke(cli, ["people", "add", "ana", "--name", "Ana"]).exit_code == 0
    store = open_store(None, home)
    ana = accounts.find_person(store, login="ana")
    token = sign_in.start_session(store, person=ana)
    typed = "correct horse battery\n"
    done = run.invoke(cli, ["people", "password", "ana"], input=typed + typed)
    assert done.exit_code == 0, done.output
    assert "correct horse" not in done.output
    assert sign_in.signed_in(store, token=token) is None
    assert sign_in.authenticate(store, login="ana", password=typed.strip()) == ana
    with pytest.raises(NotAllowed):
        sign_in.authenticate(store, login="ana", password="another one")
    store.close()


def test_no_one_gets_no_password(run: CliRunner) -> None:
    done = run.invoke(cli, ["people", "password", "nobody"])
    assert isinstance(done.exception, NotFound)


def test_an_account_for_a_project_that_is_not_there_is_not_made(run: CliRunner, home: Path) -> None:
    done = run.invoke(cli, ["people", "add", "bo", "--project", "nothing"])
    assert isinstance(done.exception, NotFound)
    store = open_store(None, home)
    assert accounts.active_accounts(store) == []
    store.close()
