"""The section *Before people begin* of the page *Dashboard*."""

from __future__ import annotations

import streamlit as st

from app import shell
from app.dashboard.sections import DashboardSection, SectionPlace
from app.releasing import checklist
from app.services import Services
from domain.records import ProjectView
from extensions.planner import setup_steps


def draw(services: Services, view: ProjectView) -> None:
    """Draw the first steps of a new project. A lead can hide them for good."""
    steps = setup_steps.before_start(services.store, by=services.person, project=view.name)
    if steps is None:
        return
    shell.section("Before people begin")
    checklist.show(steps, view.name)

    def hide() -> None:
        with shell.pressed(services):
            setup_steps.hide(services.store, by=services.person, project=view.name)

    st.button("Hide this list", key="checklist.hide", type="tertiary", on_click=hide)


SECTION = DashboardSection(draw, SectionPlace.TOP)
