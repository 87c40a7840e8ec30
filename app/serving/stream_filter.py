"""Filter the data that comes in through Streamlit's own connections: websocket messages and uploads.

Streamlit accepts both from anyone with an open page. Here, messages for developers are dropped. Uploads need a page
with an uploader, are limited, and are removed soon after the person's last page is closed.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from domain.records import Person

UPLOAD = "/_stcore/upload_file/"
MESSAGES = frozenset({"rerun_script", "stop_script", "app_heartbeat", "file_urls_request"})
"""Messages that our pages send. No one may clear caches, run on save, or ask about git."""
OPERATION = "backend_operation_request"
OPERATIONS = frozenset({"deferred_file", "dataframe_chunk"})
"""Further requests of our pages: a file that is made when it is fetched, and more rows of a table."""
HELD_BYTES = 2 * 1024**3
"""Total bytes of uploads in memory or in progress at a time, for all people."""
FORGET_SECONDS = 60.0
"""Seconds that uploads outlive the person's last open page. A reload takes less."""
NOT_YOURS = "Only project leads can upload files. Ask a lead to upload the files."
TOO_MUCH = "Too many uploads are running or waiting. Wait until the other uploads are imported, then try again."
NO_LENGTH = "The upload does not state its size. Send the size in bytes in the Content-Length header."


class Streams:
    """ASGI middleware behind the gate, which has set ``request.state.signed_in``."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        may_upload: Callable[[Person], bool],
        held: Callable[[], int],
        forget: Callable[[str], None],
    ) -> None:
        self.app, self.may_upload = app, may_upload
        self.held, self.forget = held, forget
        self.under_way = 0
        self.open: Counter[int] = Counter()
        """By person, how many pages are connected."""
        self.sessions: dict[int, set[str]] = {}
        """By person, the sessions of Streamlit that hold uploads of theirs."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._connected(scope, receive, send)
        elif scope["type"] == "http" and scope["path"].startswith(UPLOAD):
            await self._upload(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _connected(self, scope: Scope, receive: Receive, send: Send) -> None:
        person = _person(scope)

        async def wanted() -> Message:
            while True:
                message = await receive()
                if message["type"] != "websocket.receive" or is_wanted(message.get("bytes")):
                    return message

        if person is None:
            await self.app(scope, wanted, send)
            return
        self.open[person.id] += 1
        try:
            await self.app(scope, wanted, send)
        finally:
            self.open[person.id] -= 1
            if not self.open[person.id] and self.sessions.get(person.id):
                asyncio.get_running_loop().call_later(FORGET_SECONDS, self.forget_unless_back, person.id)

    def forget_unless_back(self, person: int) -> None:
        """Free the memory of a person's uploads, unless the person has a page open again."""
        if not self.open[person]:
            for session in self.sessions.pop(person, set()):
                self.forget(session)

    async def _upload(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection, person = HTTPConnection(scope), _person(scope)
        refusal = await self._refused(connection, person)
        if refusal is not None or person is None or scope["method"] != "PUT":
            await (refusal or self.app)(scope, receive, send)
            return
        declared = int(connection.headers["content-length"])
        self.sessions.setdefault(person.id, set()).add(scope["path"].removeprefix(UPLOAD).split("/")[0])
        self.under_way += declared
        try:
            await self.app(scope, receive, send)
        finally:
            self.under_way -= declared

    async def _refused(self, connection: HTTPConnection, person: Person | None) -> Response | None:
        """Return the refusal of an upload, before any of its bytes are read. None if the upload is allowed."""
        if person is None or not await run_in_threadpool(self.may_upload, person):
            return _refusal(NOT_YOURS, 403)
        if connection.scope["method"] != "PUT":
            return None
        declared = connection.headers.get("content-length", "")
        if not declared.isdigit() or len(declared) > 15:
            return _refusal(NO_LENGTH, 411)
        if self.held() + self.under_way + int(declared) > HELD_BYTES:
            return _refusal(TOO_MUCH, 413)
        return None


def is_wanted(sent: bytes | None) -> bool:
    """Tell whether our pages send such a message. An unreadable message passes, and Streamlit refuses it."""
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
    from streamlit.proto.BackMsg_pb2 import BackMsg

    if sent is None:
        return True
    message: Any = BackMsg()
    try:
        message.ParseFromString(sent)
    except DecodeError:
        return True
    kind = message.WhichOneof("type")
    if kind == OPERATION:
        return message.backend_operation_request.WhichOneof("payload") in OPERATIONS
    return kind in MESSAGES


def _person(scope: Scope) -> Person | None:
    identity = scope.get("state", {}).get("signed_in")
    return identity.person if identity else None


def _refusal(told: str, status: int) -> Response:
    headers = {"Cache-Control": "no-store", "Connection": "close"}
    return JSONResponse({"error": told, "problems": []}, status_code=status, headers=headers)
