"""What a page's websocket brings, without a browser: open a page as someone, take every message of its first run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from websockets.sync.client import connect

PATIENCE_SECONDS = 60


@dataclass(frozen=True)
class Opened:
    """A page as it came."""

    raw: bytes
    """All messages."""
    html: str
    """What it shows outside of components, as markup."""
    component: Mapping[str, Any] | None
    """What a working page was told to draw; None on other pages."""


def open_page(address: str, *, path: str, query: str, cookies: Mapping[str, str]) -> Opened:
    """Run a page once, as the browser does when it is opened."""
    import json

    from streamlit.proto.BackMsg_pb2 import BackMsg
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

    raw, html, component = b"", [], None
    headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items()), "Origin": address}
    with connect(
        address.replace("http", "ws", 1) + "/_stcore/stream",
        subprotocols=["streamlit"],  # type: ignore[list-item]
        additional_headers=headers,
        max_size=2**26,
        compression=None,
        proxy=None,
    ) as socket:
        ask = BackMsg()
        ask.rerun_script.query_string, ask.rerun_script.page_name = query, path
        ask.rerun_script.context_info.timezone = "UTC"
        ask.rerun_script.context_info.url = f"{address}/{path}"
        socket.send(ask.SerializeToString())
        while True:
            frame = socket.recv(timeout=PATIENCE_SECONDS)
            assert isinstance(frame, bytes)
            raw += frame
            message = ForwardMsg()
            message.ParseFromString(frame)
            element = message.delta.new_element
            if message.WhichOneof("type") == "delta" and element.WhichOneof("type") == "html":
                html.append(element.html.body)
            elif message.WhichOneof("type") == "delta" and element.WhichOneof("type") == "bidi_component":
                found = json.loads(element.bidi_component.json)
                component = component if "finder" in found else found  # the menu is on every page
            elif message.WhichOneof("type") == "script_finished":
                return Opened(raw, "\n".join(html), component)
