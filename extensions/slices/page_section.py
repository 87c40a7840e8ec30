"""The section *By …* of results: each model's numbers on one axis, and each slice against the other answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import streamlit as st

from app import markup, shell
from app.charts import page_chart
from app.results import shown
from domain.records import ProjectView
from extensions.slices import slice_contrasts
from extensions.slices.slice_contrasts import Contrast
from extensions.slices.slices_chart import MOST_CHOSEN, slices_chart, with_numbers
from workflow.results.leaderboard import SlicedScores
from workflow.results.leaderboard_lines import LeaderboardLine
from workflow.results.result_sections import ResultsPage


def show_slices(page: ResultsPage, cut: SlicedScores, tests: Sequence[Contrast]) -> None:
    """Draw the slices as a chart and as tests, if there are at least two."""
    if len(cut.slicing.labels) < 2:
        return
    shell.section(f"By {cut.slicing.way.title.lower()}")
    if with_numbers(cut):
        page_chart.show(slices_chart(cut, _chosen(page.view, cut)), project=page.view.name)
    if not tests:
        if cut.scores.kind == "corrected":
            shell.show(
                markup.tag(
                    "p",
                    markup.quiet(
                        "Touchstone does not test differences between slices if scores are corrected by people."
                    ),
                    style="ts",
                )
            )
        return
    shell.show(markup.tag("p", markup.text(slice_contrasts.on_chance(tests)), style="ts", data_part="chance"))
    with st.expander(f"Differences by slice ({markup.count(len(tests), 'row')})"):

        def address(line: LeaderboardLine) -> str:
            by = cut.slicing.way.name
            return shown.cases_address(page.view, line, by=by, common=page.common, bins=page.bins, items=page.items)

        shell.show(contrast_table(cut, tests, address))


def _chosen(view: ProjectView, cut: SlicedScores) -> list[str]:
    """Draw the choice of the colored models and return it. With one model there is no choice."""
    models = with_numbers(cut)
    if len(models) < 2:
        return models
    key, kept = f"results.drawn.{view.name}", f"results.drawn.kept.{view.name}"
    # the choice survives a time without a chart; other scores may have other models
    before = st.session_state.get(key, st.session_state.get(kept, models[:MOST_CHOSEN]))
    st.session_state[key] = [model for model in before if model in models]
    st.session_state[kept] = chosen = st.multiselect(
        "Models in color", sorted(models), max_selections=MOST_CHOSEN, key=key
    )
    return chosen


def contrast_table(
    cut: SlicedScores, tests: Sequence[Contrast], address: Callable[[LeaderboardLine], str]
) -> markup.Markup:
    """Return a table of the difference between each slice and the model's other answers.

    The number of answers links to the ``address`` of the answers of the slice.
    """
    heads = [
        ("Model", ""),
        (cut.slicing.way.title, ""),
        ("Difference from other answers", "number"),
        ("95 % interval", "number"),
        ("p (Holm)", "number"),
        ("Answers", "number"),
    ]
    rows = []
    for test in tests:
        at, line = test.difference, cut.cells[test.model, test.at]
        limits = "-" if math.isnan(at.low) else f"{at.low:+.3f} to {at.high:+.3f}"
        p = "-" if math.isnan(test.p_adjusted) else "< 0.001" if test.p_adjusted < 0.001 else f"{test.p_adjusted:.3f}"
        rows.append(
            [
                markup.text(test.model),
                markup.text(cut.slicing.title(test.at)),
                markup.text("-" if math.isnan(at.value) else f"{at.value:+.3f}"),
                markup.text(limits),
                markup.text(p),
                markup.link(f"{line.found.n_units:,}", address(line)),
            ]
        )
    return markup.table(heads, rows)
