"""Filter the data that comes in through Streamlit's own connections: websocket messages and uploads.

Streamlit accepts both from anyone with an open page. Here, messages for developers are dropped. Uploads need a page
with an uploader, are limited, and are removed soon after the person's last page is closed.
"""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from domain.records import Person
from domain.settings import FREE_DISK_MB, PERSON_UPLOADS_MB, UPLOAD_MB, UPLOADS_MB, Settings

UPLOAD = "/_stcore/upload_file/"
MESSAGES = frozenset({"rerun_script", "stop_script", "app_heartbeat", "file_urls_request"})
"""Messages that our pages send. No one may clear caches, run on save, or ask about git."""
OPERATION = "backend_operation_request"
OPERATIONS = frozenset({"deferred_file", "dataframe_chunk"})
"""Further requests of our pages: a file that is made when it is fetched, and more rows of a table."""
MEGABYTE = 1024**2
FORM_BYTES = 65_536
"""Bytes that the form around a file may add to it."""
FORGET_SECONDS = 60.0
"""Seconds that uploads outlive the person's last open page. A reload takes less."""
NOT_YOURS = "Only project leads can upload files. Ask a lead to upload the files."
TOO_LARGE = (
    f"The file is too large. A file can have at most {{n:,}} MB ({UPLOAD_MB}). Split the file, or ask the operator to "
    "raise the limit or to import the file with `touchstone item import`."
)
TOO_MUCH = (
    f"Too many uploads are running or waiting. All uploads together can have at most {{n:,}} MB ({UPLOADS_MB}). Wait "
    "until the other uploads are imported, then try again."
)
TOO_MUCH_OF_PERSON = (
    f"Too many of your uploads are running or waiting. A person's uploads together can have at most {{n:,}} MB "
    f"({PERSON_UPLOADS_MB}). Import them or reload their pages, then try again."
)
DISK_SHORT = (
    f"The server's disk has too little space for this file. An upload must leave {{n:,}} MB free ({FREE_DISK_MB}). "
    "Ask the operator to free disk space."
)
NO_LENGTH = "The upload does not state its size. Send the size in bytes in the Content-Length header."


class Streams:
    """ASGI middleware behind the gate, which has set ``request.state.signed_in``."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        may_upload: Callable[[Person], bool],
        held: Callable[[], Mapping[str, int]],
        forget: Callable[[str], None],
        settings: Settings,
    ) -> None:
        """Set the callables. ``held`` returns the bytes of uploads in memory, by Streamlit's session."""
        self.app, self.may_upload = app, may_upload
        self.held, self.forget, self.settings = held, forget, settings
        self.under_way: Counter[int] = Counter()
        """By person, the bytes of uploads that are in progress."""
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
        self.under_way[person.id] += declared
        try:
            await self.app(scope, receive, send)
        finally:
            self.under_way[person.id] -= declared

    async def _refused(self, connection: HTTPConnection, person: Person | None) -> Response | None:
        """Return the refusal of an upload, before any of its bytes are read. None if the upload is allowed."""
        if person is None or not await run_in_threadpool(self.may_upload, person):
            return _refusal(NOT_YOURS, 403)
        if connection.scope["method"] != "PUT":
            return None
        declared = connection.headers.get("content-length", "")
        if not declared.isdigit() or len(declared) > 15:
            return _refusal(NO_LENGTH, 411)
        return await run_in_threadpool(self._refused_for_size, person, int(declared))

    def _refused_for_size(self, person: Person, declared: int) -> Response | None:
        held, limits = self.held(), self.settings
        mine = sum(held.get(session, 0) for session in self.sessions.get(person.id, ()))
        theirs = self.under_way[person.id]
        for size, most, told in (
            (declared - FORM_BYTES, limits.upload_mb, TOO_LARGE),
            (mine + theirs + declared, limits.person_uploads_mb, TOO_MUCH_OF_PERSON),
            (sum(held.values()) + self.under_way.total() + declared, limits.uploads_mb, TOO_MUCH),
        ):
            if size > most * MEGABYTE:
                return _refusal(told.format(n=most), 413)
        if shutil.disk_usage(limits.home).free - declared < limits.free_disk_mb * MEGABYTE:
            return _refusal(DISK_SHORT.format(n=limits.free_disk_mb), 507)
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
