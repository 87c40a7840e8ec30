"""Signed links under which a Label Studio page shows a picture or clip of a task for a limited time, without a session.

A link names an asset and the sent task that shows it. The link works only while that task is out: ``exchange.media``
checks every request.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from dataclasses import dataclass, field
from datetime import datetime

from domain.records import AssetView

LONGEST_TOKEN = 400


@dataclass(frozen=True)
class Links:
    """Makes links that start with ``address``, the address under which browsers reach this server."""

    address: str
    key: bytes = field(repr=False)

    def link(self, task: str, asset: AssetView, until: datetime) -> str:
        """Return the link to an asset of a task that is out: a clip in the original, a picture in the display size."""
        size = "original" if asset.kind == "clip" else "display"
        return f"{self.address.rstrip('/')}/media-link/{token(self.key, task=task, asset=asset.id, until=until)}/{size}"


def token(key: bytes, *, task: str, asset: str, until: datetime) -> str:
    """Return the token of a link: asset, task and expiry in plain form, and a signature of them."""
    payload = json.dumps([asset, task, int(until.timestamp())], separators=(",", ":"), ensure_ascii=True).encode()
    return f"{_text(payload)}.{_text(_signature(key, payload))}"


def read_token(text: str, *, key: bytes, now: datetime) -> tuple[str, str] | None:
    """Return the asset and the task in a token. None if the token is foreign, changed or expired."""
    if len(text) > LONGEST_TOKEN or not text.isascii():
        return None
    payload, _, signed = text.partition(".")
    try:
        content, signature = _bytes(payload), _bytes(signed)
    except (ValueError, binascii.Error):
        return None
    if not hmac.compare_digest(signature, _signature(key, content)) or text != f"{_text(content)}.{_text(signature)}":
        return None
    asset, task, until = json.loads(content)
    return (asset, task) if now.timestamp() < until else None


def _signature(key: bytes, content: bytes) -> bytes:
    return hmac.digest(key, b"media-link\0" + content, hashlib.sha256)


def _text(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
