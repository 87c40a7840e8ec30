"""Former names of commands: they do the same, and a warning on standard error names the new one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app import services
from app.cli import cli, command
from app.commands.old_names import NEW_NAMES
from testkit.serving import touchstone


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CliRunner]:
    """The command in this process, on an empty home."""
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    services.resources.cache_clear()
    yield CliRunner()
    services.resources().store.close()
    services.resources.cache_clear()


@pytest.mark.parametrize("new", sorted(set(NEW_NAMES.values())))
def test_the_new_names_are_those_of_commands_with_these_options(new: str) -> None:
    found: Any = command()
    options: list[str] = []
    for word in new.split():
        if hasattr(found, "commands"):
            assert word in found.commands, f"there is no command {new!r}"
            found = found.commands[word]
        elif word.startswith("--"):
            options.append(word)
    known = {name for param in getattr(found, "params", ()) for name in (*param.opts, *param.secondary_opts)}
    assert {*options} <= known


def test_a_former_name_prints_and_ends_as_the_new_one(home: Path) -> None:
    for old, new in (
        (["schema", "json-schema"], ["schema", "show", "--json-schema"]),
        (["people", "list"], ["person", "list"]),
        (["exposure", "nowhere"], ["exposure", "check", "nowhere"]),
        (["import", "nowhere", "csv", "x.csv"], ["item", "import", "nowhere", "csv", "x.csv"]),
        (["items", "nowhere", "--odd"], ["item", "list", "nowhere", "--odd"]),
    ):
        before, after = touchstone(*old, home=home), touchstone(*new, home=home)
        assert (before.stdout, before.returncode) == (after.stdout, after.returncode)
        warning, rest = before.stderr.split("\n", 1)
        assert warning.startswith("touchstone: `touchstone ")
        assert warning.endswith(". The old name still works.")
        assert rest == after.stderr


def test_values_move_to_where_the_new_name_takes_them(run: CliRunner) -> None:
    run.invoke(cli, ["project", "create", "ego", "--schema", "egothink"])
    done = run.invoke(cli, ["project", "rename", "ego", "Two words"])
    assert done.stdout == "The title of ego is now Two words.\n"
    assert done.stderr.startswith(
        "touchstone: `touchstone project rename` is now `touchstone project edit PROJECT --title`."
    )
    assert run.invoke(cli, ["project", "archive", "ego"]).stdout.startswith("ego is archived.")
    run.invoke(cli, ["project", "unarchive", "ego"])
    lines = run.invoke(cli, ["run", "sample", "ego"]).stdout.splitlines()
    assert lines == [
        "New grading tasks: 0.",
        "Answers open to people: 0 of 0; 0 graded by 3 people, 0 begun, 0 untouched.",
    ]


def test_a_former_command_that_is_now_a_noun(run: CliRunner) -> None:
    done = run.invoke(cli, ["agreement", "--ratings", "gone.csv"])
    assert "`touchstone agreement` is now `touchstone agreement show`" in done.stderr
    for new in (["agreement", "show", "--ratings", "gone.csv"], ["agreement", "--help"], ["agreement"]):
        assert "is now" not in run.invoke(cli, new).stderr
