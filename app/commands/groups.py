"""Nouns of the command line, each with the subcommands that core and extensions add to it."""

from __future__ import annotations

from enum import StrEnum

import typer


class Panel(StrEnum):
    """The parts of ``touchstone --help``."""

    START = "Start"
    ITEMS = "Items"
    PEOPLE = "People"
    MODELS = "Models and judges"
    RESULTS = "Results"
    RELEASE = "Release"
    SERVER = "Server"


def find_group(cli: typer.Typer, name: str, panel: Panel | None = None, help: str | None = None) -> typer.Typer:
    """Return the group of subcommands with this name, and add it with its help if it is missing."""
    for group in cli.registered_groups:
        if group.name == name and group.typer_instance is not None:
            return group.typer_instance
    made = typer.Typer(no_args_is_help=True)
    cli.add_typer(made, name=name, help=help, rich_help_panel=panel or typer.models.Default(None))
    return made
