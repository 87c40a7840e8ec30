"""The second stage of verification: vote, blind, on items that the first has kept."""

from __future__ import annotations

from app.screens import Screen
from app.services import Services
from app.workbench import stages
from domain.states import Stage

SCREEN = Screen("Verify 2", place=52, stage=Stage.VERIFICATION_2)


def render(services: Services) -> None:
    """The working page of this stage."""
    stages.rate(services, Stage.VERIFICATION_2)
