"""E-mail: the mail server, the times at which people want mail, and the states of a mail."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.utils import parseaddr
from enum import StrEnum
from urllib.parse import unquote, urlsplit

from domain.errors import SettingsError

LONGEST_ADDRESS = 254
DIGEST_HOUR = 6
"""The hour (UTC) at which the notices of a day are sent in one mail."""

_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?")
_PORTS = {"smtps": 465, "smtp": 587, "smtp+plain": 25}


class MailTime(StrEnum):
    """The time at which a person wants notices by e-mail."""

    label: str
    """The name on pages."""

    def __new__(cls, *row: str) -> MailTime:
        made = str.__new__(cls, row[0])
        made._value_, made.label = row
        return made

    DAILY = "daily", "once a day"
    AT_ONCE = "at_once", "at once"
    OFF = "off", "never"


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


@dataclass(frozen=True)
class MailServer:
    """The server that sends mail."""

    host: str
    port: int
    encrypted: str
    """``smtps``: from the start; ``smtp``: by STARTTLS, or no mail is sent; ``smtp+plain``: without encryption."""
    user: str
    password: str = field(repr=False)
    sender: str
    """The sender's address, perhaps with a name."""


@dataclass(frozen=True)
class Letter:
    """A mail that is ready to send."""

    id: str
    """A random ID, with which the Message-ID begins."""
    address: str
    subject: str
    text: str = field(repr=False)
    off: str = field(default="", repr=False)
    """The address that turns mails off; empty if mails cannot be turned off."""


class MailFailure(Exception):
    """An error for a mail that was not accepted; the text is a sentence for the people who run the server."""

    def __init__(self, words: str, *, again: bool, away: bool = False) -> None:
        super().__init__(words)
        self.again = again
        """Whether another try makes sense, because the mail cannot have arrived."""
        self.away = away
        """Whether the server failed, so that other mails would fail too."""


def is_address(text: str) -> bool:
    """Whether a text is one plain e-mail address.

    >>> [is_address(each) for each in ("ann@example.org", "ann", "a b@example.org", "Ann <ann@example.org>", "a@b@c")]
    [True, False, False, False, False]
    """
    return len(text) <= LONGEST_ADDRESS and _ADDRESS.fullmatch(text) is not None and ".." not in text


def digest_is_due(told_at: datetime, now: datetime) -> bool:
    """Whether the hour of the daily digest lies between the two times."""
    last = now.replace(hour=DIGEST_HOUR, minute=0, second=0, microsecond=0)
    if last > now:
        last -= timedelta(days=1)
    return told_at < last


def mail_server(url: str, password: str, sender: str) -> MailServer:
    """Return the server for an address such as ``smtps://touchstone@mail.example.org``.

    >>> mail_server("smtp://ann%40lab@mail.lab", "secret", "t@lab").user
    'ann@lab'
    """
    wrong = SettingsError(
        f"TOUCHSTONE_SMTP is {url!r}; give it an address such as smtps://USER@mail.example.org or"
        " smtp://USER@mail.example.org:587, and the password in TOUCHSTONE_SMTP_PASSWORD."
    )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise wrong from None
    if parts.password is not None:
        raise SettingsError("TOUCHSTONE_SMTP holds a password; give it in TOUCHSTONE_SMTP_PASSWORD instead.")
    if parts.scheme not in _PORTS or not parts.hostname or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise wrong
    user = unquote(parts.username or "")
    if user and parts.scheme == "smtp+plain":
        raise SettingsError("TOUCHSTONE_SMTP would send a password for anyone to read; use smtps:// or smtp://.")
    if bool(user) != bool(password):
        raise SettingsError(
            "TOUCHSTONE_SMTP names a user and TOUCHSTONE_SMTP_PASSWORD their password; give both or neither."
        )
    if not is_address(parseaddr(sender)[1]) or not sender.isprintable():
        raise SettingsError(
            f"TOUCHSTONE_SMTP_FROM is {sender!r}; give it what mails come from, such as"
            " Touchstone <touchstone@example.org>."
        )
    return MailServer(parts.hostname, port or _PORTS[parts.scheme], parts.scheme, user, password, sender)
