"""The second stage of verification: vote on items that the first stage has kept, without seeing other votes."""

from __future__ import annotations

from app.screens import Screen
from app.services import Services
from app.workbench import stages
from domain.states import Stage

SCREEN = Screen("Verify 2", place=52, stage=Stage.VERIFICATION_2)


def render(services: Services) -> None:
    """Draw the working page of the second stage of verification."""
    stages.rate(services, Stage.VERIFICATION_2)
