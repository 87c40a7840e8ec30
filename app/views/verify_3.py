"""The third stage of verification: vote, blind, on items that the second has kept."""

from __future__ import annotations

from app.screens import Screen
from app.services import Services
from app.workbench import stages
from domain.states import Stage

SCREEN = Screen("Verify 3", place=54, stage=Stage.VERIFICATION_3)


def render(services: Services) -> None:
    """The working page of this stage."""
    stages.rate(services, Stage.VERIFICATION_3)
