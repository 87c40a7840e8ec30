"""Batch files, which submit many questions at once. The answers arrive hours later and in any order."""

from __future__ import annotations

from enum import StrEnum

from domain import extensions


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


def why_no_batches() -> str | None:
    """Return the sentence for a missing extension that submits and fetches batch files, or None if it is installed."""
    return extensions.missing("commands", "batch")
