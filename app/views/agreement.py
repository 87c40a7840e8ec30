"""The page *Agreement*: coefficients between raters, each with its interval, unit, n and the units left out.

An open page checks for new votes every few seconds, and computes again if there are any.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

import streamlit as st

from agreement.summary import Result
from annotation_schemas import reporting
from annotation_schemas.kinds import options_of
from app import addresses, markup, shell
from app.agreement.tables import (
    UNITS,
    about_of,
    cautions,
    is_headline,
    level_table,
    pairs,
    raters_in_pairs,
    replies_table,
    table_of,
    title_of,
    versions_in_title,
)
from app.charts import confusion_chart
from app.jobs import figure_requests
from app.reruns import pending_figures
from app.results.shown import download
from app.screens import Need, Room, Screen
from app.services import Services
from app.widgets import items_switch, version_switch
from db import project_facts
from domain.errors import NotAvailableError
from domain.records import ProjectView
from domain.roles import Role
from domain.states import Cut, Items, Stage
from workflow.results import rater_agreement
from workflow.results.criterion_values import scored_criteria
from workflow.results.loss_files import agreement_as_csv, losses_as_csv
from workflow.results.losses import StageLosses
from workflow.results.ratings import raters_of

SCREEN = Screen(
    "Agreement",
    place=405,
    room=Room.RESULTS,
    role=Role.LEAD,
    words="kappa alpha krippendorff cohen fleiss reliability inter-rater iaa consistency disagree",
    needs=Need("No two people have answered about the same item yet.", project_facts.has_overlap),
)

FOLLOW_SECONDS = 10
"""Seconds between two checks for new votes on an open page."""

MEANS = "mean"
"""The unit of a comparison of models' means."""
CUTS = {Cut.WHOLE: "All together", Cut.DIMENSION: "By dimension", Cut.GROUP: "By group"}
OF_GRADING = ("Each answer", "Means of a model by dimension", "Judges at three levels")


@dataclass(frozen=True)
class AgreementChoices:
    """The settings of the page. Until someone changes them, they follow the schema's report."""

    stage: Stage
    by: Cut
    of_means: bool
    pool_guidelines: bool
    items: Items | None
    levels: bool = False
    schema_version: int | None = None
    """The schema version whose ratings count. None: all versions."""

    @property
    def unit(self) -> str:
        """Return the unit that a coefficient counts."""
        return MEANS if self.of_means else UNITS[self.stage]


def render(services: Services) -> None:
    """Draw the choice of a stage, and the table."""
    view = shell.lead_of(services)
    shell.heading(
        "Agreement",
        "How far people agree with each other. Every number has its interval, or the reason why it is undefined.",
        made_up=view.made_up,
    )
    stages = [stage for stage in UNITS if getattr(view.schema.schema_.stages, stage) is not None]
    if not stages:
        shell.show(
            markup.notice(
                "This project's schema has no verification, grading, comparison, coding or answering, so there are no "
                "ratings."
            )
        )
        return
    schema = view.schema.schema_
    first = reporting.stage_first(schema)
    usual = _usual(services, view, [first, *stages] if first in stages else stages)
    left, middle, right = st.columns([2, 3, 2], vertical_alignment="center")
    with left:
        chosen = st.segmented_control(
            "Stage",
            stages,
            default=usual,
            format_func=schema.stages.title_of,
            key=f"agreement.stage.{view.name}",
            label_visibility="collapsed",
        )
    stage = chosen or usual
    of_means = levels = False
    about: dict[str, Any] = {"person": services.person, "project": view.name, "stage": stage}
    if stage is Stage.GRADING and scored_criteria(schema):
        means_first = reporting.means_first(schema) and raters_of(services.store, **about).have_means()
        unit = st.segmented_control(
            "Unit",
            OF_GRADING,
            default=OF_GRADING[means_first],
            key=f"agreement.unit.{view.name}",
            label_visibility="collapsed",
        )
        of_means, levels = unit in OF_GRADING[1:], unit == OF_GRADING[2]
    with middle:
        cuts = [cut for cut in Cut if cut is not Cut.GROUP or any(dimension.group for dimension in schema.dimensions)]
        by = st.segmented_control(
            "Slices",
            cuts,
            default=reporting.cut_first(schema) or Cut.WHOLE,
            format_func=CUTS.__getitem__,
            key=f"agreement.by.{view.name}",
            label_visibility="collapsed",
            disabled=of_means,
        )
    with right:
        pool_guidelines = st.toggle(
            "Pool versions of the guideline",
            key="agreement.pool_guidelines",
            help="Otherwise votes under different versions are measured separately.",
        )
    version = version_switch.switch(services, view, key=f"agreement.schema.{stage.value}", stages=[stage])
    items = items_switch.switch(services, view, key="agreement.items", stage=stage, show=False)
    cut = Cut.WHOLE if of_means else by or Cut.WHOLE
    _live(services, view, AgreementChoices(stage, cut, of_means, pool_guidelines, items, levels, version))


@st.fragment(run_every=FOLLOW_SECONDS)
def _live(services: Services, view: ProjectView, choice: AgreementChoices) -> None:
    with shell.guard(services):
        _tables(services, view, choice)


def _measured(
    services: Services, view: ProjectView, choice: AgreementChoices, work: str = "agreement"
) -> figure_requests.FigureState:
    """Return the page's figures (``agreement_page.Figures``). They are computed again only if something has changed."""
    stage = choice.stage
    about: dict[str, Any] = {"person": services.person, "project": view.name, "stage": stage}
    return figure_requests.request_figure(
        services.store,
        services.settings,
        work,
        {
            "project": view.name,
            "stage": stage,
            "by": choice.by,
            "of_means": choice.of_means,
            "pool_guidelines": choice.pool_guidelines,
            "items": choice.items,
            **({"levels": True} if choice.levels else {}),
            **({} if choice.schema_version is None else {"schema_version": choice.schema_version}),
        },
        state=rater_agreement.mark(services.store, **about),
        size=rater_agreement.size(services.store, **about),
        apart=work == "agreement_opinion",  # by scikit-learn
    )


def _second_opinion(services: Services, view: ProjectView, choice: AgreementChoices) -> None:
    """Show whether other packages compute the same values. A difference is shown as an error."""
    try:
        figure_state = _measured(services, view, choice, "agreement_opinion")
    except NotAvailableError as error:
        shell.show(markup.notice(str(error), style="bad"))
        return
    opinion = figure_state.figure.value if figure_state.figure is not None else None
    if opinion is not None and opinion.differences:
        shell.show(*(markup.notice(sentence, style="bad") for sentence in (opinion.sentence, *opinion.differences)))
    with st.expander("How this was computed", key="agreement.computed"):
        if opinion is None:
            words = (
                "Comparing with scikit-learn and krippendorff. The result appears here, also if you leave this page."
            )
            shell.show(markup.paragraph(words, style="ts ts-quiet"))
            return
        if not figure_state.current:
            shell.show(being_measured(figure_state))
        sentences = (opinion.sentence, *opinion.not_compared)
        shell.show(
            *(markup.tag("p", markup.text(sentence), style="ts", data_part="second-opinion") for sentence in sentences)
        )


def being_measured(found: figure_requests.FigureState) -> markup.Markup:
    """Return a notice that the figures are being computed, or that the shown figures are out of date."""
    if found.figure is None:
        return markup.notice(
            "Agreement is being worked out, and will appear here. With 300,000 ratings it takes about half a minute. "
            "You can leave this page and come back."
        )
    return pending_figures.words_of_earlier(found.figure)


def _tables(services: Services, view: ProjectView, choice: AgreementChoices) -> None:
    figure_state = _measured(services, view, choice)
    stage, by, version = choice.stage, choice.by, choice.schema_version
    if not figure_state.current:
        shell.show(being_measured(figure_state))
    if figure_state.figure is None:
        return
    lines, raters, replies, counting, logins, matrices, losses = figure_state.figure.value
    items_switch.show_counted(counting.whole_sentence)
    if not lines:
        shell.show(
            markup.notice(
                f"No one has submitted anything in {stage} yet. The table appears with the first votes."
                if version is None
                else f"Nothing that counts in {stage} was submitted under version {version} of the schema."
            )
        )
        return
    if raters.people and raters.machines:
        aside = ", ".join(raters.machines)
        shell.show(
            markup.tag("p", markup.quiet(f"Not counted among the people, as they are machines: {aside}."), style="ts")
        )
    if raters.people_from_files:
        shell.show(
            markup.tag(
                "p",
                markup.quiet(f"Among the people, with ratings out of files: {', '.join(raters.people_from_files)}."),
                style="ts",
            )
        )
    for sentence in losses.sentences:
        shell.show(markup.loss_line(sentence))
    if replies:
        shell.show(replies_table(view, replies))
    _downloads(view, choice, lines, losses)
    if choice.levels:
        _levels(view, lines)
        _second_opinion(services, view, choice)
        return
    among = counting.which if counting.verdicts else None
    named = reporting.agreement_first(view.schema.schema_)
    table = (
        markup.Markup("")
        if choice.of_means
        else pairs(view, stage, lines, among, by=by, logins=logins, links=version is None)
    )
    if table:
        shell.show(table)
    titles = [_title_with(view, matrix.dimension, matrix.criterion, matrix.guideline) for matrix in matrices]
    confusion_chart.show(view.name, matrices, titles, labels_of(view, stage), unit=choice.unit, key=f"{view.name}.{by}")
    for (_, dimension, criterion), group in groupby(
        lines, key=lambda line: (line.args.get("guideline"), line.dimension, line.criterion)
    ):
        of_group = list(group)
        several = len(raters_in_pairs(of_group)) > 2
        first = [line for line in of_group if is_headline(line, several=several, named=named)]
        shell.section(title_of(view, dimension, criterion) + versions_in_title(of_group[0]))
        shell.show(
            markup.tag("div", markup.text(prompt_of(view, stage, criterion)), style="ts"),
            markup.tag(
                "div",
                markup.quiet(about_of(of_group)),
                markup.text(" "),
                markup.Markup("")
                if choice.of_means or version is not None
                else _differing(view, stage, dimension, among, by=by),
                style="ts ts-small",
            ),
            *([table_of(first, unit=choice.unit), cautions(first)] if first else []),
        )
        with st.expander(f"Every pair and weighting ({len(of_group)} lines)"):
            shell.show(table_of(of_group, unit=choice.unit))
    _second_opinion(services, view, choice)


def _downloads(view: ProjectView, choice: AgreementChoices, lines: Sequence[Result], losses: StageLosses) -> None:
    """Draw downloads of all coefficients, and of the missing answers, as CSV files."""
    name = f"{view.name}-agreement-{choice.stage}"
    download("CSV", partial(agreement_as_csv, lines, losses), f"{name}.csv", key="agreement.csv")
    if losses.judges or losses.left_out:
        written = partial(losses_as_csv, losses.judges, losses.left_out)
        download("Losses as CSV", written, f"{name}-losses.csv", key="agreement.losses")


def _levels(view: ProjectView, lines: Sequence[Result]) -> None:
    """Draw a table for each judge."""
    shell.show(
        markup.paragraph(
            "Each judge with the people, whose grades of an answer are made one, on the answers that both graded. A"
            " coefficient of one level says nothing of another: means of many answers go together well where answers"
            " hardly do.",
            style="ts ts-quiet",
        )
    )
    for (criterion, judge), group in groupby(lines, key=lambda line: (line.criterion, line.args["judge"])):
        of_judge = list(group)
        shell.section(f"{judge} · {title_of(view, None, criterion)}{versions_in_title(of_judge[0])}")
        shell.show(markup.tag("div", level_table(of_judge), data_part="levels"))


def _differing(view: ProjectView, stage: Stage, part: str | None, among: Items | None, *, by: Cut) -> markup.Markup:
    """Return a link to the items behind a table."""
    dimension, group = addresses.dimension_or_group(by, part)
    href = addresses.history(view.name, differ=stage.value, dimension=dimension, group=group, among=among)
    return markup.tag("a", markup.text("Items about which they differ"), href=href, target="_self")


def _usual(services: Services, view: ProjectView, stages: Sequence[Stage]) -> Stage:
    """Return the first of these stages with a submission. The result stays the same for the whole session."""
    key = f"agreement.usual.{view.name}"
    if key not in st.session_state:
        about: dict[str, Any] = {"person": services.person, "project": view.name}
        rated = (stage for stage in stages if rater_agreement.size(services.store, **about, stage=stage))
        st.session_state[key] = next(rated, stages[0])
    usual: Stage = st.session_state[key]
    return usual


def prompt_of(view: ProjectView, stage: Stage, criterion: str) -> str:
    """Return the prompt of a criterion."""
    asked = getattr(view.schema.schema_.stages, stage).criteria
    return next((known.prompt for known in asked if known.name == criterion), "")


def labels_of(view: ProjectView, stage: Stage) -> dict[str, dict[Any, str]]:
    """Return the option labels of a stage, by criterion and value."""
    asked = getattr(view.schema.schema_.stages, stage).criteria
    return {criterion.name: {option.value: option.label for option in options_of(criterion, {})} for criterion in asked}


def _title_with(view: ProjectView, dimension: str | None, criterion: str, guideline: str | None) -> str:
    return title_of(view, dimension, criterion) + (f" · guideline {guideline}" if guideline else "")
