"""The choice of a schema version, for projects that have had more than one."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import streamlit as st

from app import markup
from app.services import Services
from domain.records import ProjectView
from domain.states import VERIFICATIONS, Stage
from workflow.access.schema_changes import submissions_by_version

TOGETHER = "All versions together"
LABEL = "Version of the schema"
_NOUNS: Mapping[Stage, str] = {**dict.fromkeys(VERIFICATIONS, "vote"), Stage.GRADING: "grade"}


def switch(
    services: Services, view: ProjectView, *, key: str, stages: Collection[Stage], help: str | None = None
) -> int | None:
    """Draw a select box and return the version whose submissions count.

    None: the submissions of all versions together, also if the project has only one version.
    """
    counts = submissions_by_version(services.store, person=services.person, project=view.name, stages=stages)
    if not counts:
        return None
    nouns = {_NOUNS.get(stage, "submission") for stage in stages}
    noun = nouns.pop() if len(nouns) == 1 else "submission"
    return st.selectbox(
        LABEL,
        [None, *counts],
        format_func=lambda each: TOGETHER if each is None else f"{alone(each)} ({markup.count(counts[each], noun)})",
        key=f"{key}.{view.name}",
        help=help,
    )


def alone(version: int) -> str:
    """Return the label of one version.

    >>> alone(2)
    'Version 2 alone'
    """
    return f"Version {version} alone"


def in_name(version: int | None) -> str:
    """Return the suffix for the name of a file about one version.

    >>> in_name(2), in_name(None)
    ('-schema-2', '')
    """
    return "" if version is None else f"-schema-{version}"
