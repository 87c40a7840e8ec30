"""The planned sample of grading on the dashboard: its cost, shortages and progress, and a button that opens it."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from annotation_schemas.grading_sample import DIMENSION
from app import markup, shell
from app.reruns import messages
from app.services import Services
from domain.records import ProjectView
from workflow.annotate.sample_standing import SampleProgress
from workflow.runs import run_grading

MOST_ROWS = 500
"""Largest number of rows on the page. The command prints all rows."""


def for_leads(services: Services, view: ProjectView) -> None:
    """Draw the plan, the button that opens it, and an input to draw more."""
    if done := messages.kept_message("sample.opened"):
        shell.show(markup.notice(done, style="good"))
    planned_sample = run_grading.planned_sample(services.store, by=services.person, project=view.name)
    if planned_sample is None:
        return
    if planned_sample.planned is not None and planned_sample.passed_on > planned_sample.planned:
        n = st.number_input(
            "Answers in the sample",
            min_value=planned_sample.planned,
            max_value=planned_sample.passed_on,
            value=planned_sample.planned,
            key=f"sample.outputs.{view.name}.{planned_sample.planned}",
            help="To add answers to the sample, enter a larger number. Answers already in the sample stay in the "
            "sample.",
        )
        if n > planned_sample.planned:
            planned_sample = run_grading.planned_sample(
                services.store, by=services.person, project=view.name, outputs=int(n)
            )
            assert planned_sample is not None
    shell.show(
        markup.tag("p", markup.text(planned_sample.sentence), style="ts", data_part="planned-sample"),
        *(
            [
                markup.tag(
                    "p", markup.text(f"{planned_sample.cost} {planned_sample.how}"), style="ts", data_part="sample-cost"
                )
            ]
            if planned_sample.drawn
            else []
        ),
        *(markup.notice(words, style="bad") for words in planned_sample.troubles),
        *(markup.tag("p", markup.quiet(words), style="ts") for words in planned_sample.remarks),
    )
    if st.button(
        f"Open {markup.count(planned_sample.missing_slots, 'slot')} for grading",
        key="sample.open",
        type="primary",
        disabled=bool(planned_sample.troubles and not planned_sample.opened) or not planned_sample.missing_slots,
    ):
        opened = run_grading.draw_sample(
            services.store, by=services.person, project=view.name, outputs=planned_sample.planned
        )
        if opened:
            messages.keep("sample.opened", f"{markup.count(opened, 'slot')} opened for grading.")
        st.rerun()
    titles = {known.id: known.title for known in view.schema.schema_.dimensions}
    shell.show(table(planned_sample, titles))
    if len(planned_sample.lines) > MOST_ROWS:
        shell.show(
            markup.paragraph(
                f"To see {markup.count(len(planned_sample.lines) - MOST_ROWS, 'more row')}, use: touchstone sample "
                f"show {view.name}",
                style="ts ts-quiet",
            )
        )


def table(found: SampleProgress, titles: Mapping[str, str]) -> markup.Markup:
    """Return a table with a row for each model in each stratum. ``titles`` has the titles of dimensions, by id."""
    heads = [
        *((name.replace("_", " ").capitalize(), "name") for name in found.others),
        ("Model", "name"),
        *((words.capitalize(), "number") for words in found.columns.values()),
    ]
    return markup.table(
        heads,
        [
            [
                *(
                    markup.text(titles.get(value, value) if name == DIMENSION else value)
                    for name, value in zip(found.others, line.strata, strict=True)
                ),
                markup.text(line.model),
                *(markup.number(getattr(line, name)) for name in found.columns),
            ]
            for line in found.lines[:MOST_ROWS]
        ],
    )
