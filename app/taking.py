"""Leads look at a working page before they take an item: whether someone works on the page, or looks at it."""

from __future__ import annotations

import streamlit as st

from app.services import Services
from domain.records import ProjectView
from domain.roles import Role, at_least
from domain.states import Stage
from workflow.annotate import looking

_AT = "touchstone.taking"


def is_at_work(services: Services, view: ProjectView, stage: Stage) -> bool:
    """Tell whether the page of a stage gives out items.

    To annotators and seniors it always does. To leads it does once they have asked for an item, and as long as they
    have one in hand. Where items are written, images are picked one by one in any case. A stage that the schema lacks
    has nothing to look at.
    """
    there = getattr(view.schema.schema_.stages, stage.value, None) is not None
    if stage is Stage.AUTHORING or not there or not at_least(view.role, Role.LEAD):
        return True
    if st.session_state.get(_AT) == (view.name, stage):
        return True
    return looking.has_in_hand(services.store, person=services.person, project=view.name, stage=stage)


def begin(project: str, stage: Stage) -> None:
    """Give out items on the page of this stage from now on."""
    st.session_state[_AT] = (project, stage)


def end() -> None:
    """Someone has gone to another page: the next look at a working page takes nothing."""
    st.session_state.pop(_AT, None)
