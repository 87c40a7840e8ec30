"""From where something is done: set once where it comes in, written down with every event."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_origin: ContextVar[str | None] = ContextVar("origin", default=None)


def origin() -> str | None:
    """An address on the network, ``command``, or None where no one has said."""
    return _origin.get()


@contextmanager
def acting_from(place: str | None) -> Iterator[None]:
    """Everything that is done inside comes from there. Threads that are started with a copied context know it too."""
    token = _origin.set(place)
    try:
        yield
    finally:
        _origin.reset(token)
