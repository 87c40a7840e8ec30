"""Draw a checklist, such as the one of a release: each line has its state and a link to its page."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

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


class ChecklistLine(Protocol):
    """One line of a checklist."""

    @property
    def title(self) -> str:
        """Return the subject of the line."""

    @property
    def done(self) -> bool:
        """Tell whether the line is done."""

    @property
    def said(self) -> str:
        """Return the state of the line in words."""

    @property
    def page(self) -> str:
        """Return the module name of the page on which the line is done."""

    @property
    def asked(self) -> Mapping[str, str | Sequence[str]]:
        """Return the parameters of the page's address."""

    @property
    def action(self) -> str:
        """Return the words of the link to the page. Empty: the title of the page."""


def show(lines: Sequence[ChecklistLine], project: str, states: Mapping[str, markup.Markup] | None = None) -> None:
    """Draw the lines as a table. ``states``: chips in place of "Open", by the titles of lines."""
    rows = [
        [
            (states or {}).get(line.title, markup.chip("Open", "open"))
            if not line.done
            else markup.chip("Done", "done"),
            markup.tag("b", markup.text(line.title)),
            markup.text(f"{line.said[:1].upper()}{line.said[1:]}."),
            _link(line, project),
        ]
        for line in lines
    ]
    shell.show(markup.table([("State", ""), ("What", ""), ("How it stands", "wide"), ("", "number")], rows))


def _link(line: ChecklistLine, project: str) -> markup.Markup:
    """Return a link to the page of an open line, or the name of the missing extension that has the page."""
    missing = extensions.missing("pages", line.page)
    if missing is not None:
        return markup.quiet(missing)
    if line.done:
        return markup.text("")
    href = addresses.page(SCREENS[line.page].path, project, **line.asked)
    words = markup.text(line.action or SCREENS[line.page].title)
    return markup.tag("a", words, href=href, target="_self", style="ts-button")


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
    states = {line.title: _chip(line, overridden) for line in checks.lines}
    show(checks.lines, view.name, states)
    _show_losses(services, view)


def _chip(line: ReleaseCondition, overridden: Collection[str]) -> markup.Markup:
    if line.pending:
        return markup.chip("Checking", "")
    return markup.chip("Overridden", "open") if line.name in overridden else markup.chip("Blocking", "blocking")


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
