"""Requests of a working page: drafts, submissions, undo, release, picking. JSON in, JSON out, never a redirect."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from app.routes.replies import answering, body_value, from_own_page, read_json, report
from app.services import Resources, Services
from app.serving.precedence import precedence
from app.workbench import sent, wishes
from db.engine import Store
from domain import extensions
from domain.errors import BadRequestError, NotFoundError, RequestTooLargeError
from domain.log_facts import add_log_facts
from domain.records import Person, Submission
from domain.states import Stage
from workflow.access import guidelines, own_settings
from workflow.annotate import authoring, claims, drafts, image_pool, submissions
from workflow.annotate.next_page import submit_and_go_on

Body = Mapping[str, Any]
Action = Callable[[Store, Person, Body], dict[str, Any]]


@dataclass(frozen=True)
class WorkAction:
    """A request of working pages that an extension answers: ``POST /api/<name>``."""

    name: str
    run: Action
    record: Callable[[Store, Person, bytes, dict[str, Any]], None] | None = None
    """Records what the reply tells a person about an item: it takes the sent bytes, and the reply before that."""


def added_actions() -> list[WorkAction]:
    """Return the actions of extensions."""
    return extensions.rows("work_actions")


LONGEST_KEY = 100
LONGEST_TEXTS = 100_000
"""Most characters of an item's texts, as JSON, that are checked while a person types."""
LARGEST_WHOLE_NUMBER = 2**53
"""Largest number below which a browser's numbers are exact integers."""


def save_draft(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{task, seq, values}``: store a draft of the typed values."""
    seq = body_value(body, "seq", int)
    if not 0 <= seq <= LARGEST_WHOLE_NUMBER:
        raise BadRequestError("“seq” must be a whole number, 0 or greater.")
    kept = drafts.save_draft(
        store, person=person, task=body_value(body, "task", str), seq=seq, values=body_value(body, "values", dict)
    )
    return {"seq": kept.seq, "saved_at": kept.saved_at.isoformat()}


def submit_task(services: Services, body: Body) -> bytes:
    """``{task, key, values, reasons, note, seconds, field_seconds, guideline, schema, next}``: submit once per key.

    ``next`` is what ``page`` gets. The reply then has that page, too, unless the page takes long or cannot be made.
    """
    key = body_value(body, "key", str)
    if not 1 <= len(key) <= LONGEST_KEY:
        raise BadRequestError(f"“key” must have 1 to {LONGEST_KEY} characters.")
    given = Submission(
        values=body_value(body, "values", dict),
        reasons=body_value(body, "reasons", dict, default=None) or {},
        note=body_value(body, "note", str, default=""),
        seconds=body_value(body, "seconds", float, default=None),
        field_seconds=body_value(body, "field_seconds", dict, default=None),
        guideline=body_value(body, "guideline", str, default=None),
        schema=body_value(body, "schema", str, default=None),
    )
    wish = body_value(body, "next", dict, default=None)
    stage = _stage(wish) if wish else Stage.AUTHORING
    wanted = None
    if wish and stage is not Stage.AUTHORING:
        wanted = wishes.request_of(body_value(wish, "project", str), stage, wish)
    done, turn = submit_and_go_on(
        services.store,
        person=services.person,
        task=body_value(body, "task", str),
        key=key,
        given=given,
        wanted=wanted,
    )
    if done.repeated:
        add_log_facts(submission="repeated")
    page = b"null"
    if wish and turn is not None:
        try:
            page = sent.page(services, wishes.rating_page(services, stage, turn, wish))
        except Exception as error:  # the submission is stored, so its person must hear that
            report(error)
    receipt = {
        "submission": done.annotation,
        "saved_at": done.saved_at.isoformat(),
        "repeated": done.repeated,
        "item": done.item,
        "state": done.state,
    }
    return json.dumps(receipt).encode()[:-1] + b', "page": ' + page + b"}"


def ask_page(services: Services, body: Body) -> bytes:
    """``{project, stage, dimension, zone, have, ...}`` (``Wish`` in ``types.d.ts``): return the next page."""
    project = body_value(body, "project", str)
    return sent.page(services, wishes.page_for(services, project=project, stage=_stage(body), wish=body))


def undo(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{project, stage}``: reopen the person's last submission in the form."""
    task = submissions.undo(store, person=person, project=body_value(body, "project", str), stage=_stage(body))
    return {"task": task.id}


def release(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{task, unseen}``: give a claimed task back; with ``unseen`` only if it was not shown yet."""
    task = body_value(body, "task", str)
    claims.release(store, person=person, task=task, unseen=body_value(body, "unseen", bool, default=False))
    return {"task": task}


def postpone(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{task}``: postpone a claimed task. It stays with the person until its lease ends."""
    task = body_value(body, "task", str)
    claims.postpone(store, person=person, task=task)
    return {"task": task}


def pick(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{project, dimension, assets}``: take images out of the shared pool, to write an item about them."""
    assets = body_value(body, "assets", list)
    if not assets or not all(isinstance(asset, str) for asset in assets):
        raise BadRequestError("“assets” must list the IDs of one or more assets.")
    task = image_pool.pick(
        store,
        person=person,
        project=body_value(body, "project", str),
        dimension=body_value(body, "dimension", str),
        assets=assets,
    )
    return {"task": task.id}


def heartbeat(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{task}``: renew the lease of a task that the person still works on."""
    until = claims.heartbeat(store, person=person, task=body_value(body, "task", str))
    return {"lease_until": until.isoformat()}


def look_at_wording(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{project, stage, values}``: return the wording rules that the texts break. Nothing is stored."""
    values = body_value(body, "values", dict)
    if len(json.dumps(values, ensure_ascii=False)) > LONGEST_TEXTS:
        raise RequestTooLargeError(f"The text is too long. Send at most {LONGEST_TEXTS:,} characters.")
    wording = authoring.wording(
        store, person=person, project=body_value(body, "project", str), stage=_stage(body), fields=values
    )
    return {"wording": [asdict(finding) for finding in wording]}


def guideline_seen(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{project, number}``: record that the person has opened the guideline."""
    number = body_value(body, "number", int)
    guidelines.record_opening(store, person=person, project=body_value(body, "project", str), number=number)
    return {"number": number}


def set_keys(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{stage, keys}``: store which keys the person uses in a stage, by the names of the actions."""
    keys = body_value(body, "keys", dict)
    own_settings.set_keys(store, person=person, stage=_stage(body), keys=keys)
    return {"keys": keys}


ACTIONS: Mapping[str, Action] = {
    "draft": save_draft,
    "undo": undo,
    "release": release,
    "postpone": postpone,
    "pick": pick,
    "heartbeat": heartbeat,
    "keys": set_keys,
    "guideline_seen": guideline_seen,
    "wording": look_at_wording,
}


PAGE_ACTIONS: Mapping[str, Callable[[Services, Body], bytes]] = {"submit": submit_task, "page": ask_page}
"""The actions whose reply may have a page. They return the JSON of the reply, because the page is recorded as sent."""


def routes(resources: Resources) -> list[BaseRoute]:
    """Return ``POST /api/<action>`` for every action. Any other path below ``/api`` is an error."""
    actions = [*(WorkAction(name, run) for name, run in ACTIONS.items()), *added_actions()]
    posts = [
        *(
            Route(f"/api/{name}", _page_endpoint(run, resources), methods=["POST"])
            for name, run in PAGE_ACTIONS.items()
        ),
        *(Route(f"/api/{action.name}", _endpoint(action, resources), methods=["POST"]) for action in actions),
    ]
    return [*posts, Route("/api/{rest:path}", answering(_no_such), methods=["GET", "POST", "PUT", "PATCH", "DELETE"])]


async def _no_such(_request: Request) -> JSONResponse:
    raise NotFoundError(
        "This address does not exist. Send a POST request to one of these addresses: "
        + ", ".join([*PAGE_ACTIONS, *ACTIONS])
        + "."
    )


def _page_endpoint(run: Callable[[Services, Body], bytes], resources: Resources) -> Any:
    async def endpoint(request: Request) -> Response:
        session = from_own_page(request)
        body = await read_json(request)
        services = Services(resources.store, resources.media, resources.settings, session.person, session.csrf)
        with precedence.at_work():
            return Response(await run_in_threadpool(run, services, body), media_type="application/json")

    return answering(endpoint)


def _endpoint(action: WorkAction, resources: Resources) -> Any:
    async def endpoint(request: Request) -> JSONResponse:
        session = from_own_page(request)
        body = await read_json(request)
        with precedence.at_work():
            run = await run_in_threadpool(action.run, resources.store, session.person, body)
            reply = JSONResponse(run)
            if action.record is not None:
                await run_in_threadpool(action.record, resources.store, session.person, bytes(reply.body), run)
            return reply

    return answering(endpoint)


def _stage(body: Body) -> Stage:
    try:
        return Stage(body_value(body, "stage", str))
    except ValueError:
        raise BadRequestError("“stage” must be one of these stages: " + ", ".join(Stage) + ".") from None
