"""``GET /archive/{project}``: the archive that a lead has asked for on the page Projects, to leads of the project only,
as a stream."""

from __future__ import annotations

from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route

from app.routes.replies import answering, signed_in
from app.services import Resources
from domain.errors import NotFound
from domain.records import Person
from workflow.files.project_export import archive_for


def routes(resources: Resources) -> list[BaseRoute]:
    """The one route."""

    def find(person: Person, project: str) -> Path:
        path = archive_for(resources.store, resources.settings.home, by=person, project=project)
        if path is None:
            raise NotFound("There is no archive yet: Projects in the menu makes one.")
        return path

    async def archive(request: Request) -> Response:
        project = request.path_params["project"]
        path = await run_in_threadpool(find, signed_in(request).person, project)
        headers = {"Cache-Control": "private, no-store", "Vary": "Cookie"}
        return FileResponse(path, media_type="application/zip", filename=f"{project}.zip", headers=headers)

    return [Route("/archive/{project}", answering(archive), methods=["GET"])]
