"""The page *Failures*: faults of models' answers by model and dimension; for leads, which answers are coded."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotation_schemas.model import Criterion
from app import addresses, markup, shell
from app.jobs import figure_requests
from app.reruns import messages, pending_figures
from app.results.answer import FEW
from app.screens import Room, Screen
from app.services import Services
from app.widgets import items_switch
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
    """Draw the answers that sending would open, the progress of the coding, and the counts."""
    view = shell.lead_of(services)
    shell.heading("Failures", made_up=view.made_up)
    if view.schema.schema_.stages.coding is None:
        shell.show(markup.notice(NO_CODING.format(name=view.schema.schema_.name)))
        return
    figure_state = _asked(services, view)
    pending_figures.show_pending(services, figure_state, lambda: _asked(services, view), about="The failures are")
    if figure_state.figure is None:
        return
    page: FailuresPage = figure_state.figure.value
    shell.show(markup.finding(markup.text(answer(page.failures))))
    _intake(services, view, page)
    shell.show(markup.tag("p", markup.text(page.failures.sentence), style="ts", data_part="standing"))
    shell.show(items_switch.counted_line(page.failures.counting.sentence if page.failures.counting else None))
    for criterion in code_criteria(view.schema.schema_):
        _criterion(view, page.failures, criterion)
    if page.failures.answers:
        _downloads(view, page.failures)


def answer(found: Failures) -> str:
    """Return the model and the code with the largest share of settled answers."""
    labels = {
        (criterion.name, str(option.value)): option.label
        for criterion in code_criteria(found.schema)
        for option in criterion.options
    }
    counts = [count for count in found.counts if count.dimension is None and count.code is not None and count.n]
    if not counts:
        return "No answer has a settled code yet."
    top = max(counts, key=lambda count: (count.of >= FEW, count.share, count.n))
    label = labels.get((top.criterion, top.code or ""), top.code)
    if top.of < FEW:
        return f"Too few codes to compare: {top.n} of {top.of} answers of {top.model} have “{label}”."
    return (
        f"Most frequent failure of {top.model}: “{label}”, {100 * top.share:.0f} % [{100 * top.low:.0f}, "
        f"{100 * top.high:.0f}] of {top.of:,} coded answers."
    )


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
    shell.show(markup.tag("p", markup.text(told.intake.sentence), style="ts", data_part="intake"))
    if st.button("Send to coding", key="failures.send", disabled=not told.intake.opened):
        sent = coding_intake.open_coding(services.store, by=services.person, project=view.name)
        messages.keep("failures.sent", f"{markup.count(sent.opened, 'answer')} sent to coding.")
        st.rerun()


def _criterion(view: ProjectView, found: Failures, criterion: Criterion) -> None:
    mine = [count for count in found.counts if count.criterion == criterion.name]
    if not mine:
        return
    shell.section(criterion.name.replace("_", " ").capitalize())
    shell.show(markup.tag("div", markup.text(criterion.prompt), style="ts"), table(view, criterion, mine))


def table(view: ProjectView, criterion: Criterion, counts: Sequence[Count]) -> markup.Markup:
    """Return a table of a criterion's counts: a row for each model and dimension, a column for each code.

    Every cell links to its answers.
    """
    titles = {known.id: known.title for known in view.schema.schema_.dimensions}
    labels: dict[str | None, str] = {str(option.value): option.label for option in criterion.options}
    codes = [*labels, *([None] if any(count.code is None for count in counts) else [])]
    labels[None] = "no code"
    rows: dict[tuple[str, str | None], dict[str | None, Count]] = {}
    for count in counts:
        rows.setdefault((count.model, count.dimension), {})[count.code] = count
    heads = [("Model", ""), ("Dimension", ""), ("Settled", "number"), *((labels[code], "") for code in codes)]
    drawn = [
        [
            markup.text(model),
            markup.text(titles.get(dimension, dimension)) if dimension else markup.quiet("all"),
            markup.number(next(iter(there.values())).of),
            *(_cell(view, there.get(code)) for code in codes),
        ]
        for (model, dimension), there in rows.items()
    ]
    return markup.tag("div", markup.table(heads, drawn), data_part=f"failures-{criterion.name}")


def _cell(view: ProjectView, count: Count | None) -> markup.Markup:
    if count is None or not count.of:
        return markup.quiet("-")
    code = f"{count.criterion}:{count.code or ''}"
    href = addresses.cases(view.name, model=count.model, dimension=count.dimension, code=code) if count.n else ""
    limits = f"{markup.decimal(count.low)} to {markup.decimal(count.high)}"
    shown = f"{count.n} · {markup.decimal(count.share)}"
    return markup.heat(count.share, shown, limits, href=href, title="Answers with this code" if count.n else "")


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
