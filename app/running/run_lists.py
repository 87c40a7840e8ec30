"""Lists of runs. Each column is a row of this module, and each kind of run names the columns of its list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from app import addresses, markup, shell
from app.markup import Markup
from app.running import shown, watch
from app.services import Services
from domain.run_kinds import RunKind
from workflow.runs import run_views
from workflow.runs.run_views import RunView


@dataclass(frozen=True)
class RunColumn:
    """A column of a list of runs."""

    head: str
    style: str
    cell: Callable[[RunView, Any], Markup]
    """Returns the cell for a run and the list's further knowledge about the run."""


@dataclass(frozen=True)
class Listing:
    """A list of the runs of a kind."""

    kind: RunKind
    columns: Sequence[RunColumn]
    nothing: str = ""
    """The notice for an empty list. Empty: no notice."""
    more: Callable[[Services, str, Sequence[RunView]], Mapping[str, Any]] = lambda services, project, found: {}
    """Returns further knowledge about each run, by its id."""


def draw_runs(services: Services, project: str, of: Listing) -> None:
    """Draw the runs of a kind. The list refreshes while a run is open."""
    runs = run_views.runs_of(services.store, by=services.person, project=project, kind=of.kind)
    if not runs:
        if of.nothing:
            shell.show(markup.notice(of.nothing))
        return
    if of.kind.heading:
        shell.section(of.kind.heading)
    every = watch.FOLLOW_SECONDS if any(view.is_active for view in runs) else None
    st.fragment(run_every=every)(_list)(services, project, of)


def _list(services: Services, project: str, of: Listing) -> None:
    with shell.guard(services):
        runs = run_views.runs_of(services.store, by=services.person, project=project, kind=of.kind)
        more = of.more(services, project, runs)
        rows = [[column.cell(view, more.get(view.id)) for column in of.columns] for view in runs]
        table = markup.table([(column.head, column.style) for column in of.columns], rows)
        shell.show(markup.tag("div", table, style="ts-scroll"))


def name(head: str) -> RunColumn:
    """Return the column with a run's name, which links to the run."""

    def cell(view: RunView, more: Any) -> Markup:
        link = markup.tag(
            "a",
            markup.tag("b", markup.text(shown.opening(view.name, 80))),
            href=addresses.page(view.kind.page, view.project, run=view.id),
            target="_self",
            data_run=view.id,
        )
        return markup.joined([link, *shown.told_apart(view)])

    return RunColumn(head, "name", cell)


def started(head: str = "Started") -> RunColumn:
    """Return the column with the time when a run was started or imported."""
    return RunColumn(head, "line", lambda view, more: markup.text(markup.moment(view.created_at)))


def hash_of(head: str) -> RunColumn:
    """Return the column with the first characters of the hash that identifies the model."""
    return RunColumn(head, "line", lambda view, more: shown.mono((view.identity or view.hash)[:10]))


def _answers(view: RunView, more: Any) -> Markup:
    bars = [("answered", "answered", view.answered), ("failing", view.kind.failed, view.failed)]
    return markup.joined([markup.bar(bars, total=view.wanted), markup.quiet(f"{view.answered:,} answered")])


def _left_cell(view: RunView, more: Any) -> Markup:
    return markup.text(shown.duration(view.remaining) if view.is_active and view.left else "-")


STATE = RunColumn("State", "line", lambda view, more: shown.state(view.state))
ANSWERS = RunColumn("Answers", "wide", _answers)
WANTED = RunColumn("Of", "number", lambda view, more: markup.text(f"{view.wanted:,}"))
ASKED = RunColumn("Asked", "number", lambda view, more: markup.text(f"{view.done:,} of {view.wanted:,}"))
LEFT = RunColumn("Left", "line", _left_cell)
BY = RunColumn("By", "line", lambda view, more: markup.text(view.by or "the command line"))


def from_files(kind: RunKind) -> Listing:
    """Return the list of a kind of imported answers."""
    return Listing(kind, columns=(name("Model"), ANSWERS, WANTED, started(kind.began), BY))
