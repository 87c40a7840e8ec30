"""Draw charts on pages. Streamlit renders Vega-Lite in the browser; the numbers follow as a table and as a file.

A chart's data is inside its layers, so Streamlit passes the chart's JSON to the browser unchanged. Data in a separate
argument would load Altair, pandas and Arrow, which takes the process that serves pages half a second.
"""

from __future__ import annotations

import io
from collections.abc import Callable

import streamlit as st

from app import markup, shell
from app.workbench.picture import pictures
from domain import csv_text
from reports.vega import ChartSpec

_AS_SVG = {"usermeta": {"embedOptions": {"renderer": "svg"}}}
"""Draw as SVG, also with many marks, so that a saved chart equals the chart on the page."""
MOST_ROWS = 60
"""Number of rows in the table on the page. The file has all rows."""


Address = Callable[[int, int], str]
"""Returns the address of the items behind a number of a chart, by its row and its column. Empty: none."""


def show(chart: ChartSpec, *, project: str, table: bool = True, address: Address = lambda row, column: "") -> None:
    """Draw a chart, and below it the downloads of the chart and its numbers.

    ``table``: also draw the numbers as a table, with a link at each ``address``. False if the page already shows them.
    """
    shell.show(
        markup.tag(
            "div",
            markup.tag("b", markup.text(chart.title)),
            markup.tag("div", markup.quiet(chart.about), style="ts-small"),
            style="ts",
            data_part=f"chart-{chart.key}",
        )
    )
    with st.container(key=f"chart.{chart.key}"):
        st.vega_lite_chart(
            None,
            {**chart.spec(), **_AS_SVG},
            width=chart.width or "stretch",
            key=f"chart.drawn.{chart.key}",
        )
    pictures(f"chart.{chart.key}", title=chart.title, file=f"{project}-{chart.key}", key=f"chart.pictures.{chart.key}")
    if not table:
        _file(chart, project)
        return
    with st.expander("Show as table"):
        shell.show(as_table(chart, address))
        if len(chart.rows) > MOST_ROWS:
            st.caption(f"Showing {MOST_ROWS} of {len(chart.rows):,} rows. The file has all rows.")
        _file(chart, project)


def _file(chart: ChartSpec, project: str) -> None:
    st.download_button(
        "CSV",
        lambda: as_csv(chart),
        file_name=f"{project}-{chart.key}.csv",
        mime="text/csv",
        key=f"chart.csv.{chart.key}",
        on_click="ignore",
    )


def as_table(chart: ChartSpec, address: Address = lambda row, column: "") -> markup.Markup:
    """Return a table of the chart's first rows."""
    first, *others = chart.heads
    heads = [(first, "line"), *((head, "number") for head in others)]
    shares = [head in chart.shares for head in chart.heads]
    rows = []
    for at, row in enumerate(chart.rows[:MOST_ROWS]):
        cells = [_words(value, share=share) for value, share in zip(row, shares, strict=True)]
        hrefs = [address(at, column) for column in range(len(row))]
        rows.append([markup.link(*of) if of[1] else markup.text(of[0]) for of in zip(cells, hrefs, strict=True)])
    return markup.table(heads, rows)


def as_csv(chart: ChartSpec) -> bytes:
    """Return all numbers of the chart as CSV."""
    out = io.StringIO(newline="")
    writer = csv_text.Writer(out)
    writer.writerow(chart.heads)
    writer.writerows(chart.rows)
    return out.getvalue().encode()


def _words(value: str | int | float | None, *, share: bool) -> str:
    if share and value is not None:
        return markup.percent(float(value))
    if isinstance(value, int):
        return f"{value:,}"
    return "-" if value is None else str(value)
