"""The action on the page *Items* that makes a qualification set of the selected items."""

from __future__ import annotations

import streamlit as st

from app import markup
from app.items.added_actions import ItemAction, SelectedItems
from app.services import Services
from app.widgets import confirm
from app.widgets.confirm import Confirmation
from domain.records import ProjectView
from domain.states import Stage
from extensions.qualification.schema_check import STAGES
from extensions.qualification.sets import make_set


def stages_to_qualify_for(view: ProjectView) -> list[Stage]:
    """Return the stages of a project that people have to qualify for."""
    stages = view.schema.schema_.stages
    return [stage for stage in STAGES if getattr(getattr(stages, stage.value), "qualification", None) is not None]


def draw(services: Services, view: ProjectView, selected: SelectedItems) -> None:
    """Draw the choice of a stage and the button."""
    names, stages = selected.names, stages_to_qualify_for(view)
    title_of = view.schema.schema_.stages.title_of
    stage = st.selectbox("Before", stages, key="items.before", format_func=title_of) or stages[0]
    n_items = markup.count(len(names), "item")

    def do() -> None:
        selected.still()
        made = make_set(services.store, by=services.person, project=view.name, stage=stage, names=names)
        selected.done(f"Set {made.number} has {markup.count(len(made.items), 'item')}. {made.few}".strip())

    question = Confirmation(
        f"Make a qualification set of {n_items}?",
        f"People new to {title_of(stage)} have to pass these {n_items}; the earlier set is not asked any more.",
        "It cannot be undone; the next set takes its place.",
        f"Yes, make a set of {n_items}",
    )
    confirm.button(f"Make a set of {n_items}", services, question, do, key="items.qualify", sure="items.sure")


ACTION = ItemAction(
    20, "qualify", "Make a qualification set of them", lambda view: bool(stages_to_qualify_for(view)), draw
)
