"""Whether imported raters are people or machines: asked with a file, and changed later, on the page Import."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from app import markup, shell
from app.services import Services
from domain.records import ProjectView
from domain.states import RatersAre
from workflow.results import file_raters

ARE: Mapping[RatersAre | None, str] = {
    None: "As each name is known; otherwise machines",
    RatersAre.PEOPLE: "People",
    RatersAre.MACHINES: "Machines",
}
"""The possible answers and their labels."""


def draw_kind() -> RatersAre | None:
    """Draw a select box for raters that are not known yet, and return the answer."""
    chosen: RatersAre | None = st.selectbox(
        "Their raters are",
        list(ARE),
        format_func=ARE.__getitem__,
        key="import.raters_are",
        help="People are counted among the people everywhere, machines stand among the judges. A rater who completed "
        "an annotation by an account of another program is a person, unless you say otherwise. You can change it "
        "below.",
    )
    return chosen


def draw_raters(services: Services, view: ProjectView) -> None:
    """Draw the raters of imported files, and whether each is a person or a machine.

    A lead can change this at any time.
    """
    raters = file_raters.list_raters(services.store, by=services.person, project=view.name)
    if not raters:
        return
    shell.section("Imported raters")
    stages = view.schema.schema_.stages
    rows = [
        [
            markup.text(rater.name),
            markup.text(rater.words),
            markup.text(
                ", ".join(f"{n:,} in {stages.title_of(stage.value)}" for stage, n in (rater.ratings or {}).items())
            ),
        ]
        for rater in raters
    ]
    shell.show(markup.table([("Rater", "name"), ("Counts as", ""), ("Ratings out of files", "")], rows))
    open_ = {rater.name: rater for rater in raters if not rater.account and not rater.judge}
    if not open_:
        return
    now = [name for name, rater in open_.items() if rater.is_person]
    with st.form("import.raters", border=False):
        people = st.multiselect(
            "People among them",
            list(open_),
            default=now,
            key=f"import.raters.people.{view.name}.{hash(tuple(now))}",
            help="All others are machines, and stand among the judges. Results, Cases, Agreement and Calibration "
            "follow at once; nothing that was rated changes.",
        )
        sent = st.form_submit_button("Save who they are", key="import.raters.save")
    if sent:
        file_raters.mark(
            services.store,
            by=services.person,
            project=view.name,
            people=[name for name in people if name not in now],
            machines=[name for name in now if name not in people],
        )
        st.rerun()
