"""The page *Verification*: vote on items, without seeing other votes."""

from __future__ import annotations

from app.screens import Screen
from app.services import Services
from app.workbench import stages
from domain.states import Stage

SCREEN = Screen("Verify", place=50, stage=Stage.VERIFICATION)


def render(services: Services) -> None:
    """Draw the working page of verification."""
    stages.rate(services, Stage.VERIFICATION)
