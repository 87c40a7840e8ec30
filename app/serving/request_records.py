"""One record of each request: its id, route, status and time, for the log, the metrics and the person who asks.

The id comes from a trusted front server, or is made here. It is returned in ``X-Request-ID``, and error pages name it.
"""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Callable
from typing import Any, Protocol

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from domain.log_facts import Fact, log_facts, logged_with

HEADER = b"x-request-id"
OTHER = "other"
"""The route of an address that no route of ours matches."""
FILES = ("/static/", "/assets/")
"""Addresses of our own files. They are one route each, and have no line in the log unless they fail."""
QUIET = ("/healthz", "/metrics", *(f"{folder}*" for folder in FILES))
"""Routes whose successful requests have no line in the log."""
_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")

log = logging.getLogger("touchstone.requests")


class Recorder(Protocol):
    """Counts requests, such as ``app.serving.metrics.Metrics``."""

    def opened(self) -> None:
        """Count a websocket that was accepted."""

    def closed(self) -> None:
        """Count an accepted websocket that has ended."""

    def ended(self, *, route: str, status: int, seconds: float, sent: int, facts: dict[str, Fact]) -> None:
        """Count a request. ``sent`` is the number of bytes in the body of the reply."""


def new_id() -> str:
    """Return a new id of a request."""
    return secrets.token_hex(6)


def current_id() -> str:
    """Return the id of the current request, or a new one outside of requests."""
    return str(log_facts().get("request") or new_id())


class RequestRecords:
    """The outermost ASGI middleware of ours."""

    def __init__(self, app: ASGIApp, *, recorder: Recorder, clock: Callable[[], float] = time.perf_counter) -> None:
        self.app, self.recorder, self.clock = app, recorder, clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        number = request_id(scope)
        scope["headers"] = [*((name, value) for name, value in scope["headers"] if name != HEADER), (HEADER, number)]
        reply = _Reply(send, number, self.recorder)
        begun = self.clock()
        with logged_with(request=number.decode()) as facts:
            try:
                await self.app(scope, receive, reply)
            finally:
                if reply.accepted:
                    self.recorder.closed()
                self._record(scope, reply, self.clock() - begun, dict(facts))

    def _record(self, scope: Scope, reply: _Reply, seconds: float, facts: dict[str, Fact]) -> None:
        route = route_of(scope)
        if scope["type"] == "http":
            self.recorder.ended(route=route, status=reply.status, seconds=seconds, sent=reply.sent, facts=facts)
        if route in QUIET and reply.status < 500:
            return
        method = scope.get("method", "WEBSOCKET")
        about = {"route": route, "method": method, "status": reply.status, "ms": round(seconds * 1000, 1)}
        log.info("%s %s %d", method, route, reply.status, extra={"facts": about})


class _Reply:
    """Sends a reply with the id of its request, and notes its status and size."""

    def __init__(self, send: Send, number: bytes, recorder: Recorder) -> None:
        self.send, self.number, self.recorder = send, number, recorder
        self.status, self.sent, self.accepted = 500, 0, False

    async def __call__(self, message: Message) -> None:
        kind = message["type"]
        if kind in ("http.response.start", "websocket.http.response.start"):
            self.status = message["status"]
            message = {**message, "headers": [*message.get("headers", ()), (HEADER, self.number)]}
        elif kind == "websocket.accept":
            self.status, self.accepted = 101, True
            self.recorder.opened()
        elif kind == "websocket.close" and not self.accepted:
            self.status = 403
        elif kind == "http.response.body":
            self.sent += len(message.get("body", b""))
        await self.send(message)


def request_id(scope: Scope) -> bytes:
    """Return the id that a trusted front server gave a request, or a new one.

    A client has the port 0 if uvicorn took its address from a trusted front server's headers. Any other client could
    give several requests the same id.
    """
    client: Any = scope.get("client")
    if client and client[1] == 0:
        given = next((value for name, value in scope["headers"] if name == HEADER), b"")
        if _ID.fullmatch(given):
            return bytes(given)
    return new_id().encode()


def route_of(scope: Scope) -> str:
    """Return the template of a request's route, such as ``/media/{asset}/{size}``. It holds nothing of the address."""
    path: str = scope["path"]
    for folder in FILES:
        if path.startswith(folder):
            return f"{folder}*"
    template = getattr(scope.get("route"), "path", "")
    return OTHER if not template or template.startswith("/{") else template
