"""The page *Comparison*: choose the better of two models' answers without seeing the models' names."""

from __future__ import annotations

from app.screens import Screen
from app.services import Services
from app.workbench import stages
from domain.states import Stage

SCREEN = Screen("Compare", place=91, stage=Stage.COMPARISON)


def render(services: Services) -> None:
    """Draw the working page of comparison."""
    stages.rate(services, Stage.COMPARISON)
