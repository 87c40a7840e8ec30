"""Draw the working pages: Streamlit brings the first page of a person, and the browser asks for the rest itself."""

from __future__ import annotations

import streamlit as st

from app import shell, sidebar
from app.services import Services
from app.workbench import lead_mode, lead_preview, page, preview, sent, wishes
from app.workbench.mount import workbench
from domain.records import ProjectView
from domain.states import Stage


def rate(services: Services, stage: Stage) -> None:
    """Draw the page of a stage: of authoring, or one in which people answer about existing items."""
    view = shell.project(services)
    if not lead_mode.is_at_work(services, view, stage):
        _preview(services, view, stage)
        return
    wish = {"dimension": st.query_params.get("dimension"), "zone": st.context.timezone}

    def make() -> page.Json:
        made = wishes.page_for(services, project=view.name, stage=stage, wish=wish)
        data = {**made, "menu": sidebar.everywhere(view)}
        sent.page(services, data)
        return data

    workbench(f"workbench.{stage}.{view.name}", make, lambda away: shell.guard(services, away=away))


def _preview(services: Services, view: ProjectView, stage: Stage) -> None:
    made_up = view.schema.schema_.dimensions[0].id
    lead_preview.draw(services, view, stage, lambda: preview.form(view.schema, stage, made_up, key=f"look.{stage}"))
