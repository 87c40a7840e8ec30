"""Send mails by the operator's mail server."""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr

from extensions.notices.settings import MailServer

REPLY_SECONDS = 20.0
"""Seconds that the server may take for each reply."""
LONGEST_REPLY = 200
LONGEST_LINE = 500
"""Longest header line, in characters. Some mail programs look for the unsubscribe link only in the first line."""


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


def send(server: MailServer, letter: Letter) -> None:
    """Send one mail. Raise ``MailFailure`` with the reason of a refusal, and whether to try again."""
    handed = False
    sender = parseaddr(server.sender)[1]
    message = message_of(server, letter).as_bytes()
    try:
        with _connected(server) as smtp:
            _expect(smtp.mail(sender), f"the sender {sender}")
            _expect(smtp.rcpt(letter.address), f"the address {letter.address}")
            handed = True
            _expect(smtp.data(message), "the email")
    except smtplib.SMTPDataError as error:
        raise _refused(error.smtp_code, error.smtp_error, "the email") from None
    except smtplib.SMTPResponseException as error:
        raise MailFailure(
            f"{_name(server)} rejected the login: {_words(error.smtp_error)}. Check the account and the password.",
            again=True,
            away=True,
        ) from None
    except smtplib.SMTPNotSupportedError as error:
        raise MailFailure(
            f"{_name(server)} does not support the settings in TOUCHSTONE_SMTP. Correct the settings: {error}",
            again=True,
            away=True,
        ) from None
    except (smtplib.SMTPException, OSError) as error:
        why = _words(getattr(error, "strerror", None) or str(error)) or type(error).__name__
        if handed:
            words = (
                f"The connection to {_name(server)} broke while Touchstone was sending the email ({why}). "
                "The email may have arrived, so Touchstone does not send the email again."
            )
            raise MailFailure(words, again=False, away=True) from None
        raise MailFailure(
            f"{_name(server)} cannot be reached: {why}. Check the address and the network.", again=True, away=True
        ) from None


def message_of(server: MailServer, letter: Letter) -> EmailMessage:
    """Return the mail with its headers."""
    message = EmailMessage(policy=SMTP.clone(max_line_length=LONGEST_LINE, cte_type="7bit"))
    message["From"] = server.sender
    message["To"] = letter.address
    message["Subject"] = letter.subject
    message["Date"] = format_datetime(datetime.now(UTC))
    message["Message-ID"] = f"<{letter.id}@{parseaddr(server.sender)[1].partition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    if letter.off:
        message["List-Unsubscribe"] = f"<{letter.off}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message.set_content(letter.text)
    return message


@contextmanager
def _connected(server: MailServer) -> Iterator[smtplib.SMTP]:
    """Yield a connection that is encrypted and signed in as the settings require."""
    trusted = ssl.create_default_context()
    smtp: smtplib.SMTP
    if server.encrypted == "smtps":
        smtp = smtplib.SMTP_SSL(server.host, server.port, timeout=REPLY_SECONDS, context=trusted)
    else:
        smtp = smtplib.SMTP(server.host, server.port, timeout=REPLY_SECONDS)
    try:
        smtp.ehlo_or_helo_if_needed()
        if server.encrypted == "smtp":
            smtp.starttls(context=trusted)  # raises without encryption, so that no password is sent readable
        if server.user:
            smtp.login(server.user, server.password)
        yield smtp
        with suppress(smtplib.SMTPException, OSError):
            smtp.quit()
    finally:
        smtp.close()


def _expect(reply: tuple[int, bytes], what: str) -> None:
    code, words = reply
    if code not in (250, 251):
        raise _refused(code, words, what)


def _refused(code: int, words: bytes | str, what: str) -> MailFailure:
    return MailFailure(
        f"The mail server refused {what}: {code} {_words(words)}. Check the address, or ask the operator of the mail "
        "server.",
        again=code < 500,
    )


def _words(said: bytes | str | None) -> str:
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said or ""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())[:LONGEST_REPLY].rstrip(
        "."
    )


def _name(server: MailServer) -> str:
    return f"The mail server {server.host}:{server.port}"
