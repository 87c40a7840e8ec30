"""``GET /uncovered/{project}/{asset}``: a picture of the page Privacy, and ``POST /uncovered/{project}``: what someone
says about it there. To leads of the project only; no browser keeps a picture in which something may be covered yet."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from app import file_hashes, privacy_work
from app.privacy_work import Changed, Item, Saying
from app.routes.replies import answering, from_own_page, read_json, signed_in, status_of, wanted
from app.services import Resources
from domain.errors import BadRequest
from domain.privacy import HAND, KINDS, Box
from domain.records import Person
from workflow.access import exposure
from workflow.annotate import task_views
from workflow.files import privacy_look

Body = Mapping[str, Any]
LARGEST_REVISION = 2**53
LEAST_SIDE = 0.001
"""Of a box that someone draws, as a share of the picture."""
EDGE = 1e-6
"""So far outside of the picture sums of rounded numbers may lie."""


def routes(resources: Resources) -> list[BaseRoute]:
    """The two."""

    def find(person: Person, project: str, asset: str) -> tuple[Path, str]:
        privacy_look.must_show(resources.store, by=person, project=project, asset=asset)
        sha256 = task_views.asset_file(resources.store, person=person, asset=asset).sha256
        path, kind = resources.media.shown(sha256, "display")
        digest, size = file_hashes.of(path)
        exposure.sent_media(resources.store, person=person, asset=asset, sha256=digest, size=size)
        return path, kind

    async def picture(request: Request) -> Response:
        person = signed_in(request).person
        path, kind = await run_in_threadpool(
            find, person, *(request.path_params[name] for name in ("project", "asset"))
        )
        headers = {
            "Cache-Control": "no-store",
            "Content-Disposition": "inline",
            "Content-Security-Policy": "default-src 'none'; sandbox",
        }
        return FileResponse(path, media_type=kind, headers=headers)

    def keep(person: Person, project: str, body: Body) -> JSONResponse:
        store, home = resources.store, resources.settings.home
        folder = privacy_look.place(store, home, by=person, project=project, changes=True)
        try:
            said = privacy_work.say(store, folder, by=person, project=project, saying=_saying(body))
        except Changed as error:
            told = {"error": str(error), "problems": [], "picture": as_json(project, error.item)}
            return JSONResponse(told, status_code=status_of(error))
        return JSONResponse({"picture": as_json(project, said)})

    async def say(request: Request) -> Response:
        person = from_own_page(request).person
        return await run_in_threadpool(keep, person, request.path_params["project"], await read_json(request))

    return [
        Route("/uncovered/{project}/{asset}", answering(picture), methods=["GET"]),
        Route("/uncovered/{project}", answering(say), methods=["POST"]),
    ]


def address(project: str, asset: str = "") -> str:
    """Where a picture is; without one, where it is said what is decided."""
    return "/".join(["/uncovered", quote(project, safe=""), *([asset] if asset else [])])


def as_json(project: str, item: Item) -> dict[str, Any]:
    """A picture as the page has it; ``web/types.d.ts`` says so, too."""
    decision = item.seen.decision
    return {
        "file": item.seen.file,
        "name": item.seen.name,
        "src": address(project, item.seen.asset),
        "boxes": [{**box.as_json(), "own": item.own(box), "fixed": item.fixed(box)} for box in item.boxes],
        "decided": item.decided,
        "revision": item.revision,
        "after": item.since.isoformat() if item.since else None,
        "by": item.by,
        "waits": item.waits,
        "since": f"{decision.by or 'the command'}, {decision.at:%Y-%m-%d %H:%M} UTC" if decision else "",
        "news": item.news,
    }


def _saying(body: Body) -> Saying:
    """``{file, revision, after, decided, ticks, added}``."""
    revision, decided = wanted(body, "revision", int), wanted(body, "decided", str)
    if not 0 <= revision <= LARGEST_REVISION:
        raise BadRequest("“revision” must count up from 0.")
    if decided not in privacy_work.DECISIONS:
        raise BadRequest("“decided” in this request is none of: " + ", ".join(map(repr, privacy_work.DECISIONS)) + ".")
    ticks, added = wanted(body, "ticks", list), wanted(body, "added", list)
    if not all(isinstance(each, bool) for each in ticks):
        raise BadRequest("“ticks” in this request must be a list of true and false.")
    if len(added) > privacy_work.MOST_ADDED:
        raise BadRequest(f"At most {privacy_work.MOST_ADDED} boxes can be drawn on a picture.")
    after = wanted(body, "after", str, default=None)
    try:
        since = datetime.fromisoformat(after) if after is not None else None
    except ValueError:
        raise BadRequest("“after” in this request is no moment.") from None
    if since is not None and since.tzinfo is None:
        raise BadRequest("“after” in this request is a moment without a time zone.")
    return Saying(wanted(body, "file", str), revision, since, decided, ticks, [_box(each) for each in added])


def _box(told: Any) -> Box:
    if not isinstance(told, dict) or told.get("kind") not in KINDS:
        raise BadRequest(f"A box has a kind, which is one of {', '.join(KINDS)}.")
    x, y, w, h = (wanted(told, name, float) for name in "xywh")
    inside = x >= 0 and y >= 0 and x + w <= 1 + EDGE and y + h <= 1 + EDGE
    if not inside or w < LEAST_SIDE or h < LEAST_SIDE:
        raise BadRequest("A box lies within the picture, and x, y, w and h are shares of it.")
    return Box(told["kind"], x, y, w, h, HAND, cover=wanted(told, "cover", bool))
