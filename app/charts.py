"""Charts on pages: Streamlit draws their Vega-Lite in the browser, with the numbers as a table and as a file below.

Streamlit passes a chart's JSON to the browser unchanged, because its data stands inside its layers. Data handed over
separately would load Altair, pandas and Arrow first: half a second of the process that serves pages.
"""

from __future__ import annotations

import io

import streamlit as st

from app import markup, shell
from app.workbench.picture import pictures
from domain import csv_text
from reports.vega import ChartSpec

_AS_SVG = {"usermeta": {"embedOptions": {"renderer": "svg"}}}
"""Not on a canvas, also where there are many marks: what stands on the page is what is saved."""
MOST_ROWS = 60
"""So many rows stand in the table on the page; the file has all."""


def show(chart: ChartSpec, *, project: str, table: bool = True) -> None:
    """The chart, and below it the ways to save it and its numbers; without ``table`` they stand on the page already."""
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
    with st.expander("The numbers as a table"):
        shell.show(as_table(chart))
        if len(chart.rows) > MOST_ROWS:
            st.caption(f"{MOST_ROWS} of {len(chart.rows):,} rows; the file has all.")
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


def as_table(chart: ChartSpec) -> markup.Markup:
    """The first rows of its numbers."""
    first, *others = chart.heads
    heads = [(first, "line"), *((head, "number") for head in others)]
    return markup.table(heads, [[_cell(each) for each in row] for row in chart.rows[:MOST_ROWS]])


def as_csv(chart: ChartSpec) -> bytes:
    """All of its numbers."""
    out = io.StringIO(newline="")
    writer = csv_text.Writer(out)
    writer.writerow(chart.heads)
    writer.writerows(chart.rows)
    return out.getvalue().encode()


def _cell(value: str | int | float | None) -> markup.Markup:
    if isinstance(value, int):
        return markup.number(value)
    return markup.text("-" if value is None else value)
