"""States of the tasks that are sent to another tool, and outcomes of the annotations that come back."""

from __future__ import annotations

from enum import StrEnum


class BridgeState(StrEnum):
    """The state of a task that was sent to the other tool."""

    SENDING = "sending"
    """Stored here, but perhaps not in the other tool yet. The next push checks it."""
    OUT = "out"
    """The task is in the other tool and waits for its rater."""
    STORED = "stored"
    """Its answer is stored here. The other tool's copy is removed, or kept for a while if no other rater
    can open it.
    """
    REMOVING = "removing"
    """The task has ended, but the other tool's copy must still be removed."""
    OVER = "over"
    """The task ended without an answer: skipped, taken back, lost, or replaced by another try."""


class BridgeOutcome(StrEnum):
    """The result of fetching one annotation from the other tool."""

    STORED = "stored"
    SUPERSEDED = "superseded"
    """A changed annotation, stored as a correction of the earlier one."""
    REFUSED = "refused"
    """The annotation does not match the schema; the task is sent again with the reason."""
    NOT_THEIRS = "not_theirs"
    """Another person answered the task."""
    LATE = "late"
    """The lease had ended and the slot went to another person; the answer is kept as a draft."""
    SETTLED = "settled"
    """The annotation was changed after the verdict; the first submission still counts."""
    SKIPPED = "skipped"
    """The rater skipped the task in the other tool; the claim is given back."""
    DELETED = "deleted"
    """A stored annotation was deleted in the other tool, or a task was deleted without an answer."""
