"""Make the page that a browser asks for. The data of its request is called a wish."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app import my_work_sections
from app.services import Services
from app.workbench import page
from domain.language import _
from domain.records import NoTask, Progress, ProjectView, TaskView
from domain.states import Stage
from workflow.access import own_settings, projects
from workflow.annotate import authoring, claims, image_pool, progress
from workflow.annotate.next_page import NextPage, PageRequest, next_page

Wish = Mapping[str, Any]

POOL_PAGE = 60
AHEAD = 4
"""Number of tasks ahead whose media the browser fetches. The browser asks again after it has used them up."""
NO_POOL = frozenset({"not_member", "no_stage", "not_available", "not_your_dimension"})
"""Reasons for having no task that a look at the pool would not change."""


def page_for(services: Services, *, project: str, stage: Stage, wish: Wish) -> page.Json:
    """Return the page that a wish asks for. Record the page (``sent.page``) before it leaves the server."""
    if stage is Stage.AUTHORING:
        return _answering(services, stage, _authoring(services, project, wish), wish)
    turn = next_page(services.store, person=services.person, wanted=request_of(project, stage, wish))
    return rating_page(services, stage, turn, wish)


def request_of(project: str, stage: Stage, wish: Wish) -> PageRequest:
    """Return what a wish asks for on a page on which people answer about existing items."""
    return PageRequest(
        project=project,
        stage=stage,
        dimension=_text(wish, "dimension"),
        postponed=_text(wish, "postponed"),
        fresh=not wish.get("submitted") or wish.get("again") != 1,
        ahead=True,
    )


def rating_page(services: Services, stage: Stage, turn: NextPage, wish: Wish) -> page.Json:
    """Return the page of a person's next task."""
    prefetch: Sequence[str] | None = None
    if isinstance(turn.found, TaskView) and not wish.get("ahead"):
        prefetch = claims.peek(
            services.store,
            person=services.person,
            project=turn.view.name,
            stage=stage,
            dimension=_text(wish, "dimension"),
            limit=AHEAD,
        )
    made = _page(services, turn.view, stage, turn.found, wish, turn.numbers, prefetch=prefetch, upcoming=turn.upcoming)
    return _answering(services, stage, made, wish)


def _answering(services: Services, stage: Stage, made: page.Json, wish: Wish) -> page.Json:
    known = _text(wish, "have") is not None  # the browser has the person's own keys from an earlier page
    keys = None if known else dict(own_settings.keys_of(services.store, person=services.person, stage=stage))
    return {**made, "keys": keys, "n": wish.get("n")}


def _text(wish: Wish, name: str) -> str | None:
    value = wish.get(name)
    return value if isinstance(value, str) else None


def _authoring(services: Services, project: str, wish: Wish) -> page.Json:
    """Return the page of authoring: the item that was begun, else the pool of free images."""

    def count(*, fresh: bool) -> Progress:
        return progress.progress(
            services.store, person=services.person, project=project, stage=Stage.AUTHORING, fresh=fresh
        )

    view = projects.project(services.store, person=services.person, project=project)
    next_task = claims.next_task(services.store, person=services.person, project=project, stage=Stage.AUTHORING)
    if isinstance(next_task, NoTask) and next_task.code in NO_POOL:
        return _page(services, view, Stage.AUTHORING, next_task, wish, count(fresh=True))
    if isinstance(next_task, TaskView):
        rows = _dimensions(services, view)
        left = next((row["left"] for row in rows if row["id"] == next_task.dimension), None)
        return _page(services, view, Stage.AUTHORING, next_task, wish, count(fresh=True), to_write=left)
    place = wish.get("pool")
    place = place if isinstance(place, Mapping) else {}
    mine = [dimension.id for dimension in view.schema.schema_.dimensions if _may_write(view, dimension.id)]
    named = _text(place, "dimension") or _text(wish, "dimension")
    dimension = named if named is not None and named in mine else mine[0]
    after = _text(place, "after") if place.get("dimension") == dimension else None
    free = image_pool.pool(
        services.store, person=services.person, project=project, dimension=dimension, after=after, limit=POOL_PAGE
    )
    refresh = bool(wish.get("refresh"))
    return page.pool_page(
        **_common(services, view, Stage.AUTHORING, wish, count(fresh=not refresh)),
        dimensions=None if refresh else _dimensions(services, view),
        dimension=dimension,
        assets=free.assets,
        total=free.total,
        after=after,
    )


def _page(
    services: Services,
    view: ProjectView,
    stage: Stage,
    found: TaskView | NoTask,
    wish: Wish,
    numbers: Progress,
    *,
    prefetch: Sequence[str] | None = None,
    to_write: int | None = None,
    upcoming: TaskView | None = None,
) -> page.Json:
    common = _common(services, view, stage, wish, numbers)
    if isinstance(found, NoTask):
        return page.nothing_page(**common, nothing=found)
    earlier: Sequence[str] = ()
    if stage is Stage.AUTHORING:
        earlier = authoring.earlier(
            services.store, person=services.person, project=view.name, dimension=found.dimension, but=found.item
        )
    return page.task_page(
        **common,
        schema=view.schema.schema_,
        task=found,
        prefetch=prefetch,
        earlier=earlier,
        to_write=to_write,
        upcoming=upcoming,
    )


def _common(services: Services, view: ProjectView, stage: Stage, wish: Wish, numbers: Progress) -> dict[str, Any]:
    return {
        "person": services.person,
        "csrf": services.csrf,
        "static": page.static_part(view.schema, stage, project=view.name, title=view.title, made_up=view.made_up),
        "progress": numbers,
        "have": _text(wish, "have"),
        "notes": my_work_sections.topline_notes(services, _text(wish, "zone")),
    }


def _may_write(view: ProjectView, dimension: str) -> bool:
    return view.dimensions is None or dimension in view.dimensions


def _dimensions(services: Services, view: ProjectView) -> list[page.Json]:
    """Return the dimensions that this person writes for, with the number of items that each still needs."""
    mine_now = {
        row.dimension: row
        for row in progress.my_work(services.store, person=services.person)
        if row.project == view.name and row.stage is Stage.AUTHORING
    }
    return [
        {
            "id": dimension.id,
            "title": dimension.title,
            "left": row.waiting if (row := mine_now.get(dimension.id)) else None,
            "none": _("enough") if row and row.why == _(progress.ENOUGH) else _("no image"),
        }
        for dimension in view.schema.schema_.dimensions
        if _may_write(view, dimension.id)
    ]
