"""Privacy: find faces and number plates in pictures and clips, let leads decide what to cover, and cover it.

``cascades`` and ``tracks`` propose boxes for pictures and clips; ``detection`` runs them over a project. ``marks`` has
what leads mark on the page before they press *Cover*, and ``decisions`` what was decided. ``covering`` applies
decisions: ``covered_files`` makes the new files with ``covered_image`` and ``covered_clip``, and from then on everyone
gets these. ``sheet`` and ``decision_tables`` are for leads who decide in a table.

Marks and decisions are events of the project. Core shows the covered files, and gives them to people who import an
original again (``workflow.access.withheld_files``), also without this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.privacy.pages import privacy

    return (privacy,)


def _commands() -> Sequence[Any]:
    from extensions.privacy.commands import privacy

    return (privacy,)


def _routes() -> Sequence[Any]:
    from extensions.privacy import uncovered_route

    return (uncovered_route,)


def _jobs() -> Sequence[Any]:
    from extensions.privacy.page_work import COVERING, DETECTION

    return DETECTION, COVERING


EXTENSION = Extension(
    name="privacy",
    title="Privacy",
    pages=_pages,
    commands=_commands,
    routes=_routes,
    jobs=_jobs,
    home_folders=lambda: ("privacy",),
    web=Path(__file__).parent / "web",
)
