"""The register of the sections that extensions add to the page *Dashboard*."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from domain import extensions

if TYPE_CHECKING:
    from app.services import Services
    from domain.records import ProjectView


class SectionPlace(StrEnum):
    """The places on the page *Dashboard* where sections of extensions stand."""

    TOP = "top"
    """Above the table of dimensions."""
    UPPER = "upper"
    """Below the table of dimensions."""
    MIDDLE = "middle"
    """Below these, above the people."""
    END = "end"
    """Below the people."""


@dataclass(frozen=True)
class DashboardSection:
    """A section of the page *Dashboard*."""

    draw: Callable[[Services, ProjectView], None]
    place: SectionPlace = SectionPlace.MIDDLE


def draw_sections(services: Services, view: ProjectView, *, place: SectionPlace) -> None:
    """Draw the sections of all extensions at one place."""
    for section in extensions.rows("dashboard_sections"):
        if section.place is place:
            section.draw(services, view)
