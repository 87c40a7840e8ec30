"""The page *Refinement*: look for second right answers."""

from __future__ import annotations

from app.screens import Screen
from app.services import Services
from app.workbench import stages
from domain.states import Stage

SCREEN = Screen("Refine", place=80, stage=Stage.REFINEMENT)


def render(services: Services) -> None:
    """Draw the working page of refinement."""
    stages.rate(services, Stage.REFINEMENT)
