"""The page *Authoring*: write items about images from the shared pool."""

from __future__ import annotations

from app.screens import Screen
from app.services import Services
from app.workbench import stages
from domain.states import Stage

SCREEN = Screen("Author", place=40, stage=Stage.AUTHORING)


def render(services: Services) -> None:
    """Draw the working page of authoring."""
    stages.write(services)
