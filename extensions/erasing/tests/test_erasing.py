"""Erasing a person: who they were stands nowhere any more, and what they submitted counts as it did."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError
from typer.testing import CliRunner

from app.cli import cli
from app.services import resources
from db import engine
from db.engine import Store
from db.tables import metadata
from domain.errors import ConflictError, InvalidInputError, NotFoundError
from domain.roles import Role
from domain.states import Stage
from extensions.erasing import erasing
from media.store import MediaStore
from testkit import released
from testkit.factories import make_person, make_project
from testkit.released import needs_replay, replay
from tests.workflow.whole_project import build
from workflow.access import accounts, memberships, sign_in
from workflow.access.projects import access_to
from workflow.files.gate_counts import gates
from workflow.files.project_check import check
from workflow.releases.evidence import names_in

pytestmark = [pytest.mark.both_databases, pytest.mark.thorough]


def everywhere(store: Store, *words: str) -> list[tuple[str, str]]:
    """Each table and column in which one of these words stands, alone or in a longer text."""
    found = []
    with store.read() as session:
        for table in metadata.tables.values():
            for row in session.connection().execute(select(table)).mappings():
                told = {name: str(value) for name, value in row.items()}
                found += [(table.name, name) for name, value in told.items() if any(word in value for word in words)]
    return sorted({*found})


def in_files(store: Store, *words: str) -> list[tuple[str, str]]:
    """Each file of SQLite's in which one of these words stands, in whatever part of it."""
    path = Path(str(store.engine.url.database))
    there = {each.name: each.read_bytes() for each in path.parent.glob(f"{path.name}*")}
    return [(name, word) for name, content in there.items() for word in words if word.encode() in content]


def votes(store: Store) -> list[Any]:
    of = metadata.tables["annotation"]
    with store.read() as session:
        return [tuple(row) for row in session.connection().execute(select(of).order_by(of.c.id))]


@pytest.fixture
def whole(store: Store, home: Path) -> Store:
    """The project with something in every table; its senior is called so that no word of it is another one's."""
    build(store, MediaStore(home / "media"), home)
    with store.write() as session:
        for change in (
            "person SET login = 'zenobia', name = 'Zenobia Quux' WHERE login = 'sen'",
            "bridge_person SET email = 'zenobia@quux.example'",
            "imported_rating SET rater = 'zenobia'",
            "file_rater SET name = 'zenobia'",
        ):
            session.connection().execute(text(f"UPDATE {change}"))
    accounts.set_password(store, login="zenobia", password="a long password")
    sign_in.make_sign_in_link(store, person=accounts.find_person(store, login="zenobia"), hours=1)
    memberships.set_member(store, by=None, project="p", login="zenobia", role=Role.SENIOR)  # the log names her
    return store


@needs_replay
def test_nothing_says_who_it_was_and_everything_counts(whole: Store, tmp_path: Path) -> None:
    store, said = whole, votes(whole)
    released.release(store, tmp_path / "before")
    named = names_in(store, project="p", release="p/1")
    with store.read() as session:
        gone_through = gates(session, access=access_to(session, person=None, project="p"))
    problems = check(store, project="p")
    before = everywhere(store, "zenobia", "Zenobia")
    assert {("person", "login"), ("bridge_person", "email"), ("event", "data"), ("file_rater", "name")} <= {*before}

    if store.is_sqlite:
        assert ("touchstone.db-wal", "zenobia") in in_files(store, "zenobia")
    done = erasing.erase(store, login="Zenobia", typed="zenobia")
    assert done.traces == ""
    assert everywhere(store, "zenobia", "Zenobia", "quux") == []
    if store.is_sqlite:
        assert in_files(store, "zenobia", "Zenobia", "quux") == []
    assert done.projects == ("p",)
    assert votes(store) == said
    with store.read() as session:
        assert gates(session, access=access_to(session, person=None, project="p")) == gone_through
    assert check(store, project="p") == problems
    members = memberships.list_members(store, person=None, project="p")
    assert [each.person.login for each in members] == ["ann", "bob", "cat", "lea"]
    assert replay(tmp_path / "before").ok  # on its own
    again = names_in(store, project="p", release="p/1")
    differing = [id for id in named if named[id] != again[id]]
    assert len(differing) == 1, "her key is gone, and no one else's"
    with pytest.raises(NotFoundError):
        accounts.find_person(store, login="zenobia")
    with pytest.raises(ConflictError, match="erased"):
        erasing.erase(store, login=done.login, typed=done.login)
    with pytest.raises(DBAPIError, match="append-only"), store.write() as session:
        session.connection().execute(text("UPDATE event SET kind = 'x'"))


def test_no_one_is_erased_by_mistake(store: Store) -> None:
    make_project(store)
    make_person(store, "lea", role=Role.LEAD)
    make_person(store, "ann")
    accounts.create_person(store, login="root", name="Root", is_admin=True)
    with pytest.raises(ConflictError, match="last active admin"):
        erasing.erase(store, login="root", typed="root")
    with pytest.raises(ConflictError, match="last active lead of 'p'"):
        erasing.erase(store, login="lea", typed="lea")
    with pytest.raises(InvalidInputError, match="'anne' is not the login 'ann'"):
        erasing.erase(store, login="ann", typed="anne")
    with pytest.raises(NotFoundError, match="'nobody'"):
        erasing.erase(store, login="nobody", typed="nobody")
    assert {each.login for each in accounts.active_accounts(store)} == {"ann", "lea", "root"}
    make_person(store, "lou", role=Role.LEAD)
    assert erasing.erase(store, login="lea", typed="lea").projects == ("p",)


@pytest.mark.one_database
def test_the_command_asks_for_the_login(store: Store, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    make_project(store)
    make_person(store, "ann", stages=[Stage.VERIFICATION])
    store.close()
    resources.cache_clear()  # another test of this process may have opened other ones
    run = CliRunner().invoke
    nothing = run(cli, ["person", "delete", "ann"], input="\n")
    assert nothing.exit_code
    assert "Nothing was erased" in str(nothing.exception) + nothing.output
    other = run(cli, ["person", "delete", "ann"], input="bob\n")
    assert other.exit_code
    done = run(cli, ["person", "delete", "ann"], input="ann\n")
    assert done.exit_code == 0, done.output
    assert "now belong to erased-" in done.output
    assert "ann" not in run(cli, ["person", "list"]).output
    resources.cache_clear()


@pytest.mark.one_database
def test_names_in_parts_of_the_file_that_are_free_go_too(store: Store) -> None:
    """Rows that were changed, deleted and moved by others leave pieces behind; an older version left all of them."""
    make_project(store)
    make_person(store, "ann")
    with store.write() as session:
        session.connection().exec_driver_sql("PRAGMA secure_delete = OFF")
        for number in range(400):
            session.connection().exec_driver_sql(
                "INSERT INTO failed_login (login, at) VALUES (?, '2026-01-01 00:00:00.000000')",
                (f"zenobia {'quux ' * (number % 50)}",),
            )
        session.connection().exec_driver_sql("DELETE FROM failed_login WHERE id % 3 > 0")
        session.connection().exec_driver_sql("UPDATE failed_login SET login = 'x' WHERE login LIKE 'zenobia%'")
    with store.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    assert ("touchstone.db", "zenobia") in in_files(store, "zenobia")
    erasing.erase(store, login="ann", typed="ann")
    assert in_files(store, "zenobia", "quux") == []


@pytest.mark.one_database
def test_a_file_that_someone_reads_meanwhile_is_written_anew_later(
    store: Store, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    monkeypatch.setattr(engine, "_BUSY_SECONDS", 0.05)
    make_project(store)
    make_person(store, "zenobia")
    store.close()
    resources.cache_clear()
    run = CliRunner().invoke
    with sqlite3.connect(home / "touchstone.db", isolation_level=None) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM person").fetchone()
        done = run(cli, ["person", "delete", "zenobia", "--yes", "zenobia"])
        assert done.exit_code
        assert "may still contain the name" in str(done.exception)
        left = re.search(r"erased-\d+", str(done.exception))
        assert left is not None
        other.execute("COMMIT")
    other.close()
    again = run(cli, ["person", "delete", left[0]])
    assert again.exit_code == 0, again.output
    assert in_files(resources().store, "zenobia") == []
    resources.cache_clear()
