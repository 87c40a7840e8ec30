"""The words that tables store about email: the times at which people want notices, and the states of a mail."""

from __future__ import annotations

from enum import StrEnum

from domain.language import marked


class MailTime(StrEnum):
    """The time at which a person wants notices by email."""

    label: str
    """The name on pages, in English."""

    def __new__(cls, *row: str) -> MailTime:
        made = str.__new__(cls, row[0])
        made._value_, made.label = row
        return made

    DAILY = "daily", marked("once a day")
    AT_ONCE = "at_once", marked("at once")
    OFF = "off", marked("never")


class MailState(StrEnum):
    """The state of a mail."""

    WAITING = "waiting"
    SENDING = "sending"
    """A worker is sending it. If that worker dies, the mail keeps this state: its delivery is unknown, and it is never
    sent again.
    """
    SENT = "sent"
    FAILED = "failed"
    DROPPED = "dropped"
    """The recipient no longer wants mail."""
