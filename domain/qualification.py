"""The states of a qualification attempt."""

from __future__ import annotations

from enum import StrEnum


class Standing(StrEnum):
    """The state of a qualification attempt."""

    OPEN = "open"
    HANDED_IN = "handed_in"
    """All items are answered; seniors review them."""
    PASSED = "passed"
    FAILED = "failed"
    SENT_BACK = "sent_back"
    """A senior asked for another attempt, whatever the score."""
