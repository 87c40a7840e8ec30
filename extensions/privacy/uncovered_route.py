"""Routes of the page Privacy: files that are not covered yet, and the marks of leads. For leads of the project only.

``GET /uncovered/{project}/{asset}`` returns a picture. With ``/clip`` it returns the clip, with a number the frame at
that time in milliseconds. ``POST /uncovered/{project}`` saves a mark. Browsers may not cache these files.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from app.routes.replies import answering, body_value, from_own_page, read_json, signed_in, status_of
from app.routes.stored_file import StoredFile
from app.services import Resources
from domain.errors import BadRequestError, NotFoundError
from domain.records import Person
from extensions.privacy import detection, page_work
from extensions.privacy.boxes import HAND, KINDS, Box
from extensions.privacy.page_work import MarkConflict, MarkRequest, PageItem
from media import file_hashes
from media.store import MediaStore, Size
from workflow.access import exposure
from workflow.annotate import task_views

Body = Mapping[str, Any]
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Disposition": "inline",
    "Content-Security-Policy": "default-src 'none'; sandbox",
}
_MOMENT = re.compile(r"[0-9]{1,8}")
_TIMELESS: Mapping[str, Any] = {"begin": None, "end": None, "path": []}
"""The time values of a box of a picture."""
LARGEST_REVISION = 2**53
FRAME_SIDE = 480
"""Length of the longer side of a frame, in pixels."""
LEAST_SIDE = 0.001
"""The smallest side of a box that a person draws, as a fraction of the picture."""
EDGE = 1e-6
"""The tolerance for rounded numbers at the edge of the picture."""


PUBLIC = ()
"""Every path needs a session."""
MACHINES = ("/uncovered/",)
"""Scripts of the page ask for these paths."""


def routes(resources: Resources) -> list[BaseRoute]:
    """Return all routes."""

    def file_of(person: Person, project: str, asset: str) -> str:
        detection.require_asset(resources.store, by=person, project=project, asset=asset)
        return task_views.asset_file(resources.store, person=person, asset=asset).sha256

    def find(person: Person, project: str, asset: str, size: Size = "display") -> tuple[Path, str, str]:
        sha256 = file_of(person, project, asset)
        path, kind = resources.media.shown(sha256, size)
        digest, n_bytes = file_hashes.of(path)
        exposure.sent_media(resources.store, person=person, asset=asset, sha256=digest, size=n_bytes)
        return path, kind, digest

    def frame(person: Person, project: str, asset: str, ms: int) -> bytes:
        data = frame_at(resources.media, file_of(person, project, asset), ms)
        digest = hashlib.sha256(data).hexdigest()
        exposure.sent_media(resources.store, person=person, asset=asset, sha256=digest, size=len(data))
        return data

    async def picture(request: Request) -> Response:
        person = signed_in(request).person
        path, kind, digest = await run_in_threadpool(
            find, person, *(request.path_params[name] for name in ("project", "asset"))
        )
        return StoredFile(path, media_type=kind, headers={**HEADERS, "ETag": f'"{digest}"'})

    async def part(request: Request) -> Response:
        person = signed_in(request).person
        project, asset, which = (request.path_params[name] for name in ("project", "asset", "part"))
        if which == "clip":
            path, kind, digest = await run_in_threadpool(find, person, project, asset, "original")
            return StoredFile(path, media_type=kind, headers={**HEADERS, "ETag": f'"{digest}"'})
        if not _MOMENT.fullmatch(which):
            await run_in_threadpool(file_of, person, project, asset)  # who may not see it hears that first
            raise NotFoundError("This address does not match a frame of the clip. Reload the page.")
        data = await run_in_threadpool(frame, person, project, asset, int(which))
        return Response(data, media_type="image/jpeg", headers=HEADERS)

    def keep(person: Person, project: str, body: Body) -> JSONResponse:
        store, home = resources.store, resources.settings.home
        folder = detection.leads_folder(store, home, by=person, project=project, changes=True)
        try:
            seconds = _seconds(resources.media, body_value(body, "file", str))
            page_item = page_work.say(store, folder, by=person, project=project, saying=_saying(body, seconds))
        except MarkConflict as error:
            body = {"error": str(error), "problems": [], "picture": as_json(project, error.item)}
            return JSONResponse(body, status_code=status_of(error))
        return JSONResponse({"picture": as_json(project, page_item)})

    async def say(request: Request) -> Response:
        person = from_own_page(request).person
        return await run_in_threadpool(keep, person, request.path_params["project"], await read_json(request))

    return [
        Route("/uncovered/{project}/{asset}", answering(picture), methods=["GET"]),
        Route("/uncovered/{project}/{asset}/{part}", answering(part), methods=["GET"]),
        Route("/uncovered/{project}", answering(say), methods=["POST"]),
    ]


def frame_at(media: MediaStore, file: str, ms: int) -> bytes:
    """Return the frame that is shown at a time of a clip, scaled down, as JPEG."""
    from PIL import Image

    from media import clips

    if media.about(file).kind != "clip":
        raise NotFoundError("This file is an image, so it has no frames. Reload the page.")
    (shown,) = clips.frames_at(media.path(file), [ms / 1000], name="the clip")
    shown.thumbnail((FRAME_SIDE, FRAME_SIDE), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    shown.save(out, "JPEG", quality=85)
    return out.getvalue()


def _seconds(media: MediaStore, file: str) -> float | None:
    """Return the duration of a clip; None for an image or a missing file."""
    return media.about(file).duration if file in media else None


def address(project: str, asset: str = "") -> str:
    """Return the address of a picture, or without ``asset`` the address that takes marks."""
    return "/".join(["/uncovered", quote(project, safe=""), *([asset] if asset else [])])


def as_json(project: str, item: PageItem) -> dict[str, Any]:
    """Return a picture as the page gets it, as in ``web/privacy_types.d.ts``."""
    decision = item.seen.decision
    return {
        "file": item.seen.file,
        "name": item.seen.name,
        "src": address(project, item.seen.asset),
        "seconds": item.seen.seconds,
        "boxes": [{**_TIMELESS, **box.as_json(), "own": item.own(box), "fixed": item.fixed(box)} for box in item.boxes],
        "decided": item.decided,
        "revision": item.revision,
        "after": item.since.isoformat() if item.since else None,
        "by": item.by,
        "waits": item.waits,
        "since": f"{decision.by or 'the command'}, {decision.at:%Y-%m-%d %H:%M} UTC" if decision else "",
        "news": item.news,
    }


def _saying(body: Body, seconds: float | None) -> MarkRequest:
    """Return the mark in a request: ``{file, revision, after, decided, ticks, added}``."""
    revision, decided = body_value(body, "revision", int), body_value(body, "decided", str)
    if not 0 <= revision <= LARGEST_REVISION:
        raise BadRequestError("“revision” in this request must be a whole number, 0 or greater.")
    if decided not in page_work.DECISIONS:
        raise BadRequestError(
            "“decided” in this request must be one of: " + ", ".join(map(repr, page_work.DECISIONS)) + "."
        )
    ticks, added = body_value(body, "ticks", list), body_value(body, "added", list)
    if not all(isinstance(tick, bool) for tick in ticks):
        raise BadRequestError("“ticks” in this request must be a list of true and false values.")
    if len(added) > page_work.MOST_ADDED:
        raise BadRequestError(f"A picture can have at most {page_work.MOST_ADDED} drawn boxes. Remove some boxes.")
    after = body_value(body, "after", str, default=None)
    try:
        since = datetime.fromisoformat(after) if after is not None else None
    except ValueError:
        raise BadRequestError("“after” in this request must be a time with a time zone.") from None
    if since is not None and since.tzinfo is None:
        raise BadRequestError("“after” in this request needs a time zone.")
    return MarkRequest(
        body_value(body, "file", str), revision, since, decided, ticks, [_box(box, seconds) for box in added]
    )


def _box(sent: Any, seconds: float | None) -> Box:
    if not isinstance(sent, dict) or sent.get("kind") not in KINDS:
        raise BadRequestError(f"The kind of a box must be one of {', '.join(KINDS)}.")
    x, y, w, h = (body_value(sent, name, float) for name in "xywh")
    inside = x >= 0 and y >= 0 and x + w <= 1 + EDGE and y + h <= 1 + EDGE
    if not inside or w < LEAST_SIDE or h < LEAST_SIDE:
        raise BadRequestError("A box must lie within the picture. Give x, y, w and h as shares of the picture's size.")
    cover = body_value(sent, "cover", bool)
    if seconds is None:
        return Box(sent["kind"], x, y, w, h, HAND, cover)
    begin, end = (body_value(sent, name, float) for name in ("begin", "end"))
    if not 0 <= begin <= end <= seconds + EDGE:
        raise BadRequestError(
            "A box in this clip must begin at 0 s or later. The box must end after it begins, but no "
            f"later than {seconds:.3f} s."
        )
    return Box(sent["kind"], x, y, w, h, HAND, cover, begin, end)
