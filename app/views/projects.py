"""The page *Projects*: the projects that a person takes part in."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from annotation_schemas.state_words import BAR_STATES, state_called
from app import addresses, markup, rooms, shell
from app.jobs import page
from app.jobs.projects import ROWS
from app.projects import start_cards
from app.projects.project_actions import project_actions, project_beginnings
from app.releasing.release_actions import release_actions
from app.screens import Screen
from app.services import Services
from domain.item_counts import ItemCounts
from domain.language import _
from domain.records import ProjectView, StageWork
from domain.roles import Role, role_name
from workflow.access import accounts, projects
from workflow.annotate import progress
from workflow.lead import project_list

SCREEN = Screen("Projects", place=900, words="all projects list switch")


def render(services: Services) -> None:
    """Draw the table of the person's projects, and links to what a person may do with them."""
    mine = projects.projects_of(services.store, person=services.person)
    shell.heading(_("Projects"))
    shell.tell_refused()
    kinds = [*(row.name for row in ROWS), *(row.job for row in project_actions())]
    kinds += [*(row.job for row in project_beginnings()), *(action.job for action in release_actions())]
    page.show(services, kinds)
    if not mine:
        start_cards.draw(services)
        return
    if accounts.leads_any(services.store, person=services.person):
        link = markup.tag("a", markup.text("New project"), href="/new_project", target="_self", style="ts-button")
        shell.show(markup.tag("p", link, style="ts"))
    shell.show(_table(services, mine))


def _table(services: Services, mine: Sequence[ProjectView]) -> markup.Markup:
    items = project_list.item_counts(services.store, person=services.person)
    work = progress.my_work(services.store, person=services.person)
    heads = [
        (_("Name"), ""),
        (_("Project ID"), ""),
        (_("Your role"), ""),
        (_("Items written"), "number"),
        (_("Progress"), ""),
        (_("Waiting for you"), "number"),
        (_("State"), ""),
        ("", ""),
    ]
    rows = []
    for view in sorted(mine, key=lambda view: (view.archived, view.title.casefold())):
        href = rooms.address(view, rooms.home(view))
        waits = _waits(services, view, [row for row in work if row.project == view.name])
        rows.append(
            [
                markup.tag("a", markup.tag("b", markup.text(view.title)), href=href, target="_self"),
                markup.mono(view.name),
                markup.text(role_name(view.role)),
                markup.number(items[view.name].written),
                _how_far(view, items[view.name]),
                markup.quiet("-") if view.archived else markup.number(waits),
                _state(view),
                _settings(view),
            ]
        )
    return markup.table(heads, rows)


def _state(view: ProjectView) -> markup.Markup:
    return markup.chip(_("Archived"), "") if view.archived else markup.chip(_("Active"), "done")


def _settings(view: ProjectView) -> markup.Markup:
    """Return a link to the project's settings, for its leads."""
    if view.role is not Role.LEAD:
        return markup.Markup("")
    return markup.link("Settings", addresses.page("project_settings", view.name))


def _how_far(view: ProjectView, counts: ItemCounts) -> markup.Markup:
    """Return the items by state, as on the dashboard, for people who may open the dashboard."""
    if view.role is not Role.LEAD:
        return markup.quiet("-")
    stages = view.schema.schema_.stages
    parts = [(state, state_called(stages, state), n) for state in BAR_STATES if (n := counts.in_state(state))]
    kept = markup.tag("div", markup.quiet(f"{counts.kept:,} kept"), style="ts-small")
    if not counts.written:
        return kept
    return markup.joined([markup.bar(parts, total=counts.written + counts.left), kept])


def _waits(services: Services, view: ProjectView, work: Sequence[StageWork]) -> int:
    stages = groupby(work, key=lambda row: row.stage)
    return sum(
        progress.count_waiting(services.store, person=services.person, project=view.name, stage=stage, rows=list(rows))
        for stage, rows in stages
    )
