"""Slices of the items: each model's numbers on one axis, and each slice tested against the model's other answers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from app import markup, shell
from app.results import shown
from workflow.results import slice_contrasts
from workflow.results.leaderboard import SlicedScores
from workflow.results.leaderboard_lines import Line
from workflow.results.leaderboard_page import Leaderboard
from workflow.results.slice_contrasts import Contrast

MOST_MODELS = 5
"""As many as fit next to each other."""


def show_slices(chosen: Leaderboard) -> None:
    """The slices as a chart and as tests, where there are at least two."""
    cut = chosen.board
    if len(cut.slicing.labels) < 2:
        return
    shell.section(f"By {cut.slicing.way.title.lower()}")
    shell.show(chart(cut))
    tests = chosen.contrasts
    if not tests:
        if cut.scores.kind == "corrected":
            shell.show(markup.tag("p", markup.quiet("Corrected numbers of slices are not tested."), style="ts"))
        return
    shell.show(markup.tag("p", markup.text(slice_contrasts.on_chance(tests)), style="ts", data_part="chance"))
    with st.expander(f"Each slice next to the model's other answers ({len(tests)} lines)"):
        shell.show(contrast_table(cut, tests))


def chart(cut: SlicedScores) -> markup.Markup:
    """Every slice with a drawn interval for each model, all on one axis."""
    models = list(cut.models)[:MOST_MODELS]
    ends = (cut.low, cut.high) if cut.low is not None and cut.high is not None and cut.low < cut.high else _ends(cut)
    heads = [(cut.slicing.way.title, "name"), *((f"{model}, {ends[0]:g} to {ends[1]:g}", "") for model in models)]
    rows = []
    for at in range(len(cut.slicing.labels)):
        lines = [cut.cells[model, at] for model in models]
        name = markup.joined([markup.text(cut.slicing.title(at)), markup.tag("div", _n(lines), style="ts-small")])
        rows.append([name, *(shown.drawn(line, ends) for line in lines)])
    more = len(cut.models) - len(models)
    after = [markup.quiet(f"The {len(models)} models with the highest means; the table above has all.")] if more else []
    return markup.tag("div", markup.table(heads, rows), *after, style="ts-wide-table", data_part="slices", **shown.WIDE)


def _n(lines: Sequence[Line]) -> markup.Markup:
    numbers_of = {line.found.n_units for line in lines}
    least, most = min(numbers_of), max(numbers_of)
    return markup.quiet(f"n {least}" if least == most else f"n {least} to {most}")


def _ends(cut: SlicedScores) -> tuple[float, float]:
    known = [
        each
        for line in cut.cells.values()
        for each in (line.found.value, line.found.low, line.found.high)
        if not math.isnan(each)
    ]
    return (min(known), max(known)) if known and min(known) < max(known) else (0.0, 1.0)


def contrast_table(cut: SlicedScores, tests: Sequence[Contrast]) -> markup.Markup:
    """How far each slice is from the others."""
    heads = [
        ("Model", ""),
        (cut.slicing.way.title, ""),
        ("Difference to the other answers", "number"),
        ("95 % interval", "number"),
        ("p (Holm)", "number"),
        ("Answers", "number"),
    ]
    rows = []
    for each in tests:
        at = each.difference
        limits = "-" if math.isnan(at.low) else f"{at.low:+.3f} to {at.high:+.3f}"
        p = "-" if math.isnan(each.p_adjusted) else "< 0.001" if each.p_adjusted < 0.001 else f"{each.p_adjusted:.3f}"
        rows.append(
            [
                markup.text(each.model),
                markup.text(cut.slicing.title(each.at)),
                markup.text("-" if math.isnan(at.value) else f"{at.value:+.3f}"),
                markup.text(limits),
                markup.text(p),
                markup.text(cut.cells[each.model, each.at].found.n_units),
            ]
        )
    return markup.table(heads, rows)
