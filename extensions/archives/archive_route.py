"""``GET /archive/{project}``: the archive that a lead has made on the page Projects, streamed to leads alone."""

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
from extensions.archives.exporting import archive_for

PUBLIC = ()


def routes(resources: Resources) -> list[BaseRoute]:
    """Return the route."""

    def find(person: Person, project: str) -> Path:
        path = archive_for(resources.store, resources.settings.home, by=person, project=project)
        if path is None:
            raise NotFoundError("This project has no archive yet. First export the project on the Projects page.")
        return path

    async def archive(request: Request) -> Response:
        project = request.path_params["project"]
        path = await run_in_threadpool(find, signed_in(request).person, project)
        headers = {"Cache-Control": "private, no-store", "Vary": "Cookie"}
        return FileResponse(path, media_type="application/zip", filename=f"{project}.zip", headers=headers)

    return [Route("/archive/{project}", answering(archive), methods=["GET"])]
