"""The form for a copy of a project, on the page *Projects*."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from app import markup, shell
from app.projects import project_jobs
from app.projects.project_actions import NewProject, ProjectBeginning
from app.services import Services
from domain.display_names import distinct_names
from domain.project_parts import ProjectPart
from domain.records import ProjectView
from extensions.archives import jobs
from extensions.archives.parts import left_out
from workflow.access.project_names import LONGEST_TITLE

PARTS = {
    ProjectPart.ITEMS: "Items, with images and clips",
    ProjectPart.PEOPLE: "People with their roles",
    ProjectPart.VOTES: "Votes and other submissions",
    ProjectPart.RUNS: "Runs of models and judges",
}


def _draw(services: Services, led: Sequence[ProjectView]) -> NewProject:
    """Draw the choice of a project and of its parts."""
    titles = distinct_names({view.name: view.title for view in led})
    left, right = st.columns([2, 3])
    with left:
        names = list(titles)
        chosen = st.selectbox("Project to copy", names, format_func=titles.__getitem__, key="new_project.of")
    with right:
        parts = st.multiselect(
            "Parts to copy",
            list(PARTS),
            default=[ProjectPart.ITEMS],
            format_func=PARTS.__getitem__,
            key="new_project.parts",
            help="The copy always includes the schema and the guideline.",
        )
    view = next((view for view in led if view.name == chosen), led[0])
    without = left_out(frozenset(PARTS) - frozenset(parts))
    lacking = [PARTS[part].split(",")[0] for part in parts if part in without]
    if lacking:
        shell.show(markup.notice(f"{' and '.join(lacking)} cannot be copied without items. Choose items too."))

    def make(name: str, title: str) -> None:
        about: Any = {"name": name, "title": title, "without": [part.value for part in without]}
        project_jobs.begin(services, jobs.COPY.name, view.name, **about)

    return NewProject(f"Copy of {view.title}"[:LONGEST_TITLE], view.name, make)


COPY = ProjectBeginning("Copy of a project", jobs.COPY.name, _draw)
