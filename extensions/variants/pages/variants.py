"""The page *Variants*: the difference of each model's score between two variants of the same items, pair by pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app import markup, shell
from app.jobs import figure_requests
from app.reruns import pending_figures
from app.results import choices, shown
from app.screens import Need, Room, Screen
from app.services import Services
from app.widgets import items_switch
from domain.records import ProjectView
from domain.roles import Role
from extensions.variants import item_pairs
from extensions.variants.item_pairs import PairedDifference
from workflow.results import attributes, leaderboard_lines, leaderboard_page
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
    """Draw the choice of pairs, and a table of differences for each way of scoring."""
    view = shell.lead_of(services)
    shell.heading("Variants", made_up=view.made_up)
    top = st.container()
    items = items_switch.switch(services, view, key="variants.items")
    chosen = _choices(services, view)
    if chosen is None:
        words = "Choose the field that the items of a pair share, and the field in which they differ."
        shell.show(markup.paragraph(words, style="ts ts-quiet"))
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
    pending_figures.show_pending(services, asked, ask, about="The differences are")
    if asked.figure is None:
        return
    by_title: Mapping[str, Sequence[PairedDifference]] = asked.figure.value
    if not by_title:
        with top:
            shell.show(markup.finding(markup.text("No items are variants of each other, or no answer has a score.")))
        return
    with top:
        shell.show(markup.finding(markup.text(answer(next(iter(by_title.values()))))))
    shell.show(markup.Markup(f"<style>{shown.STYLE}</style>"))
    for title, rows in by_title.items():
        shell.section(title)
        shell.show(pair_table(rows))
    shown.download(
        "Pairs as CSV",
        lambda: item_pairs.as_csv([row for rows in by_title.values() for row in rows]),
        f"{view.name}-variants.csv",
        key="variants.csv",
    )


CLEAR = 0.05
"""A difference is clear if its p, corrected by Holm, is below this number."""


def answer(rows: Sequence[PairedDifference]) -> str:
    """Return the largest clear difference in words, or that none is clear."""
    tested = [row for row in rows if row.p_adjusted == row.p_adjusted]
    clear = [row for row in tested if row.p_adjusted < CLEAR]
    if not clear:
        n = markup.count(len(tested), "tested difference")
        return f"No model does clearly better on one variant. None of {n} holds after Holm's correction."
    row = max(clear, key=lambda row: abs(row.difference.value))
    at = row.difference
    better, other = (row.second, row.first) if at.value > 0 else (row.first, row.second)
    low, high = (at.low, at.high) if at.value > 0 else (-at.high, -at.low)
    limits = f" [{low:.2f}, {high:.2f}]" if low == low else ""
    return (
        f"{row.model} scores {abs(at.value):.2f}{limits} higher on {better} than on {other}, over"
        f" {markup.count(at.n_units, 'pair')}. {len(clear)} of {markup.count(len(tested), 'difference')} hold after"
        " Holm's correction."
    )


def _choices(services: Services, view: ProjectView) -> dict[str, str | None] | None:
    """Draw the choices. Return None until both fields are chosen. The schema has the defaults."""
    fields = [field.name for field in view.schema.schema_.item.fields]
    _, labels = attributes.names_in(services.store, person=services.person, project=view.name)
    names = [None, *dict.fromkeys([*labels, *fields])]
    usual = item_pairs.named(view.schema.schema_)
    left, middle, right = st.columns(3)
    with left:
        pair = st.selectbox(
            "Items of a pair share",
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
            help="Pairs from one video are not independent. Intervals and tests take this into account.",
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
                markup.quiet(leaderboard_lines.reasons_in_words(row.left_out) or "none"),
            ]
        )
    return shown.wide_table(heads, cells, part="pairs")
