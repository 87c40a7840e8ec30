"""The page *Arbitration*: settle the codes on which coders differ."""

from __future__ import annotations

from app.screens import Screen
from app.services import Services
from app.workbench import stages
from domain.roles import Role
from domain.states import Stage

SCREEN = Screen("Settle codes", place=94, stage=Stage.ARBITRATION, role=Role.SENIOR)


def render(services: Services) -> None:
    """Draw the working page of arbitration."""
    stages.rate(services, Stage.ARBITRATION)
