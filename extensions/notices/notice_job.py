"""The job ``mail``: write and send the notices that are due, again and again."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from functools import partial

from db.engine import Store
from domain.english import with_noun
from domain.settings import Settings
from extensions.notices import notice_mails
from extensions.notices.sending import send
from extensions.notices.settings import MailServer, require_server, server_of
from workflow.jobs.kinds import JobContext, JobKind, JobOutcome, Lane

LOOK_SECONDS = 60.0
"""Seconds between two checks for mails to send."""

_log = logging.getLogger(__name__)


def look(store: Store, server: MailServer, public_url: str, *, stop: Callable[[], bool] = lambda: False) -> int:
    """Write and send the mails that are due. Return how many mails the server accepted."""
    notice_mails.write(store, public_url=public_url)
    return notice_mails.hand_over(store, send=partial(send, server), public_url=public_url, stop=stop)


def _mail(context: JobContext) -> JobOutcome:
    server, url = require_server(context.settings), context.settings.public_url
    assert url is not None, "MailSettings.read requires it"
    try:
        n = look(context.store, server, url, stop=context.stop)
        sentence = f"The mail server accepted {with_noun(n, 'email')}."
    except Exception:
        _log.warning("emails could not be processed; trying again", exc_info=True)
        sentence = "Touchstone could not process the emails. See the worker's log."
    return JobOutcome(sentence, again_in=timedelta(seconds=LOOK_SECONDS))


def _has_server(settings: Settings) -> bool:
    return server_of(settings) is not None


MAIL = JobKind("mail", "Mail", "Sending mail", _mail, lane=Lane.REPEATED, repeats=_has_server)
"""One job that repeats itself. If a worker dies during a mail, the next check continues after that mail."""
