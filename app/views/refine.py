"""Refinement: look for second right answers beside a model's answer."""

from __future__ import annotations

from app.services import Services
from app.workbench import stages
from domain.states import Stage


def render(services: Services) -> None:
    """The working page of this stage."""
    stages.rate(services, Stage.REFINEMENT)
