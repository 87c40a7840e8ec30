"""Authoring: write items about images from the shared pool."""

from __future__ import annotations

from app.services import Services
from app.workbench import stages


def render(services: Services) -> None:
    """The working page of this stage."""
    stages.write(services)
