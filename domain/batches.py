"""Batch files: many questions handed in at once, whose answers come back hours later and in any order."""

from __future__ import annotations

from enum import StrEnum


class BatchState(StrEnum):
    """Where a batch stands. What it may have cost is always on record before it can cost anything."""

    MAKING = "making"
    """Its file is being written; nothing has been handed in."""
    SENDING = "sending"
    """It is being handed in: whether that has worked is not known before the endpoint's id of it is stored."""
    SENT = "sent"
    """The endpoint has it."""
    BY_HAND = "by hand"
    """Its file was written for someone who hands it in."""
    ENDED = "ended"
    """What came back is stored, and nothing more is expected."""
    LOST = "lost"
    """It was not handed in, or no one knows; its questions are free again. ``said`` says what happened."""


OUT = frozenset({BatchState.MAKING, BatchState.SENDING, BatchState.SENT, BatchState.BY_HAND})
"""Questions of such a batch are not handed in a second time."""


def custom_id(run: str, number: int, unit_id: int) -> str:
    """What a line is called: by run, batch and unit.

    >>> custom_id("Zk3_-x", 2, 17)
    'Zk3_-x-2-17'
    """
    return f"{run}-{number}-{unit_id}"


def unit_of(custom_id: str, run: str) -> tuple[int, int] | None:
    """The number of the batch and the unit that a line of this run is about; None: it is none of its lines.

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
