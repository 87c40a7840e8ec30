"""The page *Export*: write the project's items, answers or ratings to files, and download them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import streamlit as st

from annotation_schemas.formats import Takes, writing
from annotation_schemas.formats import named as formats_named
from app import addresses, markup, shell
from app.releasing import prepared_export
from app.screens import Action, Room, Screen
from app.services import Services
from app.widgets import version_switch
from domain.records import ProjectView
from domain.roles import Role
from domain.run_kinds import RunKind
from workflow.results.ratings import RATED
from workflow.runs import run_views

SCREEN = Screen(
    "Export",
    place=510,
    room=Room.RELEASE,
    role=Role.LEAD,
    words="download save files csv json jsonl parquet backup data",
    actions=(Action("Download items", "export save csv json"),),
)

OF_MODELS = tuple(kind for kind in RunKind if kind.answers)
"""The kinds of runs that hold models' answers."""


def render(services: Services) -> None:
    """Draw the choice of a format, the button that prepares the files, and the download."""
    view = shell.lead_of(services)
    shell.heading("Export", made_up=view.made_up)
    kept = addresses.page("items", view.name, state="kept")
    release = addresses.page("release", view.name)
    shell.show(
        markup.finding(markup.text("An export contains the current state of all items.")),
        markup.tag(
            "p",
            markup.text(
                "Unchanged items have exactly the same bytes as in the imported file. To export only kept items, "
            ),
            markup.link("filter the items by “kept”", kept),
            markup.text(" and export the filtered list. To publish a verified data set, "),
            markup.link("create a release", release),
            markup.text("."),
            style="ts ts-quiet",
        ),
    )
    formats = prepared_export.formats_of(services, view)
    if not formats:
        shell.show(
            markup.notice(
                "The schema has no export format. Add a format to the list “formats” under “export” in the schema."
            )
        )
        return
    with st.form("export", border=False):
        left, right = st.columns([1, 1])
        with left:
            names = {row.name: row for row in formats}
            chosen = names[st.selectbox("Format", list(names), key="export.format")]
            public = st.checkbox(
                "Exclude private fields",
                key="export.public",
                help="The schema lists the private fields in “public_without” under “export”.",
                disabled=not view.schema.schema_.export.public_without,
            )
        with right:
            version = version_switch.switch(
                services, view, key="export.schema", stages=RATED, help="Export only ratings under this version."
            )
            of_answers = _of_answers(services, view)
        sent = st.form_submit_button("Prepare", type="primary", key="export.prepare")
    if sent:
        st.session_state["export.ready"] = prepared_export.prepare(
            services,
            view,
            chosen,
            public=public,
            schema_version=version,
            **(of_answers if chosen.takes is Takes.ANSWERS else {}),
        )
    ready = st.session_state.get("export.ready")
    if ready and ready["project"] == view.name:
        prepared_export.show_ready(ready)


def _of_answers(services: Services, view: ProjectView) -> dict[str, Any]:
    """Draw the choice of a run, for formats with models' answers: one run, or all of them.

    Return the chosen arguments; empty if the project has no run.
    """
    who: dict[str, Any] = {"by": services.person, "project": view.name}
    there = [
        run for kind in OF_MODELS for run in run_views.runs_of(services.store, kind=kind, **who) if not run.withdrawn
    ]
    times = Counter(run.name for run in there)
    named = {run.id: run.name + (f" ({run.id})" if times[run.name] > 1 else "") for run in there}
    if not named:
        return {}
    run = st.selectbox(
        "Run, for answers",
        list(named),
        index=None,
        format_func=named.__getitem__,
        key="export.run",
        help=f"For {formats_named(writing(Takes.ANSWERS))}.",
    )
    label = st.text_input(
        "Label for unanswered items",
        key="export.unanswered",
        help=f"For {formats_named(row for row in writing(Takes.ANSWERS) if row.needs_run)}. Without a label, "
        "Touchstone does not export a run with missing answers.",
    )
    return {"run": run, "unanswered": label.strip() or None}
