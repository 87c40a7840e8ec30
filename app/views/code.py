"""The page *Coding*: code the faults in models' answers without seeing the model's name."""

from __future__ import annotations

from app.screens import Screen
from app.services import Services
from app.workbench import stages
from domain.states import Stage

SCREEN = Screen("Code", place=92, stage=Stage.CODING)


def render(services: Services) -> None:
    """Draw the working page of coding."""
    stages.rate(services, Stage.CODING)
