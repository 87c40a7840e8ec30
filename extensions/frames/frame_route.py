"""``GET /frame/{project}/{set}/{stamp}/{number}/{size}``: a frame of a frame set, for leads of its project only.

The frame need not be in the pool. Another stamp is another picture.
"""

from __future__ import annotations

from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from app.routes.replies import answering, signed_in
from app.routes.stored_file import StoredFile
from app.services import Resources
from domain.records import Person
from extensions.frames import frame_sets
from media import file_hashes

PUBLIC = ()
KINDS = {".png": "image/png", ".jpg": "image/jpeg"}
DAY = 24 * 60 * 60


def routes(resources: Resources) -> list[BaseRoute]:
    """Return the one route."""

    def find(person: Person, project: str, name: str, number: str, size: str) -> Path:
        home = resources.settings.home
        folder = frame_sets.folder_of_set(resources.store, home, by=person, project=project, name=name)
        return frame_sets.picture(folder, int(number) if number.isdecimal() and len(number) < 10 else -1, size)

    async def frame(request: Request) -> Response:
        person = signed_in(request).person
        asked = (request.path_params[name] for name in ("project", "set", "number", "size"))
        path = await run_in_threadpool(find, person, *asked)
        digest, _ = await run_in_threadpool(file_hashes.of, path)
        headers = {
            "ETag": f'"{digest}"',
            "Cache-Control": f"private, max-age={DAY}, immutable",
            "Content-Disposition": "inline",
            "Content-Security-Policy": "default-src 'none'; sandbox",
            "Vary": "Cookie",
        }
        return StoredFile(path, media_type=KINDS[path.suffix], headers=headers)

    return [Route("/frame/{project}/{set}/{stamp}/{number}/{size}", answering(frame), methods=["GET"])]


def address(project: str, name: str, stamp: str, number: int, size: str = "thumb") -> str:
    """Return the address of a frame."""
    return f"/frame/{project}/{name}/{stamp}/{number}/{size}"
