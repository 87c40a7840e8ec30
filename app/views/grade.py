"""Grading: grade models' answers without knowing the model."""

from __future__ import annotations

from app.screens import Screen
from app.services import Services
from app.workbench import stages
from domain.states import Stage

SCREEN = Screen("Grade", place=90, stage=Stage.GRADING)


def render(services: Services) -> None:
    """The working page of this stage."""
    stages.rate(services, Stage.GRADING)
