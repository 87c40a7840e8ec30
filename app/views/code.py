"""Coding: say what is wrong with models' answers without knowing the model."""

from __future__ import annotations

from app.screens import Screen
from app.services import Services
from app.workbench import stages
from domain.states import Stage

SCREEN = Screen("Code", place=92, stage=Stage.CODING)


def render(services: Services) -> None:
    """The working page of this stage."""
    stages.rate(services, Stage.CODING)
