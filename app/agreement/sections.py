"""The register of the folded sections that extensions add to the page *Agreement*."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from app.widgets.folds import fold
from domain import extensions

if TYPE_CHECKING:
    from app.services import Services
    from domain.records import ProjectView

OPENED = "section"
"""The parameter of the address with the name of a section that is open at first."""


@dataclass(frozen=True)
class AgreementSection:
    """A folded section of the page *Agreement*."""

    name: str
    """The name in addresses (``OPENED``)."""
    title: str
    draw: Callable[[Services, ProjectView], None]
    """Draws the content. Called only while the section is open."""
    about: Callable[[Services, ProjectView], str | None]
    """Returns a few words about the content, or None if there is nothing to show yet."""


def draw_sections(services: Services, view: ProjectView) -> None:
    """Draw the sections of all extensions that have something to show."""
    for section in extensions.rows("agreement_sections"):
        about = section.about(services, view)
        asked = st.query_params.get(OPENED) == section.name
        if about is None and not asked:
            continue
        place = fold(section.title, about or "", key=f"agreement.section.{section.name}", expanded=asked)
        if place is not None:
            with place:
                section.draw(services, view)
