"""The page *Form builder*: a new form as rows, as a live form and as YAML."""

from __future__ import annotations

import streamlit as st

from app import shell
from app.screens import Screen
from app.services import Services
from domain.roles import Role
from extensions.form_builder import editor
from workflow.access import projects

SCREEN = Screen(
    "Form builder",
    place=165,
    tab=False,
    role=Role.LEAD,
    words="schema protocol yaml new project questions own form",
)

BEGINNINGS = ("published", "blank", "draft")
"""Parameters of the address that open a form at once."""


def render(services: Services) -> None:
    """Draw the builder in the whole window: for the project in the address, or for a new form."""
    if "project" in st.query_params and not any(name in st.query_params for name in BEGINNINGS):
        view = shell.lead_of(services)
        shell.working_page()
        editor.draw_running(services, view)
        return
    projects.require_creator(services.store, services.person)
    shell.working_page()
    begin = {name: str(st.query_params[name]) for name in BEGINNINGS if name in st.query_params}
    editor.draw_new(services, begin)
