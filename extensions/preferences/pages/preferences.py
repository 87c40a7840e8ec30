"""The page *Preferences*: the model that people prefer, all models as dots, and folds with all figures."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import streamlit as st

from app import markup, shell
from app.charts import dot_plot
from app.jobs import figure_requests
from app.reruns import messages, pending_figures
from app.results import choices, shown
from app.screens import Room, Screen
from app.services import Services
from app.widgets import items_switch
from app.widgets.folds import folded
from domain.records import ProjectView
from domain.roles import Role
from domain.states import Stage
from extensions.preferences import page_figures, page_parts, pair_intake, preference_files
from extensions.preferences.page_figures import PreferencesPage
from extensions.preferences.preference_figures import OfCriterion, PreferenceFigures
from workflow.results import attributes, leaderboard_page
from workflow.results.clusters import ALONE
from workflow.results.slices import DIMENSION, ways

SCREEN = Screen(
    "Preferences",
    place=425,
    room=Room.RESULTS,
    role=Role.LEAD,
    part="comparison",
    words="pairwise win rate bradley terry elo arena better",
)


def render(services: Services) -> None:
    """Draw which model people prefer, all models as dots, and folds with all figures and the pairs."""
    view = shell.lead_of(services)
    shell.heading("Preferences", "See which model's answers people prefer, pair by pair.", made_up=view.made_up)
    if view.schema.schema_.stages.comparison is None:
        shell.show(markup.notice(pair_intake.NO_COMPARISON.format(name=view.schema.schema_.name)))
        return
    top, row = st.container(), st.container()
    with row:
        left, right = st.columns([3, 1], vertical_alignment="center")
        with right, st.popover("What is counted", width="stretch"):
            wanted = {"project": view.name, **_choices(services, view)}

    def ask() -> figure_requests.FigureState:
        return _asked(services, view, wanted)

    asked = ask()
    pending_figures.show_pending(services, asked, ask, about="The preferences are")
    if asked.figure is None:
        return
    page: PreferencesPage = asked.figure.value
    figures = page.figures
    voted = [criterion for criterion in figures.criteria if page_parts.best(criterion) is not None]
    with top:
        counted = figures.counting.sentence if figures.counting else None
        before = next((criterion.whole.sentence for criterion in voted or figures.criteria), "")
        style = markup.Markup(f"<style>{dot_plot.STYLE}{shown.STYLE}</style>")
        opening = page_parts.answer(view.name, voted[0]) if voted else markup.text("There are no votes yet.")
        parts = [style, markup.finding(opening), items_switch.counted_line(counted, before, figures.left_out)]
        parts += [page_parts.plot(view.name, criterion) for criterion in voted[:1]]
        parts += [page_parts.other_line(view.name, criterion) for criterion in voted[1:]]
        shell.show(*parts)
    with left:
        _intake(services, view, page)
    for criterion in voted:
        about = "strengths, pairs of models, agreement"
        draw = partial(_criterion, services, criterion, figures)
        folded("preferences", criterion.criterion, criterion.title, about, draw)
    if figures.marks:
        folded("preferences", "marks", "Each answer", "", lambda: shell.show(page_parts.marks_table(figures.marks)))
    folded("preferences", "downloads", "Downloads", "CSV and JSON", partial(_downloads, view, figures))


def _choices(services: Services, view: ProjectView) -> dict[str, Any]:
    schema = view.schema.schema_
    items = items_switch.switch(services, view, key="preferences.items", stage=Stage.COMPARISON, show=False)
    _, labels = attributes.names_in(services.store, person=services.person, project=view.name)
    known = {way.name: way.title for way in ways(schema, labels)}
    by = st.selectbox("Slice by", list(known), format_func=known.__getitem__, key=f"preferences.by.{view.name}")
    together = st.selectbox(
        "Clusters of items",
        [None, ALONE, "source", *(field.name for field in schema.item.fields)],
        format_func=lambda name: choices.TOGETHER.get(name, str(name)),
        key=f"preferences.together.{view.name}",
    )
    return {"items": items, "by": by or DIMENSION.name, "together": together}


def _asked(services: Services, view: ProjectView, wanted: dict[str, Any]) -> figure_requests.FigureState:
    """Return the page's figures. They are computed again only if something has changed."""
    about: dict[str, Any] = {"person": services.person, "project": view.name}
    return figure_requests.request_figure(
        services.store,
        services.settings,
        "preferences",
        wanted,
        state=leaderboard_page.mark(services.store, **about),
        size=page_figures.size(services.store, **about),
    )


def _intake(services: Services, view: ProjectView, told: PreferencesPage) -> None:
    """Draw how many pairs opening adds, with the button if it changes anything."""
    if done := messages.kept_message("preferences.opened"):
        shell.show(markup.notice(done, style="good"))
    changes = bool(told.intake.opened or told.intake.called_off)
    words = markup.text(told.intake.sentence) if changes else markup.quiet(told.intake.sentence)
    shell.show(markup.tag("p", words, style="ts" if changes else "ts ts-small", data_part="intake"))
    if changes and st.button("Open the pairs", key="preferences.open"):
        opened = pair_intake.open_pairs(services.store, by=services.person, project=view.name)
        messages.keep("preferences.opened", f"{markup.count(opened.opened, 'pair')} opened.")
        st.rerun()


def _criterion(services: Services, each: OfCriterion, found: PreferenceFigures) -> None:
    whole = each.whole
    shell.show(markup.tag("p", markup.text(whole.sentence), style="ts", data_part="counts"))
    if not whole.rates:
        return
    shell.show(page_parts.models_table(whole))
    for line in preference_files.of_strengths(whole):
        shell.show(markup.notice(line))
    if not whole.strengths.reason:
        shell.show(markup.tag("p", markup.quiet(page_parts.STRENGTHS), style="ts ts-small"))
    shell.show(page_parts.matrix(whole))
    if len(each.parts) > 1:
        shell.show(page_parts.slices_table(each, found.by))
    called = shell.named(services, each.alone)
    lines = [markup.text(line) for line in preference_files.sentences(each)]
    if each.alone:
        names = markup.joined([called(name) for name in each.alone], ", ")
        lines.append(markup.joined([markup.text(preference_files.NOT_OF), names, markup.text(preference_files.ALONE)]))
    if lines:
        shell.show(*(markup.tag("p", line, style="ts", data_part="agreement") for line in lines))
    if each.judges:
        shell.show(page_parts.judges_table(each))


def _downloads(view: ProjectView, found: PreferenceFigures) -> None:
    left, right = st.columns(2)
    with left:
        shown.download(
            "Rates and strengths as CSV",
            lambda: preference_files.as_csv(found),
            f"{view.name}-preferences.csv",
            key="preferences.csv",
        )
    with right:
        shown.download(
            "All numbers as JSON",
            lambda: json.dumps(preference_files.as_json(found), indent=2, ensure_ascii=False, allow_nan=False),
            f"{view.name}-preferences.json",
            key="preferences.json",
        )
