"""The page *Preview*: a stage's form with an item, as its raters see it, without a claim."""

from __future__ import annotations

import streamlit as st

from app import markup, shell
from app.schema_pages import form_preview
from app.screens import Room, Screen
from app.services import Services
from app.workbench import page, preview
from domain.errors import NotAllowedError, NotFoundError
from domain.records import ProjectView
from domain.roles import Role, at_least
from domain.states import Stage
from extensions.stage_preview import waiting_items

SCREEN = Screen(
    "Preview",
    place=605,
    room=Room.SETTINGS,
    room_below=Room.ITEMS,
    role=Role.SENIOR,
    words="try form see look as annotator dry run",
)

MARK = "This is a preview. Touchstone assigns and saves nothing, and everyone's items stay the same."


def render(services: Services) -> None:
    """Draw the choice of stage and item, and the form."""
    view = shell.project(services)
    if not at_least(view.role, Role.SENIOR):
        raise NotAllowedError(f"{waiting_items.FOR_SENIORS} Open My work to see your tasks.")
    shell.heading(
        "Preview", "Preview a stage as annotators see it. Touchstone assigns no task to you.", made_up=view.made_up
    )
    schema = view.schema.schema_
    stages = preview.stages_of(schema)
    if not stages:
        shell.show(
            markup.notice("The schema of this project has no stages in which people work. Add a stage to the schema.")
        )
        return
    asked = st.query_params.get("stage")
    titles = {dimension.id: dimension.title for dimension in schema.dimensions}
    first, second, third, fourth = st.columns([2, 2, 2, 1], vertical_alignment="bottom")
    with first:
        at = stages.index(Stage(asked)) if asked in stages else 0
        stage = st.selectbox("Stage", stages, index=at, key="preview.stage", format_func=schema.stages.title_of)
    with second:
        dimension = st.selectbox(
            "Dimension", [None, *titles], key="preview.dimension", format_func=lambda id: titles.get(id, "all")
        )
    with third:
        item = st.text_input(
            "Item",
            st.query_params.get("item", ""),
            key="preview.item",
            placeholder="Item ID (leave empty for the next free item)",
        ).strip()
    of = (view.name, stage, dimension)
    before, place = st.session_state.get("preview.at", (None, 0))
    place = place if before == of else 0

    def go_on() -> None:
        st.session_state["preview.at"] = (of, place + 1)

    with fourth:
        st.button("Another", key="preview.another", on_click=go_on, disabled=bool(item) or stage is Stage.AUTHORING)
    _form(services, view, stage, item, dimension, place)


def _form(services: Services, view: ProjectView, stage: Stage, item: str, dimension: str | None, at: int) -> None:
    """Draw the form with the item. Without an item, draw the reason, and the form with a made-up item."""
    try:
        stage_preview = waiting_items.preview(
            services.store,
            person=services.person,
            project=view.name,
            stage=stage,
            item=item,
            dimension=dimension,
            at=at,
        )
    except (NotAllowedError, NotFoundError) as error:
        shell.show(markup.notice(f"{error} This is a made-up item. {MARK}"))
        made_up = dimension or view.schema.schema_.dimensions[0].id
        form_preview.made_up(view.schema, stage, made_up, key="preview.made_up")
        return
    name = f"Item {stage_preview.name}. " if stage_preview.name else ""
    shell.show(markup.notice(f"{name}{MARK}"))
    static = page.static_part(view.schema, stage, project=view.name, title=view.title, made_up=view.made_up)
    preview.task_form(services, static, view.schema.schema_, stage_preview.task, key="preview.form")
