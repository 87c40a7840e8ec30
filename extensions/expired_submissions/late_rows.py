"""Late submissions on pages, each with its content on demand."""

from __future__ import annotations

import streamlit as st

from app import markup, shell
from app.services import Services
from domain.errors import NotAllowedError
from domain.records import ProjectView
from extensions.expired_submissions.late_texts import ExpiredSubmission, expired_submission
from workflow.annotate.expired_drafts import text_of


def sentence(view: ProjectView, late: ExpiredSubmission) -> str:
    """Return one line of the list: dimension, stage and item."""
    titles = {dimension.id: dimension.title for dimension in view.schema.schema_.dimensions}
    about = late.item or "an unfinished item"
    stage = view.schema.schema_.stages.title_of(late.stage.value)
    return f"{titles.get(late.dimension, late.dimension)} · {stage} · {about}"


def draw(services: Services, view: ProjectView, late: ExpiredSubmission, writer: str) -> None:
    """Draw one late submission: its writer, time and stage, and its content on demand."""
    key = f"late.{view.name}.{late.id}"
    with st.container(border=True, key=key):
        who, about, button = st.columns([2, 4, 1.2], vertical_alignment="center")
        with who:
            shell.show(markup.tag("div", markup.tag("b", markup.text(writer)), style="ts", data_part="writer"))
            shell.show(markup.tag("div", markup.quiet(markup.moment(late.at)), style="ts"))
        with about:
            again = [markup.tag("div", markup.quiet("The author has the item again."))] if late.taken_up else []
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
