"""The HTML into which Streamlit draws every page, with the server's own address in it."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route
from streamlit import file_util

from app.screens import SCREENS
from domain import extensions

ADDRESS = "<script>window.__streamlit={BACKEND_BASE_URL:location.origin+'/'}</script>"
"""Tells Streamlit's script where the server is. Without it, the script first asks below the page's path, in vain."""


def html() -> str:
    """Return Streamlit's index page with the server's address and our title."""
    page = Path(file_util.get_static_dir(), "index.html").read_text(encoding="utf-8")
    return page.replace("<head>", f"<head>{ADDRESS}", 1).replace("<title>Streamlit", "<title>Touchstone", 1)


def routes(page: str) -> list[BaseRoute]:
    """Return a route for the address of each page, also of those of missing extensions."""

    async def answer(request: Request) -> Response:
        return HTMLResponse(page, headers={"Cache-Control": "no-cache"})

    paths = ["", *(screen.path for screen in SCREENS.values()), *extensions.all_missing("pages")]
    return [Route(f"/{path}", answer, methods=["GET"]) for path in dict.fromkeys(paths)]
