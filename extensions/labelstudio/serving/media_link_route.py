"""``GET /media-link/{token}/{size}``: a picture or clip of a task that is out, for another tool's page.

Cookies do not count here. The link names the asset, and the database decides whether the link still holds. Every
invalid link gets the same reply: expired, changed, its task came back, or its person left.
"""

from __future__ import annotations

from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from app.routes.media import SIZES
from app.routes.replies import answering
from app.routes.stored_file import StoredFile
from app.services import Resources
from app.serving import signing_key
from domain.errors import InvalidMediaError, NotFoundError
from extensions.labelstudio.exchange import media
from extensions.labelstudio.serving import files, media_links
from media import file_hashes
from workflow.access import exposure

PUBLIC = ("/media-link/",)

NOTHING = "Not found. A link to an image or clip expires after a few hours, or when the task closes."
KEPT_SECONDS = 300
"""Seconds that a browser may cache a file. A short time, so that the media of a task that came back soon disappear."""

HEADERS = {
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Access-Control-Allow-Origin": "*",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Referrer-Policy": "no-referrer",
}
"""Pages of other origins may show the file and read its pixels. ``*`` never allows cookies."""


def routes(resources: Resources) -> list[BaseRoute]:
    """Return the one route."""
    cache = resources.settings.home / "prepared"

    def find(token: str, size: str) -> tuple[Path, str, str, str]:
        key = signing_key.key_of(resources.settings.home)
        named = media_links.read_token(token, key=key, now=resources.store.now())
        if named is None or size not in SIZES:
            raise NotFoundError(NOTHING)
        asset, task = named
        outside = media.file_shown(resources.store, task=task, asset=asset)
        path, mime = files.path_of(resources.media, cache, outside, SIZES[size])
        return path, mime, asset, task

    def note(asset: str, task: str, digest: str, size: int) -> None:
        exposure.sent_by_link(resources.store, key=task, asset=asset, sha256=digest, size=size)

    async def media_link(request: Request) -> Response:
        try:
            asked = request.path_params["token"], request.path_params["size"]
            path, mime, asset, task = await run_in_threadpool(find, *asked)
        except NotFoundError:
            return PlainTextResponse(NOTHING, status_code=404, headers={**HEADERS, "Cache-Control": "no-store"})
        except InvalidMediaError as error:  # such as a mask that does not fit its image
            return PlainTextResponse(str(error), status_code=422, headers={**HEADERS, "Cache-Control": "no-store"})
        digest, n_bytes = await run_in_threadpool(file_hashes.of, path)
        headers = {
            **HEADERS,
            "ETag": f'"{digest}"',
            "Cache-Control": f"private, max-age={KEPT_SECONDS}",
            "Content-Disposition": "inline",
        }
        if f'"{digest}"' in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        await run_in_threadpool(note, asset, task, digest, n_bytes)
        return StoredFile(path, media_type=mime, headers=headers)

    return [Route("/media-link/{token}/{size}", answering(media_link), methods=["GET"])]
