"""Put the builder on a page: for a new form in the whole window, or for the schema of a running project."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app.services import Services
from app.workbench import assets
from domain.errors import NotFoundError
from domain.records import ProjectView
from extensions.form_builder import actions, drafts, starts
from extensions.form_builder.form_state import catalog, published

_component = st.components.v2.component("touchstone_builder", js=assets.loader("builder"))


def draw_new(services: Services, begin: dict[str, str]) -> None:
    """Draw the builder for a new form. ``begin`` names the form to open at once."""
    opened = None
    if begin:
        try:
            opened = actions.open_form(services.store, services.person, begin)
        except NotFoundError:
            opened = None  # the draft became a project, or was deleted: the page offers the others
    found = drafts.list_drafts(services.store, person=services.person)
    _component(key="builder", data={**_data(services), "drafts": actions.plain_drafts(found), "opened": opened})


def edit_schema(services: Services, view: ProjectView) -> tuple[str, str]:
    """Draw the builder for the schema of a project. Return the edited text and guideline."""
    found = drafts.list_drafts(services.store, person=services.person, project=view.name)
    newest = found[0] if found else None
    force = {"text": view.schema.text, "guideline": view.schema.guideline_text}
    opened = force | {"draft": "", "revision": 0}
    if newest is not None:
        opened = {
            "draft": newest.id,
            "revision": newest.revision,
            "text": newest.text,
            "guideline": newest.guideline,
        }
    key = f"builder.{view.name}.{view.schema.hash[:12]}"
    data = {**_data(services), "project": view.name, "opened": opened}
    shown = _component(key=key, data=data, on_form_change=lambda: None)
    form = getattr(shown, "form", None)
    if isinstance(form, dict) and isinstance(form.get("text"), str) and isinstance(form.get("guideline"), str):
        return form["text"], form["guideline"]
    return str(opened["text"]), str(opened["guideline"])


def _data(services: Services) -> dict[str, Any]:
    return {
        "csrf": services.csrf,
        "catalog": catalog(),
        "drafts": [],
        "blank": [{"name": name, "title": title, "help": help} for name, (title, help, _) in starts.BLANK.items()],
        "published": published(),
        "project": None,
        "opened": None,
    }
