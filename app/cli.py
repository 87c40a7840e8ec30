"""The ``touchstone`` command. Each module of ``app.commands`` adds its own subcommands in ``register(cli)``."""

from __future__ import annotations

import functools
import importlib
import sys

import typer
import typer.core
import typer.main

from domain.errors import TouchstoneError
from domain.origin import acting_from

COMMANDS = (
    "schema",
    "agreement",
    "calibrate",
    "results",
    "answers",
    "plan",
    "files",
    "serve",
    "run",
    "judge",
    "worker",
    "people",
    "demo",
    "check",
    "guideline",
    "qualify",
    "gold",
    "audit",
    "scorecard",
    "triage",
    "labelstudio",
)
"""Modules of ``app.commands``, in the order of ``touchstone --help``."""

cli = typer.Typer(
    name="touchstone",
    help="Human annotation, verification, and judge calibration for vision-language benchmarks.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

for _name in COMMANDS:
    importlib.import_module(f"app.commands.{_name}").register(cli)


@functools.cache
def command() -> typer.core.TyperGroup:
    """The command with all its subcommands, which takes a tenth of a second to put together."""
    made = typer.main.get_command(cli)
    assert isinstance(made, typer.core.TyperGroup)
    return made


def main() -> None:
    """Run the command; what a user can mend becomes one sentence on standard error and exit status 1."""
    try:
        with acting_from("command"):
            command()()
    except TouchstoneError as error:
        print(f"touchstone: {error}", file=sys.stderr)
        sys.exit(1)
