"""The page *Failures*: faults of models' answers by model and dimension; for leads, which answers are coded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from annotation_schemas.model import Criterion
from app import addresses, markup, shell
from app.jobs import figure_requests
from app.reruns import messages, pending_figures
from app.results.answer import FEW
from app.screens import Room, Screen
from app.services import Services
from app.widgets import items_switch
from app.widgets.folds import folded
from domain.records import ProjectView
from domain.roles import Role
from extensions.cases import coding_intake, failure_files
from extensions.cases.coding import NO_CODING, code_criteria
from extensions.cases.failures import Count, Failures
from extensions.cases.failures_page import FailuresPage
from workflow.results import leaderboard_page

# Coding is the only stage whose part of the schema has `of`.
SCREEN = Screen(
    "Failures",
    place=430,
    room=Room.RESULTS,
    role=Role.LEAD,
    part="of",
    words="error codes coding taxonomy what is wrong analysis",
)


def render(services: Services) -> None:
    """Draw the most frequent failure, the codes of each model, and folds with dimensions and downloads."""
    view = shell.lead_of(services)
    shell.heading("Failures", "Errors that people find in models' answers.", made_up=view.made_up)
    if view.schema.schema_.stages.coding is None:
        shell.show(markup.notice(NO_CODING.format(name=view.schema.schema_.name)))
        return
    figure_state = _asked(services, view)
    pending_figures.show_pending(services, figure_state, lambda: _asked(services, view), about="The failures are")
    if figure_state.figure is None:
        return
    page: FailuresPage = figure_state.figure.value
    found = page.failures
    counted = found.counting.sentence if found.counting else None
    shell.show(markup.finding(answer(view, found)), items_switch.counted_line(counted, found.sentence))
    criteria = [criterion for criterion in code_criteria(view.schema.schema_) if _counts(found, criterion)]
    if criteria:
        shell.show(*_whole(view, found, criteria[0]))
    _intake(services, view, page)
    for criterion in criteria:
        draw = partial(_criterion, view, found, criterion)
        folded("failures", criterion.name, _title(criterion), "by dimension", draw)
    if found.answers:
        folded("failures", "downloads", "Downloads", "counts and coded answers", partial(_downloads, view, found))


def answer(view: ProjectView, found: Failures) -> markup.Markup:
    """Return the model and the code with the largest share of settled answers, with a link to these answers."""
    labels = {
        (criterion.name, str(option.value)): option.label
        for criterion in code_criteria(found.schema)
        for option in criterion.options
    }
    counts = [count for count in found.counts if count.dimension is None and count.code is not None and count.n]
    if not counts:
        return markup.text("No answer has a settled code yet.")
    top = max(counts, key=lambda count: (count.of >= FEW, count.share, count.n))
    label = markup.text(f"“{labels.get((top.criterion, top.code or ''), top.code)}”")
    if top.of < FEW:
        n = markup.link(f"{top.n} of {markup.count(top.of, 'answer')}", _address(view, top))
        return markup.joined(
            [
                markup.text("Too few codes to compare: "),
                n,
                markup.text(f" of {top.model} {'has' if top.n == 1 else 'have'} "),
                label,
                markup.text("."),
            ]
        )
    share = markup.link(markup.percent(top.share), _address(view, top))
    limits = f" [{100 * top.low:.0f}, {100 * top.high:.0f}] of {top.of:,} coded answers."
    model = markup.tag("b", markup.text(top.model))
    parts = [markup.text("Most frequent failure of "), model, markup.text(": "), label, markup.text(", "), share]
    return markup.joined([*parts, markup.text(limits)])


def _title(criterion: Criterion) -> str:
    return criterion.name.replace("_", " ").capitalize()


def _counts(found: Failures, criterion: Criterion) -> list[Count]:
    return [count for count in found.counts if count.criterion == criterion.name]


def _whole(view: ProjectView, found: Failures, criterion: Criterion) -> list[markup.Markup]:
    """Return the codes of each model over all dimensions, and a line about models without a settled code."""
    counts = [count for count in _counts(found, criterion) if count.dimension is None]
    parts = [markup.tag("p", markup.text(criterion.prompt), style="ts")]
    if settled := [count for count in counts if count.of]:
        parts.append(table(view, criterion, settled))
    if missing := dict.fromkeys(count.model for count in counts if not count.of):
        words = f"Models without a settled code: {', '.join(missing)}."
        parts.append(markup.tag("p", markup.quiet(words), style="ts ts-small", data_part="undefined"))
    return parts


def _asked(services: Services, view: ProjectView) -> figure_requests.FigureState:
    """Return the page's figures. They are computed again only if something has changed."""
    return figure_requests.request_figure(
        services.store,
        services.settings,
        "failures",
        {"project": view.name},
        state=leaderboard_page.mark(services.store, person=services.person, project=view.name),
        size=leaderboard_page.size(services.store, person=services.person, project=view.name),
    )


def _intake(services: Services, view: ProjectView, told: FailuresPage) -> None:
    if done := messages.kept_message("failures.sent"):
        shell.show(markup.notice(done, style="good"))
    if told.intake is None:
        shell.show(markup.notice(told.why))
        return
    changes = bool(told.intake.opened)
    words = markup.text(told.intake.sentence) if changes else markup.quiet(told.intake.sentence)
    shell.show(markup.tag("p", words, style="ts" if changes else "ts ts-small", data_part="intake"))
    if changes and st.button("Send to coding", key="failures.send"):
        sent = coding_intake.open_coding(services.store, by=services.person, project=view.name)
        messages.keep("failures.sent", f"Sent {markup.count(sent.opened, 'answer')} to coding.")
        st.rerun()


def _criterion(view: ProjectView, found: Failures, criterion: Criterion) -> None:
    shell.show(markup.tag("div", markup.text(criterion.prompt), style="ts"))
    shell.show(table(view, criterion, _counts(found, criterion)))


def table(view: ProjectView, criterion: Criterion, counts: Sequence[Count]) -> markup.Markup:
    """Return a table of a criterion's counts: a row for each model and dimension, a column for each code.

    Every cell links to its answers. Without a count of a dimension, the table has no such column.
    """
    titles = {known.id: known.title for known in view.schema.schema_.dimensions}
    labels: dict[str | None, str] = {str(option.value): option.label for option in criterion.options}
    codes = [*labels, *([None] if any(count.code is None for count in counts) else [])]
    labels[None] = "no code"
    rows: dict[tuple[str, str | None], dict[str | None, Count]] = {}
    for count in counts:
        rows.setdefault((count.model, count.dimension), {})[count.code] = count
    split = any(dimension is not None for _, dimension in rows)
    of_parts = [("Dimension", "")] if split else []
    heads = [("Model", ""), *of_parts, ("Settled", "number"), *((labels[code], "") for code in codes)]
    drawn = [
        [
            markup.text(model),
            *([markup.text(titles.get(part, part)) if part else markup.quiet("all")] if split else []),
            markup.number(next(iter(there.values())).of),
            *(_cell(view, there.get(code)) for code in codes),
        ]
        for (model, part), there in rows.items()
    ]
    name = criterion.name if split else f"{criterion.name}-whole"
    return markup.tag("div", markup.table(heads, drawn), data_part=f"failures-{name}")


def _cell(view: ProjectView, count: Count | None) -> markup.Markup:
    if count is None or not count.of:
        return markup.quiet("-")
    href = _address(view, count) if count.n else ""
    limits = markup.percent_limits(count.low, count.high)
    shown = f"{count.n} · {markup.percent(count.share)}"
    return markup.heat(count.share, shown, limits, href=href, title="Answers with this code" if count.n else "")


def _address(view: ProjectView, count: Count) -> str:
    """Return the address of the answers with this code."""
    code = f"{count.criterion}:{count.code or ''}"
    return addresses.cases(view.name, model=count.model, dimension=count.dimension, code=code)


def _downloads(view: ProjectView, found: Failures) -> None:
    left, right = st.columns(2)
    with left:
        name = f"{view.name}-failures.csv"
        st.download_button("Counts as CSV", lambda: failure_files.as_csv(found), name, "text/csv", key="failures.csv")
    with right:
        name = f"{view.name}-coded-answers.csv"
        st.download_button(
            "Coded answers as CSV", lambda: failure_files.answers_csv(found), name, "text/csv", key="failures.coded"
        )
