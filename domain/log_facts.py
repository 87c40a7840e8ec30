"""Facts that each log line of a request or job carries: the id of the request, its route, the person, the job.

Facts are ids, counts and names of our own, never text that a person wrote, a password or a part of a link.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

Fact = str | int | float | None

_facts: ContextVar[dict[str, Fact] | None] = ContextVar("log_facts", default=None)


def log_facts() -> Mapping[str, Fact]:
    """Return the facts of the innermost ``with`` block of ``logged_with``. Empty outside of all blocks."""
    return _facts.get() or {}


def add_log_facts(**facts: Fact) -> None:
    """Add facts that became known inside of a ``with`` block. Outside of all blocks this does nothing."""
    inner = _facts.get()
    if inner is not None:
        inner.update(facts)


@contextmanager
def logged_with(**facts: Fact) -> Iterator[Mapping[str, Fact]]:
    """Add facts to all log lines inside, and yield all facts. Threads with a copied context see and add them too."""
    inner = {**log_facts(), **facts}
    token = _facts.set(inner)
    try:
        yield inner
    finally:
        _facts.reset(token)
