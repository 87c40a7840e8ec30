"""Addresses of pages that have another name by now: bookmarks of them lead on, for one version."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

MOVED = {"/causes": "/adjudication_reasons", "/late": "/expired_submissions"}
"""Where the page of each earlier address is now."""


def routes() -> list[BaseRoute]:
    """One redirect per earlier address; what was asked for with it goes along."""
    return [Route(path, _onward) for path in MOVED]


def _onward(request: Request) -> Response:
    query = request.url.query
    return RedirectResponse(MOVED[request.url.path] + (f"?{query}" if query else ""), status_code=308)
