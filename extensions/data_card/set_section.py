"""Draw the statistics of a set on a page: tables, charts and a file with all of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import streamlit as st

from app import markup, shell
from app.charts import page_chart
from app.jobs import figure_requests
from app.reruns import pending_figures
from app.services import Services
from app.widgets.folds import folded
from app.workbench.report import report
from domain.records import ProjectView
from domain.states import Items
from extensions.data_card import set_statistics
from extensions.data_card.set_statistics import SetStatistics
from reports import html
from reports.content import Figure, ReportTable
from reports.vega import ACCENT, AROUND, BAR, GREY, ChartSpec, names_axis
from workflow.releases import set_items


def show(services: Services, view: ProjectView, items: Items | None) -> None:
    """Draw the folded section of the page."""
    draw = partial(_show, services, view, items)
    folded("tables", "set", "Composition of the data set", "texts, answers and shortcuts", draw)


def _show(services: Services, view: ProjectView, items: Items | None) -> None:
    def ask() -> figure_requests.FigureState:
        return _asked(services, view, items)

    asked = ask()
    pending_figures.show_pending(services, asked, ask, about="The statistics of the data set are")
    if asked.figure is None:
        return
    figures: SetStatistics = asked.figure.value
    if not figures.items:
        shell.show(markup.notice("This project has no items yet."))
        return
    shell.show(markup.paragraph(figures.which, style="ts ts-quiet"))
    st.download_button(
        "Download as CSV",
        lambda: set_statistics.as_csv(figures).encode(),
        file_name=f"{view.name}-set.csv",
        mime="text/csv",
        key="set.csv",
        on_click="ignore",
    )
    report(html.fragment("".join(html.blocks(figures.tables))), key="set.tables")
    for chart in set_charts(figures):
        page_chart.show(chart, project=view.name)
    if figures.notes:
        shell.show(markup.paragraph(" ".join(figures.notes), style="ts ts-quiet ts-small"))
    with st.expander("Definitions of the numbers", key="set.definitions"):
        rows = [
            [markup.text(table.title), markup.text(title), markup.text(meaning)]
            for table in figures.tables
            for title, meaning in figures.definitions[table.key].items()
        ]
        shell.show(markup.table([("Table", ""), ("Number", ""), ("What it is", "wide")], rows))


def _asked(services: Services, view: ProjectView, items: Items | None) -> figure_requests.FigureState:
    about: dict[str, Any] = {"by": services.person, "project": view.name}
    return figure_requests.request_figure(
        services.store,
        services.settings,
        "set",
        {"project": view.name, "items": items},
        state=set_items.mark(services.store, **about),
        size=set_items.size(services.store, **about),
    )


# ---- charts ----------------------------------------------------------------------------------------------------------


def set_charts(found: SetStatistics) -> Iterator[ChartSpec]:
    """Yield the charts: lengths of texts, and accuracy of a rule that looks at no image."""
    if table := found.table("set_texts"):
        for what in ("Question", "Answer"):
            if f"{what}, mean" in table.columns:
                yield _lengths(table, what)
    if table := found.table("set_shortcuts"):
        yield _longest(table)


def _lengths(table: ReportTable, what: str) -> ChartSpec:
    """Return a chart of the shortest, mean and longest text of each dimension."""
    names = [str(row[0]) for row in table.rows]
    least, mean, most = (_column(table, f"{what}, {name}") for name in ("least", "mean", "most"))
    values = [
        {"at": at, "name": name, "least": least[at], "mean": mean[at], "most": most[at]}
        for at, name in enumerate(names)
        if mean[at] is not None
    ]
    x = {"field": "mean", "type": "quantitative", "title": f"Words per {what.lower()}"}
    tooltip = [{"field": name} for name in ("name", "least", "mean", "most")]
    layers = [
        {
            "data": {"values": values},
            "mark": {"type": "rule", "color": GREY, "strokeWidth": 2},
            "encoding": {"y": names_axis(names), "x": {**x, "field": "least"}, "x2": {"field": "most"}},
        },
        {
            "data": {"values": values},
            "mark": {"type": "point", "filled": True, "size": 80, "color": ACCENT, "opacity": 1},
            "encoding": {"y": names_axis(names), "x": x, "tooltip": tooltip},
        },
    ]
    return ChartSpec(
        f"set-{what.lower()}-words",
        f"{what}s have {values[-1]['mean']} words on average.",
        "Blue: the mean. Gray: from the shortest to the longest text. Spaces separate words.",
        layers,
        ["Dimension", "Least", "Mean", "Most"],
        [[value["name"], value["least"], value["mean"], value["most"]] for value in values],
        BAR * len(names) + AROUND,
    )


def _longest(table: ReportTable) -> ChartSpec:
    """Return a chart of how often the longest option is right, with limits."""
    column = _column(table, "Longest option")
    bars = [(str(row[0]), figure) for row, figure in zip(table.rows, column, strict=True) if isinstance(figure, Figure)]
    names = [name for name, _ in bars]
    values = [
        {"at": at, "name": name, "share": figure.value, "low": figure.low, "high": figure.high, "n": figure.n_units}
        for at, (name, figure) in enumerate(bars)
    ]
    x = {
        "field": "share",
        "type": "quantitative",
        "title": "Items in which the longest option is right",
        "axis": {"format": ".0%", "tickCount": 8},
        "scale": {"domain": [0, 1]},
    }
    tooltip = [
        {"field": "name", "title": "dimension"},
        {"field": "share", "format": ".1%"},
        {"field": "low", "title": "from", "format": ".1%"},
        {"field": "high", "title": "to", "format": ".1%"},
        {"field": "n", "format": ","},
    ]
    layers = [
        {
            "data": {"values": values},
            "mark": {"type": "bar", "color": ACCENT},
            "encoding": {"y": names_axis(names), "x": x, "tooltip": tooltip},
        },
        {
            "data": {"values": values},
            "mark": {"type": "rule", "color": GREY, "strokeWidth": 2, "tooltip": None},
            "encoding": {"y": names_axis(names), "x": {**x, "field": "low"}, "x2": {"field": "high"}},
        },
    ]
    last = bars[-1][1]
    chance = _column(table, "Chance")[-1]
    return ChartSpec(
        "set-longest",
        f"The longest option is right in {100 * (last.value or 0):.1f} % of items. A random option is right in "
        f"{chance}.",
        f"The option with the most characters (the first of several equally long options), n = {last.n_units:,}. "
        "Gray bars: 95 % limits of each share.",
        layers,
        ["Dimension", "Share", "From", "To", "Items"],
        [
            [name, *(_written(value) for value in (figure.value, figure.low, figure.high)), figure.n_units]
            for name, figure in bars
        ],
        BAR * len(names) + AROUND,
    )


def _written(value: float | None) -> str | None:
    return None if value is None else f"{value:.4f}"


def _column(table: ReportTable, title: str) -> list[Any]:
    at = table.columns.index(title)
    return [row[at] for row in table.rows]
