"""The page *Preferences*: whose answers people prefer, with intervals, and the agreement of people and judges."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from app import markup, shell
from app.jobs import figure_requests
from app.reruns import messages, pending_figures
from app.results import choices, shown
from app.results.answer import FEW
from app.screens import Room, Screen
from app.services import Services
from app.widgets import items_switch
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
    """Draw the pairs that opening would add, the progress of the comparison, and the preferences by criterion."""
    view = shell.lead_of(services)
    shell.heading("Preferences", made_up=view.made_up)
    top = st.container()
    if view.schema.schema_.stages.comparison is None:
        shell.show(markup.notice(pair_intake.NO_COMPARISON.format(name=view.schema.schema_.name)))
        return
    items = items_switch.switch(services, view, key="preferences.items", stage=Stage.COMPARISON)
    wanted = {"project": view.name, "items": items, **_choices(services, view)}

    def ask() -> figure_requests.FigureState:
        return _asked(services, view, wanted)

    asked = ask()
    pending_figures.show_pending(services, asked, ask, about="The preferences are")
    if asked.figure is None:
        return
    page: PreferencesPage = asked.figure.value
    figures = page.figures
    with top:
        shell.show(markup.finding(markup.text(answer(figures))))
    _intake(services, view, page)
    shell.show(markup.Markup(f"<style>{shown.STYLE}</style>"))
    if figures.left_out:
        shell.show(markup.tag("p", markup.text(figures.left_out), style="ts", data_part="left-out"))
    for criterion in figures.criteria:
        _criterion(services, criterion, figures)
    if figures.marks:
        shell.section("Each answer")
        shell.show(page_parts.marks_table(figures.marks))
    _downloads(view, figures)


def answer(figures: PreferenceFigures) -> str:
    """Return which model people prefer, by the first criterion that has votes."""
    for criterion in figures.criteria:
        rates = [rate for rate in criterion.whole.rates if rate.against is None and rate.rate.defined]
        if not rates:
            continue
        best = max(rates, key=lambda rate: rate.rate.value)
        at, n = best.rate, best.wins + best.ties + best.losses
        if n < FEW:
            ties = f" and ties {best.ties}" if best.ties else ""
            return f"{best.name} wins {best.wins}{ties} of {markup.count(n, 'vote')} so far, too few to compare."
        limits = "" if at.low != at.low else f" [{100 * at.low:.0f}, {100 * at.high:.0f}]"
        return f"People prefer {best.name} in {100 * at.value:.0f} %{limits} of {n:,} votes. Ties count half."
    return "There are no votes yet."


def _choices(services: Services, view: ProjectView) -> dict[str, Any]:
    schema = view.schema.schema_
    _, labels = attributes.names_in(services.store, person=services.person, project=view.name)
    known = {way.name: way.title for way in ways(schema, labels)}
    left, right = st.columns(2)
    with left:
        by = st.selectbox("Slice by", list(known), format_func=known.__getitem__, key=f"preferences.by.{view.name}")
    with right:
        together = st.selectbox(
            "Clusters of items",
            [None, ALONE, "source", *(field.name for field in schema.item.fields)],
            format_func=lambda name: choices.TOGETHER.get(name, str(name)),
            key=f"preferences.together.{view.name}",
        )
    return {"by": by or DIMENSION.name, "together": together}


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
    if done := messages.kept_message("preferences.opened"):
        shell.show(markup.notice(done, style="good"))
    shell.show(markup.tag("p", markup.text(told.intake.sentence), style="ts", data_part="intake"))
    if st.button("Open the pairs", key="preferences.open", disabled=not (told.intake.opened or told.intake.called_off)):
        opened = pair_intake.open_pairs(services.store, by=services.person, project=view.name)
        messages.keep("preferences.opened", f"{markup.count(opened.opened, 'pair')} opened.")
        st.rerun()


def _criterion(services: Services, each: OfCriterion, found: PreferenceFigures) -> None:
    shell.section(each.title)
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
