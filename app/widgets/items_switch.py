"""The switch between kept items and all items, with a sentence about which items count."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from app import markup, shell
from app.services import Services
from domain.records import ProjectView
from domain.states import Items, Stage
from workflow.access.counted_items import counting_of

NAMES: Mapping[Items, str] = {Items.KEPT: "Kept items", Items.ALL: "All items"}


def switch(
    services: Services, view: ProjectView, *, key: str, stage: Stage = Stage.GRADING, show: bool = True
) -> Items | None:
    """Draw the switch, if the project has verdicts, and return the choice. None: use the default.

    ``show``: also draw which items count.
    """
    usual = counting_of(services.store, person=services.person, project=view.name, stage=stage)
    chosen: Items | None = None
    if usual.verdicts:
        chosen = st.segmented_control(
            "Items",
            list(Items),
            default=usual.which,
            format_func=lambda each: NAMES[each],
            key=f"{key}.{view.name}.{stage.value}",
            label_visibility="collapsed",
        )
    if show:
        counting = usual
        if chosen not in (None, usual.which):
            counting = counting_of(
                services.store, person=services.person, project=view.name, items_=chosen, stage=stage
            )
        shell.show(counted_line(counting.sentence))
    return chosen if chosen is not usual.which else None


def counted_line(sentence: str | None, *before: str) -> markup.Markup:
    """Return a quiet line with the sentences ``before`` and the sentence about which items count."""
    counted = f"Counted: {sentence[:1].lower()}{sentence[1:]}" if sentence else ""
    words = " ".join(filter(None, [*before, counted]))
    return (
        markup.tag("p", markup.quiet(words), style="ts ts-small", data_part="counted") if words else markup.Markup("")
    )
