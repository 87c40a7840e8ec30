"""``touchstone labelstudio``: work that people do on the screens of a Label Studio server."""

from __future__ import annotations

import typer

labelstudio = typer.Typer(help="Label Studio as a second front end.", no_args_is_help=True)


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    from app.commands import labelstudio_backend

    labelstudio_backend.register(labelstudio)
    cli.add_typer(labelstudio, name="labelstudio")
