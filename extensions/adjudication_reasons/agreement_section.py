"""The section *Adjudication reasons* of the page *Agreement*: why seniors settled items, as a work list for leads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from annotation_schemas import registry
from annotation_schemas.kinds import options_of
from app import addresses, markup, shell
from app.agreement.sections import AgreementSection
from app.jobs import figure_requests
from app.reruns import pending_figures
from app.screens import SCREENS
from app.services import Services
from domain.item_filter import ItemFilter, ItemList
from domain.records import ProjectView, VoteView
from domain.states import VERIFICATIONS
from extensions.adjudication_reasons import closing, reason_lists
from extensions.adjudication_reasons import reasons as adjudication_reasons
from extensions.adjudication_reasons.reason_lists import ContestedItem, Overview, SkipReasonRow
from extensions.adjudication_reasons.reasons import AdjudicationReason, SettledCase

MOST = 40
"""Number of decisions listed for a reason. The file has all of them."""
FIRST = 12
"""Number of skipped items that are named."""
MOST_LINKED = 500
"""Largest number of items in an address."""


def draw(services: Services, view: ProjectView) -> None:
    """Draw a line for each reason and dimension, with the decisions behind it and the ways to answer it."""
    words = (
        "Senior annotators gave these reasons when they settled items. For each reason, add a rule to the "
        "guideline, or close the reason."
    )
    shell.show(markup.paragraph(words, style="ts ts-quiet"))
    asked = _asked(services, view)
    pending_figures.show_pending(services, asked, lambda: _asked(services, view), about="The reasons are")
    if asked.figure is None:
        return
    overview: Overview = asked.figure.value
    if overview.lines:
        _decisions(services, view, overview)
    else:
        shell.show(markup.notice(nothing(view)))
    if overview.skipped:
        shell.section("Reasons for skips")
        shell.show(skip_table(view, overview.skipped))


def about(services: Services, view: ProjectView) -> str | None:
    """Return what the section has, or None before the first decision or skip."""
    there = reason_lists.has_reasons(services.store, by=services.person, project=view.name)
    return "why senior annotators settled items, and why verifiers skipped items" if there else None


def _asked(services: Services, view: ProjectView) -> figure_requests.FigureState:
    """Return the reasons. They are counted again only if something has changed."""
    about: dict[str, Any] = {"by": services.person, "project": view.name}
    return figure_requests.request_figure(
        services.store,
        services.settings,
        "reasons",
        {"project": view.name, "by": None},
        state=reason_lists.mark(services.store, **about),
        size=reason_lists.size(services.store, **about),
    )


def _decisions(services: Services, view: ProjectView, found: Overview) -> None:
    lines = found.lines
    left, right = st.columns([3, 1], vertical_alignment="center")
    with left:
        shell.show(markup.tag("p", markup.text(summary(lines)), style="ts", data_part="summary"))
    with right:
        st.download_button(
            "Download as CSV",
            found.file,
            f"{view.name}-adjudication-reasons.csv",
            "text/csv",
            key="reasons.csv",
        )
    everything = st.toggle("Show closed reasons", key="reasons.all")
    shown = [line for line in lines if line.open or everything]
    if not shown:
        shell.show(markup.notice("All reasons are closed.", style="good"))
    for line in shown:
        _line(services, view, line)


def nothing(view: ProjectView) -> str:
    """Return why the list is empty."""
    if view.schema.schema_.stages.adjudication is None:
        return "This project has no adjudication stage, so Touchstone rejects items with different votes."
    return (
        "No senior annotator has settled an item yet. When a senior annotator settles an item, the reason appears "
        "in this list."
    )


def summary(lines: Sequence[AdjudicationReason]) -> str:
    """Return a one-line summary of the list."""
    decisions = sum(len(line.cases) for line in lines)
    waiting = sum(line.open for line in lines)
    return f"{markup.count(decisions, 'decision')} · {waiting} open · {decisions - waiting} closed"


def skip_table(view: ProjectView, lines: Sequence[SkipReasonRow]) -> markup.Markup:
    """Return a table of skip reasons with their counts and first items."""
    titles = {dimension.id: dimension.title for dimension in view.schema.schema_.dimensions}
    heads = [("Reason", ""), ("Dimension", ""), ("Skips", "number"), ("Items", "wide")]
    return markup.table(
        heads,
        [
            [
                markup.tag("b", markup.text(line.label)),
                markup.text(titles.get(line.dimension, line.dimension)),
                skips_of(view, line),
                items_of(view, line),
            ]
            for line in lines
        ],
    )


def skips_of(view: ProjectView, line: SkipReasonRow) -> markup.Markup:
    """Return the number of skips, with a link to their items unless there are too many for an address."""
    names = tuple(dict.fromkeys(line.items))
    words = f"{len(line.items):,}"
    if len(names) > MOST_LINKED:
        return markup.text(words)
    return markup.link(words, ItemList(ItemFilter(ids=names)).address(view.name))


def items_of(view: ProjectView, line: SkipReasonRow) -> markup.Markup:
    """Return links to the first items that were skipped for a reason, and the number of further items."""
    names = list(dict.fromkeys(line.items))
    links = [markup.link(name, addresses.item(view.name, name)) for name in names[:FIRST]]
    more = f" and {len(names) - FIRST:,} more" if len(names) > FIRST else ""
    return markup.joined([markup.joined(links, ", "), markup.quiet(more)])


def _line(services: Services, view: ProjectView, line: AdjudicationReason) -> None:
    name = f"{view.name}.{line.reason}.{line.dimension}"
    box = st.expander(
        markup.label(adjudication_reasons.title_of(view, line)), key=f"reasons.line.{name}", on_change="rerun"
    )
    if not box.open:  # each line has a row of buttons for every decision
        return
    with box:
        for case in sorted(line.cases, key=lambda case: case.answered_by is not None)[:MOST]:
            _case(services, view, case, name)
        if len(line.cases) > MOST:
            shell.show(
                markup.tag(
                    "div",
                    markup.quiet(f"More decisions in the downloaded file: {len(line.cases) - MOST:,}."),
                    style="ts",
                )
            )
        if line.open:
            _answer(services, view, line, name)


def _case(services: Services, view: ProjectView, case: SettledCase, name: str) -> None:
    item, votes_cell, state = st.columns([2, 4, 3], vertical_alignment="center")
    with item:
        if st.button(markup.label(case.item), key=f"reasons.case.{name}.{case.item}.{case.revision}", type="tertiary"):
            _look(services, view, case)
    with votes_cell:
        note = f"{case.decision} · {case.note}" if case.note else case.decision
        shell.show(markup.tag("div", markup.text(note), style="ts ts-small"))
    with state:
        shell.show(markup.tag("div", markup.quiet(state_of(case)), style="ts ts-small"))


def state_of(case: SettledCase) -> str:
    """Return in words whether a decision's reason is still open, and how it was answered."""
    if case.answered_by is None:
        return f"Open since version {case.guideline} of the guideline"
    if case.answer:
        return f"Closed without a guideline change: {case.answer}"
    return f"Closed by version {case.answered_by} of the guideline"


def _answer(services: Services, view: ProjectView, line: AdjudicationReason, name: str) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if "guideline" in SCREENS and st.button("Edit guideline", key=f"reasons.write.{name}", type="primary"):
            st.session_state["guideline.answers"] = [(line.reason, line.dimension)]
            shell.go("guideline", project=view.name)
        why = st.text_input("Reason to keep guideline", key=f"reasons.why.{name}", width=420)
        if st.button("Close reason", key=f"reasons.close.{name}"):
            with shell.guard(services):
                closing.answer(
                    services.store,
                    by=services.person,
                    project=view.name,
                    reason=line.reason,
                    dimension=line.dimension,
                    why=why,
                )
                st.rerun()


@st.dialog("Settled item", width="large")
def _look(services: Services, view: ProjectView, case: SettledCase) -> None:
    with shell.guard(services):
        contested_item = reason_lists.contested(
            services.store, by=services.person, project=view.name, item=case.item, revision=case.revision
        )
        shell.show(*case_parts(view, contested_item))


def case_parts(view: ProjectView, found: ContestedItem) -> list[markup.Markup]:
    """Return the parts of an item behind a reason: its fields, the votes, and the senior's decision."""
    fields = [
        markup.tag("div", markup.quiet(name.replace("_", " ")), style="ts ts-small")
        + markup.tag(
            "div", markup.text(value if isinstance(value, str) else ", ".join(map(str, _many(value)))), style="ts"
        )
        for name, value in found.fields.items()
        if value not in (None, "")
    ]
    heads = [("", ""), *((vote.label, "") for vote in found.votes)]
    words = words_of(view)
    asked = list(dict.fromkeys(name for vote in found.votes for name in vote.values))
    rows = [
        [markup.quiet(name.replace("_", " ")), *(markup.text(vote_in_words(vote, name, words)) for vote in found.votes)]
        for name in asked
    ]
    if any(vote.note for vote in found.votes):
        rows.append([markup.quiet("note"), *(markup.text(vote.note or "-") for vote in found.votes)])
    labels = {}
    if view.schema.schema_.stages.adjudication is not None:
        labels = {str(one.value): one.label for one in view.schema.schema_.stages.adjudication.reasons}
    why = labels.get(found.reason, found.reason) or adjudication_reasons.NO_REASON
    decision = f"Senior's decision: {found.decision}. Reason: {why}."
    return [
        *map(markup.Markup, fields),
        markup.tag("div", markup.text("Votes"), style="ts-section"),
        markup.table(heads, rows) if found.votes else markup.quiet("No votes."),
        markup.tag("p", markup.text(decision), style="ts", data_part="decision"),
        markup.tag("p", markup.text(found.note), style="ts"),
    ]


def words_of(view: ProjectView) -> dict[tuple[str, str], str]:
    """Return the labels of verifiers' options, reasons and skips, by criterion and value."""
    words: dict[tuple[str, str], str] = {}
    for criterion in (
        criterion for stage in VERIFICATIONS for criterion in registry.criteria_of(view.schema.schema_, stage)
    ):
        offered = [*options_of(criterion, {}), *(criterion.skip.reasons if criterion.skip else ())]
        for choice in [*offered, *(reason for option in offered for reason in option.reasons)]:
            words.setdefault((criterion.name, str(choice.value)), choice.label)
    return words


def vote_in_words(vote: VoteView, criterion: str, words: Mapping[tuple[str, str], str]) -> str:
    """Return a vote on one criterion in words."""
    value, reason = vote.values.get(criterion), vote.reasons.get(criterion)
    parts = (
        ["Skipped"] if value is None else [words.get((criterion, str(choice)), str(choice)) for choice in _many(value)]
    )
    because = "" if reason is None else f" ({words.get((criterion, str(reason)), str(reason))})"
    return ", ".join(parts) + because


def _many(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else [value]


SECTION = AgreementSection("adjudication_reasons", "Adjudication reasons", draw, about)
