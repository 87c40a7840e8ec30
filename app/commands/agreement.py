"""Subcommands."""

from __future__ import annotations

import typer


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
