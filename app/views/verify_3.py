"""The third stage of verification: vote on items that the second stage has kept, without seeing other votes."""

from __future__ import annotations

from app.screens import Screen
from app.services import Services
from app.workbench import stages
from domain.states import Stage

SCREEN = Screen("Verify 3", place=54, stage=Stage.VERIFICATION_3)


def render(services: Services) -> None:
    """Draw the working page of the third stage of verification."""
    stages.rate(services, Stage.VERIFICATION_3)
