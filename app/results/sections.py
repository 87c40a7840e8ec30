"""The sections of the page *Results*: those of core, and those that extensions add (``ResultSection``)."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app import markup, shell
from app.results import shown
from workflow.results import attributes, result_sections
from workflow.results.leaderboard import Gap
from workflow.results.result_sections import ResultSection, ResultsPage


class AttributeSection(ResultSection):
    """The models' attributes, if there are any."""

    name = "attributes"
    place = 20

    def draw(self, page: ResultsPage) -> None:
        """Draw a table with a row for each model."""
        by_model = page.found.attributes
        names = attributes.names(by_model.values())
        if not names:
            return
        with st.expander(f"Model attributes ({len(by_model)})"):
            heads = [("Model", "name"), *((name.replace("_", " "), "") for name in names)]
            rows = [
                [markup.tag("b", markup.text(model)), *(markup.text(own.get(name, "-")) for name in names)]
                for model, own in sorted(by_model.items())
            ]
            shell.show(shown.wide_table(heads, rows, part="models"))


class GapSection(ResultSection):
    """The difference of each model from the first one, if there are several."""

    name = "gaps"
    place = 30

    def draw(self, page: ResultsPage) -> None:
        """Draw a table with a row for each difference."""
        if page.chosen is not None and page.chosen.gaps:
            shell.section(f"Difference from {page.chosen.gaps[0].first} on the same items")
            whole = page.chosen.board.whole
            hrefs = [
                shown.cases_address(page.view, whole[gap.model], by="", common=page.common, items=page.items)
                for gap in page.chosen.gaps
            ]
            shell.show(gap_table(page.chosen.gaps, hrefs))


def gap_table(gaps: Sequence[Gap], hrefs: Sequence[str] = (), *, first: bool = False) -> markup.Markup:
    """Return a table of the differences between models.

    Parameters
    ----------
    hrefs
        The address of each model's answers.
    first
        The other model varies, so name it in each row.
    """
    ends = shown.ends_of(gap.difference for gap in gaps)
    heads = [("Model", "name"), *shown.difference_heads(ends, "Items"), ("Remark", "")]
    rows = [
        [
            markup.text(f"{gap.model} minus {gap.first}" if first else gap.model),
            *shown.difference_cells(gap.difference, ends, href),
            markup.quiet(gap.difference.reason or gap.difference.method),
        ]
        for gap, href in zip(gaps, hrefs or [""] * len(gaps), strict=True)
    ]
    return markup.tag("div", markup.table(heads, rows), data_part="gaps")


class OverviewSection(ResultSection):
    """All ways of scoring, if there are several. Models have the order of the chosen one."""

    name = "overview"
    place = 40

    def draw(self, page: ResultsPage) -> None:
        """Draw a table with a column for each way of scoring."""
        leaderboards = page.found
        if len(leaderboards.titles) < 2 or page.chosen is None:
            return
        shell.section("All scores (mean over answers)")
        heads = [("Model", "name"), *((title, "") for title in leaderboards.titles.values())]
        rows = [
            [
                markup.tag("b", markup.text(model)),
                *(
                    shown.cell(
                        page.view,
                        leaderboards.overview[model, way],
                        leaderboards.ends[way],
                        by="",
                        common=page.common,
                        items=page.items,
                    )
                    for way in leaderboards.titles
                ),
            ]
            for model in page.chosen.board.models
        ]
        shell.show(shown.wide_table(heads, rows, part="overview"))


def draw_sections(page: ResultsPage) -> None:
    """Draw all sections in order. Where nothing scores answers, draw only those that need no scores."""
    rows = [AttributeSection(), GapSection(), OverviewSection(), *result_sections.sections()]
    for section in sorted(rows, key=lambda each: each.place):
        if page.chosen is not None or section.without_scores:
            section.draw(page)
