"""The page *Agreement*: one sentence for each stage, a dot plot of dimensions, and everything else in folded sections.

An open page checks for new votes every few seconds, and computes again if there are any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from annotation_schemas import reporting
from app import addresses, markup, shell
from app.agreement import details, finding, plot, sections
from app.agreement.finding import Finding
from app.agreement.plot import Links
from app.agreement.tables import UNITS, title_of
from app.charts import dot_plot
from app.jobs import figure_requests
from app.reruns import pending_figures
from app.screens import Need, Room, Screen
from app.services import Services
from app.widgets import items_switch, version_switch
from db import project_facts
from domain.errors import NotAvailableError
from domain.records import ProjectView
from domain.roles import Role
from domain.states import Cut, Items, Stage
from workflow.results import rater_agreement
from workflow.results.agreement_page import Figures
from workflow.results.criterion_values import scored_criteria
from workflow.results.ratings import raters_of

SCREEN = Screen(
    "Agreement",
    place=405,
    room=Room.RESULTS,
    role=Role.LEAD,
    words="kappa alpha krippendorff cohen fleiss reliability inter-rater iaa consistency disagree",
    needs=Need(
        "No two people have rated the same item yet. Let two people rate the same items.", project_facts.has_overlap
    ),
)

FOLLOW_SECONDS = 10
"""Seconds between two checks for new votes on an open page."""

CUTS = {Cut.DIMENSION: "By dimension", Cut.GROUP: "By group"}
NOUNS = {Cut.DIMENSION: "dimension", Cut.GROUP: "group"}
ANSWERS, MEANS, LEVELS = "Each answer", "Model means by dimension", "Judges at three levels"


@dataclass(frozen=True)
class AgreementChoices:
    """The settings of the page. Until someone changes them, they follow the schema's report."""

    stage: Stage
    by: Cut = Cut.DIMENSION
    """The parts that are shown below everything together."""
    of_means: bool = False
    pool_guidelines: bool = False
    items: Items | None = None
    levels: bool = False
    schema_version: int | None = None
    """The schema version whose ratings count. None: all versions."""


def render(services: Services) -> None:
    """Draw the choice of a stage, the finding of each stage, and the details of the chosen stage."""
    view = shell.lead_of(services)
    shell.heading("Agreement", "Agreement between raters, by stage.", made_up=view.made_up)
    shell.show(markup.Markup(f"<style>{dot_plot.STYLE}</style>"))
    schema = view.schema.schema_
    stages = [stage for stage in UNITS if getattr(schema.stages, stage) is not None]
    if not stages:
        words = "This project's form has no stage in which people rate items. Add a stage to the form."
        shell.show(markup.notice(words))
        return
    rated = _rated(services, view, stages)
    left, right = st.columns([3, 1], vertical_alignment="center")
    with left:
        stage = _stage(view, stages, rated)
    with right, st.popover("What is counted", width="stretch"):
        choice = _choose(services, view, stage)
    others = [each for each in rated if each is not stage]
    _live(services, view, choice, others)
    sections.draw_sections(services, view)


def _rated(services: Services, view: ProjectView, stages: Sequence[Stage]) -> list[Stage]:
    """Return the stages with a submission."""
    about: dict[str, Any] = {"person": services.person, "project": view.name}
    return [stage for stage in stages if rater_agreement.size(services.store, **about, stage=stage)]


def _stage(view: ProjectView, stages: Sequence[Stage], rated: Sequence[Stage]) -> Stage:
    """Draw the choice of a stage.

    At first it is the stage in the address, the stage of the schema's report, or the first stage with a submission. It
    stays the same for the whole session, also if other stages get submissions.
    """
    schema, key = view.schema.schema_, f"agreement.usual.{view.name}"
    asked, first = st.query_params.get("stage"), reporting.stage_first(schema)
    if key not in st.session_state:
        st.session_state[key] = first if first in rated else next(iter([*rated, *stages]))
    usual: Stage = Stage(asked) if asked and asked in stages else st.session_state[key]
    if len(stages) == 1:
        return usual
    chosen = st.segmented_control(
        "Stage",
        stages,
        default=usual,
        format_func=schema.stages.title_of,
        key=f"agreement.stage.{view.name}{f'.{asked}' if asked else ''}",
        label_visibility="collapsed",
    )
    return chosen or usual


def _choose(services: Services, view: ProjectView, stage: Stage) -> AgreementChoices:
    """Draw the settings that decide what is counted."""
    schema, of_means, levels = view.schema.schema_, False, False
    about: dict[str, Any] = {"person": services.person, "project": view.name, "stage": stage}
    if stage is Stage.GRADING and scored_criteria(schema):
        means_first = reporting.means_first(schema) and raters_of(services.store, **about).have_means()
        unit = st.segmented_control(
            "Unit",
            [ANSWERS, MEANS, LEVELS],
            default=MEANS if means_first else ANSWERS,
            key=f"agreement.unit.{view.name}",
        )
        of_means, levels = unit in (MEANS, LEVELS), unit == LEVELS
    by = Cut.DIMENSION
    if any(dimension.group for dimension in schema.dimensions):
        usual = reporting.cut_first(schema)
        by = (
            st.segmented_control(
                "Parts",
                list(CUTS),
                default=usual if usual in CUTS else Cut.DIMENSION,
                format_func=CUTS.__getitem__,
                key=f"agreement.by.{view.name}",
                disabled=of_means,
            )
            or Cut.DIMENSION
        )
    items = items_switch.switch(services, view, key="agreement.items", stage=stage, show=False)
    version = version_switch.switch(services, view, key=f"agreement.schema.{stage.value}", stages=[stage])
    pool = st.toggle(
        "Pool guideline versions",
        key="agreement.pool_guidelines",
        help="Measure agreement on votes under all versions of the guideline together. Otherwise, Touchstone "
        "measures each version separately.",
    )
    return AgreementChoices(stage, by, of_means, pool, items, levels, version)


@st.fragment(run_every=FOLLOW_SECONDS)
def _live(services: Services, view: ProjectView, choice: AgreementChoices, others: Sequence[Stage]) -> None:
    with shell.guard(services):
        _draw(services, view, choice, others)


def _measured(
    services: Services,
    view: ProjectView,
    choice: AgreementChoices,
    *,
    by: Cut = Cut.WHOLE,
    work: str = "agreement",
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
            "by": by,
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


def _draw(services: Services, view: ProjectView, choice: AgreementChoices, others: Sequence[Stage]) -> None:
    found = _measured(services, view, choice)
    if not found.current:
        shell.show(being_measured(found))
    if found.figure is None:
        return
    figures: Figures = found.figure.value
    if choice.levels and figures.lines:
        details.draw_levels(view, figures)
        details.draw_downloads(view, choice.stage, figures.lines, figures.losses)
        _second_opinion(services, view, choice)
        return
    key = _answer(view, choice, figures) if figures.lines else None
    if key is None:
        shell.show(markup.notice(_nothing(view, choice)))
    for stage in others:
        _other(services, view, stage)
    if key is not None:
        _details(services, view, choice, figures, key)


def being_measured(found: figure_requests.FigureState) -> markup.Markup:
    """Return a notice that the figures are being computed, or that the shown figures are out of date."""
    if found.figure is None:
        words = (
            "Computing agreement. For 300,000 ratings, the computation takes about half a minute. You can leave "
            "this page."
        )
        return markup.notice(words)
    return pending_figures.words_of_earlier(found.figure)


def _nothing(view: ProjectView, choice: AgreementChoices) -> str:
    title = view.schema.schema_.stages.in_a_sentence(choice.stage)
    if choice.schema_version is not None:
        return (
            f"There are no ratings for {title} under version {choice.schema_version} of the schema. Choose another "
            "version."
        )
    return f"There are no submissions for {title} yet. Agreement appears with the first votes."


Key = tuple[str | None, str | None, str]
"""Guideline, dimension and criterion."""


def _answer(view: ProjectView, choice: AgreementChoices, figures: Figures) -> Key:
    """Draw the finding of the chosen stage, and return the guideline and criterion that it is about."""
    findings = _findings(view, choice, figures)
    key = _weakest(findings)
    name = title_of(view, None, key[2]) if len(findings) > 1 else ""
    links = _links(view, choice, figures)
    shell.show(_sentence(findings[key], links.differing(), name), _basis(figures, findings, key))
    for sentence in figures.losses.sentences:
        shell.show(markup.loss_line(sentence))
    return key


def _details(services: Services, view: ProjectView, choice: AgreementChoices, figures: Figures, key: Key) -> None:
    """Draw the plot and the folded sections of the chosen stage."""
    links, named = _links(view, choice, figures), reporting.agreement_first(view.schema.schema_)
    noun, unit = NOUNS[choice.by], details.unit_of(choice.stage, of_means=choice.of_means)
    whole = plot.grouped(figures.lines)
    rows = plot.whole_rows(links, whole)
    lines = [line for group in whole.values() if (line := finding.coefficient_of(group, named)) is not None]
    title = title_of(view, None, key[2]) if len(whole) > 1 else ""
    there = any(row.value is not None for row in rows)
    parts = _parts(services, view, choice) if there else None
    of_parts = plot.part_lines(links, parts.lines, key[2], key[0]) if parts else []
    drawn = [line for line in of_parts if plot.is_drawn(line)]
    if there:
        shell.show(plot.drawn(links, [*rows, *plot.part_rows(links, drawn, criterion=title)], [*lines, *drawn]))
    if len(of_parts) > 1:
        details.draw_parts(links, of_parts, noun, plot.not_drawn_words(view, of_parts, noun, unit))
    everything = [*figures.lines, *(parts.lines if parts else ())]
    if not choice.of_means:
        details.draw_pairs(links, whole[key], sum(not row.strong for row in rows))
        matrices = [*figures.confusions, *(parts.confusions if parts else ())]
        details.draw_confusions(links, matrices, unit)
    details.draw_replies(services, view, figures.replies)
    details.draw_statistics(links, everything, figures.losses, unit=unit)
    _second_opinion(services, view, choice)


def _links(view: ProjectView, choice: AgreementChoices, figures: Figures) -> Links:
    counting = figures.counting
    among = counting.which if counting.verdicts else None
    listed = not choice.of_means and choice.schema_version is None
    return Links(view, choice.stage, choice.by, among, dict(figures.logins), listed)


def _parts(services: Services, view: ProjectView, choice: AgreementChoices) -> Figures | None:
    """Return the figures of each dimension or group. None while they are computed, and if there is only one."""
    if choice.of_means or len(view.schema.schema_.dimensions) < 2:
        return None
    found = _measured(services, view, choice, by=choice.by)
    if found.figure is None:
        shell.show(markup.paragraph(f"Computing agreement by {NOUNS[choice.by]}.", style="ts ts-quiet ts-small"))
        return None
    figures: Figures = found.figure.value
    return figures


def _findings(view: ProjectView, choice: AgreementChoices, figures: Figures) -> dict[Key, Finding]:
    """Return the finding of each criterion, under the newest guideline only."""
    groups = plot.grouped(figures.lines)
    newest = next(reversed(groups))[0]
    labels = details.labels_of(view, choice.stage)
    matrices = {(matrix.guideline, matrix.criterion): matrix for matrix in figures.confusions}
    return {
        key: finding.finding(
            lines,
            choice.stage,
            named=reporting.agreement_first(view.schema.schema_),
            confusion=matrices.get((key[0], key[2])),
            labels=labels.get(key[2], {}),
            people=bool(figures.raters.people),
            of_means=choice.of_means,
        )
        for key, lines in groups.items()
        if key[0] == newest
    }


def _weakest(findings: Mapping[Key, Finding]) -> Key:
    """Return the criterion with the lowest coefficient. Criteria without one come last."""

    def value(key: Key) -> float:
        line = findings[key].line
        return 2.0 if line is None or line.value is None else line.value

    return min(findings, key=value)


def _sentence(found: Finding, href: str, name: str) -> markup.Markup:
    """Return the finding in one sentence. The share links to the items on which raters differ."""
    if not found.share:
        return markup.finding(markup.tag("b", markup.text(found.subject)), markup.text(f" {found.rest}"))
    share = markup.link(found.share, href) if href else markup.text(found.share)
    about = f" about “{name}”" if name else ""
    preposition = " in " if " pair" in found.share else " on "
    lead = markup.tag("b", markup.text(found.subject + preposition), share, markup.text(f"{about}."))
    return markup.finding(lead, markup.text(f" {found.rest}"))


def _basis(figures: Figures, findings: Mapping[Key, Finding], key: Key) -> markup.Markup:
    """Return what the finding rests on, whose ratings count, and which items."""
    sentences = list(findings[key].notes)
    if len(findings) > 1:
        sentences.append(f"This question has the lowest agreement of all {len(findings)} questions.")
    if key[0] is not None:
        sentences.append(f"Guideline: {key[0]}.")
    raters, counted = figures.raters, figures.counting.whole_sentence
    if raters.people and raters.machines:
        sentences.append(f"Ratings by these machines do not count: {', '.join(raters.machines)}.")
    if raters.people_from_files:
        sentences.append(f"These imported raters count as people: {', '.join(raters.people_from_files)}.")
    if counted:
        sentences.append(f"Counted: {counted[:1].lower()}{counted[1:]}")
    return markup.tag("p", markup.quiet(" ".join(sentences)), style="ts", data_part="counted")


def _other(services: Services, view: ProjectView, stage: Stage) -> None:
    """Draw the finding of another stage in a line, with a link to its details."""
    schema = view.schema.schema_
    of_means = stage is Stage.GRADING and reporting.means_first(schema)
    choice = AgreementChoices(stage, of_means=of_means)
    if of_means:
        about: dict[str, Any] = {"person": services.person, "project": view.name, "stage": stage}
        choice = replace(choice, of_means=raters_of(services.store, **about).have_means())
    found = _measured(services, view, choice)
    if found.figure is None or not found.figure.value.lines:
        return
    findings = _findings(view, choice, found.figure.value)
    top = findings[_weakest(findings)]
    words = f"{top.subject} {'in' if ' pair' in top.share else 'on'} {top.share}." if top.share else top.subject
    title = markup.link(schema.stages.title_of(stage), addresses.page("agreement", view.name, stage=stage.value))
    shell.show(markup.tag("p", title, markup.text(f": {words} {top.rest}"), style="ts", data_part="other-stage"))


def _second_opinion(services: Services, view: ProjectView, choice: AgreementChoices) -> None:
    """Draw whether other packages compute the same values."""
    try:
        found = _measured(services, view, choice, work="agreement_opinion")
    except NotAvailableError as error:
        shell.show(markup.notice(str(error), style="bad"))
        return
    details.draw_second_opinion(found)
