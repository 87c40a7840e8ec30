"""The job ``mail``: send mails by the operator's mail server."""

from __future__ import annotations

import logging
import smtplib
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from functools import partial

from db.engine import Store
from domain.errors import InvalidInput, Problem, SettingsError
from domain.mail import Letter, MailFailure, MailServer, is_address
from domain.settings import Settings
from workflow.annotate import mails
from workflow.jobs.kinds import JobContext, JobKind, JobOutcome, Lane

LOOK_SECONDS = 60.0
"""Seconds between two checks for mails to send."""
REPLY_SECONDS = 20.0
"""Seconds that the server may take for each reply."""
LONGEST_REPLY = 200
LONGEST_LINE = 500
"""Longest header line, in characters. Some mail programs look for the unsubscribe link only in the first line."""

_log = logging.getLogger(__name__)


def look(store: Store, server: MailServer, public_url: str, *, stop: Callable[[], bool] = lambda: False) -> int:
    """Write and send the mails that are due. Return how many mails the server accepted."""
    mails.write(store, public_url=public_url)
    return mails.hand_over(store, send=partial(send, server), public_url=public_url, stop=stop)


def _mail(context: JobContext) -> JobOutcome:
    server, url = context.settings.mail_server, context.settings.public_url
    if server is None or url is None:
        raise SettingsError("TOUCHSTONE_SMTP names no mail server, so nothing can be sent.")
    try:
        n = look(context.store, server, url, stop=context.stop)
        said = f"The mail server took {n:,} {'mail' if n == 1 else 'mails'}."
    except Exception:
        _log.warning("mails could not be looked after; trying again", exc_info=True)
        said = "The mails could not be looked after; the log of the worker says why."
    return JobOutcome(said, again_in=timedelta(seconds=LOOK_SECONDS))


MAIL = JobKind("mail", "Mail", "Sending mail", _mail, lane=Lane.MAIL)
"""One job that repeats itself. If a worker dies during a mail, the next check continues after that mail."""


def server_for(settings: Settings, *addresses: str) -> MailServer:
    """Return the mail server for a mail to these addresses.

    Raises ``SettingsError`` if no mail server is set up, and ``InvalidInput`` for an invalid address.
    """
    server = settings.mail_server
    if server is None:
        raise SettingsError("TOUCHSTONE_SMTP names no mail server, so nothing can be sent.")
    if not addresses or not all(map(is_address, addresses)):
        raise InvalidInput([Problem("address", "Give one e-mail address, such as ann@example.org.")])
    return server


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
            _expect(smtp.data(message), "the mail")
    except smtplib.SMTPDataError as error:
        raise _refused(error.smtp_code, error.smtp_error, "the mail") from None
    except smtplib.SMTPResponseException as error:
        raise MailFailure(
            f"{_name(server)} does not let us in: {_words(error.smtp_error)}.", again=True, away=True
        ) from None
    except smtplib.SMTPNotSupportedError as error:
        raise MailFailure(
            f"{_name(server)} cannot do what TOUCHSTONE_SMTP asks: {error}", again=True, away=True
        ) from None
    except (smtplib.SMTPException, OSError) as error:
        why = _words(getattr(error, "strerror", None) or str(error)) or type(error).__name__
        if handed:
            words = f"The connection to {_name(server)} ended over the mail ({why}), so it may have arrived."
            raise MailFailure(words, again=False, away=True) from None
        raise MailFailure(f"{_name(server)} cannot be reached: {why}.", again=True, away=True) from None


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
    return MailFailure(f"The mail server refused {what}: {code} {_words(words)}.", again=code < 500)


def _words(said: bytes | str | None) -> str:
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said or ""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())[:LONGEST_REPLY].rstrip(
        "."
    )


def _name(server: MailServer) -> str:
    return f"The mail server {server.host}:{server.port}"
