"""The page *Public board*: results that everyone may read without an account, and entries of other teams."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from app import markup, shell
from app.jobs import figure_requests
from app.reruns import messages, pending_figures
from app.results import choices, shown
from app.screens import Need, Room, Screen
from app.services import Services
from db import project_facts
from domain.records import RULES, ProjectView
from domain.roles import Role
from extensions.leaderboard import entries, entry_budget, public_page
from extensions.leaderboard import public_board as public
from extensions.leaderboard.entries import Entry
from extensions.leaderboard.public_board import Board, Cell, Choice, Public
from importers import zip_archives
from workflow.results import attributes, leaderboard_page
from workflow.results.leaderboard_page import Leaderboards
from workflow.results.score_choices import Scores
from workflow.results.slices import BINS, DIMENSION, ways

SCREEN = Screen(
    "Public board",
    place=515,
    room=Room.RELEASE,
    role=Role.LEAD,
    words="leaderboard entries teams submissions website",
    needs=Need("Other teams submit answers to a release. Create a release first.", project_facts.has_releases),
)

STYLE = '[data-part="preview"] { max-height: 36rem; overflow-y: auto; }'

_TAKEN = "leaderboard.taken"
_BUDGET = "leaderboard.budget.done"


def render(services: Services) -> None:
    """Draw the form for entries, and the choice, preview and publication of the public board."""
    view = shell.lead_of(services)
    shell.heading("Public board", made_up=view.made_up)
    shell.tell_refused()
    _public(services, view)
    _entries(services, view)


# ---- public board ---------------------------------------------------------------------------------------------------


def _public(services: Services, view: ProjectView) -> None:
    standing = public.standing(services.store, by=services.person, project=view.name)
    shell.show(_state(services, view, standing))
    results = _results(services, view)
    if results is None:
        return
    before = public.last_choice(services.store, by=services.person, project=view.name)
    _, labels = attributes.names_in(services.store, person=services.person, project=view.name)
    choice = _choice(view, results, before or Choice(view.title), labels)
    left, right = st.columns(2)

    def publish() -> None:
        public.publish(services.store, by=services.person, project=view.name, choice=choice)

    shell.does(
        left,
        "Update public board" if standing else "Publish board",
        services,
        publish,
        key="leaderboard.publish",
        type="primary",
        disabled=standing is not None and standing.choice == choice,
        width="stretch",
    )
    right.button(
        "Unpublish board",
        key="leaderboard.withdraw",
        on_click=partial(_withdraw, services, view),
        disabled=standing is None,
        width="stretch",
    )
    _preview(services, view, choice)


def _state(services: Services, view: ProjectView, standing: Public | None) -> markup.Markup:
    path = f"/public/{view.name}"
    if standing is None:
        words = (
            "The leaderboard is not public. After you publish the leaderboard, people can read it without an account."
        )
        return markup.finding(markup.text(words), part="standing")
    words = f"The leaderboard has been public since {markup.moment(standing.since)} at "
    whole = f"{services.settings.public_url or ''}{path}"
    link = markup.tag("a", markup.text(whole), href=path, target="_blank")
    return markup.finding(markup.text(words), link, part="standing")


def _withdraw(services: Services, view: ProjectView) -> None:
    with shell.pressed(services):
        public.withdraw(services.store, by=services.person, project=view.name)


def _results(services: Services, view: ProjectView) -> Leaderboards | None:
    """Return the results to choose from, or show why there are none."""

    def ask() -> figure_requests.FigureState:
        about: dict[str, Any] = {"person": services.person, "project": view.name}
        return figure_requests.request_figure(
            services.store,
            services.settings,
            "results",
            {"project": view.name, "items": None, "reader": RULES, "by": DIMENSION.name, "bins": BINS},
            state=leaderboard_page.mark(services.store, **about),
            size=leaderboard_page.size(services.store, **about),
        )

    asked = ask()
    pending_figures.show_pending(services, asked, ask, about="The scores are")
    if asked.figure is None:
        return None
    leaderboards: Leaderboards = asked.figure.value
    if not leaderboards.titles:
        shell.show(markup.notice("There are no scores to publish yet. Run a model, or import answers."))
        return None
    return leaderboards


def _choice(view: ProjectView, found: Leaderboards, before: Choice, labels: Sequence[str]) -> Choice:
    """Draw the lead's choice and return it. ``before`` is the default; ``labels`` are the labels of items."""
    key = f"leaderboard.{view.name}"
    titles = dict(found.titles)
    models = sorted({model for part in found.of.values() for model in part.board.whole})
    known = {"": "no slices", **{way.name: way.title for way in ways(view.schema.schema_, labels)}}
    title = st.text_input("Title", before.title, max_chars=public.LONGEST_TITLE, key=f"{key}.title")
    text = st.text_area("Text above table", before.text, max_chars=public.LONGEST_TEXT, key=f"{key}.text")
    scores: Sequence[Scores] = st.multiselect(
        "Scores",
        list(titles),
        [score for score in before.scores if score in titles] or list(titles)[:1],
        format_func=titles.__getitem__,
        key=f"{key}.scores",
    )
    chosen = st.multiselect(
        "Models", models, [model for model in before.models if model in models], key=f"{key}.models"
    )
    teams = st.toggle(
        "Include other teams' entries",
        before.entries,
        key=f"{key}.entries",
        help="Show current and future entries of other teams on the leaderboard.",
    )
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        usual = list(known).index(before.by) if before.by in known else 0
        by = st.selectbox("Slice by", list(known), usual, format_func=known.__getitem__, key=f"{key}.by")
    with right, st.popover("More", width="stretch"):
        bins = choices.cuts(key, before.bins)
    files = st.toggle("Offer CSV and JSON", before.files, key=f"{key}.files")
    return Choice(title or "", text or "", tuple(scores), tuple(chosen), teams, by or "", bins, files)


def _preview(services: Services, view: ProjectView, choice: Choice) -> None:
    def ask() -> figure_requests.FigureState:
        return public_page.choice_figures(services.store, services.settings, view.name, choice, inside=True)

    asked = ask()
    pending_figures.show_pending(services, asked, ask, about="The table is")
    if asked.figure is None:
        return
    board: Board = asked.figure.value
    for sentence in board.lacking:
        shell.show(markup.notice(sentence))
    shell.show(markup.tag("p", markup.quiet("Preview of the public table"), style="ts ts-small"))
    shell.show(
        markup.Markup(f"<style>{shown.STYLE}{STYLE}</style>"),
        markup.tag("div", table(board), style="ts-wide-table", data_part="preview", **shown.WIDE),
    )


def table(board: Board) -> markup.Markup:
    """Return the public table in the style of our pages."""
    heads = [("Model", "name"), *((column, "") for column in board.columns)]
    return markup.table(heads, [[markup.text(name), *map(_cell, cells)] for name, cells in board.rows])


def _cell(cell: Cell | None) -> markup.Markup:
    if cell is None:
        return markup.quiet("-")
    limits = "" if cell.low is None or cell.high is None else f"{cell.low:.3f} to {cell.high:.3f}, "
    return markup.joined(
        [
            markup.text(f"{cell.value:.3f}"),
            markup.tag("div", markup.quiet(f"{limits}n {cell.n}"), style="ts-small"),
        ]
    )


# ---- entries --------------------------------------------------------------------------------------------------------


def _entries(services: Services, view: ProjectView) -> None:
    shell.section("Other teams' entries")
    taken = messages.kept_message(_TAKEN)
    if taken:
        shell.show(markup.notice(taken, style="good"))
    left, right = st.columns(2)
    team = left.text_input("Team", max_chars=entries.LONGEST, key="leaderboard.team")
    model = right.text_input("Model", max_chars=entries.LONGEST, key="leaderboard.model")
    file = st.file_uploader("File of answers", help="An EgoPlan submission or another answer file.")
    anyway = st.checkbox("Accept incomplete entries (missing answers count as wrong)")
    with st.container(horizontal=True, vertical_alignment="center"):
        sent = st.button("Add entry", key="leaderboard.entry", disabled=file is None)
        if file is None:
            shell.show(markup.tag("p", markup.text("Choose an answer file first."), style="ts", data_part="reason"))
    if sent and file is not None:
        with tempfile.TemporaryDirectory(prefix="touchstone-entry-") as folder:
            path = zip_archives.store([(file.name, file)], Path(folder))
            done = entries.take(
                services.store,
                services.media,
                by=services.person,
                project=view.name,
                path=path,
                team=team,
                model=model,
                anyway=anyway,
            )
        messages.keep(_TAKEN, entries.sentence(done))
        st.rerun()
    _budget(services, view)
    team_entries = entries.entries(services.store, by=services.person, project=view.name)
    shell.show(entry_table(team_entries) if team_entries else markup.notice("No team has submitted an entry yet."))


def _budget(services: Services, view: ProjectView) -> None:
    """Draw how many entries a team may submit, and a form that changes it."""
    if done := messages.kept_message(_BUDGET):
        shell.show(markup.notice(done, style="good"))
    now = entry_budget.budget(services.store, by=services.person, project=view.name)
    allowance = "any number of entries" if now is None else now.words
    with st.expander(f"Limit: {allowance} per team"), st.form("leaderboard.budget", border=False):
        st.checkbox("No limit", now is None, key="leaderboard.budget.unlimited")
        left, right = st.columns(2)
        left.number_input(
            "Entries per team",
            1,
            entry_budget.MOST_ENTRIES,
            now.entries if now is not None else 3,
            key="leaderboard.budget.entries",
        )
        right.number_input(
            "Within days",
            1,
            entry_budget.MOST_DAYS,
            now.days if now is not None else 7,
            key="leaderboard.budget.days",
        )
        st.caption("The limit counts all of a team's entries, across all models, including replaced entries.")
        st.form_submit_button("Save", on_click=_save_budget, args=(services, view), key="leaderboard.budget.save")


def _save_budget(services: Services, view: ProjectView) -> None:
    with shell.pressed(services):
        names = ("unlimited", "entries", "days")
        unlimited, most, days = (st.session_state[f"leaderboard.budget.{name}"] for name in names)
        wanted = None if unlimited else entry_budget.EntryBudget(most, days)
        changed = entry_budget.set_budget(services.store, by=services.person, project=view.name, budget=wanted)
        messages.keep(_BUDGET, "The limit is saved." if changed else "The limit is unchanged.")


def entry_table(found: Sequence[Entry]) -> markup.Markup:
    """Return a table with a line for each entry."""
    heads = [("When", "line"), ("Team", ""), ("Model", ""), ("Counts", "")]
    rows = [
        [
            markup.text(markup.moment(entry.at)),
            markup.text(entry.team),
            markup.text(entry.model),
            markup.text(f"No: {entry.withdrawn}" if entry.withdrawn else "Yes"),
        ]
        for entry in found
    ]
    return markup.table(heads, rows)
