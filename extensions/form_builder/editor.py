"""Put the builder on a page: for a new form in the whole window, or for the schema of a running project."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app import addresses
from app.schema_pages.schema_editor import EditedSchema, SchemaEditor
from app.services import Services
from app.workbench import assets
from db.engine import Store
from domain.errors import NotFoundError
from domain.records import Person, ProjectView
from extensions.form_builder import actions, drafts, starts
from extensions.form_builder.form_state import catalog, examples

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


def draw_running(services: Services, view: ProjectView) -> None:
    """Draw the builder for the schema of a project, with the person's newest draft."""
    found = drafts.list_drafts(services.store, person=services.person, project=view.name)
    opened: dict[str, Any] = {
        "draft": "",
        "revision": 0,
        "text": view.schema.text,
        "guideline": view.schema.guideline_text,
    }
    if found:
        opened = actions.opened(found[0])
    data = {**_data(services), "project": view.name, "project_title": view.title, "opened": opened}
    _component(key=f"builder.{view.name}", data=data)


def _newest(store: Store, person: Person, project: str) -> EditedSchema | None:
    found = drafts.list_drafts(store, person=person, project=project)
    return EditedSchema(found[0].text, found[0].guideline) if found else None


def _discard(store: Store, person: Person, project: str) -> None:
    for draft in drafts.list_drafts(store, person=person, project=project):
        drafts.delete_draft(store, person=person, id=draft.id)


EDITOR = SchemaEditor(lambda project: addresses.page("builder", project), _newest, _discard)


def _data(services: Services) -> dict[str, Any]:
    return {
        "csrf": services.csrf,
        "catalog": catalog(),
        "drafts": [],
        "blank": [{"name": name, "title": title, "help": help} for name, (title, help, _) in starts.BLANK.items()],
        "examples": examples(),
        "project": None,
        "project_title": "",
        "opened": None,
    }
