"""The register of what extensions add to the page *My work*, and to the line on top of working pages.

Extensions register both in ``domain.extensions.Extension.my_work_sections`` and ``topline_notes``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.services import Services
from domain import extensions
from domain.records import ProjectView


@dataclass(frozen=True)
class MyWorkSection:
    """What an extension draws on the page *My work*."""

    top: Callable[[Services], None] | None = None
    """Draws above the person's projects."""
    project: Callable[[Services, ProjectView], None] | None = None
    """Draws below the title of each project in use."""


def draw_top(services: Services) -> None:
    """Draw what extensions add above the projects."""
    for section in extensions.rows("my_work_sections"):
        if section.top is not None:
            section.top(services)


def draw_in_project(services: Services, view: ProjectView) -> None:
    """Draw what extensions add below the title of a project."""
    for section in extensions.rows("my_work_sections"):
        if section.project is not None:
            section.project(services, view)


def topline_notes(services: Services, zone: str | None) -> list[str]:
    """Return what extensions say on top of working pages. ``zone`` is the time zone of the browser."""
    notes = (note(services, zone) for note in extensions.rows("topline_notes"))
    return [words for words in notes if words is not None]
