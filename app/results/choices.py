"""The settings of the page Results: scores, slices, order, and those of sections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from annotation_schemas.kinds import title_of
from annotation_schemas.reporting import cut_first
from app import markup, shell
from app.services import Services
from domain.errors import InvalidInputError
from domain.records import RULES, ProjectView
from workflow.results import attributes, clusters, leaderboard_page, result_sections
from workflow.results.score_choices import METHODS
from workflow.results.slices import BINS, DIMENSION, Bins, edges_in_words, edges_of, similarity_of, texts, ways

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

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
    key = f"results.scores.{view.name}"
    return st.selectbox("Scores", range(len(titles)), format_func=titles.__getitem__, key=key) or 0 if titles else 0


def choose(services: Services, view: ProjectView) -> tuple[DeltaGenerator, dict[str, Any], str]:
    """Draw the settings.

    Return the place for the choice of scores, the arguments of ``leaderboards``, and the order.
    """
    schema = view.schema.schema_
    of_models, of_items = attributes.names_in(services.store, person=services.person, project=view.name)
    known = {way.name: way.title for way in ways(schema, of_items)}
    compared = {field.name: title_of(field) for field in texts(schema)}
    if len(compared) > 1:
        known[ALIKE] = "Word overlap of two texts"
    left, middle, right, compare, last = st.columns([3, 2.4, 2, 1.5, 1.2], vertical_alignment="bottom")
    with middle:
        cut = cut_first(schema)
        usual = list(known).index(cut.value) if cut else 0
        by = st.selectbox("Slice by", list(known), usual, format_func=known.__getitem__, key=f"results.by.{view.name}")
    with right:
        sort = st.selectbox("Sort by", ["mean", "model"], format_func=SORTS.__getitem__, key="results.sort")
    reader: str | None = None
    with last, st.popover("More", width="stretch"):
        method = st.selectbox(
            "Correction of judges", list(METHODS), format_func=METHODS.__getitem__, key="results.method"
        )
        fields = [field.name for field in schema.item.fields]
        together = st.selectbox(
            "Clusters of items",
            [None, clusters.ALONE, "source", *fields],
            format_func=lambda name: TOGETHER.get(name, str(name)),
            key=f"results.together.{view.name}",
            help="Items from one video are not independent. Intervals take this into account.",
        )
        readers = leaderboard_page.readers_of(services.store, person=services.person, project=view.name)
        if len(readers) > 1:
            reader = st.selectbox("Reader of answers", readers, key=f"results.reader.{view.name}")
        bins = cuts(f"results.{view.name}")
        common = st.toggle("Only items answered by every model", key="results.common")
    options: dict[str, Any] = {}
    choosing = [section for section in result_sections.sections() if section.chooses and of_models]
    if choosing:
        with compare, st.popover("Compare", width="stretch"):
            options = {section.option: section.choose(view, of_models) for section in choosing}
    if by == ALIKE:
        one, other = st.columns(2)
        names = list(compared)
        with one:
            first = st.selectbox("First text", names, format_func=compared.__getitem__, key=f"results.a.{view.name}")
        with other:
            rest = [name for name in names if name != first]
            second = st.selectbox("Second text", rest, format_func=compared.__getitem__, key=f"results.b.{view.name}")
        by = similarity_of(first or names[0], second or rest[0], schema).name
    wanted = {
        "reader": reader or RULES,
        "by": by or DIMENSION.name,
        "together": together,
        "common": common,
        "bins": bins,
        "method": method or "ppi",
        "options": {option: value for option, value in options.items() if value is not None},
    }
    return left, wanted, sort or "mean"


def cuts(key: str, before: Bins = BINS) -> Bins:
    """Draw and return the number of slices of a numeric field, or their edges. ``before`` is the default."""
    number, text = (before, "") if isinstance(before, int) else (BINS, edges_in_words(before))
    bins = st.number_input("Number of numeric slices", 2, 12, number, key=f"{key}.bins")
    edges = st.text_input(
        "Edges of numeric slices",
        text,
        key=f"{key}.edges",
        placeholder="such as 1,5,9",
        help="Numbers from low to high, separated by commas. If you leave this empty, slices have about the same size.",
    )
    if not (edges or "").strip():
        return int(bins)
    try:
        return edges_of(edges)
    except InvalidInputError as error:
        shell.show(markup.notice(str(error)))
        return int(bins)
