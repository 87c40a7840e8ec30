"""The page *Results*: models' scores by dimension or another slice of the items.

Scores come from the key, from people, from judges, and from judges after correction. Every number has its interval and
its number of answers, and links to its cases. The parts of the page are in app/results, and in extensions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from app import markup, shell
from app.jobs import figure_requests
from app.reruns import pending_figures
from app.results import choices, sections, shown, table
from app.results.shown import NO_MODEL
from app.screens import Need, Room, Screen
from app.services import Services
from app.widgets import items_switch, version_switch
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
    """Draw the choice of scores and slices, and the tables with links to cases."""
    view = shell.lead_of(services)
    shell.heading(
        "Results",
        "What models' answers are worth. The unit is an answer of a model to an item; every number has its interval and"
        " says how many answers it rests on.",
        made_up=view.made_up,
    )
    items = items_switch.switch(services, view, key="results.items")
    version = version_switch.switch(
        services,
        view,
        key="results.schema",
        stages=[Stage.GRADING],
        help="Of people's grades. Keys, judges, and ratings out of files are of no version.",
    )
    if not leaderboard_page.any_model(services.store, person=services.person, project=view.name):
        shell.show(markup.notice(NO_MODEL))
        return
    place = st.empty()
    with place.container():
        left, wanted, sort = choices.choose(services, view)

    def ask() -> figure_requests.FigureState:
        return _asked(services, view, {**wanted, "items": items, "schema_version": version})

    asked = ask()
    pending_figures.show_pending(services, asked, ask, about="What the answers are worth is")
    known = f"results.titles.{view.name}"
    if asked.figure is None:
        with left:  # the choice survives a time without results
            choices.scores(view, st.session_state.get(known, ()))
        return
    leaderboards: Leaderboards = asked.figure.value
    titles = st.session_state[known] = list(leaderboards.titles.values())
    if not leaderboards.models:
        place.empty()
        shell.show(markup.notice(NO_MODEL))
        return
    common, bins = wanted["common"], wanted["bins"]
    page = ResultsPage(view, leaderboards, None, common, bins, items)
    if not leaderboards.titles:
        place.empty()
        shell.show(
            markup.notice(
                f"{leaderboards.n_answers} answers are there, and nothing that scores them: no key that is one of a "
                "closed set of options, no grades of people and none of a judge."
            )
        )
        sections.draw_sections(page)
        return
    there = list(leaderboards.titles)
    with left:
        at = choices.scores(view, titles)
    chosen = leaderboards.of[there[at]]
    cut = chosen.board
    shell.show(
        markup.Markup(f"<style>{shown.STYLE}</style>"),
        markup.tag("p", markup.tag("b", markup.text(cut.title + _under(version))), style="ts", data_part="title"),
        table.loss_warning(cut),
        table.leaderboard(view, cut, sort=sort, common=common, bins=bins, items=items),
    )
    table.show_legend(cut)
    table.show_downloads(view, leaderboards, chosen)
    sections.draw_sections(replace(page, chosen=chosen))


def _under(version: int | None) -> str:
    return "" if version is None else f" · people's grades under version {version} of the schema alone"


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
