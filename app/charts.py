"""Charts on pages: Vega-Lite as Streamlit draws it, with the numbers as a table and as a file below.

What is drawn is written as Vega-Lite's JSON, with its numbers inside a layer, and Streamlit passes it on as it stands.
Handed data by themselves, it loads Altair, pandas and Arrow first: half a second of the process that serves pages.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from app import markup, shell
from app.workbench.picture import pictures
from domain import csv_text

HEIGHT = 280
"""Of a chart, in pixels."""
_AS_SVG = {"usermeta": {"embedOptions": {"renderer": "svg"}}}
"""Not on a canvas, also where there are many marks: what stands on the page is what is saved."""
MOST_ROWS = 60
"""So many rows stand in the table on the page; the file has all."""


@dataclass(frozen=True)
class Chart:
    """A chart, and the numbers that it shows."""

    key: str
    """Its name on the page and in files."""
    title: str
    """What one sees in it, as a sentence."""
    about: str
    """Its units, how many things it is made of, and what is drawn how."""
    layers: Sequence[Mapping[str, Any]]
    """Layers of Vega-Lite, each with its data."""
    heads: Sequence[str]
    rows: Sequence[Sequence[str | int | float | None]]
    """The numbers, the most telling row first."""
    height: int = HEIGHT
    """In pixels."""
    width: int | None = None
    """In pixels, where it fits; None: as wide as the page."""


def show(chart: Chart, *, project: str, table: bool = True) -> None:
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
            {
                "description": f"{chart.title} {chart.about}",
                "height": chart.height,
                "layer": list(chart.layers),
                **_AS_SVG,
            },
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


def _file(chart: Chart, project: str) -> None:
    st.download_button(
        "CSV",
        lambda: as_csv(chart),
        file_name=f"{project}-{chart.key}.csv",
        mime="text/csv",
        key=f"chart.csv.{chart.key}",
        on_click="ignore",
    )


def as_table(chart: Chart) -> markup.Markup:
    """The first rows of its numbers."""
    first, *others = chart.heads
    heads = [(first, "line"), *((head, "number") for head in others)]
    return markup.table(heads, [[_cell(each) for each in row] for row in chart.rows[:MOST_ROWS]])


def as_csv(chart: Chart) -> bytes:
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
