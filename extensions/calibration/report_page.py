"""Draw a calibration report on its page: the verdicts, one chart for each criterion, and the report in folded sections.

Only open sections are sent to the browser.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from app import markup, shell
from app.charts import dot_plot, page_chart
from app.charts.dot_plot import DotRow
from app.widgets.folds import fold
from app.workbench.report import report
from reports.vega import ChartSpec

if TYPE_CHECKING:
    from extensions.calibration.report.short_answer import CriterionChart, JudgeAnswer

MOST_IN_SENTENCES = 3
"""Number of judges up to which each judge has its sentences. Of more judges, only the verdicts are listed."""


def show(made: Mapping[str, Any], *, project: str) -> None:
    """Draw the parts of a report that ``extensions.calibration.report_files.files_of`` has built."""
    if made["errors"]:
        shell.show(*(markup.notice(message, style="bad") for message in made["errors"]))
    answers: Sequence[JudgeAnswer] = made["answers"]
    several = len({answer.criterion for answer in answers}) > 1
    for answer in answers:
        shell.show(*_answer(answer, several=several, whole=len(answers) <= MOST_IN_SENTENCES))
    shell.show(markup.Markup(f"<style>{dot_plot.STYLE}</style>"))
    for chart, links in made["charts"]:
        if several:
            shell.section(chart.criterion.replace("_", " ").capitalize())
        shell.show(_chart(chart, links))
    place = fold(
        "Reasons and next steps", "the rule, the dimensions and how many more units to grade", key="calibration.why"
    )
    if place is not None:
        with place:
            _part("first", made["first"])
    sections: Sequence[tuple[str, str, Sequence[str | ChartSpec]]] = made["sections"]
    place = fold("Full report", f"{len(sections)} sections with all tables and charts", key="calibration.report")
    if place is not None:
        with place:
            for key, title, parts in sections:
                section = fold(title, key=f"calibration.section.{key}")
                if section is not None:
                    with section:
                        _section(key, parts, project)
            _part("about", made["about"])
    st.download_button(
        "Download report",
        made["zip"],
        file_name=made["name"],
        mime="application/zip",
        key="calibration.download",
        on_click="ignore",
        help="A ZIP file with the report and the judge card as HTML, tables as CSV, and all numbers as JSON.",
    )


def _answer(answer: JudgeAnswer, *, several: bool, whole: bool) -> list[markup.Markup]:
    """Return the verdict on a judge, and the sentences behind it."""
    about = f" ({answer.criterion.replace('_', ' ')})" if several else ""
    verdict = markup.tag("b", markup.text(answer.verdict))
    parts = [markup.finding(verdict, markup.quiet(about), part="judge-answer")]
    sentences = [*answer.sentences, *([f"Measured on {answer.counted}."] if answer.counted else [])]
    if whole and sentences:
        words = shell.on_page(" ".join(sentences))
        parts.append(markup.tag("p", markup.quiet(words), style="ts", data_part="judge-sentences"))
    return parts


def _chart(chart: CriterionChart, links: Sequence[str]) -> markup.Markup:
    """Return the dot plot of one criterion. The band is the interval of people among themselves."""
    rows = [
        DotRow(
            row.name or "Two people",
            row.figure.value,
            row.figure.low,
            row.figure.high,
            markup.count(row.figure.n_units, "unit"),
            href,
            "differences",
            strong=not row.name,
            percent=0 if row.figure.share else None,
        )
        for row, href in zip(chart.rows, links, strict=True)
    ]
    first = chart.rows[0].figure if chart.rows and not chart.rows[0].name else None
    band = (first.low, first.high) if first is not None and first.low is not None and first.high is not None else None
    words = (
        "Agreement of each judge with a person, compared with the agreement of two people. Lines show 95 % intervals."
    )
    plot = dot_plot.dot_plot(rows, title=chart.measure, ends=dot_plot.axis_of(rows), band=band)
    return markup.joined([plot, markup.tag("p", markup.quiet(words), style="ts ts-small")])


def _section(key: str, parts: Sequence[str | ChartSpec], project: str) -> None:
    for at, part in enumerate(parts):
        if isinstance(part, ChartSpec):
            page_chart.show(part, project=project, table=False)  # the section already has a table of the numbers
        else:
            _part(f"{key}.{at}", part)


def _part(key: str, html: str) -> None:
    from reports.html import fragment

    report(fragment(shell.on_page(html)), key=f"calibration.part.{key}")
