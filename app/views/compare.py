"""Comparison: say which of two models' answers is better without knowing the models."""

from __future__ import annotations

from app.screens import Screen
from app.services import Services
from app.workbench import stages
from domain.states import Stage

SCREEN = Screen("Compare", place=91, stage=Stage.COMPARISON)


def render(services: Services) -> None:
    """The working page of this stage."""
    stages.rate(services, Stage.COMPARISON)
