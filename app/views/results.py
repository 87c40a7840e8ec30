"""The page *Results*: models' scores by dimension or another slice of the items.

Scores come from the key, from people, from judges, and from judges after correction. Every number has its interval and
its number of answers, and links to its cases. The parts of the page are in app/results, and in extensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
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
from app.widgets.folds import folded
from db import project_facts
from domain.records import ProjectView
from domain.roles import Role
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
    shell.heading("Results", "Models' scores, based on the key, people or judges.", made_up=view.made_up)
    if not leaderboard_page.any_model(services.store, person=services.person, project=view.name):
        return  # the head of the page says so
    top, settings = st.container(), st.empty()
    with settings.container(), st.expander("**Settings** · items, slices, order and groups", key="results.settings"):
        items, version, wanted, sort = choices.choose(services, view)

    def ask() -> figure_requests.FigureState:
        return _asked(services, view, {**wanted, "items": items, "schema_version": version})

    asked = ask()
    with top:
        pending_figures.show_pending(services, asked, ask, about="The scores are")
    known = f"results.titles.{view.name}"
    if asked.figure is None:
        with top:  # the choice survives a time without results
            choices.scores(view, st.session_state.get(known, ()))
        return
    leaderboards: Leaderboards = asked.figure.value
    titles = st.session_state[known] = list(leaderboards.titles.values())
    page = ResultsPage(view, leaderboards, None, wanted["common"], wanted["bins"], items)
    if not leaderboards.titles:
        settings.empty()
        with top:
            shell.show(*_no_scores(leaderboards))
        if leaderboards.models:
            sections.draw_sections(page)
        return
    with top:
        opening = st.container()
        chosen = leaderboards.of[list(leaderboards.titles)[choices.scores(view, titles)]]
    with opening:
        shell.show(markup.Markup(f"<style>{dot_plot.STYLE}{shown.STYLE}</style>"), *answer.parts(page, chosen))
        if version is not None:
            words = (
                f"These scores count only grades that people gave under schema version {version}. The version does "
                "not affect scores from keys and judges."
            )
            shell.show(markup.paragraph(words, style="ts ts-quiet"))
    _details(replace(page, chosen=chosen), sort)


def _no_scores(leaderboards: Leaderboards) -> Sequence[markup.Markup]:
    if not leaderboards.models:
        return [markup.notice(NO_MODEL)]
    words = f"The project has {markup.count(leaderboards.n_answers, 'answer')}, but no scores yet."
    return [markup.finding(markup.text(words)), markup.paragraph(HOW_TO_SCORE, style="ts ts-quiet")]


def _details(page: ResultsPage, sort: str) -> None:
    """Draw the folded sections: the table by slice, and differences with other scores and slices."""
    chosen = page.chosen
    assert chosen is not None
    cut = chosen.board

    def draw_table() -> None:
        shell.show(
            markup.tag("p", markup.tag("b", markup.text(cut.title)), style="ts", data_part="title"),
            table.leaderboard(page.view, cut, sort=sort, common=page.common, bins=page.bins, items=page.items),
        )
        table.show_legend(cut)
        table.show_downloads(page.view, page.found, chosen)

    folded("results", "table", f"Scores by {cut.slicing.way.title.lower()}", "with downloads", draw_table)
    draw = partial(sections.draw_sections, page)
    folded("results", "more", "Differences between models", "other scores and slices", draw)


HOW_TO_SCORE = "An answer gets a score from a key with fixed options, from people's grades, or from a judge."


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
