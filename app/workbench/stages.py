"""Choose the next page for a person: calls the use cases behind the working screens in the right order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from app import my_work_sections, shell, sidebar
from app.services import Services
from app.workbench import lead_mode, lead_preview, page, preview, sent
from app.workbench.mount import workbench
from domain.language import _
from domain.records import NoTask, Progress, ProjectView, TaskView
from domain.states import Stage
from workflow.access import own_settings, projects
from workflow.annotate import authoring, claims, image_pool, progress
from workflow.annotate.next_page import next_page

Wish = Mapping[str, Any]

POOL_PAGE = 60
AHEAD = 4
"""Number of tasks ahead whose media the browser fetches. The browser asks again after it has used them up."""
NO_POOL = frozenset({"not_member", "no_stage", "not_available", "not_your_dimension"})
"""Reasons for having no task that a look at the pool would not change."""


def rate(services: Services, stage: Stage) -> None:
    """Draw the page of a stage in which people answer about existing items."""
    view = shell.project(services)
    if not lead_mode.is_at_work(services, view, stage):
        _preview(services, view, stage)
        return
    name = view.name
    dimension = st.query_params.get("dimension")

    def make(wish: Wish) -> page.Json:
        postponed = wish.get("postponed")
        turn = next_page(
            services.store,
            person=services.person,
            project=name,
            stage=stage,
            dimension=dimension,
            postponed=postponed if isinstance(postponed, str) else None,
            fresh=not wish.get("submitted") or wish.get("again") != 1,
            ahead=True,
        )
        prefetch: Sequence[str] | None = None
        if isinstance(turn.found, TaskView) and not wish.get("ahead"):
            prefetch = claims.peek(
                services.store, person=services.person, project=name, stage=stage, dimension=dimension, limit=AHEAD
            )
        return _page(
            services, turn.view, stage, turn.found, wish, turn.numbers, prefetch=prefetch, upcoming=turn.upcoming
        )

    _mount(services, f"workbench.{stage}.{name}", make)


def _preview(services: Services, view: ProjectView, stage: Stage) -> None:
    made_up = view.schema.schema_.dimensions[0].id
    lead_preview.draw(services, view, stage, lambda: preview.form(view.schema, stage, made_up, key=f"look.{stage}"))


def write(services: Services) -> None:
    """Draw the page of authoring: the item that was begun, else the pool of free images."""
    project = shell.project(services)
    if not lead_mode.is_at_work(services, project, Stage.AUTHORING):
        _preview(services, project, Stage.AUTHORING)
        return
    name = project.name

    def count(*, fresh: bool) -> Progress:
        return progress.progress(
            services.store, person=services.person, project=name, stage=Stage.AUTHORING, fresh=fresh
        )

    wanted = st.query_params.get("dimension")
    kept: dict[str, list[page.Json]] = {}

    def make(wish: Wish) -> page.Json:
        view = projects.project(services.store, person=services.person, project=name)
        next_task = claims.next_task(services.store, person=services.person, project=name, stage=Stage.AUTHORING)
        if isinstance(next_task, NoTask) and next_task.code in NO_POOL:
            return _page(services, view, Stage.AUTHORING, next_task, wish, count(fresh=True))
        if not wish.get("refresh") or "rows" not in kept:
            kept["rows"] = _dimensions(services, view)
        if isinstance(next_task, TaskView):
            left = next((row["left"] for row in kept["rows"] if row["id"] == next_task.dimension), None)
            return _page(
                services,
                view,
                Stage.AUTHORING,
                next_task,
                wish,
                count(fresh=True),
                to_write=left,
            )
        place = wish.get("pool") or {}
        mine = [str(row["id"]) for row in kept["rows"]]
        named = place.get("dimension") or wanted
        dimension = named if named in mine else mine[0]
        after = place.get("after") if place.get("dimension") == dimension else None
        free = image_pool.pool(
            services.store,
            person=services.person,
            project=name,
            dimension=dimension,
            after=after,
            limit=POOL_PAGE,
        )
        return {
            **page.pool_page(
                **_common(
                    services,
                    view,
                    Stage.AUTHORING,
                    wish,
                    count(fresh=not wish.get("refresh")),
                ),
                dimensions=kept["rows"],
                dimension=dimension,
                assets=free.assets,
                total=free.total,
                after=after,
            ),
            **_around(services, view, Stage.AUTHORING, wish),
        }

    _mount(services, f"workbench.authoring.{name}", make)


def _mount(services: Services, key: str, make: Callable[[Wish], page.Json]) -> None:
    workbench(key, make, lambda away: shell.guard(services, away=away), lambda data: sent.page(services, data))


def _common(services: Services, view: ProjectView, stage: Stage, wish: Wish, numbers: Progress) -> dict[str, Any]:
    return {
        "person": services.person,
        "csrf": services.csrf,
        "static": page.static_part(view.schema, stage, project=view.name, title=view.title, made_up=view.made_up),
        "progress": numbers,
        "have": wish.get("have"),
        "notes": my_work_sections.topline_notes(services),
    }


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
    around = _around(services, view, stage, wish)
    if isinstance(found, NoTask):
        return {**page.nothing_page(**common, nothing=found), **around}
    earlier: Sequence[str] = ()
    if stage is Stage.AUTHORING:
        earlier = authoring.earlier(
            services.store, person=services.person, project=view.name, dimension=found.dimension, but=found.item
        )
    drawn = page.task_page(
        **common,
        schema=view.schema.schema_,
        task=found,
        prefetch=prefetch,
        earlier=earlier,
        to_write=to_write,
        upcoming=upcoming,
    )
    return {**drawn, **around}


def _around(services: Services, view: ProjectView, stage: Stage, wish: Wish) -> page.Json:
    """Return the menu, and the person's own keys unless the browser has them from an earlier item."""
    known = wish.get("have") is not None
    keys = None if known else dict(own_settings.keys_of(services.store, person=services.person, stage=stage))
    return {"menu": sidebar.everywhere(view), "keys": keys}


def _dimensions(services: Services, view: ProjectView) -> list[page.Json]:
    """Return the dimensions that this person writes for, with the number of items that each still needs."""
    mine_now = {
        row.dimension: row
        for row in progress.my_work(services.store, person=services.person)
        if row.project == view.name and row.stage is Stage.AUTHORING
    }
    mine = view.dimensions
    return [
        {
            "id": dimension.id,
            "title": dimension.title,
            "left": row.waiting if (row := mine_now.get(dimension.id)) else None,
            "none": _("enough") if row and row.why == _(progress.ENOUGH) else _("no image"),
        }
        for dimension in view.schema.schema_.dimensions
        if mine is None or dimension.id in mine
    ]
