"""``GET /media/{asset}/{size}``: the file of an asset, only for members of its project.

An original comes without its metadata, because a rater must not learn the author, place or title from it. ``frames`` in
place of a size returns the times of a clip's frames, so that a page can step through them.
"""

from __future__ import annotations

from pathlib import Path

import anyio
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from app.routes import drawn
from app.routes.replies import answering, signed_in
from app.routes.stored_file import StoredFile
from app.services import Resources
from domain.errors import NotFoundError
from domain.records import Person
from media import file_hashes
from media.store import Size
from workflow.access import exposure
from workflow.annotate import task_views

SIZES: dict[str, Size] = {"thumb": "thumb", "display": "display", "original": "original"}
FRAMES = "frames"
DAYS = 30 * 24 * 60 * 60


AT_ONCE = 16
"""Threads that files may occupy at once, so that a slow storage leaves the others to votes."""


def routes(resources: Resources) -> list[BaseRoute]:
    """Return the one route."""
    few = anyio.CapacityLimiter(AT_ONCE)

    def find(person: Person, asset: str, size: str) -> tuple[Path, str]:
        if size not in SIZES and size != FRAMES:
            raise NotFoundError("This image or clip does not exist. Check the address.")
        media, sha256 = resources.media, drawn.sha256(asset)
        if sha256 is not None:
            media = drawn.store()
        else:
            sha256 = task_views.asset_file(resources.store, person=person, asset=asset).sha256
        if size == FRAMES:
            return media.frames(sha256), "application/json"
        return media.shown(sha256, SIZES[size])

    def noted(person: Person, asset: str, size: str, known: str) -> tuple[Path, str, str, bool]:
        """Return the file, its type and its hash. Also tell whether to send it; then that is recorded."""
        path, kind = find(person, asset, size)
        digest, n_bytes = file_hashes.of(path)
        if f'"{digest}"' in known or known.strip() == "*":
            return path, kind, digest, False
        if drawn.sha256(asset) is None:
            exposure.sent_media(resources.store, person=person, asset=asset, sha256=digest, size=n_bytes)
        return path, kind, digest, True

    async def media(request: Request) -> Response:
        person = signed_in(request).person
        asset, size = request.path_params["asset"], request.path_params["size"]
        is_head = request.method == "HEAD"  # nobody sees the file, so nothing is noted
        known = "*" if is_head else request.headers.get("if-none-match", "")
        path, kind, digest, sends = await run_sync(noted, person, asset, size, known, limiter=few)
        headers = {
            "ETag": f'"{digest}"',
            "Cache-Control": f"private, max-age={DAYS}, immutable",
            "Content-Disposition": "inline",
            "Content-Security-Policy": "default-src 'none'; sandbox",
            "Vary": "Cookie",
        }
        if not sends:
            return Response(status_code=200 if is_head else 304, headers=headers)
        return StoredFile(path, media_type=kind, headers=headers)

    return [Route("/media/{asset}/{size}", answering(media), methods=["GET"])]
