"""The page *Grading*: grade models' answers without seeing the model's name."""

from __future__ import annotations

from app.screens import Screen
from app.services import Services
from app.workbench import stages
from domain.states import Stage

SCREEN = Screen("Grade", place=90, stage=Stage.GRADING)


def render(services: Services) -> None:
    """Draw the working page of grading."""
    stages.rate(services, Stage.GRADING)
