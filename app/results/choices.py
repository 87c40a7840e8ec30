"""The settings of the page Results: scores, slices, order, and those of sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from annotation_schemas.kinds import title_of
from annotation_schemas.reporting import cut_first
from app import markup, shell
from app.services import Services
from app.widgets import items_switch, version_switch
from domain.errors import InvalidInputError
from domain.records import RULES, ProjectView
from domain.states import Items, Stage
from workflow.results import attributes, clusters, leaderboard_page, result_sections
from workflow.results.score_choices import METHODS
from workflow.results.slices import BINS, DIMENSION, Bins, edges_in_words, edges_of, similarity_of, texts, ways

SORTS = {"mean": "highest mean first", "model": "name of the model"}
TOGETHER: dict[str | None, str] = {
    None: "default (by source, if items share sources)",
    clusters.ALONE: "none (treat items as independent)",
    "source": "source",
}
ALIKE = "~"
"""The option that compares two texts of an item."""


def scores(view: ProjectView, titles: Sequence[str]) -> int:
    """Draw the choice of scores and return its position."""
    if not titles:
        return 0
    key, about = f"results.scores.{view.name}", range(len(titles))
    return st.selectbox("Scores", about, format_func=titles.__getitem__, key=key, label_visibility="collapsed") or 0


def choose(services: Services, view: ProjectView) -> tuple[Items | None, int | None, dict[str, Any], str]:
    """Draw the settings.

    Return the items, the schema version, the arguments of ``leaderboards``, and the order of models in the table.
    """
    schema = view.schema.schema_
    of_models, of_items = attributes.names_in(services.store, person=services.person, project=view.name)
    known = {way.name: way.title for way in ways(schema, of_items)}
    compared = {field.name: title_of(field) for field in texts(schema)}
    if len(compared) > 1:
        known[ALIKE] = "Word overlap of two texts"
    items = items_switch.switch(services, view, key="results.items", show=False)
    left, middle, right = st.columns(3)
    with left:
        version = version_switch.switch(
            services,
            view,
            key="results.schema",
            stages=[Stage.GRADING],
            help="Count only grades that people gave under this version. The version does not affect scores from "
            "keys and judges.",
        )
        cut = cut_first(schema)
        usual = list(known).index(cut.value) if cut else 0
        by = st.selectbox("Slice by", list(known), usual, format_func=known.__getitem__, key=f"results.by.{view.name}")
        if by == ALIKE:
            by = _alike(view, compared)
        sort = st.selectbox("Sort by", ["mean", "model"], format_func=SORTS.__getitem__, key="results.sort")
        common = st.toggle("Only items answered by every model", key="results.common")
    with middle:
        method = st.selectbox(
            "Correction of judges", list(METHODS), format_func=METHODS.__getitem__, key="results.method"
        )
        together = st.selectbox(
            "Clusters of items",
            [None, clusters.ALONE, "source", *(field.name for field in schema.item.fields)],
            format_func=lambda name: TOGETHER.get(name, str(name)),
            key=f"results.together.{view.name}",
            help=(
                "Items from one video are not independent. The intervals account for the dependence "
                "within each cluster."
            ),
        )
        readers = leaderboard_page.readers_of(services.store, person=services.person, project=view.name)
        reader: str | None = None
        if len(readers) > 1:
            reader = st.selectbox("Reader of answers", readers, key=f"results.reader.{view.name}")
    with right:
        bins = cuts(f"results.{view.name}")
        choosing = [section for section in result_sections.sections() if section.chooses and of_models]
        options = {section.option: section.choose(view, of_models) for section in choosing}
    wanted = {
        "reader": reader or RULES,
        "by": by or DIMENSION.name,
        "together": together,
        "common": common,
        "bins": bins,
        "method": method or "ppi",
        "options": {option: value for option, value in options.items() if value is not None},
    }
    return items, version, wanted, sort or "mean"


def _alike(view: ProjectView, compared: Mapping[str, str]) -> str:
    """Draw the choice of two texts and return the slices by their similarity."""
    names = list(compared)
    first = st.selectbox("First text", names, format_func=compared.__getitem__, key=f"results.a.{view.name}")
    rest = [name for name in names if name != first]
    second = st.selectbox("Second text", rest, format_func=compared.__getitem__, key=f"results.b.{view.name}")
    return similarity_of(first or names[0], second or rest[0], view.schema.schema_).name


def cuts(key: str, before: Bins = BINS) -> Bins:
    """Draw and return the number of slices of a numeric field, or their edges. ``before`` is the default."""
    number, text = (before, "") if isinstance(before, int) else (BINS, edges_in_words(before))
    bins = st.number_input("Number of numeric slices", 2, 12, number, key=f"{key}.bins")
    edges = st.text_input(
        "Edges of numeric slices",
        text,
        key=f"{key}.edges",
        placeholder="such as 1,5,9",
        help="Numbers from low to high, separated by commas. If you leave this field empty, all slices have about "
        "the same size.",
    )
    if not (edges or "").strip():
        return int(bins)
    try:
        return edges_of(edges)
    except InvalidInputError as error:
        shell.show(markup.notice(str(error)))
        return int(bins)
