"""Requests of a working page: drafts, submissions, undo, release, picking. JSON in, JSON out, never a redirect."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route

from app.routes.replies import answering, from_own_page, read_json, wanted
from app.services import Resources
from app.serving.precedence import precedence
from app.workbench import page, sent
from db.engine import Store
from domain.errors import BadRequest, NotFound, TooLarge
from domain.records import Person
from domain.states import Stage
from workflow.access import guidelines
from workflow.annotate import authoring, claims, comments, drafts, image_pool, submissions

Body = Mapping[str, Any]
Action = Callable[[Store, Person, Body], dict[str, Any]]

LONGEST_KEY = 100
LONGEST_TEXTS = 100_000
"""Most characters of an item's texts, as JSON, that are checked while a person types."""
LARGEST_WHOLE_NUMBER = 2**53
"""Largest number below which a browser's numbers are exact integers."""


def save_draft(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{task, seq, values}``: store a draft of the typed values."""
    seq = wanted(body, "seq", int)
    if not 0 <= seq <= LARGEST_WHOLE_NUMBER:
        raise BadRequest("“seq” must count up from 0.")
    kept = drafts.save_draft(
        store, person=person, task=wanted(body, "task", str), seq=seq, values=wanted(body, "values", dict)
    )
    return {"seq": kept.seq, "saved_at": kept.saved_at.isoformat()}


def submit_task(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{task, key, values, reasons, note, seconds, field_seconds, guideline, schema}``: submit once per key."""
    key = wanted(body, "key", str)
    if not 1 <= len(key) <= LONGEST_KEY:
        raise BadRequest(f"“key” must have 1 to {LONGEST_KEY} characters.")
    done = submissions.submit(
        store,
        person=person,
        task=wanted(body, "task", str),
        key=key,
        values=wanted(body, "values", dict),
        reasons=wanted(body, "reasons", dict, default=None),
        note=wanted(body, "note", str, default=""),
        seconds=wanted(body, "seconds", float, default=None),
        field_seconds=wanted(body, "field_seconds", dict, default=None),
        guideline=wanted(body, "guideline", str, default=None),
        schema=wanted(body, "schema", str, default=None),
    )
    return {
        "saved_at": done.saved_at.isoformat(),
        "repeated": done.repeated,
        "item": done.item,
        "state": done.state,
    }


def undo(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{project, stage}``: reopen the person's last submission in the form."""
    task = submissions.undo(store, person=person, project=wanted(body, "project", str), stage=_stage(body))
    return {"task": task.id}


def release(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{task}``: give a claimed task back."""
    task = wanted(body, "task", str)
    claims.release(store, person=person, task=task)
    return {"task": task}


def postpone(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{task}``: postpone a claimed task. It stays with the person until its lease ends."""
    task = wanted(body, "task", str)
    claims.postpone(store, person=person, task=task)
    return {"task": task}


def pick(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{project, dimension, assets}``: take images out of the shared pool, to write an item about them."""
    assets = wanted(body, "assets", list)
    if not assets or not all(isinstance(asset, str) for asset in assets):
        raise BadRequest("“assets” must list the ids of one or more assets.")
    task = image_pool.pick(
        store,
        person=person,
        project=wanted(body, "project", str),
        dimension=wanted(body, "dimension", str),
        assets=assets,
    )
    return {"task": task.id}


def heartbeat(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{task}``: renew the lease of a task that the person still works on."""
    until = claims.heartbeat(store, person=person, task=wanted(body, "task", str))
    return {"lease_until": until.isoformat()}


def look_at_wording(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{project, stage, values}``: return the wording rules that the texts break. Nothing is stored."""
    values = wanted(body, "values", dict)
    if len(json.dumps(values, ensure_ascii=False)) > LONGEST_TEXTS:
        raise TooLarge(f"At most {LONGEST_TEXTS:,} characters of text are looked at.")
    found = authoring.wording(
        store, person=person, project=wanted(body, "project", str), stage=_stage(body), fields=values
    )
    return {"wording": [asdict(each) for each in found]}


def guideline_seen(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{project, number}``: record that the person has opened the guideline."""
    number = wanted(body, "number", int)
    guidelines.seen(store, person=person, project=wanted(body, "project", str), number=number)
    return {"number": number}


def read_comments(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{task}`` or ``{project, item}``: return the comments on an item that the person may read."""
    return page.thread_part(comments.thread(store, person=person, **_item(body)))


def write_comment(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{task}`` or ``{project, item}``, and ``{key, text, reply_to, early}``: comment on an item, once per key."""
    key = wanted(body, "key", str)
    if not 1 <= len(key) <= LONGEST_KEY:
        raise BadRequest(f"“key” must have 1 to {LONGEST_KEY} characters.")
    thread = comments.comment(
        store,
        person=person,
        key=key,
        text=wanted(body, "text", str),
        reply_to=wanted(body, "reply_to", str, default=None),
        early=wanted(body, "early", bool, default=False),
        **_item(body),
    )
    return page.thread_part(thread)


def _item(body: Body) -> dict[str, str]:
    if "task" in body:
        return {"task": wanted(body, "task", str)}
    return {"project": wanted(body, "project", str), "item": wanted(body, "item", str)}


ACTIONS: Mapping[str, Action] = {
    "comments": read_comments,
    "comment": write_comment,
    "draft": save_draft,
    "submit": submit_task,
    "undo": undo,
    "release": release,
    "postpone": postpone,
    "pick": pick,
    "heartbeat": heartbeat,
    "guideline_seen": guideline_seen,
    "wording": look_at_wording,
}


def routes(resources: Resources) -> list[BaseRoute]:
    """Return ``POST /api/<action>`` for every action. Any other path below ``/api`` is an error."""
    posts = [Route(f"/api/{name}", _endpoint(action, resources), methods=["POST"]) for name, action in ACTIONS.items()]
    return [*posts, Route("/api/{rest:path}", answering(_no_such), methods=["GET", "POST", "PUT", "PATCH", "DELETE"])]


async def _no_such(_request: Request) -> JSONResponse:
    raise NotFound("There is no such address here: a page posts to one of " + ", ".join(ACTIONS) + ".")


def _endpoint(action: Action, resources: Resources) -> Any:
    async def endpoint(request: Request) -> JSONResponse:
        session = from_own_page(request)
        body = await read_json(request)
        with precedence.at_work():
            told = await run_in_threadpool(action, resources.store, session.person, body)
            reply = JSONResponse(told)
            if action in (read_comments, write_comment):
                await run_in_threadpool(sent.thread, resources.store, session.person, bytes(reply.body), told)
            return reply

    return answering(endpoint)


def _stage(body: Body) -> Stage:
    try:
        return Stage(wanted(body, "stage", str))
    except ValueError:
        raise BadRequest("“stage” is none of: " + ", ".join(Stage) + ".") from None
