"""Judges: have a judge grade models' answers, watch it do so, and read every reply next to what was read in it."""

from __future__ import annotations

import streamlit as st

from app import markup, shell
from app.judging import begin, compare, replies, watch
from app.judging import shown as of_judges
from app.running import begin as running
from app.running import run_lists, shown
from app.screens import Screen
from app.services import Services
from domain.errors import NotFound
from domain.judging import JudgePlan
from domain.records import ProjectView
from domain.roles import Role
from domain.run_kinds import RunKind
from workflow.runs import run_views
from workflow.runs.run_views import RunView

SCREEN = Screen("Judges", place=220, role=Role.LEAD)

RUNS, NEW = "Runs", "New run"
PROGRESS, REPLIES, COMPARE, ABOUT = "Progress", "Replies", "Compare", "Judge and template"


def render(services: Services) -> None:
    """The run that the address names, else the list and the way to a new one."""
    view = shell.lead_of(services)
    st.html(f"<style>{shown.STYLE}{of_judges.STYLE}</style>")
    run = st.query_params.get("run")
    if run:
        _run(services, view, run)
        return
    shell.heading(
        "Judges",
        "Models grade answers under a template. Every reply is kept as it came, with what was read from it; what "
        "cannot be read is counted and never guessed.",
        made_up=view.made_up,
    )
    there = bool(run_views.runs_of(services.store, by=services.person, project=view.name, kind=RunKind.JUDGE))
    part = st.segmented_control(
        "Part", [RUNS, NEW], default=RUNS if there else NEW, key="judges.part", label_visibility="collapsed"
    )
    if part == NEW:
        running.form(services, view, begin.BEGINNING)
    else:
        run_lists.listed(services, view.name, watch.LISTING)


def _run(services: Services, view: ProjectView, run: str) -> None:
    found = run_views.view(services.store, by=services.person, run=run)
    if found.project != view.name or found.kind is not RunKind.JUDGE:
        raise NotFound(f"There is no run of a judge {shown.opening(run, 40)} in {view.title}.")
    shell.heading(shown.opening(found.name, 120), made_up=view.made_up)
    shell.show(_where(view, found), *shown.told_apart(found))
    shell.tell_refused()
    reply = st.query_params.get("reply")
    if reply:
        replies.one(services, view, found, reply)
        return
    wanted = REPLIES if st.query_params.get("verdict") else COMPARE if st.query_params.get("with") else PROGRESS
    part = st.segmented_control(
        "Part",
        [PROGRESS, REPLIES, COMPARE, ABOUT],
        default=wanted,
        key=f"judges.part.{found.id}",
        label_visibility="collapsed",
    )
    if part == REPLIES:
        replies.listed(services, view, found)
        replies.downloads(services, found)
    elif part == COMPARE:
        compare.render(services, view, found)
    elif part == ABOUT:
        begin.kept(view, found)
    else:
        watch.watched(services, view, found)


def _where(view: ProjectView, run: RunView) -> markup.Markup:
    places = [("All runs", of_judges.address(view.name))]
    if st.query_params.get("reply"):
        places.append(("This run", of_judges.address(view.name, run=run.id)))
    if isinstance(run.plan, JudgePlan) and run.plan.baseline is None and not run.plan.attacks:
        places.append(("To calibration", of_judges.calibration(view.name, run.name)))
    links = [markup.tag("a", markup.text(words), href=href, target="_self") for words, href in places]
    by = f"Started {shown.moment(run.created_at)} by {run.by or 'the command line'}"
    return markup.tag(
        "div",
        markup.joined(links, " · "),
        markup.quiet(f" · {by} · judge and plan "),
        shown.mono(run.hash[:10]),
        style="ts ts-small",
    )
