"""Register the folded sections of the page *Overview*, and the rows that extensions add to *Waiting for you*."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from app import markup
from app.widgets.folds import folded
from domain import extensions

if TYPE_CHECKING:
    from app.services import Services
    from domain.records import ProjectView


class Chip(StrEnum):
    """Why something waits for a lead. The value is the word on the chip."""

    BLOCKING = "Blocking"
    """Work stops, or a release is refused, until someone acts."""
    BEHIND = "Behind"
    """Work continues and is not finished."""
    MISSING = "Missing"
    """A lead has not given something yet."""
    CHECK = "Check"
    """Something differs from the plan."""


@dataclass(frozen=True)
class WaitingRow:
    """Something that waits for a lead, with the button that does it or leads to it."""

    chip: Chip
    sentence: str
    label: str
    """The label of the button."""
    href: str
    detail: markup.Markup | None = None
    """Where it waits, below the sentence."""


@dataclass(frozen=True)
class DashboardSection:
    """A folded section of the page *Overview*, and its additions to the rest of the page."""

    name: str
    """The section's name in the address, which unfolds it."""
    title: str
    draw: Callable[[Services, ProjectView], None]
    place: int = 0
    """The order of sections."""
    shown: Callable[[ProjectView], bool] = lambda view: True
    """Whether this project has the section."""
    answer: Callable[[Services, ProjectView], str] | None = None
    """Returns a sentence that follows the number of kept items; may be empty."""
    waiting: Callable[[Services, ProjectView], Sequence[WaitingRow]] | None = None
    """Returns rows for *Waiting for you*."""


def of_project(view: ProjectView) -> list[DashboardSection]:
    """Return the sections that a project has, in order."""
    rows: Sequence[DashboardSection] = extensions.rows("dashboard_sections")
    return sorted((section for section in rows if section.shown(view)), key=lambda section: section.place)


def draw_folded(services: Services, view: ProjectView, section: DashboardSection) -> None:
    """Draw a section as a fold. Its content is computed only while the fold is open."""
    folded("overview", section.name, section.title, "", lambda: section.draw(services, view))
