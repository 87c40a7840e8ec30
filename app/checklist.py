"""A list of what is to be looked at, each line with its state and the way to its page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol
from urllib.parse import urlencode

import streamlit as st

from app import figures, markup, pending_figures, shell
from app.screens import SCREENS
from app.services import Services
from domain.errors import NotAvailable
from domain.records import ProjectView
from workflow.lead import checklists
from workflow.releases import checklist as releases
from workflow.releases import floors
from workflow.releases.checklist import Line as ReleaseLine
from workflow.releases.extension_checks import CheckResult, ReleaseCheck, Unmeasured, checks_of
from workflow.results import leaderboard_page

PART = "show"
"""The part of a page's address that names what unfolds on it."""


class Line(Protocol):
    """Something to look at."""

    @property
    def title(self) -> str:
        """What it is about."""

    @property
    def done(self) -> bool:
        """Whether it is done."""

    @property
    def said(self) -> str:
        """How it stands, in words."""

    @property
    def page(self) -> str:
        """The page on which it is done, by the name of its module."""

    @property
    def part(self) -> str:
        """The part of that page that has to unfold; empty: the page shows all of it."""


def show(lines: Sequence[Line], project: str) -> None:
    """The lines as a table."""
    rows = [
        [
            markup.tag("b", markup.text(line.title)),
            markup.tag("span", markup.text("done" if line.done else "open"), style="good" if line.done else ""),
            markup.text(line.said),
            markup.tag(
                "a",
                markup.text(SCREENS[line.page].title),
                href=address(line, project),
                target="_self",
            ),
        ]
        for line in lines
    ]
    shell.show(markup.table([("What", ""), ("State", ""), ("How it stands", "wide"), ("Page", "")], rows))


def address(line: Line, project: str) -> str:
    """Return where a line leads: a page, and the part of it that unfolds there."""
    query = {"project": project, **({PART: line.part} if line.part else {})}
    return f"/{SCREENS[line.page].path}?" + urlencode(query)


def before_start(services: Services, view: ProjectView) -> None:
    """On the Dashboard of a project that has not begun: what comes first. A lead may hide it for good."""
    lines = checklists.before_start(services.store, by=services.person, project=view.name)
    if lines is None:
        return
    shell.section("Before people begin")
    show(lines, view.name)

    def hide() -> None:
        with shell.pressed(services):
            checklists.hide(services.store, by=services.person, project=view.name)

    st.button("Hide this list", key="checklist.hide", type="tertiary", on_click=hide)


def release_lines(services: Services, view: ProjectView) -> list[ReleaseLine]:
    """What stands between a project and its release, drawn; agreement of many votes is worked out elsewhere."""

    def ask() -> figures.Asked:
        state, size = floors.state_of(services.store, by=services.person, project=view.name)
        return figures.asked(
            services.store, services.settings, "floors", {"project": view.name}, state=state, size=size
        )

    found = ask()
    known = found.figure.value if found.figure is not None else ()
    pending, results = _measured(services, view)
    lines = releases.before(services.store, by=services.person, project=view.name, floors=known, results=results)
    shell.section("Before a release")
    pending_figures.show_pending(services, found, ask, about="The floors of agreement are")
    for check, asked in pending:
        again = partial(_ask, services, view, check)
        pending_figures.show_pending(services, asked, again, about=check.about)
    show(lines, view.name)
    _show_losses(services, view)
    return lines


def _measured(
    services: Services, view: ProjectView
) -> tuple[list[tuple[ReleaseCheck, figures.Asked]], dict[str, CheckResult | Unmeasured]]:
    """Return the figures behind the checks of extensions, and the results so far by the names of checks."""
    pending: list[tuple[ReleaseCheck, figures.Asked]] = []
    results: dict[str, CheckResult | Unmeasured] = {}
    for check in checks_of(view.schema.schema_):
        try:
            asked = _ask(services, view, check)
        except NotAvailable as error:
            results[check.name] = Unmeasured(str(error))
            continue
        pending.append((check, asked))
        result = None if asked.figure is None else check.result_of(view.schema.schema_, asked.figure.value)
        if result is not None:
            results[check.name] = result
    return pending, results


def _ask(services: Services, view: ProjectView, check: ReleaseCheck) -> figures.Asked:
    state, size = check.state_of(services.store, services.person, view.name)
    args = {"project": view.name, **check.args}
    return figures.asked(services.store, services.settings, check.work, args, state=state, size=size, apart=check.apart)


def _show_losses(services: Services, view: ProjectView) -> None:
    """Show the losses of the project below the lines; a release reports them but does not wait for them."""
    about: dict[str, Any] = {"person": services.person, "project": view.name}
    if not leaderboard_page.any_model(services.store, **about):
        return

    def ask() -> figures.Asked:
        state = leaderboard_page.mark(services.store, **about)
        size = leaderboard_page.size(services.store, **about)
        args = {"project": view.name}
        return figures.asked(services.store, services.settings, "losses", args, state=state, size=size)

    found = ask()
    pending_figures.show_pending(services, found, ask, about="Counts of unreadable answers are")
    for sentence in found.figure.value if found.figure is not None else ():
        shell.show(markup.loss_line(sentence))


def before_release(services: Services, view: ProjectView) -> None:
    """On Export: what stands between the project and its release."""
    release_lines(services, view)
    said = f"`touchstone check {view.name}` on the server's machine looks whether all that is stored fits together."
    st.caption(said)
