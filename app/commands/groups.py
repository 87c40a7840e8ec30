"""Groups of subcommands that several modules add to."""

from __future__ import annotations

import typer


def find_group(cli: typer.Typer, name: str) -> typer.Typer:
    """Return the group of subcommands with this name, and add it if it is missing."""
    for group in cli.registered_groups:
        if group.name == name and group.typer_instance is not None:
            return group.typer_instance
    made = typer.Typer(no_args_is_help=True)
    cli.add_typer(made, name=name)
    return made
