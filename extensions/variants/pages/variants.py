"""The page *Variants*: the difference of each model's score between two variants of the same items, pair by pair."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from app import addresses, markup, shell
from app.charts import dot_plot
from app.charts.dot_plot import DotRow
from app.jobs import figure_requests
from app.reruns import pending_figures
from app.results import choices, shown
from app.screens import Need, Room, Screen
from app.services import Services
from app.widgets import items_switch
from app.widgets.folds import folded
from domain.records import ProjectView
from domain.replies import counted_reasons
from domain.roles import Role
from extensions.variants import item_pairs
from extensions.variants.item_pairs import PairedDifference
from workflow.access.counted_items import counting_of
from workflow.results import attributes, leaderboard_page
from workflow.results.clusters import ALONE

SCREEN = Screen(
    "Variants",
    place=440,
    room=Room.RESULTS,
    role=Role.LEAD,
    words="pairs paired difference ablation with and without marks",
    needs=Need("The schema names no pairs of items.", schema=item_pairs.named),
)


def render(services: Services) -> None:
    """Draw the largest clear difference, all models as dots, and folds with tables and settings."""
    view = shell.lead_of(services)
    about = "See whether models score differently on two variants of the same items."
    shell.heading("Variants", about, made_up=view.made_up)
    top = st.container()
    named = item_pairs.named(view.schema.schema_) is not None
    with st.expander("**Settings** · pairs, variants and items", expanded=not named, key="variants.settings"):
        items = items_switch.switch(services, view, key="variants.items", show=False)
        chosen = _choices(services, view)
    if chosen is None:
        words = "Choose the field that both items of a pair share, and the field in which the items differ."
        with top:
            shell.show(markup.finding(markup.text(words)))
        return
    wanted = {"project": view.name, "items": items, **chosen}

    def ask() -> figure_requests.FigureState:
        about: dict[str, Any] = {"person": services.person, "project": view.name}
        return figure_requests.request_figure(
            services.store,
            services.settings,
            "variants",
            wanted,
            state=leaderboard_page.mark(services.store, **about),
            size=leaderboard_page.size(services.store, **about),
        )

    asked = ask()
    with top:
        pending_figures.show_pending(services, asked, ask, about="The differences are")
    if asked.figure is None:
        return
    by_title: Mapping[str, Sequence[PairedDifference]] = asked.figure.value
    with top:
        if by_title:
            counted = counting_of(services.store, person=services.person, project=view.name, items_=items)
            _found(view, by_title, counted.sentence)
        else:
            shell.show(
                markup.finding(
                    markup.text(
                        "There are no pairs to compare. Either no items are variants of each other, or no answer has a "
                        "score."
                    )
                )
            )


def _found(view: ProjectView, by_title: Mapping[str, Sequence[PairedDifference]], counted: str) -> None:
    """Draw the answer by the first way of scoring with its plot, and folds with all numbers."""
    title, first = next(iter(by_title.items()))
    shell.show(
        markup.Markup(f"<style>{dot_plot.STYLE}{shown.STYLE}</style>"),
        markup.finding(answer(view, first)),
        items_switch.counted_line(counted),
        plot(view, title, first),
    )
    for at, (each, rows) in enumerate(by_title.items()):
        draw = partial(shell.show, pair_table(rows))
        folded("variants", f"scores-{at}", each, "means, tests and excluded pairs", draw)
    shown.download(
        "Pairs as CSV",
        lambda: item_pairs.as_csv([row for rows in by_title.values() for row in rows]),
        f"{view.name}-variants.csv",
        key="variants.csv",
    )


CLEAR = 0.05
"""A difference is clear if its p, corrected by Holm, is below this number."""


def answer(view: ProjectView, rows: Sequence[PairedDifference]) -> markup.Markup:
    """Return the largest clear difference in words, with a link to its answers, or that none is clear."""
    tested = [row for row in rows if row.p_adjusted == row.p_adjusted]
    clear = [row for row in tested if row.p_adjusted < CLEAR]
    n = markup.count(len(tested), "tested difference")
    if not tested:
        return markup.text(
            f"No model scores clearly better on one variant. After Holm's correction, none of {n} is significant."
        )
    row = max(clear or tested, key=lambda row: abs(row.difference.value))
    at = row.difference
    better, other = (row.second, row.first) if at.value > 0 else (row.first, row.second)
    low, high = (at.low, at.high) if at.value > 0 else (-at.high, -at.low)
    limits = f" [{low:.2f}, {high:.2f}]" if low == low else ""
    pairs = f"over {markup.count(at.n_units, 'pair')}"
    value = markup.link(f"{abs(at.value):.2f}", _answers(view, row))
    if not clear:
        lead = markup.tag("b", markup.text("No model scores clearly better on one variant."))
        words = f" After Holm's correction, none of {n} is significant. The largest difference is "
        return markup.joined([lead, markup.text(words), value, markup.text(f"{limits}, for {row.model} {pairs}.")])
    rest = f"{limits} higher on {better} than on {other}, {pairs}."
    hold = f" Significant after Holm's correction: {len(clear)} of {markup.count(len(tested), 'difference')}."
    model = markup.tag("b", markup.text(row.model))
    return markup.joined([model, markup.text(" scores "), value, markup.text(rest + hold)])


def plot(view: ProjectView, title: str, rows: Sequence[PairedDifference]) -> markup.Markup:
    """Return the differences of all models as dots, and a line about those without a value."""
    drawn = [
        DotRow(
            f"{row.model}: {row.second} less {row.first}",
            row.difference.value,
            None if math.isnan(row.difference.low) else row.difference.low,
            None if math.isnan(row.difference.low) else row.difference.high,
            _rests_on(row),
            _answers(view, row),
            "answers",
            strong=row.p_adjusted < CLEAR,
        )
        for row in rows
        if row.difference.defined
    ]
    without: dict[str, list[str]] = {}
    for row in rows:
        if not row.difference.defined:
            without.setdefault(str(row.difference.reason).rstrip("."), []).append(row.model)
    words = ["Lines show 95 % intervals. Bold differences are significant after Holm's correction."]
    words += [f"No difference for {', '.join(dict.fromkeys(models))}: {why}." for why, models in without.items()]
    known = [abs(end) for row in drawn for end in (row.value, row.low, row.high) if end is not None]
    step = 0.2 if max(known, default=0.0) <= 0.4 else 0.5
    end = step * max(1, math.ceil(max(known, default=0.0) / step - 1e-9))
    dots = dot_plot.dot_plot(drawn, title=title, ends=(-end, end)) if drawn else markup.text("")
    return markup.joined(
        [dots, markup.tag("p", markup.quiet(" ".join(words)), style="ts ts-small", data_part="undefined")]
    )


def _rests_on(row: PairedDifference) -> str:
    left = sum(row.left_out.values())
    return markup.count(row.difference.n_units, "pair") + (f", {left:,} left out" if left else "")


def _answers(view: ProjectView, row: PairedDifference) -> str:
    return addresses.cases(view.name, scores=row.scores, model=row.model)


def _choices(services: Services, view: ProjectView) -> dict[str, str | None] | None:
    """Draw the choices. Return None until both fields are chosen. The schema has the defaults."""
    fields = [field.name for field in view.schema.schema_.item.fields]
    _, labels = attributes.names_in(services.store, person=services.person, project=view.name)
    names = [None, *dict.fromkeys([*labels, *fields])]
    usual = item_pairs.named(view.schema.schema_)
    left, middle, right = st.columns(3)
    with left:
        pair = st.selectbox(
            "Field that pairs share",
            names,
            names.index(usual.pair) if usual else 0,
            format_func=lambda name: name or "none",
            key=f"variants.pair.{view.name}",
        )
    with middle:
        variant = st.selectbox(
            "Variants differ in",
            names,
            names.index(usual.variant) if usual else 0,
            format_func=lambda name: name or "none",
            key=f"variants.variant.{view.name}",
        )
    with right:
        together = st.selectbox(
            "Clusters of items",
            [None, ALONE, "source", *fields],
            format_func=lambda name: choices.TOGETHER.get(name, str(name)),
            key=f"variants.together.{view.name}",
            help="Pairs from one video are not independent. Intervals and tests account for this dependence.",
        )
    if pair is None or variant is None or pair == variant:
        return None
    return {"pair": pair, "variant": variant, "together": together}


def pair_table(rows: Sequence[PairedDifference]) -> markup.Markup:
    """Return a table of each model's difference between two variants, with pairs used and left out."""
    ends = shown.ends_of(row.difference for row in rows)
    heads = [
        ("Model", "name"),
        ("Variants", ""),
        ("Means", "number"),
        *shown.difference_heads(ends, "Pairs"),
        ("Higher, lower, equal", "number"),
        ("p (Holm)", "number"),
        ("Left out", ""),
    ]
    cells = []
    for row in rows:
        at = row.difference
        p = f"{row.p_adjusted:.3f}, {item_pairs.TESTS[at.test.name]}" if at.test else "-"
        cells.append(
            [
                markup.tag("b", markup.text(row.model)),
                markup.text(f"{row.second} less {row.first}"),
                markup.text(f"{row.means[1]:.2f} less {row.means[0]:.2f}" if at.defined else "-"),
                *shown.difference_cells(at, ends),
                markup.text(f"{row.higher}, {row.lower}, {row.equal}"),
                markup.text(p),
                markup.quiet(counted_reasons(row.left_out) or "none"),
            ]
        )
    return shown.wide_table(heads, cells, part="pairs")
