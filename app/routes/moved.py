"""Redirects from renamed pages, so that bookmarks work for one more version."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

MOVED = {"/causes": "/adjudication_reasons", "/late": "/expired_submissions", "/bulk": "/items"}
"""The new address of each earlier address."""


def routes() -> list[BaseRoute]:
    """Return a redirect for each earlier address. Parameters are kept."""
    return [Route(path, _onward) for path in MOVED]


def _onward(request: Request) -> Response:
    query = request.url.query
    return RedirectResponse(MOVED[request.url.path] + (f"?{query}" if query else ""), status_code=308)
