"""Whether a lead works on a working page, or only looks at it. Leads see a preview before they take an item."""

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

    Annotators and seniors always get items. Leads get items after they have asked for one, and as long as they hold
    one. A stage that the schema lacks has no preview.
    """
    there = getattr(view.schema.schema_.stages, stage.value, None) is not None
    if not there or not at_least(view.role, Role.LEAD):
        return True
    if st.session_state.get(_AT) == (view.name, stage):
        return True
    return looking.has_in_hand(services.store, person=services.person, project=view.name, stage=stage)


def begin(project: str, stage: Stage) -> None:
    """Give out items on the page of this stage from now on."""
    st.session_state[_AT] = (project, stage)


def end() -> None:
    """Stop giving out items, after a person has left the working page."""
    st.session_state.pop(_AT, None)
