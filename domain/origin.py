"""The origin of an action: set once when a request arrives, and stored with every event."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_origin: ContextVar[str | None] = ContextVar("origin", default=None)


def origin() -> str | None:
    """Return a network address or ``command``, or None if no origin is set."""
    return _origin.get()


@contextmanager
def acting_from(place: str | None) -> Iterator[None]:
    """Set the origin of all actions inside. Threads with a copied context see it too."""
    token = _origin.set(place)
    try:
        yield
    finally:
        _origin.reset(token)
