"""Adjudication reasons: why seniors had to settle items, as a list to work off, and why verifiers skipped.

Core counts the reasons (``workflow.lead.adjudication_reasons``), for the guideline and for *Agreement*. The page
*Adjudication reasons* draws them with the items behind them (``settled_item``); ``reason_overview`` writes them, also
for ``touchstone reasons``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.adjudication_reasons.pages import adjudication_reasons

    return (adjudication_reasons,)


def _commands() -> Sequence[Any]:
    from extensions.adjudication_reasons.commands import reasons

    return (reasons,)


def _figures() -> Sequence[Any]:
    from extensions.adjudication_reasons.reason_overview import overview

    return (("reasons", overview),)


def _former_classes() -> Sequence[Any]:
    from extensions.adjudication_reasons.reason_overview import Overview

    return (("workflow.lead.adjudication_reasons", "Overview", Overview),)


EXTENSION = Extension(
    name="adjudication_reasons",
    title="Adjudication reasons",
    pages=_pages,
    commands=_commands,
    figures=_figures,
    former_classes=_former_classes,
)
