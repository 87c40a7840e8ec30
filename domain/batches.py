"""Batch files, which submit many questions at once. The answers arrive hours later and in any order."""

from __future__ import annotations

from enum import StrEnum


class BatchState(StrEnum):
    """The state of a batch. A batch is recorded before it can cost anything."""

    MAKING = "making"
    """Its file is being written; it is not submitted yet."""
    SENDING = "sending"
    """It is being submitted. The result is unknown until the endpoint's ID is stored."""
    SENT = "sent"
    """The endpoint has accepted it."""
    BY_HAND = "by hand"
    """Its file was written for a person who submits it."""
    ENDED = "ended"
    """The answers are stored, and no more are expected."""
    LOST = "lost"
    """It was not submitted, or its fate is unknown; its questions may be asked again. ``said`` holds the reason."""


OUT = frozenset({BatchState.MAKING, BatchState.SENDING, BatchState.SENT, BatchState.BY_HAND})
"""States in which questions of a batch are not submitted again."""


def custom_id(run: str, number: int, unit_id: int) -> str:
    """Return the ID of a line, made from run, batch and unit.

    >>> custom_id("Zk3_-x", 2, 17)
    'Zk3_-x-2-17'
    """
    return f"{run}-{number}-{unit_id}"


def unit_of(custom_id: str, run: str) -> tuple[int, int] | None:
    """Return the batch number and the unit of a line, or None if the line does not belong to this run.

    >>> unit_of("Zk3_-x-2-17", "Zk3_-x")
    (2, 17)
    >>> unit_of("Zk3_-x-02-17", "Zk3_-x") is None
    True
    """
    parts = custom_id.rsplit("-", 2)
    if len(parts) != 3 or not all(part.isascii() and part.isdecimal() and len(part) < 19 for part in parts[1:]):
        return None
    number, unit_id = int(parts[1]), int(parts[2])
    return (number, unit_id) if custom_id == f"{run}-{number}-{unit_id}" else None
