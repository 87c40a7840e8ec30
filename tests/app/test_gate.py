from __future__ import annotations

import asyncio
import base64
import hashlib
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from app import gate
from app.gate import Gate, Hosts, content_policy, is_loopback
from app.server import is_streamlits_file
from domain.errors import DatabaseUnavailableError
from domain.records import Person, SignedIn
from tests.app.asgi import _scope, call, knock

ANA = SignedIn(Person(1, "ana", "Ana"), csrf="c")
COOKIE = {"cookie": "touchstone_session=good"}


async def _inside(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    person = scope["state"]["signed_in"]
    await PlainTextResponse(person.person.login if person else "nobody")(scope, receive, send)


def _signed_in(token: str) -> SignedIn | None:
    return ANA if token == "good" else None


def _gate(bound: str = "127.0.0.1", *names: str) -> Gate:
    return Gate(_inside, signed_in=_signed_in, hosts=Hosts.of(bound, names), policy=content_policy())


def test_a_page_without_a_session_leads_to_the_sign_in_form_and_back() -> None:
    reply = call(_gate(), "GET", "/verify?project=demo&dimension=a/b")
    assert reply.status == 303
    assert reply.headers["location"] == "/login?next=/verify%3Fproject%3Ddemo%26dimension%3Da/b"
    assert reply.headers["cache-control"] == "no-store"
    assert call(_gate(), "GET", "/").headers["location"] == "/login"
    assert call(_gate(), "GET", "//evil.example/x").headers["location"] == "/login"


@pytest.mark.parametrize("path", ["/api/submit", "/media/abc/display", "/_stcore/health", "/_stcore/host-config"])
def test_what_is_no_page_is_refused_with_a_sentence(path: str) -> None:
    reply = call(_gate(), "GET", path)
    assert reply.status == 401
    assert "Sign in" in reply.text


@pytest.mark.parametrize(
    "path", ["/login", "/healthz", "/static/js/index.js", "/assets/plain.css", "/link/x", "/invite/x"]
)
def test_what_signing_in_needs_is_open(path: str) -> None:
    reply = call(_gate(), "GET", path)
    assert (reply.status, reply.text) == (200, "nobody")


def test_a_session_opens_pages_and_the_websocket() -> None:
    assert call(_gate(), "GET", "/verify", headers=COOKIE).text == "ana"
    assert (
        knock(_gate(), "/_stcore/stream", headers={**COOKIE, "origin": "http://127.0.0.1:8501"}) == "websocket.accept"
    )


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"cookie": "touchstone_session=forged"},
        {**COOKIE, "origin": "http://evil.example"},
        {**COOKIE, "origin": "http://127.0.0.1:9999"},
        {**COOKIE, "origin": "null"},
        {**COOKIE, "sec-fetch-site": "cross-site"},
        {**COOKIE, "host": "evil.example:8501", "origin": "http://evil.example:8501"},
    ],
)
def test_the_websocket_is_closed_to_strangers_and_to_other_sites(headers: dict[str, str]) -> None:
    assert knock(_gate(), "/_stcore/stream", headers=headers) == "websocket.close"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_a_change_that_another_site_asks_for_is_refused(method: str) -> None:
    there = {**COOKIE, "origin": "https://evil.example"}
    assert call(_gate(), method, "/api/submit", headers=there).status == 403
    assert call(_gate(), method, "/login", headers=there).status == 403
    here = {**COOKIE, "origin": "http://127.0.0.1:8501", "sec-fetch-site": "same-origin"}
    assert call(_gate(), method, "/api/submit", headers=here).status == 200
    assert call(_gate(), method, "/verify", headers={"origin": "http://127.0.0.1:8501"}).status == 401


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("127.0.0.1:8501", True),
        ("localhost", True),
        ("LOCALHOST:8501", True),
        ("[::1]:8501", True),
        ("evil.example", False),
        ("127.0.0.1.evil.example:8501", False),
        ("localhost@evil.example", False),
        ("192.168.1.20:8501", False),
        ("", False),
        ("local host", False),
        ("localhost:notaport", False),
    ],
)
def test_on_loopback_only_names_of_this_machine_are_answered(host: str, allowed: bool) -> None:
    reply = call(_gate(), "GET", "/healthz", headers={"host": host})
    assert reply.status == (200 if allowed else 421)


def test_beyond_loopback_numbers_and_given_names_are_answered_and_other_names_are_not() -> None:
    gate = _gate("0.0.0.0", "Annotate.Example.org")
    hosts = {"192.168.1.20:8501": 200, "annotate.example.org": 200, "evil.example": 421}
    assert {host: call(gate, "GET", "/healthz", headers={"host": host}).status for host in hosts} == hosts


def test_a_name_given_on_loopback_is_for_a_proxy_in_front() -> None:
    assert (
        call(
            _gate("127.0.0.1", "annotate.example.org"), "GET", "/login", headers={"host": "annotate.example.org"}
        ).status
        == 200
    )


@pytest.mark.parametrize(
    ("host", "loopback"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False)]
)
def test_loopback(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


def test_every_reply_carries_the_headers_that_keep_other_sites_out() -> None:
    for address in ("/login", "/verify"):
        headers = call(_gate(), "GET", address).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "same-origin"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]


def test_the_policy_allows_pictures_and_connections_to_this_server_only_and_names_each_inline_script() -> None:
    script = "\n window.ready = false\n"
    rules: dict[str, Any] = dict(
        rule.strip().split(" ", 1) for rule in content_policy(f"<p><script>{script}</script>").split(";")
    )
    assert rules["img-src"] == "'self' data: blob:"
    assert rules["connect-src"] == "'self'"
    assert rules["object-src"] == rules["base-uri"] == rules["frame-src"] == "'none'"
    wanted = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert rules["script-src"] == f"'self' blob: 'sha256-{wanted}'"


def test_a_path_that_no_file_can_have_is_no_file() -> None:
    for path in ("/public/" + "x" * 5000, "/" + "x/" * 5000, "/static/\0", "/../index.html", "/static", "/nothing.js"):
        assert not is_streamlits_file(path), path[:20]
    assert is_streamlits_file("/index.html")


def test_an_open_websocket_closes_soon_after_its_session_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one on which the browser is silent. While the database is away, nobody knows, and it stays open."""
    monkeypatch.setattr(gate, "LOOK_SECONDS", 0.05)
    looks = iter([ANA, ANA, DatabaseUnavailableError("away"), ANA, None])
    received: list[str] = []

    async def inside(scope: Scope, receive: Receive, send: Send) -> None:
        while (message := await receive())["type"] != "websocket.disconnect":
            received.append(message["type"])
        await send({"type": "websocket.send", "text": "too late"})

    def look(token: str) -> SignedIn | None:
        found = next(looks)
        if isinstance(found, Exception):
            raise found
        return found

    sent: list[Any] = []

    async def connect() -> None:
        browser = iter([{"type": "websocket.connect"}, {"type": "websocket.receive", "text": "x"}])

        async def receive() -> Any:
            return next(browser, None) or await asyncio.Event().wait()

        async def send(message: Any) -> None:
            sent.append(message)

        app = Gate(inside, signed_in=look, hosts=Hosts.of("127.0.0.1", ()), policy=content_policy())
        headers = {**COOKIE, "origin": "http://127.0.0.1:8501"}
        await asyncio.wait_for(app(_scope("websocket", "/_stcore/stream", headers), receive, send), 30)

    asyncio.run(connect())
    assert received == ["websocket.connect", "websocket.receive"]
    assert [(message["type"], message["code"]) for message in sent] == [("websocket.close", 1008)]
    assert next(looks, "all were used") == "all were used"
