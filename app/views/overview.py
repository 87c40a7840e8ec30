"""The page *Overview*: progress, the tasks of a lead, and the dimensions."""

from __future__ import annotations

from typing import Any

import streamlit as st

from annotation_schemas.model import Stages
from app import addresses, markup, shell
from app.overview import figures, grading_sample, sections, waiting
from app.overview.sections import DashboardSection
from app.projects import new_project
from app.screens import SCREENS, Room, Screen
from app.services import Services
from domain.item_counts import COUNTS, ItemCounts
from domain.records import Dashboard, ProjectView
from domain.roles import Role
from workflow.annotate import project_progress
from workflow.lead import first_release, people_at_work
from workflow.lead.vote_quality import vote_quality

SCREEN = Screen(
    "Overview",
    place=20,
    room=Room.OVERVIEW,
    role=Role.LEAD,
    words="dashboard home start progress status blocked pace speed forecast finish today",
)


def render(services: Services) -> None:
    """Draw the answer and its bar, the rows that wait for a lead, the dimensions, and folds."""
    view = shell.lead_of(services)
    store, by, project = services.store, services.person, view.name
    shell.heading("Overview", made_up=view.made_up)
    shell.show(markup.Markup(f"<style>{figures.STYLE}</style>"))
    new_project.tell_made()
    board = project_progress.dashboard(store, person=by, project=project)
    members = people_at_work.at_work(store, by=by, project=project)
    steps = first_release.first_release_steps(store, by=by, project=project)
    stages = view.schema.schema_.stages
    top = [_answer(services, view, board)]
    if board.total.written + board.total.left:
        top.append(figures.states_bar(board.total, stages, style="tall"))
        top.append(figures.legend(board.total, stages, project=project))
    top.append(figures.further(board, members, pooled=stages.authoring is not None))
    if steps is not None:
        top.append(figures.steps_line(steps, project=project))
    rows = waiting.rows_of(services, view, board, steps)
    none = markup.paragraph("The project needs no action from you now.", style="ts ts-small")
    shell.show(*top, markup.section("Waiting for you"), waiting.table(rows) if rows else none)
    if board.total.written or board.total.left:
        _columns(services, view, board)
    if members:
        shell.show(figures.people_fold(members, project=project))
    for section in sections.of_project(view):
        sections.draw_folded(services, view, section)
    if stages.grading is not None and stages.grading.sample is not None:
        sections.draw_folded(services, view, _SAMPLE)


_SAMPLE = DashboardSection("sample", "Planned grading sample", grading_sample.for_leads)


def _answer(services: Services, view: ProjectView, board: Dashboard) -> markup.Markup:
    counts = board.total
    further = [
        section.answer(services, view) for section in sections.of_project(view) if section.answer and counts.written
    ]
    words = answer(counts, view.schema.schema_.stages)
    if board.free_images and not counts.written:
        words += f" {markup.count(board.free_images, 'image waits', 'images wait')} for an author."
    first = markup.tag("b", markup.text(words))
    return markup.finding(first, markup.text("".join(f" {words}" for words in further if words)))


def answer(counts: ItemCounts, stages: Stages) -> str:
    """Return how many items are kept, or written where nothing is verified, of those wanted."""
    if not counts.written:
        return (
            f"There are no items yet. The target is {counts.wanted:,}." if counts.wanted else "There are no items yet."
        )
    verified = stages.verification is not None
    n, word = (counts.kept, "kept") if verified else (counts.written, "written")
    goal = max(counts.wanted, counts.written - counts.rejected + counts.left) if counts.wanted else counts.written
    sentence = f"{n:,} of {markup.count(goal, 'item is', 'items are')} {word}."
    unsettled = COUNTS["in_verification"].number(counts) + COUNTS["in_adjudication"].number(counts)
    met = counts.wanted is not None and not counts.left and not unsettled
    return f"{sentence} The target is met." if met else sentence


def _columns(services: Services, view: ProjectView, board: Dashboard) -> None:
    """Draw the dimensions, the submissions per day, and the agreement of votes."""
    about: Any = {"by": services.person, "project": view.name}
    several = len(board.rows) > 1
    left, right = st.columns([2.6, 1], gap="large") if several else (None, st.container())
    if left is not None:
        with left:
            table = figures.dimensions(board.rows, view.schema.schema_.stages, project=view.name)
            shell.show(markup.section("Dimensions"), table)
    with right:
        shell.show(
            markup.section("Submissions per day"),
            figures.submissions_chart(people_at_work.submissions_by_day(services.store, **about)),
            markup.section("Quality so far"),
            figures.quality(vote_quality(services.store, **about), board.total, board, project=view.name),
            _next(view),
        )


def _next(view: ProjectView) -> markup.Markup:
    """Return links to what a lead often does next."""
    links = [
        markup.link(words, addresses.page(SCREENS[name].path, view.name))
        for name, words in (
            ("preview", "preview a form"),
            ("people", "invite people"),
            ("schedule", "change targets and dates"),
        )
        if name in SCREENS
    ]
    return markup.tag("p", markup.quiet("Next: "), markup.joined(links, ", "), style="ts ts-small", data_part="next")
