"""The page *Answering*: people answer the items themselves, as models do."""

from __future__ import annotations

from app.screens import Screen
from app.services import Services
from app.workbench import stages
from domain.states import Stage

SCREEN = Screen("Answer", place=85, stage=Stage.ANSWERING)


def render(services: Services) -> None:
    """Draw the working page of answering."""
    stages.rate(services, Stage.ANSWERING)
