"""Whole projects and releases as streamed files, only for leads of the project.

``GET /archive/{project}`` serves the archive that a lead has made on the page Projects. ``GET
/release/{project}/{version}/{part}`` serves a release.
"""

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
from workflow.files.project_export import archive_for
from workflow.releases import listing
from workflow.releases.create import PRIVATE, PUBLIC


def routes(resources: Resources) -> list[BaseRoute]:
    """Return the two routes."""

    def find(person: Person, project: str) -> Path:
        path = archive_for(resources.store, resources.settings.home, by=person, project=project)
        if path is None:
            raise NotFoundError("There is no archive yet: Projects in the menu makes one.")
        return path

    async def archive(request: Request) -> Response:
        project = request.path_params["project"]
        path = await run_in_threadpool(find, signed_in(request).person, project)
        headers = {"Cache-Control": "private, no-store", "Vary": "Cookie"}
        return FileResponse(path, media_type="application/zip", filename=f"{project}.zip", headers=headers)

    def find_release(person: Person, project: str, version: str, part: str) -> Path:
        store, home = resources.store, resources.settings.home
        found = listing.one_release(store, home, by=person, project=project, version=version)
        folder = found.place / part
        if part not in (PUBLIC, PRIVATE) or not folder.is_dir():
            raise NotFoundError(f"Release {version} has no such part on this machine.")
        return packed(folder, found.place / f"{part}.zip")

    async def release(request: Request) -> Response:
        project, version, part = (request.path_params[name] for name in ("project", "version", "part"))
        path = await run_in_threadpool(find_release, signed_in(request).person, project, version, part)
        headers = {"Cache-Control": "private, no-store", "Vary": "Cookie"}
        name = f"{project}-{version}{'-private' if part == PRIVATE else ''}.zip"
        return FileResponse(path, media_type="application/zip", filename=name, headers=headers)

    return [
        Route("/archive/{project}", answering(archive), methods=["GET"]),
        Route("/release/{project}/{version}/{part}", answering(release), methods=["GET"]),
    ]
