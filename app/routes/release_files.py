"""``GET /release/{project}/{version}/{part}``: a release as a streamed file, only for leads of the project."""

from __future__ import annotations

from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route

from app.routes.replies import answering, signed_in
from app.services import Resources
from domain.errors import NotFoundError
from domain.records import Person
from exporters.release_folder import packed
from workflow.releases import listing
from workflow.releases.create import PRIVATE, PUBLIC


def routes(resources: Resources) -> list[BaseRoute]:
    """Return the route."""

    def find_release(person: Person, project: str, version: str, part: str) -> Path:
        store, home = resources.store, resources.settings.home
        release_view = listing.one_release(store, home, by=person, project=project, version=version)
        folder = release_view.place / part
        if part not in (PUBLIC, PRIVATE) or not folder.is_dir():
            raise NotFoundError(
                f"These files of release {version} are not on this machine. Use the machine that created the release."
            )
        return packed(folder, release_view.place / f"{part}.zip")

    async def release(request: Request) -> Response:
        project, version, part = (request.path_params[name] for name in ("project", "version", "part"))
        path = await run_in_threadpool(find_release, signed_in(request).person, project, version, part)
        headers = {"Cache-Control": "private, no-store", "Vary": "Cookie"}
        name = f"{project}-{version}{'-private' if part == PRIVATE else ''}.zip"
        return FileResponse(path, media_type="application/zip", filename=name, headers=headers)

    return [
        Route("/release/{project}/{version}/{part}", answering(release), methods=["GET"]),
    ]
