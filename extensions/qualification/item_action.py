"""The action on the page *Items* that makes a qualification set of the selected items."""

from __future__ import annotations

import streamlit as st

from app import markup, shell
from app.items.added_actions import ItemAction, SelectedItems, button
from app.services import Services
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

    what = (
        f"People must pass these {n_items} before they work in {title_of(stage)}. The new set replaces the earlier set."
    )
    shell.show(markup.tag("p", markup.text(what), style="ts ts-small"))
    undo = "You cannot undo this change, but you can make another set."
    button(f"Make a set of {n_items}", services, do, selected, can=names, key="items.qualify", undo=undo)


ACTION = ItemAction(20, "qualify", "Make a qualification set", lambda view: bool(stages_to_qualify_for(view)), draw)
