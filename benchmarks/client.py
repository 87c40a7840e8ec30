"""People without browsers: what a page sends over HTTP and over Streamlit's websocket, many of them in one process.

A browser for each of a hundred people would need more of the machine than the server that is measured. So these
clients speak the same protocol as the page and leave out drawing it.
"""

from __future__ import annotations

import asyncio
import json
import socket
import uuid
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from websockets.asyncio.client import ClientConnection, connect

Json = Any

PATIENCE_SECONDS = 120
"""Longer than anyone would wait; after it a request counts as an error."""


class HttpError(Exception):
    """An answer that a page would not accept."""

    def __init__(self, status: int, body: bytes) -> None:
        super().__init__(f"status {status}: {body[:200]!r}")
        self.status = status


class Http:
    """One kept-alive connection with its cookies."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.host, self.port = parts.hostname or "127.0.0.1", parts.port or 80
        self.cookies: dict[str, str] = {}
        self.headers: dict[str, str] = {}
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, path: str) -> tuple[int, bytes]:
        """The status and body of a page."""
        return await self.send("GET", path)

    async def post(
        self, path: str, body: Json = None, *, form: Mapping[str, str] | None = None, headers: Mapping[str, str] = {}
    ) -> tuple[int, bytes]:
        """Send JSON, or a form."""
        if form is not None:
            return await self.send("POST", path, urlencode(form).encode(), "application/x-www-form-urlencoded", headers)
        return await self.send("POST", path, json.dumps(body).encode(), "application/json", headers)

    async def send(
        self, method: str, path: str, data: bytes = b"", kind: str = "", headers: Mapping[str, str] = {}
    ) -> tuple[int, bytes]:
        """One request; once more on a new connection if the server has closed the old one meanwhile."""
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.host}:{self.port}", f"Content-Length: {len(data)}"]
        if kind:
            lines.append(f"Content-Type: {kind}")
        if self.cookies:
            lines.append("Cookie: " + "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
        lines += [f"{name}: {value}" for name, value in {**self.headers, **headers}.items()]
        request = "\r\n".join(lines).encode() + b"\r\n\r\n" + data
        kept = self._streams is not None
        try:
            return await asyncio.wait_for(self._exchange(request), PATIENCE_SECONDS)
        except (asyncio.IncompleteReadError, ConnectionError):
            self.close()
            if not kept:
                raise
            return await asyncio.wait_for(self._exchange(request), PATIENCE_SECONDS)

    async def _exchange(self, request: bytes) -> tuple[int, bytes]:
        if self._streams is None:
            reader, writer = await asyncio.open_connection(self.host, self.port, limit=2**24)
            writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._streams = reader, writer
        reader, writer = self._streams
        writer.write(request)
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        status = int(head[0].split(" ")[1])
        fields: dict[str, str] = {}
        for line in head[1:]:
            name, _, value = line.partition(":")
            if name.lower() == "set-cookie":
                cookie, _, rest = value.strip().partition("=")
                self.cookies[cookie] = rest.split(";")[0]
            fields[name.lower()] = value.strip()
        if fields.get("transfer-encoding", "").lower() == "chunked":
            body = b""
            while size := int((await reader.readline()).split(b";")[0], 16):
                body += await reader.readexactly(size)
                await reader.readexactly(2)
            await reader.readline()
        elif "content-length" in fields:
            body = await reader.readexactly(int(fields["content-length"]))
        elif status in (204, 304):
            body = b""
        else:
            body = await reader.read()
            fields["connection"] = "close"
        if fields.get("connection", "").lower() == "close":
            self.close()
        return status, body

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def connected(http: Http, address: str, page: str) -> ClientConnection:
    """Load a page and open its websocket, as its browser does."""
    status, body = await http.get(page)
    if status != 200:
        raise HttpError(status, body)
    return await websocket(http, address)


async def websocket(http: Http, address: str) -> ClientConnection:
    """Open the websocket of a page that is loaded, as its browser does at first and after a lost connection."""
    await http.get("/_stcore/host-config")
    cookies = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
    return await connect(
        address.replace("http", "ws", 1) + "/_stcore/stream",
        subprotocols=["streamlit", http.cookies.get("_streamlit_xsrf", "none").replace("|", "%7C")],  # type: ignore[list-item]
        additional_headers={"Cookie": cookies, "Origin": address},
        max_size=2**27,
        compression=None,
        open_timeout=PATIENCE_SECONDS,
    )


def said_by_browser(message: Any, url: str) -> None:
    """What a browser says of itself with everything that it asks of a page."""
    context = message.rerun_script.context_info
    context.timezone, context.locale = "UTC", "en-US"
    context.url, context.color_scheme = url, "light"


class LeadPage:
    """A page as a lead opens it: its websocket, and everything that it draws."""

    def __init__(self, address: str, *, path: str, project: str, token: str) -> None:
        self.address, self.path, self.query = address, path, f"project={project}"
        self.http = Http(address)
        self.http.cookies["touchstone_session"] = token
        self.shown = b""
        """What the page drew last, as it came over the websocket; texts stand in it as they are."""
        self._socket: ClientConnection | None = None

    async def open(self) -> None:
        """Open the page and wait until it is drawn."""
        self._socket = await connected(self.http, self.address, f"/{self.path}?{self.query}")
        await self.again()

    async def again(self) -> None:
        """Have the open page drawn anew, as it does by itself when it waits for something."""
        from streamlit.proto.BackMsg_pb2 import BackMsg
        from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

        assert self._socket is not None
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.page_name = self.path
        said_by_browser(message, f"{self.address}/{self.path}")
        await self._socket.send(message.SerializeToString())
        frames = []
        while True:
            frame = await asyncio.wait_for(self._socket.recv(), PATIENCE_SECONDS)
            assert isinstance(frame, bytes)
            frames.append(frame)
            told = ForwardMsg()
            told.ParseFromString(frame)
            kind = told.WhichOneof("type")
            if kind == "delta" and told.delta.new_element.WhichOneof("type") == "exception":
                raise HttpError(500, told.delta.new_element.exception.message.encode())
            if kind == "script_finished":
                self.shown = b"".join(frames)
                return

    async def close(self) -> None:
        """Close the page."""
        if self._socket is not None:
            await self._socket.close()
        self.http.close()


class WorkingPage:
    """Touchstone's working page of one person: the websocket that brings the first page, the routes for the rest."""

    def __init__(self, address: str, *, path: str, project: str, token: str) -> None:
        self.address, self.path, self.query = address, path, f"project={project}"
        self.project, self.stage = project, ""
        self.http = Http(address)
        self.http.cookies["touchstone_session"] = token
        self.data: dict[str, Any] = {}
        self.bytes_received = 0
        self.kept: list[str] | None = None
        """The JSON of every page as it came, if it is to be kept."""
        self._socket: ClientConnection | None = None
        self._wishes = 0
        self._ahead: list[str] = []

    async def open(self) -> None:
        """Open the page and wait for what it shows first."""
        from streamlit.proto.BackMsg_pb2 import BackMsg

        self._socket = await connected(self.http, self.address, f"/{self.path}?{self.query}")
        self._wishes, self._ahead = 0, []
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.page_name = self.path
        self._context(message)
        await self._socket.send(message.SerializeToString())
        await self._page()

    async def next(self, **wish: Any) -> None:
        """Ask for the next task, as the page does where none came with the answer to something else."""
        self._show(await self._post("/api/page", self._wish(wish)))

    async def reconnect(self) -> None:
        """Open the websocket again after its server has died. The page stays as it is."""
        beside = Http(self.address)  # an answer may be under way on the page's own connection
        beside.cookies = self.http.cookies
        self._socket = await websocket(beside, self.address)
        beside.close()

    async def disconnected(self) -> None:
        """Wait until the websocket is closed."""
        assert self._socket is not None
        await self._socket.wait_closed()

    async def submit(self, values: Mapping[str, Any], *, key: str = "", note: str = "") -> None:
        """Send an answer to the task that is shown, under a key of its own, and take the next task out of the reply."""
        body = {"task": self.data["task"]["id"], "key": key or uuid.uuid4().hex, "values": values}
        body |= {"reasons": {}, "note": note}
        wish = self._wish({"submitted": True})
        reply = await self._post("/api/submit", {**body, "seconds": 1.0, "next": wish})
        if reply["page"] is None:
            await self.next(submitted=True)
        else:
            self._show(reply["page"])

    def _wish(self, own: Mapping[str, Any]) -> dict[str, Any]:
        self._wishes += 1
        still = {"project": self.project, "stage": self.stage, "zone": "UTC", "have": self.data["static_hash"]}
        return {**still, "ahead": len(self._ahead), **own, "n": self._wishes, "again": 1}

    async def _post(self, path: str, body: Json) -> Json:
        headers = {"X-Touchstone-CSRF": self.data["csrf"], "Origin": self.address}
        status, reply = await self.http.post(path, body, headers=headers)
        if status != 200:
            raise HttpError(status, reply)
        self.bytes_received += len(reply)
        return json.loads(reply)

    def _show(self, page: dict[str, Any]) -> None:
        if self.kept is not None:
            self.kept.append(json.dumps(page))  # the same text as in the reply
        self.data = page
        self._foresee()

    async def media(self) -> None:
        """Fetch the pictures of the task, as a browser does that has not seen them yet."""
        for asset in self.data["task"]["assets"]:
            status, body = await self.http.get(f"/media/{asset['id']}/display")
            if status != 200:
                raise HttpError(status, body)
            self.bytes_received += len(body)

    async def close(self) -> None:
        """Close the page."""
        if self._socket is not None:
            await self._socket.close()
        self.http.close()

    def _foresee(self) -> None:
        """Which pictures the page has been told to fetch beforehand and has not shown yet."""
        mine = [asset["id"] for asset in (self.data.get("task") or {}).get("assets", ())]
        told = self.data.get("prefetch")
        if told is not None:
            self._ahead = told
        elif not all(asset in self._ahead for asset in mine):
            self._ahead = []
        self._ahead = [asset for asset in self._ahead if asset not in mine]

    def _context(self, message: Any) -> None:
        said_by_browser(message, f"{self.address}/{self.path}")

    async def _page(self) -> None:
        """Read messages until the page's own data has come and its run has ended."""
        from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

        assert self._socket is not None
        fresh = False
        while True:
            frame = await asyncio.wait_for(self._socket.recv(), PATIENCE_SECONDS)
            assert isinstance(frame, bytes)
            self.bytes_received += len(frame)
            message = ForwardMsg()
            message.ParseFromString(frame)
            kind = message.WhichOneof("type")
            if kind == "delta" and message.delta.new_element.WhichOneof("type") == "bidi_component":
                component = message.delta.new_element.bidi_component
                data = json.loads(component.json)
                if self.kept is not None:
                    self.kept.append(component.json)
                self.data, fresh = data, True
                self.stage = data["static"]["stage"]["name"]
                self._foresee()
            elif kind == "script_finished" and fresh:
                return
            elif kind == "delta" and message.delta.new_element.WhichOneof("type") == "exception":
                raise HttpError(500, message.delta.new_element.exception.message.encode())
