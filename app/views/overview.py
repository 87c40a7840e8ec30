"""The page *Dashboard*: the progress of each dimension, and what blocks it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from annotation_schemas.model import Stages
from annotation_schemas.state_words import BAR_STATES, state_called, states_of
from app import addresses, markup, shell
from app.dashboard import grading_sample, sections
from app.dashboard.sections import SectionPlace
from app.projects import new_project
from app.screens import SCREENS, Room, Screen
from app.services import Services
from app.workbench import preview
from domain.records import Blocker, Dashboard, DimensionProgress, ProjectView
from domain.roles import Role
from domain.states import ItemState
from workflow.annotate import project_progress
from workflow.lead import people_at_work
from workflow.lead.people_at_work import LATELY, AtWork

SCREEN = Screen(
    "Overview",
    place=20,
    room=Room.OVERVIEW,
    role=Role.LEAD,
    words="dashboard home start progress status blocked pace speed forecast finish today",
)


def render(services: Services) -> None:
    """Draw a row with a bar for each dimension, and the blockers in words."""
    view = shell.lead_of(services)
    shell.heading(
        "Dashboard",
        "Each bar shows the items of a dimension by state. Its empty part is what is left to write: the number wanted, "
        "less the items that are not rejected.",
        made_up=view.made_up,
    )
    board = project_progress.dashboard(services.store, person=services.person, project=view.name)
    new_project.tell_made()
    sections.draw_sections(services, view, place=SectionPlace.TOP)
    if not any(row.drafted for row in board.rows):
        _empty(view, board)
    for sentence in board.warnings:
        shell.show(markup.notice(sentence))
    for stage in board.without_set:
        shell.show(
            markup.notice(
                f"The {stage} asks people to qualify under the present guideline, but there is no set of items for it."
                " No one can begin until you make one on the page Qualify."
            )
        )
    stages = view.schema.schema_.stages
    shell.show(summary(board, pooled=view.schema.schema_.stages.authoring is not None))
    shell.show(
        markup.keys_of_bar(
            [(state, state_called(stages, state)) for state in BAR_STATES if _count(board, state)]
            + [("wanting", "left to write")] * any(row.left for row in board.rows)
        ),
        dimensions(board.rows, stages, project=view.name),
    )
    if any(row.stuck for row in board.rows):
        shell.section("What is blocked")
        shell.show(blocked(board.rows, project=view.name))
    if "preview" in SCREENS:
        shell.show(_previews(view))
    for place in (SectionPlace.UPPER, SectionPlace.MIDDLE):
        sections.draw_sections(services, view, place=place)
    _people(services, view)
    sections.draw_sections(services, view, place=SectionPlace.END)
    if view.schema.schema_.stages.grading is not None and view.schema.schema_.stages.grading.sample is not None:
        grading_sample.for_leads(services, view)


def _previews(view: ProjectView) -> markup.Markup:
    """Return a link to the preview of each stage."""
    links = [
        markup.tag(
            "a",
            markup.text(view.schema.schema_.stages.title_of(stage)),
            href=addresses.page("preview", view.name, stage=stage.value),
            target="_self",
        )
        for stage in preview.stages_of(view.schema.schema_)
    ]
    about = markup.quiet("See a stage as people see it, without taking a task: ")
    return markup.tag("p", about, markup.joined(links, " · "), style="ts ts-small", data_part="previews")


def summary(board: Dashboard, *, pooled: bool) -> markup.Markup:
    """Return the project's progress in one line."""
    drafted, kept, rejected = _sum(board, "drafted"), _count(board, ItemState.KEPT), _count(board, ItemState.REJECTED)
    wanted = sum(row.wanted or 0 for row in board.rows)
    begun = _sum(board, "in_progress")
    parts = [
        f"{markup.count(drafted, 'item')} written" + (f" of {wanted:,} wanted" if wanted else ""),
        *([f"{_sum(board, 'left'):,} left to write"] if wanted else []),
        *([f"{begun:,} in progress"] if begun else []),
        f"{kept:,} kept",
        f"{rejected:,} rejected",
    ]
    if board.to_grade:
        parts.append(f"{board.graded:,} of {board.to_grade:,} gradings done")
    if board.sample:
        parts.append(board.sample.rstrip("."))
    parts += board.of_stages
    if pooled:
        parts.append(f"{markup.count(board.free_images, 'free image')} in the pool")
    return markup.tag("p", markup.text(" · ".join(parts)), style="ts", data_part="summary")


def dimensions(rows: Sequence[DimensionProgress], stages: Stages, *, project: str = "") -> markup.Markup:
    """Return a table with a row for each dimension. The name links to the histories of its items."""
    heads = [
        ("Dimension", ""),
        ("Items", "wide"),
        ("Kept", "number"),
        ("Written", "number"),
        ("Wanted", "number"),
        ("Left to write", "number"),
    ]
    return markup.table(heads, [_row(row, stages, project) for row in rows])


def _row(row: DimensionProgress, stages: Stages, project: str) -> list[markup.Markup]:
    there = states_of(stages)
    parts = [(state, state_called(stages, state), row.states[state]) for state in BAR_STATES if state in there]
    return [
        markup.tag(
            "a",
            markup.tag("b", markup.text(row.title)),
            href=addresses.history(project, dimension=row.dimension),
            target="_self",
            title="The items of this dimension and their histories",
        ),
        markup.bar(parts, total=row.drafted + row.left),
        markup.number(row.kept),
        markup.number(row.drafted),
        markup.text("-") if row.wanted is None else markup.number(row.wanted),
        markup.text("-") if row.wanted is None else markup.number(row.left),
    ]


FIRST = 6
"""Number of dimensions shown next to a blocker. The others unfold."""


def blocked(rows: Sequence[DimensionProgress], *, project: str) -> markup.Markup:
    """Return the blockers of items: each blocker once, with the dimensions that have it."""
    by_place: dict[tuple[str, str], list[tuple[DimensionProgress, Blocker]]] = defaultdict(list)
    for row in rows:
        for blocker in row.stuck:
            by_place[blocker.about].append((row, blocker))
    lines = []
    for where in sorted(by_place.values(), key=lambda where: -sum(blocker.n for _, blocker in where)):
        one = where[0][1]
        whole = one if len(where) == 1 else replace(one, n=sum(blocker.n for _, blocker in where), detail="")
        places = [_place(row, blocker, project, alone=len(where) == 1) for row, blocker in where]
        more = markup.tag(
            "details",
            markup.tag("summary", markup.text(f"and {markup.count(len(places) - FIRST, 'more dimension')}")),
            markup.joined(places[FIRST:], ", "),
        )
        parts = [markup.joined(places[:FIRST], ", "), *([more] if len(places) > FIRST else [])]
        lines.append(
            markup.tag("li", markup.text(whole.sentence), markup.tag("div", *parts, style="ts-small ts-quiet"))
        )
    return markup.tag("ul", *lines, style="ts", data_part="blocked") if lines else markup.Markup("")


def _place(row: DimensionProgress, one: Blocker, project: str, *, alone: bool) -> markup.Markup:
    link = markup.tag(
        "a", markup.text(row.title), href=addresses.history(project, dimension=row.dimension), target="_self"
    )
    return link if alone else markup.joined([link, markup.text(f" {one.n:,}{one.detail}")])


# ---- people at work --------------------------------------------------------------------------------------------------


def _people(services: Services, view: ProjectView) -> None:
    members = people_at_work.at_work(services.store, by=services.person, project=view.name)
    if members:
        shell.section("People")
        n = sum(one.now for one in members)
        words = f"{n} at work now: a page of theirs has answered within the last {LATELY.seconds // 60} minutes."
        shell.show(markup.tag("p", markup.quiet(words), style="ts ts-small"), people(members, project=view.name))


def people(found: Sequence[AtWork], *, project: str) -> markup.Markup:
    """Return a table with a row for each person. The name links to the person's scorecard, if that page exists."""
    heads = [
        ("Person", "line"),
        ("Role", ""),
        ("Last seen", "line"),
        ("Today", "number"),
        ("7 days", "number"),
        ("In hand", "number"),
        ("Postponed", "number"),
        ("Drafts", "number"),
        ("Expired", "number"),
    ]
    return markup.table(heads, [_person(one, project) for one in found])


def _person(one: AtWork, project: str) -> list[markup.Markup]:
    seen = markup.moment(one.seen)
    over = f" (+{one.over} left open)" if one.over else ""
    name = markup.tag("b", markup.text(one.name))
    if "scorecard" in SCREENS:
        href = addresses.page("scorecard", project, person=one.login)
        name = markup.tag("a", name, href=href, target="_self", title="Their scorecard", data_person=one.login)
    return [
        markup.joined([name, markup.quiet(f" {one.login}")]),
        markup.text(one.role.value) if one.role else markup.quiet("not here any more"),
        markup.tag("b", markup.text("now")) if one.now else markup.text(seen),
        markup.text(one.today),
        markup.text(one.week),
        markup.joined([markup.text(one.held), markup.quiet(over)]),
        *(markup.text(n) for n in (one.postponed, one.drafts, one.late)),
    ]


def _sum(board: Dashboard, name: str) -> int:
    return sum(getattr(row, name) for row in board.rows)


def _count(board: Dashboard, state: ItemState) -> int:
    return sum(row.states[state] for row in board.rows)


def _empty(view: ProjectView, board: Dashboard) -> None:
    if board.free_images:
        words = (
            f"No item is written yet. {markup.count(board.free_images, 'free image')} in the pool: "
            "give people their dimensions."
        )
        target, label = "people", "Give people dimensions"
    else:
        words = "There is nothing in this project yet. Import items that exist, or images to write items about."
        target, label = "import_", "Import"
    shell.show(markup.notice(words))
    if st.button(label, key="dashboard.next", type="primary"):
        shell.go(target, project=view.name)
