"""Tools that are servers. A request is one JSON object with base64 images; a reply is one JSON value."""

from __future__ import annotations

import asyncio
import base64
import os

from domain.errors import ModelError
from domain.installation import install_hint
from domain.runs import ToolFailure
from domain.settings import ENDPOINTS
from extensions.holmes.tool_sets import Tool
from extensions.holmes.tools.calls import ToolCall
from inference.endpoint.answerer import media_type
from inference.endpoint.client import Key, key_of
from inference.spec import Endpoint
from net import addresses, httpx2_client
from net.addresses import AddressWords, ForbiddenAddress, Rules, UnknownHost
from net.guard import Guard, NoAnswer, NotReadable, ReplyLimits, TooSlow, Traffic

URL = AddressWords("url of a tool", key="put the key into an environment variable, and name the variable under `key`")


def replied(tool: Tool, call: ToolCall, *, listed: tuple[str, ...]) -> bytes:
    """Return the body of the server's reply. Raise ``ToolFailure``, or ``ModelError`` as ``guard_of`` does."""
    guard, key = guard_of(tool, listed)
    images = [
        {"type": media_type(content) or "application/octet-stream", "data": base64.b64encode(content).decode("ascii")}
        for content in (picture.path.read_bytes() for picture in call.pictures)
    ]
    try:
        status, body = asyncio.run(_posted(tool, guard, key, call.request(tool, images)))
    except TooSlow:
        raise ToolFailure("timeout", f"{tool.name} did not answer within {tool.seconds:g} seconds.") from None
    except NoAnswer as error:
        large = isinstance(error, NotReadable) and "larger than" in str(error)
        why = f"{tool.name} replied with more than {tool.largest:,} bytes." if large else f"{tool.name}: {error}."
        raise ToolFailure("too_large" if large else "no_reply", why) from None
    except ForbiddenAddress as error:
        raise ToolFailure("no_reply", f"{tool.name}: {error}") from None
    if status != 200:
        words = (key.hidden if key else str)(body.decode("utf-8", "replace").replace("\0", "\ufffd"))
        reason = f": {' '.join(words.split())[:300]}" if words.strip() else "."
        raise ToolFailure("status", f"{tool.name} replied with status {status}{reason}")
    return body


def guard_of(tool: Tool, listed: tuple[str, ...]) -> tuple[Guard, Key | None]:
    """Return the guard of the server that a tool asks, and the server's key.

    Raises
    ------
    ModelError
        It may not be asked, its key is missing, or the package that asks is.
    """
    try:
        place = addresses.place_of(tool.url, URL)
        guard = Guard(place, Rules(listed))
    except UnknownHost as error:
        raise ToolFailure("no_reply", f"{tool.name}: {error}") from None
    except ForbiddenAddress as error:
        raise ModelError(str(error)) from error
    key = key_of(Endpoint(base_url=tool.url, key=tool.key), place, os.environ)
    if key is not None and guard.unencrypted:
        raise ModelError(
            f"The key of {tool.name} would go to {place.host} unencrypted over a public network. Use https://, or "
            f"ask the operator of this server to list the address in {ENDPOINTS}."
        )
    try:
        httpx2_client.version()
    except ImportError as error:
        raise ModelError(
            f"Tools behind a URL need the package httpx2, which is not installed. {install_hint('judges')}"
        ) from error
    return guard, key


async def _posted(tool: Tool, guard: Guard, key: Key | None, body: bytes) -> tuple[int, bytes]:
    traffic = Traffic(
        lambda method, path: ReplyLimits(tool.largest, tool.seconds),
        authorization=key.header if key is not None else None,
        hidden=key.hidden if key is not None else None,
    )
    async with httpx2_client.client(guard, traffic, seconds=tool.seconds) as client:
        response = await client.post(
            guard.place.url, content=body, headers={"content-type": "application/json"}, timeout=tool.seconds
        )
        return response.status_code, response.content
