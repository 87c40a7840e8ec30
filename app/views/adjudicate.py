"""The page *Adjudication*: settle the items that the votes left open."""

from __future__ import annotations

from app.screens import Screen
from app.services import Services
from app.workbench import stages
from domain.roles import Role
from domain.states import Stage

SCREEN = Screen("Adjudicate", place=70, stage=Stage.ADJUDICATION, role=Role.SENIOR)


def render(services: Services) -> None:
    """Draw the working page of adjudication."""
    stages.rate(services, Stage.ADJUDICATION)
