"""Scorecards: how each person works in each stage, for leads; and the pay sheet.

``cards`` computes pace, agreement with peers and seniors, skips and their change over time, from submissions.
``pay_sheet`` adds up tasks and minutes. ``csv_tables`` writes both, and ``card_charts`` draws a person over time.
Nothing is stored, so a project is complete without this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.scorecards.pages import scorecard

    return (scorecard,)


def _commands() -> Sequence[Any]:
    from extensions.scorecards.commands import scorecard

    return (scorecard,)


def _figures() -> Sequence[Any]:
    from extensions.scorecards.cards import scorecards

    return (("scorecard", scorecards),)


EXTENSION = Extension(name="scorecards", title="Scorecards", pages=_pages, commands=_commands, figures=_figures)
