"""The page *New project*: a project from a published protocol, a file, or what extensions offer."""

from __future__ import annotations

import streamlit as st

from app import markup, shell
from app.jobs import page
from app.projects import new_project
from app.projects.project_actions import project_beginnings
from app.screens import SCREENS, Screen
from app.services import Services
from domain.roles import Role
from workflow.access import accounts, projects

SCREEN = Screen(
    "New project", place=901, role=Role.LEAD, words="create begin start benchmark schema form protocol copy template"
)


def render(services: Services) -> None:
    """Draw the form, or who can create a project."""
    shell.heading("New project")
    if not accounts.leads_any(services.store, person=services.person):
        shell.show(markup.notice(new_project.WHO_MAY))
        return
    with st.container():
        shell.tell_refused()
        page.show(services, [row.job for row in project_beginnings()])
    if "builder" in SCREENS:
        words = [
            markup.text("No protocol fits? "),
            markup.link("Build your own form", "/builder"),
            markup.text("."),
        ]
        shell.show(markup.tag("p", *words, style="ts ts-quiet"))
    mine = projects.projects_of(services.store, person=services.person)
    new_project.form(services, [view for view in mine if view.role is Role.LEAD])
