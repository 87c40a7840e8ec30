"""Draw a calibration report on its page: the result, a table of contents, and sections that unfold.

Only open sections are sent to the browser.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app import markup, shell
from app.charts import page_chart
from app.workbench.report import report
from reports.vega import ChartSpec

IN_A_ROW = 3
"""Number of entries of the table of contents in one row."""


def show(made: Mapping[str, Any], *, project: str) -> None:
    """Draw the parts of a report that ``extensions.calibration.report_files.files_of`` has built."""
    if made["errors"]:
        shell.show(*(markup.notice(message, style="bad") for message in made["errors"]))
    _part("first", made["first"])
    st.download_button(
        "Download: HTML, judge card, tables as CSV, numbers as JSON",
        made["zip"],
        file_name=made["name"],
        mime="application/zip",
        key="calibration.download",
        on_click="ignore",
    )
    sections: Sequence[tuple[str, str, Sequence[str | ChartSpec]]] = made["sections"]
    _contents(sections)
    for key, title, parts in sections:
        place = st.expander(title, key=_opened(key), on_change="rerun")
        if place.open:
            with place:
                _section(key, parts, project)
    _part("about", made["about"])


def _section(key: str, parts: Sequence[str | ChartSpec], project: str) -> None:
    for at, part in enumerate(parts):
        if isinstance(part, ChartSpec):
            page_chart.show(part, project=project, table=False)  # the section already has a table of the numbers
        else:
            _part(f"{key}.{at}", part, asked=0 if at else st.session_state.get(_asked(key), 0))


def _contents(sections: Sequence[tuple[str, str, Sequence[str | ChartSpec]]]) -> None:
    """Draw a button for each section, which opens the section."""
    shell.section("Sections")
    for at, column in enumerate(st.columns(IN_A_ROW)):
        n = -(-len(sections) // IN_A_ROW)
        with column:
            for key, title, _ in sections[at * n : (at + 1) * n]:
                st.button(title, key=f"calibration.to.{key}", type="tertiary", on_click=_go, args=(key,))


def _go(key: str) -> None:
    st.session_state[_opened(key)] = True
    st.session_state[_asked(key)] = st.session_state.get(_asked(key), 0) + 1


def _opened(key: str) -> str:
    return f"calibration.section.{key}"


def _asked(key: str) -> str:
    return f"calibration.asked_for.{key}"


def _part(key: str, html: str, *, asked: int = 0) -> None:
    from reports.html import fragment

    report(fragment(shell.on_page(html)), key=f"calibration.part.{key}", asked=asked)
