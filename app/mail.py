"""Handing mails to the server that the operator names, and the worker's thread that does so."""

from __future__ import annotations

import logging
import smtplib
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from functools import partial

from db.engine import Store
from domain.errors import InvalidInput, Problem, SettingsError
from domain.mail import Letter, MailServer, NotSent, is_address
from domain.settings import Settings
from workflow.annotate import mails

LOOK_SECONDS = 60.0
"""How often a worker looks whether there is something to mail."""
REPLY_SECONDS = 20.0
"""So long the server may take for each of its replies."""
LONGEST_REPLY = 200
LONGEST_LINE = 500
"""Letters of a head that stand in one line: some mail programs look for the link that ends mails in the first."""

_log = logging.getLogger(__name__)


class Mailer:
    """A thread that writes and hands over what is due, as long as this process does not leave."""

    def __init__(self, store: Store, server: MailServer, public_url: str) -> None:
        self._store, self._server, self._url = store, server, public_url
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mail", daemon=True)

    def __enter__(self) -> Mailer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(REPLY_SECONDS)

    def look(self) -> int:
        """Write what is due and hand it over; how many mails the server took."""
        mails.write(self._store, public_url=self._url)
        deliver = partial(send, self._server)
        return mails.hand_over(self._store, send=deliver, public_url=self._url, stop=self._over.is_set)

    def _run(self) -> None:
        while True:
            try:
                self.look()
            except Exception:
                _log.warning("mails could not be looked after; trying again", exc_info=True)
            if self._over.wait(LOOK_SECONDS):
                return


def server_for(settings: Settings, *addresses: str) -> MailServer:
    """Where a mail to such addresses is handed over. Raises ``SettingsError`` where the server sends none, and
    ``InvalidInput`` for what is no address."""
    server = settings.mail_server
    if server is None:
        raise SettingsError("TOUCHSTONE_SMTP names no mail server, so nothing can be sent.")
    if not addresses or not all(map(is_address, addresses)):
        raise InvalidInput([Problem("address", "Give one e-mail address, such as ann@example.org.")])
    return server


def send(server: MailServer, letter: Letter) -> None:
    """Hand one mail over. ``NotSent`` says in a sentence why it was not taken, and whether to try again."""
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
        raise NotSent(
            f"{_name(server)} does not let us in: {_words(error.smtp_error)}.", again=True, away=True
        ) from None
    except smtplib.SMTPNotSupportedError as error:
        raise NotSent(f"{_name(server)} cannot do what TOUCHSTONE_SMTP asks: {error}", again=True, away=True) from None
    except (smtplib.SMTPException, OSError) as error:
        why = _words(getattr(error, "strerror", None) or str(error)) or type(error).__name__
        if handed:
            words = f"The connection to {_name(server)} ended over the mail ({why}), so it may have arrived."
            raise NotSent(words, again=False, away=True) from None
        raise NotSent(f"{_name(server)} cannot be reached: {why}.", again=True, away=True) from None


def message_of(server: MailServer, letter: Letter) -> EmailMessage:
    """The mail with its heads."""
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
    """A connection that is encrypted as the operator wants it, and signed in."""
    trusted = ssl.create_default_context()
    smtp: smtplib.SMTP
    if server.encrypted == "smtps":
        smtp = smtplib.SMTP_SSL(server.host, server.port, timeout=REPLY_SECONDS, context=trusted)
    else:
        smtp = smtplib.SMTP(server.host, server.port, timeout=REPLY_SECONDS)
    try:
        smtp.ehlo_or_helo_if_needed()
        if server.encrypted == "smtp":
            smtp.starttls(context=trusted)  # raises where the server offers none: no password goes out readable
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


def _refused(code: int, words: bytes | str, what: str) -> NotSent:
    return NotSent(f"The mail server refused {what}: {code} {_words(words)}.", again=code < 500)


def _words(said: bytes | str | None) -> str:
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said or ""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())[:LONGEST_REPLY].rstrip(
        "."
    )


def _name(server: MailServer) -> str:
    return f"The mail server {server.host}:{server.port}"
