"""Preview the forms of a schema: each stage with made-up items."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotation_schemas import registry
from annotation_schemas.model import LoadedSchema
from app import markup, shell
from app.screens import SCREENS
from app.workbench import preview
from domain.errors import NotAvailableError
from domain.states import Stage


def forms(versions: Sequence[tuple[str, LoadedSchema]], *, key: str) -> None:
    """Draw the form of a chosen version, stage and dimension. The first version is the default."""
    titles = [title for title, _ in versions]
    left, middle, right = st.columns([1, 1, 1])
    chosen = titles[0]
    with left:
        if len(titles) > 1:
            chosen = st.selectbox("Version", titles, key=f"{key}.version.{len(titles)}")
        else:
            st.caption(f"Version\n\n{titles[0]}")
    loaded = versions[titles.index(chosen)][1] if chosen in titles else versions[0][1]
    schema = loaded.schema_
    stages = preview.stages_of(schema)
    with middle:
        stage = st.selectbox("Stage", stages, key=f"{key}.stage", format_func=schema.stages.title_of)
    with right:
        ids = [dimension.id for dimension in schema.dimensions]
        title_of = {dimension.id: dimension.title for dimension in schema.dimensions}
        dimension = st.selectbox("Dimension", ids, key=f"{key}.dimension", format_func=lambda id: title_of.get(id, id))
    if not stages:
        shell.show(
            markup.notice(
                "This schema has no stage in which people work. To preview a form, add a stage to the schema."
            )
        )
        return
    if stage not in stages or dimension not in ids:  # belongs to the version shown before
        stage, dimension = stages[0], ids[0]
    try:
        registry.require_available(schema, stage.value)
    except NotAvailableError as error:
        shell.show(markup.notice(str(error)))
    made_up(loaded, stage, dimension, key=f"{key}.form")


def made_up(loaded: LoadedSchema, stage: Stage, dimension: str, *, key: str) -> None:
    """Draw the form of a stage with a made-up item. Draw nothing if the extension of the stage is missing."""
    for screen in SCREENS.values():
        if screen.stage is not stage:
            continue
        if screen.preview is not None:
            screen.preview(loaded)
        else:
            preview.form(loaded, stage, dimension, key=key)


def problems(title: str, lines: Sequence[str], style: str = "") -> None:
    """Draw the faults of a schema. A line has the form ``line:12: key: message``."""
    rows = []
    for line in lines:
        _, number, problem = line.split(":", 2)
        rows.append([markup.text(number), markup.text(problem.strip())])
    table = markup.table([("Line", "number"), ("Problem", "")], rows)
    shell.show(markup.tag("div", markup.text(title), table, style=f"ts ts-notice {style}", role="alert"))
