"""A leaderboard for people without an account, and entries: other teams' answers, scored against the key.

``public_board`` has the lead's choice of what to show. ``entries`` accepts a team's file, and ``entry_budget`` limits
the number of entries of a team. Both are on the page *Public board*. ``public_page`` and ``public_route`` serve the
public part. Published boards and accepted entries are events and runs of core, so a project is complete without this
folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.leaderboard.pages import leaderboard

    return (leaderboard,)


def _commands() -> Sequence[Any]:
    from extensions.leaderboard.commands import entries

    return (entries,)


def _routes() -> Sequence[Any]:
    from extensions.leaderboard import public_route

    return (public_route,)


def _figures() -> Sequence[Any]:
    from extensions.leaderboard.public_board import board

    return (("public", board),)


EXTENSION = Extension(
    name="leaderboard",
    title="Public leaderboard",
    pages=_pages,
    commands=_commands,
    routes=_routes,
    figures=_figures,
)
