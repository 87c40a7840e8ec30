"""The action on the page *Items* that makes gold checks of the selected items."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app import markup, shell
from app.items import bulk_previews
from app.items.added_actions import ItemAction, SelectedItems, button, refusal
from app.services import Services
from domain.errors import TouchstoneError
from domain.records import ProjectView
from domain.states import Stage
from extensions.gold import chosen_items
from extensions.gold.checks import STAGES


def stages_with_gold(view: ProjectView) -> list[Stage]:
    """Return the stages of a project that have gold checks."""
    stages = view.schema.schema_.stages
    return [stage for stage in STAGES if getattr(getattr(stages, stage.value), "gold", None) is not None]


def draw(services: Services, view: ProjectView, selected: SelectedItems) -> None:
    """Draw the choice of a stage, the preview, and the button."""
    hidden = stages_with_gold(view)
    title_of = view.schema.schema_.stages.title_of
    stage = hidden[0]
    if len(hidden) > 1:
        stage = st.selectbox("In", hidden, key="items.hidden", format_func=title_of) or stage
    ask: dict[str, Any] = {"by": services.person, "project": view.name, "stage": stage, "names": selected.names}
    try:
        preview = chosen_items.preview(services.store, **ask)
    except TouchstoneError as error:
        refusal("Make gold checks", str(error), key="items.gold")
        return
    n_items = markup.count(len(preview.can), "item")
    counts = (
        f"{n_items} will become {markup.count(preview.checks, 'gold check')}. Items that cannot become gold "
        f"checks: {len(preview.cannot):,}."
    )
    shell.show(*bulk_previews.describe_preview(counts, preview.can, preview.cannot))
    if not preview.can:
        return

    def do() -> None:
        selected.still()
        made = chosen_items.make(services.store, **ask, token=preview.token)
        selected.done(f"{markup.count(len(made), 'gold check')} made.")

    what = f"Gold checks are hidden among the tasks of {title_of(stage)}. You will no longer get these items as tasks."
    shell.show(markup.tag("p", markup.text(what), style="ts ts-small"))
    label = f"Make {markup.count(preview.checks, 'gold check')}"
    undo = "You can withdraw each gold check on the Gold checks page."
    button(label, services, do, selected, can=preview.can, key="items.gold", undo=undo)


ACTION = ItemAction(10, "gold", "Make gold checks", lambda view: bool(stages_with_gold(view)), draw)
