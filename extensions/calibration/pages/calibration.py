"""The page *Calibration*: a report on how well judges can replace people, on the page and as files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from annotation_schemas import reporting
from annotation_schemas.model import Schema
from app import addresses, markup, shell
from app.jobs import figure_requests
from app.reruns.pending_figures import show_pending
from app.screens import SCREENS, Need, Room, Screen
from app.services import Services
from app.widgets import items_switch
from db import project_facts
from domain.records import ProjectView
from domain.roles import Role
from domain.states import VERIFICATIONS, Cut, Stage
from domain.statistics import STATISTICS
from extensions.calibration import project_study, report_page
from workflow.results import rater_agreement
from workflow.results.ratings import Raters, raters_called, raters_of

SCREEN = Screen(
    "Calibration",
    place=310,
    room=Room.MODELS,
    role=Role.LEAD,
    words="trust judge reliable replace people human llm bias valid",
    needs=Need("No judge has answered yet. Run a judge on answers that people graded.", project_facts.has_judges),
)

WEIGHT = 12
"""The cost of a rating in a report, as a multiple of its cost elsewhere.

A report needs thousands of draws, and charts.
"""
CUTS = {Cut.WHOLE: "Whole", Cut.DIMENSION: "By dimension", Cut.GROUP: "By group"}
STAGES = (Stage.GRADING, *VERIFICATIONS)


def render(services: Services) -> None:
    """Draw the choice of people and judges, then the report."""
    view = shell.lead_of(services)
    shell.heading("Calibration", "Can a judge replace people?", made_up=view.made_up)
    if view.schema.schema_.stages.comparison is not None and "preferences" in SCREENS:
        link = markup.link("Preferences", addresses.page("preferences", view.name))
        words = markup.text("Judges that compare two answers are on the page ")
        shell.show(markup.tag("p", words, link, markup.text("."), style="ts", data_part="pairs"))
    stages = [stage for stage in STAGES if getattr(view.schema.schema_.stages, stage.value) is not None]
    if not stages:
        shell.show(
            markup.notice(
                "This project has no verification stage and no grading stage. Add one of these stages to the schema."
            )
        )
        return
    left, right = st.columns([3, 1], vertical_alignment="center")
    with left:
        stage = _stage(services, view, stages)
    raters = raters_of(services.store, person=services.person, project=view.name, stage=stage)
    if not raters.machines:
        shell.show(markup.notice(_nothing(view, stage, raters)))
        return
    if not raters.people:
        shell.show(markup.notice("Choose which raters are people, then create the report."))
        place: Any = st.container()
    else:
        place = right.popover("What is compared", width="stretch")
    with place:
        items = items_switch.switch(services, view, key="calibration.items", stage=stage)
        models = project_study.models_with_answers(services.store, person=services.person, project=view.name)
        asked = _form(view, stage, raters, raters_called(services.store, raters), models)
    kept = f"calibration.asked.{view.name}.{stage}.{st.query_params.get('judge')}"
    if asked is not None:
        st.session_state[kept] = asked
    asked = asked or st.session_state.get(kept) or (_usual(view, raters) if raters.people else None)
    if asked is not None:
        _made(services, view, stage, {**asked, "items": items})


def _stage(services: Services, view: ProjectView, stages: Sequence[Stage]) -> Stage:
    """Draw the choice of a stage. At first it is a stage in which the judge of the address has rated."""
    stage = project_study.stage_first(services.store, person=services.person, project=view.name)
    if len(stages) == 1:
        return stage
    if named := st.query_params.get("judge"):
        stage = next((candidate for candidate in stages if named in _machines(services, view, candidate)), stage)
    chosen = st.segmented_control(
        "Stage",
        stages,
        default=stage,
        format_func=view.schema.schema_.stages.title_of,
        key="calibration.stage",
        label_visibility="collapsed",
    )
    return chosen or stage


def _nothing(view: ProjectView, stage: Stage, raters: Raters) -> str:
    """Return why there is no report, and the next step."""
    if raters.people:
        return (
            "People have given ratings, but no judge has. Start a judge on the Judges page. Or import a "
            "judge's ratings as a CSV file with the columns unit, rater, criterion and value."
        )
    steps = (
        " Run models or import their answers. Then let people grade the answers, and run a judge on the Judges page."
    )
    title = view.schema.schema_.stages.in_a_sentence(stage)
    return f"There are no ratings in the {title} yet.{steps if stage is Stage.GRADING else ''}"


def _machines(services: Services, view: ProjectView, stage: Stage) -> Sequence[str]:
    return raters_of(services.store, person=services.person, project=view.name, stage=stage).machines


def _judges(raters: Raters) -> list[str]:
    """Return the default judges of a report: the judge in the address, or all judges."""
    named = st.query_params.get("judge")
    return [named] if named and named in raters.machines else list(raters.machines)


def _usual(view: ProjectView, raters: Raters) -> dict[str, Any]:
    """Return the settings that the form starts with."""
    return {
        "people": list(raters.people),
        "judges": _judges(raters),
        "pool": False,
        "by": reporting.cut_first(view.schema.schema_) or Cut.DIMENSION,
        "statistics": None,
    }


def _form(
    view: ProjectView, stage: Stage, raters: Raters, called: Mapping[str, str], models: Sequence[str]
) -> dict[str, Any] | None:
    """Draw the form. Return the settings when the button is pressed, and None before."""
    everyone = [*raters.people, *raters.from_files]
    named, picked = st.query_params.get("judge"), _judges(raters)
    with st.form("calibration", border=False):
        left, right = st.columns(2)
        with left:
            people = st.multiselect(
                "People",
                everyone,
                default=raters.people,
                format_func=lambda name: called.get(name, name),
                key=f"calibration.people.{stage}",
                help=(
                    "If an imported rater is a person but not marked as a person on the Add items page, "
                    "add the rater to this list."
                ),
            )
        with right:
            judges = st.multiselect(
                "Judges", raters.machines, default=picked, key=f"calibration.judges.{stage}.{named}"
            )
        pairs = [(judge, model) for judge in raters.machines for model in models]
        own = st.multiselect(
            "Models in judge's family",
            range(len(pairs)),
            format_func=lambda at: f"{pairs[at][0]}: {pairs[at][1]}",
            key=f"calibration.families.{stage}",
            help="The report tests whether a judge favors its own family. For example, GPT-4 may favor GPT-4o.",
        )
        pool = st.toggle(
            "Pool guideline versions",
            key="calibration.pool_guidelines",
            help="Combine people's ratings from all versions of the guideline. Choose this option if people used "
            "several versions.",
        )
        schema = view.schema.schema_
        by = st.segmented_control(
            "Slices",
            [cut for cut in Cut if cut is not Cut.GROUP or any(dimension.group for dimension in schema.dimensions)],
            default=reporting.cut_first(schema) or Cut.DIMENSION,
            format_func=CUTS.__getitem__,
            key=f"calibration.by.{view.name}",
            label_visibility="collapsed",
        )
        named_ones = reporting.agreement_first(schema)
        titles = ", ".join(STATISTICS[name].title for name in named_ones)
        every = bool(named_ones) and st.toggle(
            "All coefficients",
            key="calibration.every",
            help=f"Show all coefficients. Otherwise, the report shows {titles}, and Krippendorff's alpha for the "
            "verdict.",
        )
        sent = st.form_submit_button("Create report", type="primary", key="calibration.make")
    if not sent:
        return None
    return {
        "people": people,
        "judges": judges,
        "pool": pool,
        "by": by or Cut.DIMENSION,
        "statistics": () if every else None,
        "families": {judge: [pairs[at][1] for at in own if pairs[at][0] == judge] for judge in judges},
    }


def _made(services: Services, view: ProjectView, stage: Stage, asked: Mapping[str, Any]) -> None:
    """Draw the stored report. If the report is out of date, show the stored one until the new one is ready."""
    about: dict[str, Any] = {"person": services.person, "project": view.name, "stage": stage}

    def ask() -> figure_requests.FigureState:
        return figure_requests.request_figure(
            services.store,
            services.settings,
            "calibration",
            {"project": view.name, "stage": stage, "titles": titles_of(view.schema.schema_), **asked},
            state=rater_agreement.mark(services.store, **about, asking=True),
            size=WEIGHT * rater_agreement.size(services.store, **about),
            apart=True,
        )

    there = ask()
    show_pending(services, there, ask, about="The report is")
    if there.figure is not None:
        report_page.show(there.figure.value, project=view.name)


def titles_of(schema: Schema) -> dict[str, str]:
    """Return the titles of dimensions by id. Two dimensions with the same title also show their ids."""
    often = Counter(dimension.title for dimension in schema.dimensions)
    return {
        dimension.id: dimension.title if often[dimension.title] == 1 else f"{dimension.title} ({dimension.id})"
        for dimension in schema.dimensions
    }
