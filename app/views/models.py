"""Models: have a model answer the items, watch it do so, read what it wrote, and send that to grading."""

from __future__ import annotations

import streamlit as st

from app import markup, shell
from app.running import answers, begin, models, run_lists, shown, watch
from app.screens import Screen
from app.services import Services
from domain.errors import NotFound
from domain.records import ProjectView
from domain.roles import Role
from domain.run_kinds import RunKind
from workflow.runs import run_views
from workflow.runs.run_views import RunView

SCREEN = Screen("Models", place=210, role=Role.LEAD)

RUNS, NEW = "Runs", "New run"
PROGRESS, ANSWERS, GRADING, ABOUT = "Progress", "Answers", "Grading", "Description and plan"


def render(services: Services) -> None:
    """The run that the address names, else the list and the way to a new one."""
    view = shell.lead_of(services)
    st.html(f"<style>{shown.STYLE}</style>")
    run = st.query_params.get("run")
    if run:
        _run(services, view, run)
        return
    shell.heading(
        "Models",
        "Models answer the project's items in a process of their own. A preview shows what a run would ask before it "
        "asks anything.",
        made_up=view.made_up,
    )
    there = any(
        run_views.runs_of(services.store, by=services.person, project=view.name, kind=kind)
        for kind in (RunKind.MODEL, RunKind.IMPORT)
    )
    part = st.segmented_control(
        "Part", [RUNS, NEW], default=RUNS if there else NEW, key="models.part", label_visibility="collapsed"
    )
    if part == NEW:
        begin.form(services, view, models.BEGINNING)
    else:
        run_lists.listed(services, view.name, models.LISTING)
        run_lists.listed(services, view.name, models.IMPORTED)


def _run(services: Services, view: ProjectView, run: str) -> None:
    found = run_views.view(services.store, by=services.person, run=run)
    if found.project != view.name or found.kind not in (RunKind.MODEL, RunKind.IMPORT):
        raise NotFound(f"There is no run of a model {shown.opening(run, 40)} in {view.title}.")
    shell.heading(shown.opening(found.name, 120), made_up=view.made_up)
    shell.show(_where(view, found), *shown.told_apart(found))
    shell.tell_refused()
    if found.kind is RunKind.IMPORT:
        watch.out_of_a_file(services, found)
        return
    attempt = st.query_params.get("attempt")
    if attempt:
        answers.one(services, view, found, attempt)
        return
    wanted = ANSWERS if st.query_params.get("outcome") else PROGRESS
    part = st.segmented_control(
        "Part",
        [PROGRESS, ANSWERS, GRADING, ABOUT],
        default=wanted,
        key=f"models.part.{found.id}",
        label_visibility="collapsed",
    )
    if part == ANSWERS:
        answers.listed(services, view, found)
        answers.downloads(services, found)
    elif part == GRADING:
        answers.to_grading(services, view, found)
    elif part == ABOUT:
        models.kept(view, found)
    else:
        watch.watched(services, found)


def _where(view: ProjectView, run: RunView) -> markup.Markup:
    back = [markup.tag("a", markup.text("All runs"), href=watch.address(view.name), target="_self")]
    if st.query_params.get("attempt"):
        back.append(markup.tag("a", markup.text("This run"), href=watch.address(view.name, run=run.id), target="_self"))
    if run.kind is RunKind.IMPORT:
        by = f"Brought in {shown.moment(run.created_at)} by {run.by or 'the command line'}"
        return markup.tag("div", *back, markup.quiet(f" · {by}"), style="ts ts-small")
    by = f"Started {shown.moment(run.created_at)} by {run.by or 'the command line'}"
    return markup.tag(
        "div",
        markup.joined(back, " · "),
        markup.quiet(f" · {by} · description and plan "),
        shown.mono(run.hash[:10]),
        style="ts ts-small",
    )
