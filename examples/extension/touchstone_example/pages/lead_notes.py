"""Lead notes: what leads write down about a project, a note for each subject."""

from __future__ import annotations

import streamlit as st

from app import markup, shell
from app.screens import Room, Screen
from app.services import Services
from domain.roles import Role
from workflow.access.extension_rows import list_rows, put_row

SCREEN = Screen("Lead notes", place=690, room=Room.SETTINGS, role=Role.LEAD, words="example")


def render(services: Services) -> None:
    """Draw the notes, and a form for one more."""
    view = shell.lead_of(services)
    shell.heading("Lead notes", "What leads should know about this project.", made_up=view.made_up)
    shell.tell_refused()
    subject = st.text_input("Subject", key="example.subject")
    note = st.text_area("Note (leave empty to delete the subject)", key="example.note")

    def save() -> None:
        put_row(
            services.store,
            by=services.person,
            project=view.name,
            extension="example",
            key=subject,
            value=note or None,
        )

    shell.does(st, "Save note", services, save, key="example.save", type="primary")
    notes = list_rows(services.store, by=services.person, project=view.name, extension="example")
    rows = [[markup.text(each.key), markup.text(each.value), markup.text(each.login or "")] for each in notes]
    shell.show(markup.table([("Subject", "name"), ("Note", ""), ("Written by", "")], rows))
