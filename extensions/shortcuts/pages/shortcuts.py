"""The page Shortcuts, for leads: how often items can be answered without images, and which items reveal their key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from annotation_schemas.keys import options_field
from app import markup, shell
from app.charts import page_chart
from app.reruns import pending_figures
from app.results.answer import FEW
from app.screens import Need, Room, Screen
from app.services import Services
from app.widgets import items_switch
from db import project_facts
from domain.errors import NotAvailableError
from domain.records import ProjectView
from domain.roles import Role
from domain.states import Items
from extensions.shortcuts import model_section, page_figures, page_parts, send_back, text_check
from extensions.shortcuts.answer_rules import rules_that_pick
from extensions.shortcuts.page_parts import SIZE, interval, share
from extensions.shortcuts.schema_limits import TITLES
from extensions.shortcuts.text_check import ABOVE, TextMeasurement, TextResult
from extensions.shortcuts.text_classifier import ItemScore
from extensions.shortcuts.text_shortcuts import TextShortcuts, as_csv, to_author
from reports.content import Figure
from reports.vega import ACCENT, GREY, WARNING, ChartSpec, names_axis

SCREEN = Screen(
    "Shortcuts",
    place=435,
    room=Room.RESULTS,
    role=Role.LEAD,
    words="guess blind without image text only artifacts leak",
    fits=options_field,
    needs=Need("There are no items yet. Add items first.", project_facts.has_items),
)

FLAGGED, PICKED, EVERY = "flagged", "picked by the classifier", "every item"
BAR, AROUND = 30, 80
"""The height in pixels of a row of the chart, and of the space around all rows."""


def render(services: Services) -> None:
    """Draw the numbers of rules and models with chance and limits, and the items below."""
    view = shell.lead_of(services)
    shell.heading("Shortcuts", "This page shows keys.", made_up=view.made_up)
    top = st.container()
    items = items_switch.switch(services, view, key="shortcuts.items")
    texts = _texts(services, view, items)
    if texts is not None:
        with top:
            shell.show(markup.finding(markup.text(answer(texts))))
    model_section.show(services, view, items)
    if texts is not None:
        _items(services, view, texts)


def answer(found: TextShortcuts) -> str:
    """Return how far the best rule gets without images, compared with chance."""
    name, figure = max(found.by_name.items(), key=lambda pair: pair[1].value or 0)
    n, right = figure.n_units, figure.value or 0
    flagged = f"{markup.count(len(found.flagged), 'item')} of {len(found.items):,} flagged."
    if n < FEW:
        return f"Without images, “{TITLES[name]}” picks {round(right * n)} of {n} keys, too few to compare. {flagged}"
    low = figure.low if figure.low is not None else 0.0
    verdict = "more than" if low > (found.chance or 0) else "not clearly more than"
    return (
        f"Without images, “{TITLES[name]}” picks the key of {share(right)} of items [{interval(figure)}],"
        f" {verdict} a random choice ({share(found.chance)}). {flagged}"
    )


def _texts(services: Services, view: ProjectView, items: Items | None) -> TextShortcuts | None:
    """Draw the results of rules and the classifier. Return None if there are no items to list yet."""
    ask = partial(page_figures.ask_texts, services, view, items)
    try:
        asked = ask()
    except NotAvailableError as error:  # of this machine, and not of the project
        shell.show(markup.notice(str(error)))
        return None
    pending_figures.show_pending(services, asked, ask, about="Shortcuts are")
    if asked.figure is None:
        return None
    looked: TextMeasurement = asked.figure.value
    limits = view.schema.schema_.export.shortcuts
    gate = None if limits is None else text_check.compare_with_limits(limits, looked)
    _stands(gate, counted=items is None)
    if looked.found is None:
        if gate is None:
            shell.show(markup.notice(f"Shortcuts cannot be computed: {looked.why.rstrip('.')}."))
        return None
    results = looked.found
    if not results.items:
        if gate is None:
            shell.show(markup.notice("No item has a multiple-choice key, so nothing can be tested."))
        return None
    if left := _left_out(results):
        shell.show(markup.paragraph(left, style="ts ts-quiet"))
    _rules(view, results, gate)
    _parts(results)
    return results


def _stands(gate: TextResult | None, *, counted: bool) -> None:
    """Show the comparison with the limits. ``counted``: whether the items are those of a release."""
    if gate is None:
        words = "The schema sets no limits (export.shortcuts), so releases do not wait for this check."
        shell.show(markup.tag("p", markup.quiet(words), style="ts ts-small", data_part="gate"))
        return
    style = "good" if gate.met else "bad" if gate.outcome == ABOVE else ""
    words = f"{'Limits before a release' if counted else 'These items compared with the release limits'}: {gate.said}."
    shell.show(markup.tag("div", markup.notice(words, style=style), data_part="gate"))


def _left_out(found: TextShortcuts) -> str:
    """Return the sentences about items that are left out or have no source."""
    sentences: list[str] = []
    if found.skipped:
        sentences.append(f"{markup.count(len(found.skipped), 'item')} without a multiple-choice key left out.")
    if found.without_source:
        sentences.append(f"{found.without_source:,} have no known source. Each counts as a source of its own.")
    return " ".join(sentences)


# ---- rules -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Rule:
    title: str
    figure: Figure
    at_most: float | None
    over: bool


def _rules(view: ProjectView, found: TextShortcuts, gate: TextResult | None) -> None:
    shell.section("Accuracy of each rule")
    limits = {limit.name: limit for limit in gate.limits} if gate is not None else {}
    rules = []
    for name, figure in found.by_name.items():
        limit = limits.get(name)
        over = limit is not None and limit.outcome == ABOVE
        rules.append(_Rule(TITLES[name], figure, limit.at_most if limit is not None else None, over))
    rules.sort(key=lambda rule: -(rule.figure.value or 0))
    page_chart.show(_chart(rules, found.chance or 0), project=view.name, table=False)  # it stands below
    heads = [("Rule", "name"), ("Right", "number"), ("95 % interval", "number"), ("Random choice", "number")]
    heads += [("At most", "number"), ("How it stands", "")] if gate is not None else []
    rows = []
    for rule in rules:
        cells = [rule.title, share(rule.figure.value), interval(rule.figure), share(found.chance)]
        row = [markup.text(cell) for cell in cells]
        if gate is not None:
            state = markup.tag("span", markup.text(ABOVE), style="ts-wrong") if rule.over else markup.text("within")
            row += [markup.text(share(rule.at_most)), state]
        rows.append(row)
    shell.show(markup.tag("div", markup.table(heads, rows), data_part="rules"))


def _chart(rules: Sequence[_Rule], chance: float) -> ChartSpec:
    """Return the chart of all rules with intervals, chance and limits."""
    names = [rule.title for rule in rules]
    values: list[dict[str, Any]] = [
        {
            "at": at,
            "name": bar.title,
            "share": bar.figure.value,
            "low": bar.figure.low,
            "high": bar.figure.high,
            "at_most": bar.at_most,
            "over": bar.over,
        }
        for at, bar in enumerate(rules)
    ]
    x = {
        "field": "share",
        "type": "quantitative",
        "title": "Items in which it is right",
        "axis": {"format": ".0%", "tickCount": 8},
        "scale": {"zero": True, "nice": True},
    }
    y = names_axis(names, limit=260)
    tooltip = [{"field": "name", "title": "rule"}]
    tooltip += [{"field": name, "format": ".1%"} for name in ("share", "low", "high", "at_most")]
    layers: list[dict[str, Any]] = [
        {
            "data": {"values": [{"chance": chance}]},
            "mark": {"type": "rule", "color": GREY, "strokeDash": [5, 4], "strokeWidth": 1.5},
            "encoding": {"x": {**x, "field": "chance"}},
        },
        {
            "data": {"values": values},
            "mark": {"type": "rule", "color": GREY, "strokeWidth": 2},
            "encoding": {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}},
        },
        {
            "data": {"values": values},
            "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
            "encoding": {
                "y": y,
                "x": x,
                "color": {"condition": {"test": "datum.over", "value": WARNING}, "value": ACCENT},
                "tooltip": tooltip,
            },
        },
    ]
    limited = [value for value in values if value["at_most"] is not None]
    if limited:
        layers.append(
            {
                "data": {"values": limited},
                "mark": {"type": "tick", "color": WARNING, "thickness": 2, "size": 18},
                "encoding": {"y": y, "x": {**x, "field": "at_most"}},
            }
        )
    first = rules[0]
    legend = " Red lines: limits of the schema. Red points: above the limit." if limited else ""
    return ChartSpec(
        "shortcuts",
        f"{first.title} is right in {share(first.figure.value)} of items, a random choice in {share(chance)}.",
        f"n = {first.figure.n_units:,}. Grey: 95 % limits by source. Dashed: a random choice.{legend}",
        layers,
        ["Rule", "Share", "From", "To", "At most"],
        [[rule.title, *map(_written, _numbers(rule))] for rule in rules],
        BAR * len(names) + AROUND,
    )


def _numbers(each: _Rule) -> tuple[float | None, ...]:
    return each.figure.value, each.figure.low, each.figure.high, each.at_most


def _written(value: float | None) -> str | None:
    return None if value is None else f"{value:.4f}"


def _parts(found: TextShortcuts) -> None:
    """Show each position, the classifier in each dimension, and the positions of right options."""
    with st.expander("By position and dimension", key="shortcuts.parts"):
        figures = [*found.baselines, *((f"Classifier: {name}", figure) for name, figure in found.text_only)]
        rows = [
            [markup.text(name), markup.text(share(figure.value)), markup.text(interval(figure))]
            for name, figure in figures
        ]
        heads = [("Rule", "name"), ("Right", "number"), ("95 % interval", "number")]
        shell.show(markup.tag("div", markup.table(heads, rows), data_part="parts"))
        n = len(found.places[-1].counts)
        heads = [("Dimension", "name"), *((f"Place {at + 1}", "number") for at in range(n))]
        heads += [("Chi squared", "number"), ("p", "number"), ("Remark", "")]
        rows = []
        for places in found.places:
            tested = ("-", "-") if places.p is None else (f"{places.statistic:.2f}", f"{places.p:.3g}")
            cells = [markup.text(places.title), *map(markup.number, places.counts), *map(markup.text, tested)]
            rows.append([*cells, markup.quiet(places.why)])
        shell.show(markup.tag("div", markup.table(heads, rows), data_part="places"))


# ---- items -----------------------------------------------------------------------------------------------------------


def _items(services: Services, view: ProjectView, found: TextShortcuts) -> None:
    shell.section("Items, the most revealing texts first")
    n = len(found.flagged)
    words = f"{markup.count(n, 'item')} of {len(found.items):,} flagged. A person should check flagged items."
    shell.show(markup.tag("p", markup.text(words), style="ts", data_part="flagged"))
    titles = {dimension.id: dimension.title for dimension in view.schema.schema_.dimensions}
    there = [name for name in titles if any(item.choice.dimension == name for item in found.items)]
    left, middle, right, last = st.columns([2, 2, 3, 2], vertical_alignment="bottom")
    shows = [FLAGGED, PICKED, EVERY]
    show = left.selectbox("Show", shows, index=0 if n else 2, key=f"shortcuts.show.{view.name}.{bool(n)}")
    dimension = middle.selectbox(
        "Dimension",
        there,
        index=None,
        format_func=lambda name: titles.get(name, name),
        placeholder="any",
        key=f"shortcuts.dimension.{view.name}",
    )
    text = right.text_input("Search texts, ids and reasons", key=f"shortcuts.text.{view.name}")
    last.download_button(
        "All scores as CSV",
        lambda: as_csv(found).encode(),
        file_name=f"{view.name}-shortcuts.csv",
        mime="text/csv",
        key="shortcuts.csv",
        on_click="ignore",
        width="stretch",
    )
    wanted = [item for item in found.items if _fits(item, show or EVERY, dimension, text.strip().casefold())]
    if not wanted:
        shell.show(markup.notice("No item matches. Remove a filter, or search for fewer words."))
        return
    first = shell.pager(len(wanted), size=SIZE, of=(show, dimension, text), key="shortcuts.pager")
    page = wanted[first : first + SIZE]
    ids = [[score.choice.id for score in some] for some in (wanted, page)]
    page_parts.to_items(view, *ids, part="to-items")
    _table(view, page, titles)
    words_by_item = {score.choice.id: words for score in page if (words := to_author(score))}
    send_back.offer(services, view, words_by_item, key=f"shortcuts.back.{view.name}")


def _fits(each: ItemScore, show: str, dimension: str | None, text: str) -> bool:
    if (show == FLAGGED and not each.flagged) or (show == PICKED and not each.right):
        return False
    if dimension is not None and each.choice.dimension != dimension:
        return False
    texts = (each.choice.id, each.choice.question, *each.choice.options, *each.reasons)
    return not text or any(text in one.casefold() for one in texts)


def _table(view: ProjectView, items: Sequence[ItemScore], titles: dict[str, str]) -> None:
    heads = [("Item", ""), ("Dimension", ""), ("Right option", ""), ("Probability of key", "number"), ("Why", "wide")]
    rows = []
    for item in items:
        own = item.choice
        rows.append(
            [
                page_parts.item(view, own),
                markup.text(titles.get(own.dimension, own.dimension)),
                page_parts.right_option(own),
                markup.text(share(item.p_key)),
                _why(item),
            ]
        )
    shell.show(markup.tag("div", markup.table(heads, rows), data_part="items"))


def _why(each: ItemScore) -> markup.Markup:
    """Return the rules that choose the key, and the evidence of the classifier."""
    rules = rules_that_pick(each.choice)
    texts = f"texts alone: {', '.join(each.reasons) or 'many words together'}" if each.right else ""
    parts = [markup.tag("div", markup.text(one)) for one in (texts, ", ".join(rules)) if one]
    return markup.joined(parts) if parts else markup.quiet("no rule picks the key")
