"""Whether imported raters are people or machines: asked with a file, and changed later, on the page Add items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from app import markup, shell
from app.services import Services
from domain.records import ProjectView
from domain.states import RatersAre
from workflow.results import file_raters

ARE: Mapping[RatersAre | None, str] = {
    None: "Same type as in earlier files, otherwise machines",
    RatersAre.PEOPLE: "People",
    RatersAre.MACHINES: "Machines",
}
"""The possible answers and their labels."""


def draw_kind() -> RatersAre | None:
    """Draw a select box for raters that are not known yet, and return the answer."""
    chosen: RatersAre | None = st.selectbox(
        "Type of raters",
        list(ARE),
        format_func=ARE.__getitem__,
        key="import.raters_are",
        help="Results count people and judges separately. By default, a rater with an account in another program is "
        "a person. You can change the type later on this page.",
    )
    return chosen


def draw_raters(services: Services, view: ProjectView) -> None:
    """Draw the raters of imported files, and whether each is a person or a machine.

    A lead can change this at any time.
    """
    raters = file_raters.list_raters(services.store, by=services.person, project=view.name)
    if raters:
        with st.expander(f"Imported raters ({len(raters):,})"):
            _raters(services, view, raters)


def _raters(services: Services, view: ProjectView, raters: Sequence[file_raters.FileRater]) -> None:
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
    shell.show(markup.table([("Rater", "name"), ("Counts as", ""), ("Imported ratings", "")], rows))
    open_ = {rater.name: rater for rater in raters if not rater.account and not rater.judge}
    if not open_:
        return
    now = [name for name, rater in open_.items() if rater.is_person]
    with st.form("import.raters", border=False):
        people = st.multiselect(
            "Raters who are people",
            list(open_),
            default=now,
            key=f"import.raters.people.{view.name}.{hash(tuple(now))}",
            help="All other raters count as judges. The pages Results, Cases, Agreement and Calibration change "
            "immediately. The ratings stay unchanged.",
        )
        sent = st.form_submit_button("Save rater types", key="import.raters.save")
    if sent:
        file_raters.mark(
            services.store,
            by=services.person,
            project=view.name,
            people=[name for name in people if name not in now],
            machines=[name for name in now if name not in people],
        )
        st.rerun()
