"""Redirects from moved pages, so that bookmarks work for one more version."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

_REASONS = "/agreement?section=adjudication_reasons"
_EXPIRED = "/items?expired=yes"
MOVED = {
    "/adjudication_reasons": _REASONS,
    "/bulk": "/items",
    "/causes": _REASONS,
    "/dashboard": "/overview",
    "/expired_submissions": _EXPIRED,
    "/history": "/items",
    "/late": _EXPIRED,
}
"""The new address of each earlier address."""
RENAMED = {"/history": {"differ": "differ_in", "most": "values", "last": "values"}}
"""The new names of parameters, by the earlier address."""


def routes() -> list[BaseRoute]:
    """Return a redirect for each earlier address. Parameters are kept."""
    return [Route(path, _onward) for path in MOVED]


def _onward(request: Request) -> Response:
    path = request.url.path
    address, names = MOVED[path], RENAMED.get(path, {})
    query = urlencode([(names.get(name, name), value) for name, value in request.query_params.multi_items()])
    between = "&" if "?" in address else "?"
    return RedirectResponse(address + (f"{between}{query}" if query else ""), status_code=308)
