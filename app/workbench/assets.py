"""The JavaScript and styles of the working page, served under a path that changes with their content."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from annotation_schemas import kinds

WEB = Path(__file__).parent / "web"
TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
NAMES = "kinds/names.json"
"""The kinds of criteria and fields: each has a module of its name, which the page fetches by this list."""


@cache
def version() -> str:
    """A hash over all files in ``web/``."""
    digest = hashlib.sha256()
    for name, content in sorted(_files().items()):
        digest.update(name.encode() + b"\0" + content)
    return digest.hexdigest()[:16]


@cache
def _files() -> dict[str, bytes]:
    found = (path for path in WEB.rglob("*") if path.suffix in TYPES)
    names = json.dumps(sorted({*kinds.CRITERIA, *kinds.FIELDS})).encode()
    return {path.relative_to(WEB).as_posix(): path.read_bytes() for path in found} | {NAMES: names}


def _serve(request: Request) -> Response:
    name = request.path_params["name"]
    body = _files().get(name)
    if body is None:
        return PlainTextResponse("There is no such file.", status_code=404)
    current = request.path_params["version"] == version()
    caching = "public, max-age=31536000, immutable" if current else "no-store"
    return Response(
        body, media_type=TYPES.get(Path(name).suffix, "application/json"), headers={"Cache-Control": caching}
    )


async def serve(request: Request) -> Response:
    """One file of the page. They hold no data, so anyone may read them."""
    return _serve(request)


routes = [Route("/workbench/{version}/{name:path}", serve, methods=["GET"])]
"""To be mounted by the server."""


def loader(module: str = "workbench") -> str:
    """The few lines that Streamlit hands to the browser with every rerun; the rest is fetched once and cached."""
    return (
        f'const page = import(location.origin + "/workbench/{version()}/{module}.js");\n'
        "export default async (component) => (await page).default(component);\n"
    )
