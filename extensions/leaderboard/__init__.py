"""A leaderboard for people without an account, and entries: other teams' files of answers, held against the key.

``public_board`` says what a lead has chosen to show; ``entries`` takes a team's file, and ``entry_budget`` limits how
many a team may send in. Both are on the page *Leaderboard*; ``public_page`` and ``public_route`` serve what is public.
What was shown and taken is in events and runs of core, so a project is complete without this folder.
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
