from __future__ import annotations

import json
import re

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from streamlit.web.server.starlette.starlette_routes import _ensure_xsrf_cookie, create_host_config_routes

from app import server
from app.routes import page_shell
from app.serving.steady_cookie import SteadyCookie
from tests.app.asgi import call


async def _page(request: Request) -> Response:
    reply = PlainTextResponse("", headers={"Set-Cookie": "other=1"})
    _ensure_xsrf_cookie(request, reply)
    return reply


def test_the_page_tells_streamlit_the_settings_that_its_own_address_gives() -> None:
    told = re.search(r"HOST_CONFIG:(\{.*?\})\}", page_shell.html())
    assert told
    asked = json.loads(call(Starlette(routes=create_host_config_routes(None)), "GET", "/_stcore/host-config").text)
    assert json.loads(told[1]) == {name: value for name, value in asked.items() if value is not None}


def test_every_module_that_the_page_links_to_exists() -> None:
    links = re.findall(r'<link rel="modulepreload" crossorigin href="(/static/js/[^"]+)">', page_shell.html())
    names = {link.rpartition("/")[2].partition(".")[0] for link in links}
    assert {"Html", "BidiComponent"} <= names
    assert all(server.is_streamlits_file(link) for link in links)


def test_a_valid_cookie_stays_as_it_is_and_any_other_is_replaced() -> None:
    app = SteadyCookie(Starlette(routes=[Route("/", _page)]))
    first = call(app, "GET", "/").headers["set-cookie"]
    value = re.search(r"_streamlit_xsrf=([^;]+)", first)
    assert value
    again = call(app, "GET", "/", headers={"cookie": f"a=b; _streamlit_xsrf={value[1]}"})
    assert again.headers["set-cookie"] == "other=1"
    assert "_streamlit_xsrf=" in call(app, "GET", "/", headers={"cookie": "_streamlit_xsrf=2|no"}).headers["set-cookie"]
