"""The JavaScript of the working page and other components.

Each is one file, under a path that changes with its content.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from annotation_schemas import kinds
from app.workbench.bundle import bundle
from domain import extensions, language

WEB = Path(__file__).parent / "web"
TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
KINDS = "kinds/modules.js"
"""A generated module that imports the module of each kind of criterion and field."""
PARTS = "parts/modules.js"
"""A generated module that imports the parts that extensions add to the form of a working page."""
MOUNTED = ("workbench", "menu", "preview", "report", "picture", "ticks", "item_rows")
"""The modules that core's pages mount. Each is served with all of its imports."""


@cache
def sources() -> dict[str, str]:
    """Return the text of all modules and style sheets, by path below ``web/``."""
    files = ((path, web) for web in (*_added(), WEB) for path in web.rglob("*") if path.suffix in TYPES)
    texts = {path.relative_to(web).as_posix(): path.read_text(encoding="utf-8") for path, web in files}
    parts = [path.stem for web in _added() for path in web.glob("parts/*.js")]
    return texts | {KINDS: _importing({*kinds.CRITERIA, *kinds.FIELDS}), PARTS: _importing(parts)}


def _added() -> list[Path]:
    """Return the folders of JavaScript that extensions add."""
    return [extension.web for extension in extensions.installed().values() if extension.web is not None]


def _importing(modules: Collection[str]) -> str:
    names = sorted(modules)
    imports = [f'import * as {name} from "./{name}.js";' for name in names]
    return "\n".join([*imports, f"export const modules = {{ {', '.join(names)} }};\n"])


def mounted() -> list[str]:
    """Return the names of all modules that pages mount, those of extensions included."""
    return [*MOUNTED, *(path.stem for web in _added() for path in sorted(web.glob("*.js")))]


@cache
def served() -> dict[str, bytes]:
    """Return the scripts by language and file name, such as ``en/workbench.js``. Each has its texts in it."""
    scripts = {f"{name}.js": bundle(f"{name}.js", sources()) for name in mounted()}
    return {
        f"{code}/{name}": (_with_texts(code) + script).encode()
        for code in language.NAMES
        for name, script in scripts.items()
    }


def _with_texts(code: str) -> str:
    texts = language.of_scripts(code)
    return f"globalThis.touchstoneTexts = {json.dumps(texts, ensure_ascii=False, sort_keys=True)};\n" if texts else ""


@cache
def version() -> str:
    """Return a hash over all served files."""
    digest = hashlib.sha256()
    for name, content in sorted(served().items()):
        digest.update(name.encode() + b"\0" + content)
    return digest.hexdigest()[:16]


def _serve(request: Request) -> Response:
    body = served().get(request.path_params["name"])
    if body is None:
        return PlainTextResponse("This file does not exist. Check the address.", status_code=404)
    current = request.path_params["version"] == version()
    caching = "public, max-age=31536000, immutable" if current else "no-store"
    return Response(body, media_type=TYPES[".js"], headers={"Cache-Control": caching})


async def serve(request: Request) -> Response:
    """Serve one script. Scripts hold no data, so anyone may read them."""
    return _serve(request)


routes = [Route("/workbench/{version}/{name:path}", serve, methods=["GET"])]
"""The routes that the server mounts."""


def loader(module: str = "workbench") -> str:
    """Return the few lines that Streamlit sends with every rerun. The browser fetches the rest once and caches it."""
    known = "|".join(language.NAMES)
    return (
        f'const spoken = /{language.COOKIE}=({known})/.exec(document.cookie)?.[1] ?? "{language.ENGLISH}";\n'
        f"const page = import(`${{location.origin}}/workbench/{version()}/${{spoken}}/{module}.js`);\n"
        "export default async (component) => (await page).default(component);\n"
    )
