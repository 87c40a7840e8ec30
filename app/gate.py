"""The gate in front of all requests: host, origin, session, and the headers of every reply.

The gate is outside of Streamlit, so no part of Streamlit (pages, websocket, uploads) answers a client that is not
signed in. The gate does not check roles: the use cases do.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from urllib.parse import quote, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.routes import plain_pages
from app.routes.replies import RETRY_SECONDS, report
from app.serving import open_files
from app.session import local_path, token_of
from domain import extensions, language
from domain.errors import DatabaseUnavailableError
from domain.log_facts import add_log_facts
from domain.origin import acting_from
from domain.records import SignedIn

UNWATCHED = ("/healthz", "/metrics")
"""Addresses that monitors read, without a session."""
PUBLIC_PATHS = frozenset({"/login", "/language", "/demo", "/favicon.png", *UNWATCHED})
PUBLIC_FOLDERS = ("/static/", "/assets/", "/link/", "/invite/")
COOKIE_LESS = ("/static/", "/assets/")
"""Paths without a session lookup, because their answer is the same for everyone. Extensions add more."""
MACHINES = ("/api/", "/media/", "/_stcore/")
"""Paths that programs request, so that a refusal is JSON and not a page."""
SAFE_METHODS = frozenset({"GET", "HEAD"})
LOOK_SECONDS = 20.0
"""The seconds after which an open page of an ended session loses its connection, at the latest."""


@cache
def public_of_extensions() -> tuple[str, ...]:
    """Return the prefixes of paths that extensions answer without a session."""
    return tuple(path for module in extensions.rows("routes") for path in module.PUBLIC)


@cache
def machine_paths() -> tuple[str, ...]:
    """Return the prefixes of paths whose refusals are JSON: those of core, and the ``MACHINES`` of extensions."""
    return (*MACHINES, *(path for module in extensions.rows("routes") for path in getattr(module, "MACHINES", ())))


NOT_SIGNED_IN = "You are not signed in, or your session has ended. Sign in and try again."


@dataclass(frozen=True)
class Hosts:
    """The host names of this server.

    A request under another name is refused, such as from a site that rebinds its name.
    """

    names: frozenset[str]
    any_address: bool
    """Whether any numeric address is accepted, as for a server beyond loopback. A rebound name is never a number."""

    @classmethod
    def of(cls, bound: str, names: Iterable[str] = ()) -> Hosts:
        """Return the names of a server bound to ``bound``. ``names`` are further names that people use."""
        wanted = {"localhost", *(name.lower().rstrip(".") for name in names)}
        loopback = is_loopback(bound)
        if not loopback:
            wanted |= {socket.gethostname().lower(), socket.getfqdn().lower()}
            if _address(bound) is None:
                wanted.add(bound.lower())
        return cls(frozenset(wanted), any_address=not loopback)

    def allow(self, header: str | None) -> bool:
        """Tell whether a Host header names this server."""
        name = _host_name(header)
        if name is None:
            return False
        address = _address(name)
        if address is not None:
            return self.any_address or address.is_loopback or name in self.names
        return name in self.names


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach a server bound to ``host``."""
    address = _address(host)
    return host == "localhost" if address is None else address.is_loopback


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None


def _host_name(header: str | None) -> str | None:
    if not header or re.search(r"[\s/@?#\\]", header):
        return None
    try:
        parts = urlsplit(f"//{header}")
        parts.port  # noqa: B018  (raises for a port that is none)
    except ValueError:
        return None
    return parts.hostname.rstrip(".") if parts.hostname else None


def same_origin(connection: HTTPConnection) -> bool:
    """Tell whether a change comes from one of our pages.

    Browsers send the origin with every POST and websocket. A client without an origin is not a browser, so it cannot
    carry the cookie of a person against that person's will.
    """
    if connection.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = connection.headers.get("origin")
    if origin is None:
        return True
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    host = connection.headers.get("host", "")
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


def content_policy(page: str = "") -> str:
    """Return the Content-Security-Policy of our pages and Streamlit's. The inline scripts in the HTML ``page`` may run.

    Scripts come only from this server; our own components arrive as blobs. Pictures come only from this server, so that
    no text of a data set can make a rater's browser contact another host.
    """
    inline = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in inline]
    rules = {
        "default-src": "'self'",
        "script-src": " ".join(["'self'", "blob:", *(f"'sha256-{value}'" for value in hashes)]),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "media-src": "'self' blob:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "worker-src": "'self' blob:",
        "frame-src": "'none'",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}


class Gate:
    """ASGI middleware. Puts the live session into ``request.state.signed_in`` (None on public pages without one)."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        signed_in: Callable[[str], SignedIn | None],
        hosts: Hosts,
        policy: str,
        is_there: Callable[[Scope], bool] = lambda scope: True,
        files: open_files.OpenFiles | None = None,
    ) -> None:
        """Set up the gate.

        Parameters
        ----------
        is_there
            Whether one of our routes or files answers at an address in a public folder. For other addresses Streamlit
            would send its page, which names all pages of the app.
        files
            Tells whether there is room for one more open file.
        """
        self.app = app
        self.is_there = is_there
        self.files = files
        self.signed_in = signed_in
        self.hosts = hosts
        self.policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        refusal = self._refuse_stranger(connection) or self._refuse_crowd(connection)
        if refusal is None:
            try:
                person = await self._look_up(connection)
            except Exception as error:  # a missing database is named; other errors get a general message
                refusal = _failed(connection, error)
            else:
                scope.setdefault("state", {})["signed_in"] = person
                refusal = None if person else self._ask_to_sign_in(connection)
        if scope["type"] == "websocket":
            if refusal is None:
                watch = _SessionWatch(partial(self._look_up, connection), receive, send)
                await self.app(scope, watch.receive, watch.send)
            elif refusal.status_code >= 500 and "websocket.http.response" in scope.get("extensions", {}):
                await refusal(scope, receive, _Answer(send, self.policy))
            else:
                await send({"type": "websocket.close", "code": _close_code(refusal), "reason": "refused"})
            return
        spoken = _language(connection)
        stranger = connection.url.path.startswith((*COOKIE_LESS, *public_of_extensions()))
        unknown = connection.cookies.get(language.COOKIE) != spoken
        changed = scope["method"] in SAFE_METHODS and unknown and not stranger
        answer = _Answer(send, self.policy, speaks=spoken if changed else None)
        with acting_from(connection.client.host if connection.client else None), language.speaking(spoken):
            try:
                await (refusal or self.app)(scope, receive, answer)
            except Exception as error:
                if answer.begun:
                    raise
                await _failed(connection, error)(scope, receive, answer)

    async def _look_up(self, connection: HTTPConnection) -> SignedIn | None:
        path = connection.url.path
        token = token_of(connection.cookies)
        if token is None or path in UNWATCHED or path.startswith((*COOKIE_LESS, *public_of_extensions())):
            return None
        person = await run_in_threadpool(self.signed_in, token)
        if person is not None:
            add_log_facts(person=person.person.id)
        return person

    def _refuse_stranger(self, connection: HTTPConnection) -> Response | None:
        """Refuse a wrong Host, and any change or websocket that comes from another site."""
        if not self.hosts.allow(connection.headers.get("host")):
            return PlainTextResponse(
                "This server does not accept this host name. Restart the server with --name and the host name.",
                status_code=421,
            )
        changes = connection.scope["type"] == "websocket" or connection.scope["method"] not in SAFE_METHODS
        if changes and not same_origin(connection):
            return JSONResponse(
                {
                    "error": (
                        "Touchstone refused this request, because the request came from another "
                        "site. Open Touchstone in this browser, and try again."
                    )
                },
                status_code=403,
            )
        return None

    def _refuse_crowd(self, connection: HTTPConnection) -> Response | None:
        """Refuse new pages while this process can open only a few more files. Later, refuse any request."""
        path = connection.url.path
        calm = (*MACHINES, *COOKIE_LESS, *public_of_extensions(), *UNWATCHED)
        opens = connection.scope["type"] == "websocket" or not path.startswith(calm)
        if self.files is None or not self.files.are_short(page=opens):
            return None
        return _failed(connection, DatabaseUnavailableError(self.files.refusal()), close=True)

    def _ask_to_sign_in(self, connection: HTTPConnection) -> Response | None:
        path = connection.url.path
        if connection.scope["type"] == "websocket":
            return PlainTextResponse(NOT_SIGNED_IN, status_code=401)
        public = path.startswith((*PUBLIC_FOLDERS, *public_of_extensions()))
        if path in PUBLIC_PATHS or (public and self.is_there(connection.scope)):
            return None
        if path.startswith(machine_paths()) or connection.scope["method"] not in SAFE_METHODS:
            return JSONResponse({"error": NOT_SIGNED_IN}, status_code=401)
        query = connection.url.query
        back = local_path(path + (f"?{query}" if query else ""))
        target = "/login" if back == "/" else f"/login?next={quote(back, safe='/')}"
        return RedirectResponse(target, status_code=303, headers={"Cache-Control": "no-store"})


def _language(connection: HTTPConnection) -> str:
    """Return the person's language. Without one, return the browser's last language, or its preferred one."""
    signed_in = connection.scope.get("state", {}).get("signed_in")
    chosen = (signed_in.language if signed_in else None) or connection.cookies.get(language.COOKIE)
    return chosen if chosen in language.NAMES else language.wanted_by(connection.headers.get("accept-language"))


class _SessionWatch:
    """The two ends of a websocket, which closes soon after its session has ended."""

    def __init__(self, look_up: Callable[[], Awaitable[SignedIn | None]], receive: Receive, send: Send) -> None:
        self._look_up, self._receive, self._send = look_up, receive, send
        self._due = asyncio.get_running_loop().time() + LOOK_SECONDS
        self._closed = False

    async def receive(self) -> Message:
        """Return the next message of the browser. Before it does, look whether the session still lives."""
        clock = asyncio.get_running_loop().time
        while True:
            message: Message | None = None
            with suppress(TimeoutError):
                async with asyncio.timeout_at(self._due):
                    message = await self._receive()
            if clock() >= self._due:
                self._due = clock() + LOOK_SECONDS
                if not await self._is_live():
                    self._closed = True
                    await self._send({"type": "websocket.close", "code": 1008, "reason": "session ended"})
                    return {"type": "websocket.disconnect", "code": 1008}
            if message is not None:
                return message

    async def send(self, message: Message) -> None:
        """Send a message to the browser, unless the connection has been closed here."""
        if not self._closed:
            await self._send(message)

    async def _is_live(self) -> bool:
        try:
            return await self._look_up() is not None
        except DatabaseUnavailableError:  # nobody knows: look again later
            return True


class _Answer:
    """The receiver of a reply. It adds the headers that every reply needs, whoever makes the reply."""

    def __init__(self, send: Send, policy: str, *, speaks: str | None = None) -> None:
        self.send, self.policy, self.speaks = send, policy, speaks
        self.begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            self.begun = True
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("Content-Security-Policy", self.policy)
            if self.speaks is not None and headers.get("content-type", "").startswith("text/html"):
                headers.append("Set-Cookie", f"{language.COOKIE}={self.speaks}; Path=/; Max-Age=31536000; SameSite=Lax")
            if message["status"] in (429, 503):
                headers.setdefault("Retry-After", str(RETRY_SECONDS))
        await self.send(message)


def _failed(connection: HTTPConnection, error: Exception, *, close: bool = False) -> Response:
    """Return the last-resort response: 503 while the database is away or files are short, otherwise 500."""
    error = open_files.as_unavailable(error)
    away = isinstance(error, DatabaseUnavailableError)
    status, message = (503, str(error)) if away else (500, report(error))
    headers = {"Cache-Control": "no-store"} | ({"Connection": "close"} if close else {})
    safe = connection.scope["type"] == "http" and connection.scope["method"] in SAFE_METHODS
    if connection.url.path.startswith(machine_paths()) or not safe:
        return JSONResponse({"error": message, "problems": []}, status_code=status, headers=headers)
    title = "Not available now" if away else "The request failed"
    more = plain_pages.paragraph("This page retries automatically.") if away else ""
    body = plain_pages.page(
        title, plain_pages.paragraph(message, style="bad") + more, again=RETRY_SECONDS if away else None
    )
    return HTMLResponse(body, status_code=status, headers=headers)


def _close_code(refusal: Response) -> int:
    """Return the close code of a refused websocket: try again later, or not allowed."""
    return 1013 if refusal.status_code >= 500 else 1008


class OwnRoutes:
    """ASGI middleware that answers ``routes`` itself and leaves other requests to Streamlit's application."""

    def __init__(self, app: ASGIApp, *, routes: Sequence[BaseRoute]) -> None:
        self.app = app
        self.router = Router(routes, redirect_slashes=False, default=app)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            await self.router(scope, receive, send)
        except HTTPException as error:  # an HTTP method that our address does not accept
            reply = PlainTextResponse(error.detail, status_code=error.status_code, headers=dict(error.headers or {}))
            await reply(scope, receive, send)
