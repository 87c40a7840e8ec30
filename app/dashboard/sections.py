"""The register of the sections that extensions add to the page *Dashboard*."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from domain import extensions

if TYPE_CHECKING:
    from app.services import Services
    from domain.records import ProjectView


@dataclass(frozen=True)
class DashboardSection:
    """A section of the page *Dashboard*."""

    draw: Callable[[Services, ProjectView], None]
    on_top: bool = False
    """Whether the section stands above the table of dimensions. Other sections stand below the forecasts."""


def draw_sections(services: Services, view: ProjectView, *, on_top: bool) -> None:
    """Draw the sections of all extensions at one of the two places."""
    for section in extensions.rows("dashboard_sections"):
        if section.on_top == on_top:
            section.draw(services, view)
