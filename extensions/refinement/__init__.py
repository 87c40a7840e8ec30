"""Refinement: people look at models' answers for second right answers, and edit the items that have one.

``intake`` sends answers to the stage, from the section of the page *Overview* (``dashboard_section``) and from
``touchstone answer refine``. ``decisions`` stores what people decide and counts it, and ``stage_row`` is the record of
the stage.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.refinement.pages import refine

    return (refine,)


def _commands() -> Sequence[Any]:
    from extensions.refinement.commands import refine

    return (refine,)


def _stage_kinds() -> Sequence[Any]:
    from extensions.refinement.stage_row import ROW

    return (ROW,)


def _dashboard_sections() -> Sequence[Any]:
    from extensions.refinement.dashboard_section import SECTION

    return (SECTION,)


EXTENSION = Extension(
    name="refinement",
    title="Refinement",
    pages=_pages,
    commands=_commands,
    stage_kinds=_stage_kinds,
    dashboard_sections=_dashboard_sections,
)
