"""The page *Expired submissions*: submissions that arrived after the item had gone to another person."""

from __future__ import annotations

import streamlit as st

from app import markup, shell
from app.screens import Need, Room, Screen
from app.services import Services
from domain.display_names import distinct_names
from domain.errors import NotAllowedError
from domain.records import ProjectView
from domain.roles import Role
from extensions.expired_submissions import queries
from extensions.expired_submissions.late_texts import ExpiredSubmission, expired_submission, expired_submissions
from workflow.annotate.expired_drafts import text_of

SCREEN = Screen(
    "Expired submissions",
    place=150,
    room=Room.ITEMS,
    role=Role.LEAD,
    words="late lost lease timeout",
    needs=Need("No submission has come after its lease had ended.", queries.has_expired),
)


def render(services: Services) -> None:
    """Draw a row for each late submission: its writer, time and content."""
    view = shell.lead_of(services)
    shell.heading(
        "Expired submissions",
        "Answers that came after their lease had ended, when someone else had the item. They are kept, but do not"
        " count; their writers find them on My work.",
        made_up=view.made_up,
    )
    submissions = expired_submissions(services.store, by=services.person, project=view.name)
    if not submissions:
        shell.show(markup.notice("There are no expired submissions.", style="good"))
        return
    called = distinct_names({late.login: late.name for late in submissions})
    for late in submissions:
        _row(services, view, late, called[late.login])


def sentence(view: ProjectView, late: ExpiredSubmission) -> str:
    """Return one line of the list: dimension, stage and item."""
    titles = {dimension.id: dimension.title for dimension in view.schema.schema_.dimensions}
    about = late.item or "an item that was being written"
    stage = view.schema.schema_.stages.title_of(late.stage.value)
    return f"{titles.get(late.dimension, late.dimension)} · {stage} · {about}"


def _row(services: Services, view: ProjectView, late: ExpiredSubmission, writer: str) -> None:
    key = f"late.{view.name}.{late.id}"
    with st.container(border=True, key=key):
        who, about, button = st.columns([2, 4, 1.2], vertical_alignment="center")
        with who:
            shell.show(markup.tag("div", markup.tag("b", markup.text(writer)), style="ts", data_part="writer"))
            shell.show(markup.tag("div", markup.quiet(markup.moment(late.at)), style="ts"))
        with about:
            again = [markup.tag("div", markup.quiet("Its writer has it again."))] if late.taken_up else []
            about_it = markup.tag("div", markup.text(sentence(view, late)))
            shell.show(markup.tag("div", about_it, *again, style="ts", data_part="about"))
        with button:
            if st.button("Read", key=f"{key}.read", width="stretch"):
                st.session_state[f"{key}.open"] = True
        if st.session_state.get(f"{key}.open"):
            try:
                lines = expired_submission(services.store, by=services.person, project=view.name, id=late.id)
            except NotAllowedError as refusal:
                shell.show(markup.notice(str(refusal)))
            else:
                st.code(text_of(lines), language=None, wrap_lines=True)
