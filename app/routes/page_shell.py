"""The HTML into which Streamlit draws every page, with the server's own address in it."""

from __future__ import annotations

import json
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route
from streamlit import config, file_util

from app.screens import SCREENS
from domain import extensions

LATE = ("Html", "purify.es", "BidiComponent", "_arrayReduce", "serialization", "recordbatch")
"""Streamlit's modules that all of our pages need, and that its script would ask for one after another."""


def html() -> str:
    """Return Streamlit's index page with our title, the server's address and settings, and links to late modules.

    Without the address, Streamlit's script first asks below the page's path, in vain. Without the settings, it asks for
    them before it opens its connection, which costs a round trip.
    """
    static = Path(file_util.get_static_dir())
    settings = {
        "allowedOrigins": list(config.get_option("client.allowedOrigins")),
        "useExternalAuthToken": False,
        "enableCustomParentMessages": False,
        "enforceDownloadInNewTab": False,
        "metricsUrl": "",
        "blockErrorDialogs": False,
    }
    told = f"BACKEND_BASE_URL:location.origin+'/',HOST_CONFIG:{json.dumps(settings)}"
    late = [
        f'<link rel="modulepreload" crossorigin href="/static/js/{path.name}">'
        for name in LATE
        for path in sorted(static.glob(f"static/js/{name}.*.js"))
    ]
    page = (static / "index.html").read_text(encoding="utf-8")
    return (
        page.replace("<head>", f"<head><script>window.__streamlit={{{told}}}</script>", 1)
        .replace("</head>", "".join(late) + "</head>", 1)
        .replace("<title>Streamlit", "<title>Touchstone", 1)
    )


def routes(page: str) -> list[BaseRoute]:
    """Return a route for the address of each page, also of those of missing extensions."""

    async def answer(request: Request) -> Response:
        return HTMLResponse(page, headers={"Cache-Control": "no-cache"})

    paths = ["", *(screen.path for screen in SCREENS.values()), *extensions.all_missing("pages")]
    return [Route(f"/{path}", answer, methods=["GET"]) for path in dict.fromkeys(paths)]
