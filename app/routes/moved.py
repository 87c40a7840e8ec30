"""Redirects from moved pages, so that bookmarks work for one more version."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

_REASONS = "/agreement?section=adjudication_reasons"
MOVED = {
    "/adjudication_reasons": _REASONS,
    "/bulk": "/items",
    "/causes": _REASONS,
    "/dashboard": "/overview",
    "/late": "/expired_submissions",
}
"""The new address of each earlier address."""


def routes() -> list[BaseRoute]:
    """Return a redirect for each earlier address. Parameters are kept."""
    return [Route(path, _onward) for path in MOVED]


def _onward(request: Request) -> Response:
    address, query = MOVED[request.url.path], request.url.query
    between = "&" if "?" in address else "?"
    return RedirectResponse(address + (f"{between}{query}" if query else ""), status_code=308)
