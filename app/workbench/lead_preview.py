"""A working page before a lead takes an item: the form with a made-up item, and a button that takes a real one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from app import addresses, markup, shell
from app.screens import SCREENS
from app.services import Services
from app.workbench import lead_mode
from domain.records import ProjectView
from domain.states import Stage
from workflow.annotate import looking

LOOKING = "The preview uses no real item, so you can still review every item blind."
TAKING = "To work on an item yourself, take the item. Until the item is decided, other pages hide its votes from you."
EMPTY_POOL = "Authors write items about images in the pool, but the pool has no free image. "
WRITING = "To choose an image from the pool and write about it, press “Write an item”."


def draw(services: Services, view: ProjectView, stage: Stage, form: Callable[[], None]) -> None:
    """Draw the page. ``form`` draws the annotators' form with made-up content."""
    stages = view.schema.schema_.stages
    who = "seniors" if stage is Stage.ADJUDICATION else "annotators"
    shell.heading(
        stages.title_of(stage),
        f"This preview shows the page that {who} see, with a made-up item. {LOOKING}",
        made_up=view.made_up,
    )
    stage_look = looking.look(services.store, person=services.person, project=view.name, stage=stage)
    with st.container(horizontal=True, vertical_alignment="center"):
        label = "Write an item" if stage is Stage.AUTHORING else "Take an item"
        empty = stage_look.nothing is not None and stage_look.nothing.code == "pool_empty"
        begin = partial(lead_mode.begin, view.name, stage)
        st.button(label, key=f"take.{stage}", type="primary", on_click=begin, disabled=empty)
        if stage in looking.REAL and "preview" in SCREENS:
            address = addresses.page("preview", view.name, stage=stage.value)
            link = markup.tag("a", markup.text("Preview a real item"), href=address, target="_self")
            shell.show(markup.tag("p", link, style="ts", data_part="real"))
    ready = WRITING if stage is Stage.AUTHORING else TAKING
    nothing = stage_look.nothing
    sentence = ready if nothing is None or nothing.code == "pick_first" else nothing.sentence
    words = markup.quiet(sentence)
    if empty:
        words = markup.joined([markup.text(EMPTY_POOL), markup.link("Add images", addresses.pool_images(view.name))])
    shell.show(markup.tag("p", words, style="ts", data_part="waits"))
    form()
