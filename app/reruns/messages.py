"""Messages about a press that survive the run that first shows them.

Streamlit may end that run early, and a message shown only there would never be seen.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from app.reruns import session_values

STANDS_SECONDS = 3.0
"""Seconds during which later runs repeat a message, if they replace the run that first showed it."""


@dataclass
class _Message:
    words: Any
    since: float | None = None
    """When the message was first shown."""


def keep(name: str, words: Any) -> None:
    """Keep the result of a press for the next drawing of the page. ``kept_message`` returns it."""
    session_values.place()[name] = _Message(words)


def kept_message(name: str) -> Any:
    """Return the message kept under this name, or None."""
    message: _Message | None = session_values.place().get(name)
    if message is None:
        return None
    now = time.monotonic()
    if message.since is None:
        message.since = now
    if now - message.since <= STANDS_SECONDS:
        return message.words
    del session_values.place()[name]
    return None


def is_new(name: str) -> bool:
    """Tell whether a message is kept under this name and was not shown yet."""
    message: _Message | None = session_values.place().get(name)
    return message is not None and message.since is None
