"""Draw the checklist of a release: each line has its state and a link to its page."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from app import addresses, markup, shell
from app.jobs import figure_requests
from app.reruns import pending_figures
from app.screens import SCREENS
from app.services import Services
from domain import extensions
from domain.errors import NotAvailableError
from domain.records import ProjectView
from workflow.releases import checklist as releases
from workflow.releases.extension_checks import CheckResult, NoMeasurement, ReleaseCheck, ReleaseCondition, checks_of
from workflow.results import leaderboard_page


@dataclass(frozen=True)
class ReleaseChecks:
    """The release checklist as it stands now."""

    lines: Sequence[ReleaseCondition]
    pending: Sequence[tuple[ReleaseCheck, figure_requests.FigureState]] = ()
    """The checks of extensions, with the figures behind them."""


def release_checks(services: Services, view: ProjectView) -> ReleaseChecks:
    """Return the release checklist. A job computes the agreement of many votes."""
    pending, results = _measured(services, view)
    lines = releases.before(services.store, by=services.person, project=view.name, results=results)
    return ReleaseChecks(lines, pending)


def show_release_checks(
    services: Services, view: ProjectView, checks: ReleaseChecks, overridden: Collection[str] = ()
) -> None:
    """Draw the release checklist. ``overridden``: the names of lines that the lead overrides."""
    for check, asked in checks.pending:
        again = partial(_ask, services, view, check)
        pending_figures.show_pending(services, asked, again, about=check.about)
    rows = [
        [
            _chip(line, overridden),
            markup.tag("b", markup.text(line.title)),
            markup.text(f"{line.said[:1].upper()}{line.said[1:]}."),
            _link(line, view.name),
        ]
        for line in checks.lines
    ]
    shell.show(markup.table([("State", ""), ("What", ""), ("How it stands", "wide"), ("Next step", "number")], rows))
    _show_losses(services, view)


def _chip(line: ReleaseCondition, overridden: Collection[str]) -> markup.Markup:
    if line.done:
        return markup.chip("Done", "done")
    if line.pending:
        return markup.chip("Checking", "")
    return markup.chip("Overridden", "open") if line.name in overridden else markup.chip("Blocking", "blocking")


def _link(line: ReleaseCondition, project: str) -> markup.Markup:
    """Return a link to the page of an open line, or the name of the missing extension that has the page."""
    missing = extensions.missing("pages", line.page)
    if missing is not None:
        return markup.quiet(missing)
    if line.done:
        return markup.text("")
    href = addresses.page(SCREENS[line.page].path, project, **line.asked)
    words = markup.text(line.action or SCREENS[line.page].title)
    return markup.tag("a", words, href=href, target="_self", style="ts-button")


def _measured(
    services: Services, view: ProjectView
) -> tuple[list[tuple[ReleaseCheck, figure_requests.FigureState]], dict[str, CheckResult | NoMeasurement]]:
    """Return the figures behind the checks of extensions, and the results so far by check name."""
    pending: list[tuple[ReleaseCheck, figure_requests.FigureState]] = []
    results: dict[str, CheckResult | NoMeasurement] = {}
    for check in checks_of(view.schema.schema_):
        try:
            asked = _ask(services, view, check)
        except NotAvailableError as error:
            results[check.name] = NoMeasurement(str(error))
            continue
        pending.append((check, asked))
        result = None if asked.figure is None else check.result_of(view.schema.schema_, asked.figure.value)
        if result is not None:
            results[check.name] = result
    return pending, results


def _ask(services: Services, view: ProjectView, check: ReleaseCheck) -> figure_requests.FigureState:
    state, size = check.state_of(services.store, services.person, view.name)
    args = {"project": view.name, **check.args}
    return figure_requests.request_figure(
        services.store, services.settings, check.work, args, state=state, size=size, apart=check.apart
    )


def _show_losses(services: Services, view: ProjectView) -> None:
    """Show the project's missing and unreadable answers below the lines.

    A release reports them but does not wait for them.
    """
    about: dict[str, Any] = {"person": services.person, "project": view.name}
    if not leaderboard_page.any_model(services.store, **about):
        return

    def ask() -> figure_requests.FigureState:
        state = leaderboard_page.mark(services.store, **about)
        size = leaderboard_page.size(services.store, **about)
        args = {"project": view.name}
        return figure_requests.request_figure(services.store, services.settings, "losses", args, state=state, size=size)

    figure_state = ask()
    pending_figures.show_pending(services, figure_state, ask, about="Counts of unreadable answers are")
    for sentence in figure_state.figure.value if figure_state.figure is not None else ():
        shell.show(markup.loss_line(sentence))
