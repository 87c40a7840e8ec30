"""``touchstone person edit --password``: typed, never an argument."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from app import services
from app.cli import cli
from db.engine import open_store
from domain.errors import AlreadyTakenError, InvalidFileError, InvalidInputError, NotAllowedError, NotFoundError
from domain.records import MemberSettings
from domain.roles import Role
from importers.people_files import read_parts
from workflow.access import accounts, memberships, projects, sign_in


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CliRunner]:
    """The command in this process, on an empty home."""
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    services.resources.cache_clear()
    yield CliRunner()
    services.resources().store.close()
    services.resources.cache_clear()


def test_a_password_is_typed_twice_and_ends_the_sessions(run: CliRunner, home: Path) -> None:
    assert run.invoke(cli, ["person", "create", "ana", "--name", "Ana"]).exit_code == 0
    store = open_store(None, home)
    ana = accounts.find_person(store, login="ana")
    token = sign_in.start_session(store, person=ana)
    typed = "correct horse battery\n"
    done = run.invoke(cli, ["person", "edit", "--password", "ana"], input=typed + typed)
    assert done.exit_code == 0, done.output
    assert "correct horse" not in done.output
    assert sign_in.signed_in(store, token=token) is None
    assert sign_in.authenticate(store, login="ana", password=typed.strip()) == ana
    with pytest.raises(NotAllowedError):
        sign_in.authenticate(store, login="ana", password="another one")
    store.close()


def test_no_one_gets_no_password(run: CliRunner) -> None:
    done = run.invoke(cli, ["person", "edit", "--password", "nobody"])
    assert isinstance(done.exception, NotFoundError)


def test_an_account_for_a_project_that_is_not_there_is_not_made(run: CliRunner, home: Path) -> None:
    done = run.invoke(cli, ["person", "create", "bo", "--project", "nothing"])
    assert isinstance(done.exception, NotFoundError)
    store = open_store(None, home)
    assert accounts.active_accounts(store) == []
    store.close()


def test_someone_with_an_account_is_given_a_part_in_a_further_project(project: CliRunner) -> None:
    done = project.invoke(cli, ["person", "create", "bo", "--project", "ego", "--role", "senior"])
    assert isinstance(done.exception, AlreadyTakenError)
    (way,) = re.findall("touchstone (person assign .*)\\.", str(done.exception))
    assert project.invoke(cli, way.split()).exit_code == 0


@pytest.fixture
def project(run: CliRunner, home: Path, sqlite_template: Path) -> CliRunner:
    """A project of the schema ``egothink`` with a lead, and two accounts without a part in it."""
    shutil.copyfile(sqlite_template, home / "touchstone.db")
    store = open_store(None, home)
    projects.create_project(store, name="ego", loaded=load_schema(shipped()["egothink"]))
    for login in ("lea", "bo", "cy"):
        accounts.create_person(store, login=login, name=login)
    memberships.set_member(store, by=None, project="ego", login="lea", role=Role.LEAD)
    store.close()
    return run


def parts(run: CliRunner) -> list[str]:
    """The lines of ``person list ego`` that name someone, without the padding."""
    told = run.invoke(cli, ["person", "list", "ego"]).output.splitlines()
    return [" ".join(line.split()) for line in told if ";" in line]


def test_accounts_get_a_part_in_a_project_by_name_and_out_of_a_file(project: CliRunner, tmp_path: Path) -> None:
    done = project.invoke(
        cli,
        ["person", "assign", "ego", "BO", "--role", "annotator", "--stage", "verification", "--dimension", "counting"],
    )
    assert done.exit_code == 0, done.output
    assert "bo annotator counting; verification (bo)" in parts(project)
    sheet = tmp_path / "people.csv"
    sheet.write_text("login,role,stages\nbo,senior,authoring; verification\ncy,lead,\nlea,annotator,\n")
    done = project.invoke(cli, ["person", "assign", "ego", "--file", str(sheet)])
    assert done.exit_code == 0, done.output
    assert parts(project) == [
        "bo senior all dimensions; authoring, verification (bo)",
        "cy lead all dimensions; all stages (cy)",
        "lea annotator all dimensions; all stages (lea)",  # its lead changed in one go
    ]
    assert project.invoke(cli, ["person", "assign", "ego", "bo", "lea", "--remove"]).exit_code == 0
    assert parts(project) == ["cy lead all dimensions; all stages (cy)"]


BAD = [
    (["bo"], "The role is missing"),
    (["bo", "--remove", "--role", "lead"], "With --remove, omit --role, --dimension and --stage."),
    ([], "Specify people"),
    (["bo", "lea", "--role", "annotator"], "lea is the last active lead"),
]
BAD_PARTS = [
    ([MemberSettings("bo", Role.LEAD), MemberSettings("dan", Role.LEAD)], "No account has the login 'dan'"),
    ([MemberSettings("bo", Role.LEAD, ["nowhere"])], "no dimension 'nowhere'"),
    ([MemberSettings("bo", Role.LEAD), MemberSettings("bo", Role.SENIOR)], "'bo' is listed twice"),
]
BAD_FILES = [
    ("login,role\nbo,verifier\n", "people.csv, row 2: 'verifier' is not a role; use one of annotator, senior, lead"),
    ("login,stages\nbo,\n", "row 2: the role is missing; add a role"),
    ("login,role,stages\nbo,lead,voting\n", "row 2: 'voting' is not a stage"),
    ("who,role\nbo,lead\n", "row 1: the header must contain each column exactly once: login, and optionally role"),
    ("login,role\nbo\n", "row 2: the row has 1 cell, but the header has 2"),
    ("login,role\n", "has only a header"),
]


def test_a_part_that_does_not_fit_changes_nothing(project: CliRunner, home: Path, tmp_path: Path) -> None:
    for given, told in BAD:
        done = project.invoke(cli, ["person", "assign", "ego", *given])
        assert told in str(done.exception), given
    store = services.resources().store
    for wrong, told in BAD_PARTS:
        with pytest.raises(InvalidInputError, match=told):
            memberships.set_parts(store, by=None, project="ego", parts=wrong)
    with pytest.raises(
        InvalidInputError, match=r"'bo' is not a member of the project 'ego'\. Check the login\. Nothing was changed"
    ):
        memberships.remove_members(store, by=None, project="ego", logins=["lea", "bo"])
    assert [each.person.login for each in memberships.list_members(store, person=None, project="ego")] == ["lea"]
    sheet = tmp_path / "people.csv"
    for text, told in BAD_FILES:
        sheet.write_text(text)
        with pytest.raises(InvalidFileError, match=told):
            read_parts(sheet, role=None)
