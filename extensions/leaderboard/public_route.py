"""``GET /public/{project}``: the leaderboard that a lead has published, for anyone; ``/csv`` and ``/json``: its table.

Each request checks whether the board is still public, which reads one row of an index. The page is built once for each
state of the project and cached. Its numbers are computed in another process.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from app.routes import plain_pages
from app.routes.replies import RETRY_SECONDS
from app.services import Resources
from domain.errors import NotAvailableError, NotFoundError
from extensions.leaderboard import public_board as public
from extensions.leaderboard import public_page

PUBLIC = ("/public/",)

LOOK_SECONDS = 5.0
"""Seconds that a page is served before the next check for newer numbers."""
SOON_SECONDS = 1.0
"""The same while there are no numbers yet."""
AT_ONCE = 4
"""Requests handled at the same time, so that many visitors leave threads for the people who work here."""
MOST = 50
"""Number of leaderboards whose pages are cached."""
NOTHING = "Not found. This address is available only while the project publishes its leaderboard."
SOON = "The numbers are being computed. This page reloads automatically."


@dataclass(frozen=True)
class _RenderedBoard:
    """The rendered form of one state of a leaderboard."""

    event: int
    of: object
    """The figure that it was built from. None: there is none yet."""
    bodies: Mapping[str, bytes]
    """The content by the last part of the address. The page's key is empty."""


class Boards:
    """The leaderboards of one store."""

    def __init__(self, resources: Resources, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.store, self.settings, self.clock = resources.store, resources.settings, clock
        self._guard = threading.Lock()
        self._made: dict[str, tuple[float, _RenderedBoard]] = {}

    def find(self, project: str) -> _RenderedBoard:
        """Return the current page of a project. Raise ``NotFoundError`` if nothing is public."""
        named = project.isascii() and project.isprintable()  # any other text is not the name of a project
        shown = public.made_public(self.store, project=project) if named else None
        if shown is None:
            raise NotFoundError(NOTHING)
        made, fresh = self._known(shown)
        if made is not None and fresh:
            return made
        if not self._guard.acquire(blocking=made is None):  # another request is checking: serve the cached page
            assert made is not None
            return made
        try:
            made, fresh = self._known(shown)
            return made if made is not None and fresh else self._make(shown, made)
        finally:
            self._guard.release()

    def _known(self, shown: public.Public) -> tuple[_RenderedBoard | None, bool]:
        """Return the last page for this choice, and whether it is still fresh."""
        at, made = self._made.get(shown.project, (0.0, None))
        if made is None or made.event != shown.event:
            return None, False
        return made, self.clock() - at < (LOOK_SECONDS if made.of else SOON_SECONDS)

    def _make(self, shown: public.Public, before: _RenderedBoard | None) -> _RenderedBoard:
        choice = shown.choice
        try:
            figure = public_page.choice_figures(self.store, self.settings, shown.project, choice, inside=False).figure
        except NotAvailableError:  # the log says why
            figure = None
        if before is not None and before.of is figure:
            made = before
        elif figure is None:
            made = _RenderedBoard(shown.event, None, {})
        else:
            page = public_page.as_html(choice, figure.value, at=figure.at, address=f"/public/{shown.project}")
            files = {
                "csv": public_page.as_csv(figure.value),
                "json": public_page.as_json(choice, figure.value, at=figure.at),
            }
            texts = {"": page, **(files if choice.files else {})}
            made = _RenderedBoard(shown.event, figure, {name: text.encode() for name, text in texts.items()})
        if len(self._made) >= MOST:
            self._made.clear()
        self._made[shown.project] = (self.clock(), made)
        return made


def routes(resources: Resources) -> list[BaseRoute]:
    """Return the routes of the page and its two files. They need no session."""
    boards = Boards(resources)
    strangers = anyio.CapacityLimiter(AT_ONCE)

    async def answer(request: Request) -> Response:
        project, part = request.path_params["project"], request.path_params.get("part", "")
        headers = {"Cache-Control": "no-cache"}
        try:
            made = await anyio.to_thread.run_sync(boards.find, project, limiter=strangers)
            if made.of is not None and part not in made.bodies:
                raise NotFoundError(NOTHING)
        except NotFoundError:
            page = plain_pages.page("Nothing here", plain_pages.paragraph(NOTHING))
            return HTMLResponse(page, status_code=404, headers={"Cache-Control": "no-store"})
        if made.of is None:
            page = plain_pages.page("Just a moment", plain_pages.paragraph(SOON), again=RETRY_SECONDS)
            return HTMLResponse(page, status_code=503, headers={"Cache-Control": "no-store"})
        body = made.bodies[part]
        tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers={**headers, "ETag": tag})
        if not part:
            return HTMLResponse(body, headers={**headers, "ETag": tag})
        headers["Content-Disposition"] = f'attachment; filename="{project}-leaderboard.{part}"'
        return Response(body, media_type=public_page.FILES[part], headers={**headers, "ETag": tag})

    return [
        Route("/public/{project}", answer, methods=["GET"]),
        Route("/public/{project}/{part}", answer, methods=["GET"]),
    ]
