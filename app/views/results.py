"""The page *Results*: models' scores by dimension or another slice of the items.

Scores come from the key, from people, from judges, and from judges after correction. Every number has its interval and
its number of answers, and links to its cases. The parts of the page are in app/results, and in extensions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from app import markup, shell
from app.charts import dot_plot
from app.jobs import figure_requests
from app.reruns import pending_figures
from app.results import answer, choices, sections, shown, table
from app.results.shown import NO_MODEL
from app.screens import Need, Room, Screen
from app.services import Services
from app.widgets import items_switch, version_switch
from app.widgets.fold import SHOW, fold
from db import project_facts
from domain.records import ProjectView
from domain.roles import Role
from domain.states import Stage
from workflow.results import leaderboard_page
from workflow.results.leaderboard_page import Leaderboards
from workflow.results.result_sections import ResultsPage

SCREEN = Screen(
    "Scores",
    place=400,
    room=Room.RESULTS,
    role=Role.LEAD,
    words="results ranking accuracy compare models best leaderboard performance",
    needs=Need("No answer has a score yet. Run a model, or import answers.", project_facts.has_scores),
)


def render(services: Services) -> None:
    """Draw which model scores highest, all models as dots, the settings, and folds with tables."""
    view = shell.lead_of(services)
    shell.heading("Results", made_up=view.made_up)
    if not leaderboard_page.any_model(services.store, person=services.person, project=view.name):
        return  # the head of the page says so
    top = st.container()
    items = items_switch.switch(services, view, key="results.items")
    version = version_switch.switch(
        services,
        view,
        key="results.schema",
        stages=[Stage.GRADING],
        help="Counts only grades that people gave under this version. Keys and judges have no version.",
    )
    place = st.empty()
    with place.container():
        left, wanted, sort = choices.choose(services, view)

    def ask() -> figure_requests.FigureState:
        return _asked(services, view, {**wanted, "items": items, "schema_version": version})

    asked = ask()
    with top:
        pending_figures.show_pending(services, asked, ask, about="The scores are")
    known = f"results.titles.{view.name}"
    if asked.figure is None:
        with left:  # the choice survives a time without results
            choices.scores(view, st.session_state.get(known, ()))
        return
    leaderboards: Leaderboards = asked.figure.value
    titles = st.session_state[known] = list(leaderboards.titles.values())
    if not leaderboards.models:
        place.empty()
        with top:
            shell.show(markup.notice(NO_MODEL))
        return
    common, bins = wanted["common"], wanted["bins"]
    page = ResultsPage(view, leaderboards, None, common, bins, items)
    if not leaderboards.titles:
        place.empty()
        with top:
            words = f"{markup.count(leaderboards.n_answers, 'answer')} and no score yet."
            shell.show(markup.finding(markup.text(words)), markup.paragraph(HOW_TO_SCORE, style="ts ts-quiet"))
        sections.draw_sections(page)
        return
    there = list(leaderboards.titles)
    with left:
        at = choices.scores(view, titles)
    chosen = leaderboards.of[there[at]]
    cut = chosen.board
    with top:
        shell.show(
            markup.Markup(f"<style>{dot_plot.STYLE}{shown.STYLE}</style>"),
            answer.finding(view, chosen, common=common, items=items),
            table.loss_warning(cut),
            answer.plot(view, cut, common=common, items=items),
        )
    unfolded = st.query_params.get(SHOW) == "table"
    with st.expander(f"Scores by {cut.slicing.way.title.lower()}", expanded=unfolded, key="results.table"):
        shell.show(
            markup.tag("p", markup.tag("b", markup.text(cut.title + _under(version))), style="ts", data_part="title"),
            table.leaderboard(view, cut, sort=sort, common=common, bins=bins, items=items),
        )
        table.show_legend(cut)
        table.show_downloads(view, leaderboards, chosen)
    with fold("results", "more", "Differences, other scores and slices") as part:
        if part.open:
            sections.draw_sections(replace(page, chosen=chosen))


HOW_TO_SCORE = (
    "An answer gets a score from a key with fixed options, from people's grades, or from a judge. This project has no"
    " scores yet."
)


def _under(version: int | None) -> str:
    return "" if version is None else f" · grades of people under version {version} only"


def _asked(services: Services, view: ProjectView, wanted: dict[str, Any]) -> figure_requests.FigureState:
    """Return the page's figures (``leaderboards``). They are computed again only if something has changed."""
    about: dict[str, Any] = {"person": services.person, "project": view.name}
    return figure_requests.request_figure(
        services.store,
        services.settings,
        "results",
        {"project": view.name, **wanted},
        state=leaderboard_page.mark(services.store, **about),
        size=leaderboard_page.size(services.store, **about),
    )
