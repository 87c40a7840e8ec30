"""The page *Description*: the fields of the data card, which all later releases carry."""

from __future__ import annotations

import streamlit as st

from annotation_schemas.formats import named
from app import markup, shell
from app.reruns import messages
from app.screens import Room, Screen
from app.services import Services
from domain.records import ProjectView
from domain.roles import Role
from workflow.releases import settings
from workflow.releases.format_choice import releasable
from workflow.releases.settings import SAYINGS, CardVersion

SCREEN = Screen(
    "Description",
    place=507,
    room=Room.RELEASE,
    role=Role.LEAD,
    words="data card license readme about authors citation limits",
)


def render(services: Services) -> None:
    """Draw the number of filled fields, and the form."""
    view = shell.lead_of(services)
    shell.heading("Description", made_up=view.made_up)
    about = settings.card_version(services.store, by=services.person, project=view.name)
    n = sum(1 for field in SAYINGS if about.values.get(field.name))
    lacking = any(field.needed and not about.values.get(field.name) for field in SAYINGS)
    filled = f"{n} of {len(SAYINGS)} fields {'is' if n == 1 else 'are'} filled."
    words = markup.text(filled + (" The license is missing." if lacking else ""))
    shell.show(markup.finding(words))
    _form(services, view, about)
    shell.tell_refused()  # next to the button, because the page's head is out of sight
    done = messages.kept_message("release.done")
    if done:
        shell.show(markup.notice(done, style="good"))


def _form(services: Services, view: ProjectView, about: CardVersion) -> None:
    formats = [row for row in releasable(view.schema.schema_).values() if row.needs_about]
    needed = {name for row in formats for name in row.needs_about}
    more = f" The format {named(formats)} needs every field marked with a star." if formats else ""
    words = f"The data card and the metadata of each release contain these fields. A release needs a license.{more}"
    shell.show(markup.paragraph(words, style="ts ts-quiet ts-small"))
    with st.form("release.say", border=False):
        columns = st.columns(2)  # two columns halve the height of the form
        for at, field in enumerate(SAYINGS):
            value = about.values.get(field.name, "")
            text = "\n".join(value) if isinstance(value, list) else str(value)
            title = field.title + (" *" if field.needed or field.name in needed else "")
            key = f"release.say.{field.name}.{about.number}"
            column = columns[at % len(columns)]
            if field.many or field.long:
                column.text_area(title, text, help=field.meaning, key=key, height=80)
            else:
                column.text_input(title, text, help=field.meaning, key=key)
        st.form_submit_button(
            "Save description", type="primary", key="release.say.save", on_click=_save, args=(services, view, about)
        )


def _save(services: Services, view: ProjectView, about: CardVersion) -> None:
    values = {
        field.name: str(st.session_state.get(f"release.say.{field.name}.{about.number}", "")) for field in SAYINGS
    }
    with shell.pressed(services):
        now = settings.say(services.store, by=services.person, project=view.name, said=values)
        if now.number != about.number:
            messages.keep("release.done", f"Version {now.number} of the description is saved.")
