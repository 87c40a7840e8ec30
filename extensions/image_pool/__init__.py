"""Image pool: leads fill the pool that authors pick from, and people keep or drop candidate images first (triage).

``upload_section`` is a part of the page *Add items*. ``touchstone pool import`` does the same on the server's machine.
``pool_groups`` adds the groups of files that ``media_groups`` reads. ``triage_decisions`` gives out candidates and
stores what people decide, ``triage_report`` and ``triage_figures`` count it, and ``dashboard_section`` shows the counts
to leads. ``stage_row`` is the record of the stage.

Authors pick images without this folder: ``workflow.annotate.image_pool`` of core takes an image out of everyone's pool
and begins the item. Decisions of triage are rows of ``db.candidate_images``, so archives and checks know them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.image_pool.pages import triage

    return (triage,)


def _commands() -> Sequence[Any]:
    from extensions.image_pool.commands import pool, triage

    return triage, pool


def _import_sections() -> Sequence[Any]:
    from extensions.image_pool import upload_section

    return ((upload_section.TITLE, upload_section.draw),)


def _dashboard_sections() -> Sequence[Any]:
    from extensions.image_pool.dashboard_section import SECTION

    return (SECTION,)


def _stage_kinds() -> Sequence[Any]:
    from extensions.image_pool.stage_row import ROW

    return (ROW,)


def _project_checks() -> Sequence[Any]:
    from extensions.image_pool.triage_figures import broken_rules

    return (broken_rules,)


EXTENSION = Extension(
    name="image_pool",
    title="Image pool",
    pages=_pages,
    commands=_commands,
    import_sections=_import_sections,
    dashboard_sections=_dashboard_sections,
    stage_kinds=_stage_kinds,
    project_checks=_project_checks,
)
