"""Draw a checklist, such as the one of a release: each line has its state and a link to its page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol

import streamlit as st

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

PART = "show"
"""The address parameter with the part of a page that unfolds."""


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
    def part(self) -> str:
        """Return the part of the page that unfolds. Empty: the page shows everything."""


def show(lines: Sequence[ChecklistLine], project: str) -> None:
    """Draw the lines as a table."""
    rows = [
        [
            markup.tag("b", markup.text(line.title)),
            markup.tag("span", markup.text("done" if line.done else "open"), style="good" if line.done else ""),
            markup.text(line.said),
            _link(line, project),
        ]
        for line in lines
    ]
    shell.show(markup.table([("What", ""), ("State", ""), ("How it stands", "wide"), ("Page", "")], rows))


def _link(line: ChecklistLine, project: str) -> markup.Markup:
    """Return a link to a line's page, or the name of the missing extension that has the page."""
    missing = extensions.missing("pages", line.page)
    if missing is not None:
        return markup.quiet(missing)
    return markup.tag("a", markup.text(SCREENS[line.page].title), href=address(line, project), target="_self")


def address(line: ChecklistLine, project: str) -> str:
    """Return the address of a line's page, with the part that unfolds there."""
    return addresses.page(SCREENS[line.page].path, project, **{PART: line.part})


def release_lines(services: Services, view: ProjectView) -> list[ReleaseCondition]:
    """Draw the release checklist and return its lines. A job computes the agreement of many votes."""
    pending, results = _measured(services, view)
    lines = releases.before(services.store, by=services.person, project=view.name, results=results)
    shell.section("Before a release")
    for check, asked in pending:
        again = partial(_ask, services, view, check)
        pending_figures.show_pending(services, asked, again, about=check.about)
    show(lines, view.name)
    _show_losses(services, view)
    return lines


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


def before_release(services: Services, view: ProjectView) -> None:
    """Draw the release checklist on the page Export."""
    release_lines(services, view)
    advice = f"`touchstone check {view.name}` on the server's machine looks whether all that is stored fits together."
    st.caption(advice)
