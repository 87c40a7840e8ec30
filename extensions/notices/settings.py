"""The operator's mail server, from environment variables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parseaddr
from pathlib import Path
from urllib.parse import unquote, urlsplit

from domain.errors import InvalidInputError, Problem, SettingsError
from domain.settings import PUBLIC_URL, Settings

SMTP = "TOUCHSTONE_SMTP"
SMTP_PASSWORD = "TOUCHSTONE_SMTP_PASSWORD"
SMTP_FROM = "TOUCHSTONE_SMTP_FROM"

LONGEST_ADDRESS = 254

_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?")
_PORTS = {"smtps": 465, "smtp": 587, "smtp+plain": 25}


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
class MailSettings:
    """The mail server as the operator names it."""

    smtp: str = ""
    """The server that sends emails: `smtps://USER@HOST` (encrypted from the start), `smtp://USER@HOST:587` (encrypted
    by STARTTLS, or nothing is sent) or, on this machine, `smtp+plain://127.0.0.1`. Without it no email is sent. It
    needs `TOUCHSTONE_SMTP_FROM` and `TOUCHSTONE_PUBLIC_URL`.
    """
    smtp_password: str = field(default="", repr=False)
    """The password of the account that `TOUCHSTONE_SMTP` names."""
    smtp_from: str = ""
    """The sender of emails, such as `Touchstone <touchstone@example.org>`."""

    @classmethod
    def read(cls, env: Mapping[str, str], folder: Path) -> MailSettings:
        """Return the settings of an environment. Raise ``SettingsError`` now, not when the first mail is due."""
        settings = cls(*(env.get(name, "").strip() for name in (SMTP, SMTP_PASSWORD, SMTP_FROM)))
        if settings.server is not None and not env.get(PUBLIC_URL, "").strip():
            raise SettingsError(
                f"Emails contain links, so {SMTP} also needs the address at which people open this server in a "
                f"browser. Set this address in {PUBLIC_URL}."
            )
        return settings

    @property
    def server(self) -> MailServer | None:
        """Return the server that sends mail, or None without one. Raise ``SettingsError`` for an invalid address."""
        return mail_server(self.smtp, self.smtp_password, self.smtp_from) if self.smtp else None


def server_of(settings: Settings) -> MailServer | None:
    """Return the mail server of an installation, or None without one."""
    return settings.of(MailSettings).server


def require_server(settings: Settings) -> MailServer:
    """Return the mail server of an installation; raise ``SettingsError`` without one."""
    server = server_of(settings)
    if server is None:
        raise SettingsError(f"Touchstone cannot send mail. Set {SMTP} to the address of a mail server.")
    return server


def is_address(text: str) -> bool:
    """Whether a text is one plain email address.

    >>> [is_address(each) for each in ("ann@example.org", "ann", "a b@example.org", "Ann <ann@example.org>", "a@b@c")]
    [True, False, False, False, False]
    """
    return len(text) <= LONGEST_ADDRESS and _ADDRESS.fullmatch(text) is not None and ".." not in text


def require_address(text: str) -> str:
    """Return an email address without blanks around it; raise ``InvalidInputError`` if the text is none."""
    address = text.strip()
    if not is_address(address):
        raise InvalidInputError([Problem("address", "Give one email address, such as ann@example.org.")])
    return address


def mail_server(url: str, password: str, sender: str) -> MailServer:
    """Return the server for an address such as ``smtps://touchstone@mail.example.org``.

    >>> mail_server("smtp://ann%40lab@mail.lab", "secret", "t@lab").user
    'ann@lab'
    """
    wrong = SettingsError(
        f"{SMTP} has the invalid value {url!r}. Use an address such as smtps://USER@mail.example.org or "
        f"smtp://USER@mail.example.org:587, and put the password in {SMTP_PASSWORD}."
    )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise wrong from None
    if parts.password is not None:
        raise SettingsError(f"{SMTP} contains a password. Put the password in {SMTP_PASSWORD} instead.")
    if parts.scheme not in _PORTS or not parts.hostname or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise wrong
    user = unquote(parts.username or "")
    if user and parts.scheme == "smtp+plain":
        raise SettingsError(f"{SMTP} would send a password unencrypted. Use smtps:// or smtp://.")
    if bool(user) != bool(password):
        raise SettingsError(f"Set both the account in {SMTP} and its password in {SMTP_PASSWORD}, or remove both.")
    if not is_address(parseaddr(sender)[1]) or not sender.isprintable():
        raise SettingsError(
            f"{SMTP_FROM} has the invalid value {sender!r}. Give a sender such as Touchstone <touchstone@example.org>."
        )
    return MailServer(parts.hostname, port or _PORTS[parts.scheme], parts.scheme, user, password, sender)
