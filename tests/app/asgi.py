"""A browser without a network: one request to an ASGI application, one reply."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

_PATIENCE = 30.0
"""Seconds after which a browser goes that has no whole reply."""


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


def call(app: Any, method: str, address: str, *, body: bytes = b"", headers: dict[str, str] | None = None) -> Reply:
    """Send one request; the Host is a loopback one unless ``headers`` says otherwise."""
    sent = _run(app, _scope("http", address, headers, method=method), [{"type": "http.request", "body": body}])
    return _reply(sent)


def _reply(sent: Sequence[dict[str, Any]]) -> Reply:
    start = next(message for message in sent if message["type"] == "http.response.start")
    rest = b"".join(message.get("body", b"") for message in sent if message["type"] == "http.response.body")
    headers: dict[str, str] = {}
    for name, value in start["headers"]:  # the same one again stands on a line of its own
        headers[name.decode()] = (
            f"{headers[name.decode()]}\n{value.decode()}" if name.decode() in headers else value.decode()
        )
    return Reply(start["status"], headers, rest)


def call_all(
    app: Any, method: str, address: str, bodies: Sequence[bytes], *, headers: dict[str, str] | None = None
) -> list[Reply]:
    """Send a request for each of ``bodies``, one after the other in one event loop."""

    async def send_all() -> list[Reply]:
        return [await _one(app, _scope("http", address, headers, method=method), body) for body in bodies]

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(send_all())).result(300)


async def _one(app: Any, scope: dict[str, Any], body: bytes) -> Reply:
    sent: list[dict[str, Any]] = []
    waiting = [{"type": "http.request", "body": body}]

    async def receive() -> dict[str, Any]:
        return waiting.pop(0) if waiting else {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(dict(message))

    await app(scope, receive, send)
    return _reply(sent)


def at_once(app: Any, requests: Sequence[tuple[str, str, bytes, dict[str, str], str]]) -> list[Reply]:
    """Send requests (method, address, body, headers, from which address) all at the same time."""

    async def send_all() -> list[Reply]:
        scopes = [
            _scope("http", address, headers, method=method, client=(client, 50000))
            for method, address, _, headers, client in requests
        ]
        return await asyncio.gather(
            *(_one(app, scope, body) for scope, (_, _, body, _, _) in zip(scopes, requests, strict=True))
        )

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(send_all())).result(300)


def knock(app: Any, address: str, *, headers: dict[str, str] | None = None) -> str:
    """Open a websocket; the type of the first message that comes back."""
    sent = _run(app, _scope("websocket", address, headers), [{"type": "websocket.connect"}])
    return str(sent[0]["type"])


def _scope(kind: str, address: str, headers: dict[str, str] | None, **more: Any) -> dict[str, Any]:
    path, _, query = address.partition("?")
    given = {"host": "127.0.0.1:8501", **(headers or {})}
    return {
        "type": kind,
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http" if kind == "http" else "ws",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in given.items() if value is not None],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8501),
        "subprotocols": [],
        **more,
    }


def _run(app: Any, scope: dict[str, Any], messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []
    waiting, answered = [*messages], asyncio.Event()

    async def receive() -> dict[str, Any]:
        if waiting:
            return waiting.pop(0)
        if scope["type"] == "http":  # whoever goes too soon gets no file
            with suppress(TimeoutError):
                await asyncio.wait_for(answered.wait(), _PATIENCE)
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(dict(message))
        if message["type"] == "http.response.body" and not message.get("more_body"):
            answered.set()

    with ThreadPoolExecutor(1) as thread:  # where no browser's event loop is running
        thread.submit(lambda: asyncio.run(app(scope, receive, send))).result(120)
    return sent
