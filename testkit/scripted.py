"""An OpenAI-compatible server on loopback that answers by a script, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route


@dataclass(frozen=True)
class Reply:
    """What the server does with one request."""

    kind: str
    """For counting: ``ok``, ``429``, ``html``..."""
    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    after: float = 0.0
    """Seconds before anything is sent."""
    slice_every: float | None = None
    """A byte each so many seconds."""
    cut: bool = False
    """The connection is closed in the middle of the body."""
    closed: bool = False
    """The connection is closed without a byte."""


@dataclass(frozen=True)
class Asked:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: Any
    at: float

    @property
    def text(self) -> str:
        """All that the user's turns say."""
        found = []
        for message in self.body["messages"]:
            content = message["content"]
            found += [content] if isinstance(content, str) else [part.get("text", "") for part in content]
        return "\n".join(found)


def chat(
    text: str | None = "a cup",
    *,
    finish: str | None = "stop",
    usage: tuple[int, int] | None = (12, 3),
    headers: Mapping[str, str] | None = None,
    after: float = 0.0,
    kind: str = "ok",
    message: Mapping[str, Any] | None = None,
    **more: Any,
) -> Reply:
    """A completion."""
    value: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, **(message or {})},
                "finish_reason": finish,
            }
        ],
        **more,
    }
    if usage is not None:
        value["usage"] = {
            "prompt_tokens": usage[0],
            "completion_tokens": usage[1],
            "total_tokens": sum(usage),
        }
    return as_json(value, kind=kind, headers=headers, after=after)


def as_json(
    value: Any,
    *,
    kind: str = "json",
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    after: float = 0.0,
) -> Reply:
    """Any JSON value."""
    return Reply(
        kind,
        json.dumps(value).encode(),
        status,
        {"content-type": "application/json", **(headers or {})},
        after=after,
    )


def error(
    status: int,
    message: str = "no",
    *,
    code: str | None = None,
    headers: Mapping[str, str] | None = None,
    kind: str | None = None,
) -> Reply:
    """A status of 400 and above, with a body as OpenAI's API has it."""
    return as_json(
        {"error": {"message": message, "type": "scripted", "param": None, "code": code}},
        kind=kind or str(status),
        status=status,
        headers=headers,
    )


def html(status: int = 200) -> Reply:
    """A page of a proxy where JSON should be."""
    return Reply("html", b"<html><body>Sign in</body></html>", status, {"content-type": "text/html; charset=utf-8"})


def raw(body: bytes, *, kind: str = "raw", content_type: str = "application/json") -> Reply:
    """These bytes."""
    return Reply(kind, body, 200, {"content-type": content_type})


def hang(seconds: float = 60.0) -> Reply:
    """Nothing, for a long time."""
    return chat(after=seconds, kind="hang")


def trickle(every: float = 0.2) -> Reply:
    """A good reply, a byte at a time."""
    good = chat()
    return Reply("trickle", good.body, 200, good.headers, slice_every=every)


def cut() -> Reply:
    """Half of a good reply, then the connection is closed."""
    good = chat()
    return Reply("cut", good.body, 200, good.headers, cut=True)


def closed() -> Reply:
    """The connection is closed without an answer."""
    return Reply("closed", closed=True)


Script = Callable[[Asked, int], Reply]
"""What to do with a request, and with its number, counted from 0."""


class ScriptedServer:
    """Answers ``/v1/chat/completions`` and ``/v1/completions`` by a script, and ``/v1/models`` with one model.

    The script is a list (after its end its last entry is repeated) or a function. With a certificate and its key it
    speaks TLS. With ``together`` no one is answered before so many have been under way at once, or a minute has gone
    by. Used as a context manager:

        with ScriptedServer([error(429), chat("a cup")]) as server:
            ...  # server.url, server.asked, server.counts
    """

    def __init__(
        self,
        script: Iterable[Reply] | Script,
        *,
        models: Any = ("scripted",),
        certificate: tuple[Path, Path] | None = None,
        together: int = 0,
    ) -> None:
        self._script: Script
        if callable(script):
            self._script = script
        else:
            listed = list(script)
            self._script = lambda asked, number: listed[min(number, len(listed) - 1)]
        self._models = models
        self._together = together
        self._lock = threading.Lock()
        self.asked: list[Asked] = []
        self.counts: Counter[str] = Counter()
        """Of replies by their kind."""
        self.at_once = 0
        """The largest number of requests that were under way together."""
        self._now = 0
        self.most: int | None = None
        """Requests beyond this number wait until it is raised: whoever asks cannot be done before."""
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        app = Starlette(routes=self.routes())
        self._server = uvicorn.Server(
            uvicorn.Config(
                _may_close(app),
                log_level="critical",
                log_config=None,  # configuring logging closes the handlers of others, and what they write to
                lifespan="off",
                timeout_graceful_shutdown=1,
                backlog=256,
                ssl_certfile=certificate[0] if certificate else None,
                ssl_keyfile=certificate[1] if certificate else None,
            )
        )
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        end = time.monotonic() + 60
        while not self._server.started:
            assert time.monotonic() < end, "the scripted server did not start"
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join(10)
        self._socket.close()

    def routes(self) -> list[Route]:
        """What it answers to."""
        return [
            Route("/v1/chat/completions", self._chat, methods=["POST"]),
            Route("/v1/completions", self._chat, methods=["POST"]),
            Route("/v1/models", self._listed, methods=["GET"]),
        ]

    async def _listed(self, request: Request) -> Response:
        if isinstance(self._models, Reply):
            return await self._sent(self._models)
        return JSONResponse(
            {"object": "list", "data": [{"id": name, "object": "model", "created": 1} for name in self._models]}
        )

    async def _chat(self, request: Request) -> Response:
        body = await request.body()
        with self._lock:
            number = len(self.asked)
            asked = Asked(request.url.path, dict(request.headers), json.loads(body), time.monotonic())
            self.asked.append(asked)
            reply = self._script(asked, number)
            self.counts[reply.kind] += 1
            self._now += 1
            self.at_once = max(self.at_once, self._now)
        try:
            while self.most is not None and number >= self.most:
                await asyncio.sleep(0.005)
            end = time.monotonic() + 60
            while self.at_once < self._together and time.monotonic() < end:
                await asyncio.sleep(0.01)
            return await self._sent(reply)
        finally:
            with self._lock:
                self._now -= 1

    async def _sent(self, reply: Reply) -> Response:
        if reply.after:
            await asyncio.sleep(reply.after)
        if reply.closed:
            return Response(status_code=CLOSE)
        if reply.slice_every is not None or reply.cut:
            length = {"content-length": str(len(reply.body))}
            return StreamingResponse(_slices(reply), reply.status, {**reply.headers, **length})
        return Response(reply.body, reply.status, dict(reply.headers))


CLOSE = 599
"""Never sent: stands for closing the connection."""


class _Closed(Exception):
    """Ends a connection without a reply."""


async def _slices(reply: Reply) -> AsyncIterator[bytes]:
    if reply.cut:
        yield reply.body[: len(reply.body) // 2]
        raise _Closed
    for start in range(len(reply.body)):
        yield reply.body[start : start + 1]
        await asyncio.sleep(reply.slice_every or 0)


def _may_close(app: Any) -> Any:
    """Closes the connection at once where a reply says so, before Starlette makes an error page of it."""

    async def wrapped(scope: Any, receive: Any, send: Any) -> None:
        async def unless_closed(message: Any) -> None:
            if message["type"] == "http.response.start" and message["status"] == CLOSE:
                raise _Closed
            await send(message)

        try:
            await app(scope, receive, unless_closed)
        except _Closed:
            send.__self__.transport.abort()

    return wrapped
