"""Email notices: one mail with a person's new notices, once a day or at once.

A mail is written once: one transaction takes the person's turn and records the mail's contents. A mail is sent at
most once: if a worker dies while sending, the mail stays as it is, since nobody knows whether it arrived. If the
mail server did not accept it, the mail is retried later. The app shows the same notices in any case.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import groupby

from annotation_schemas.stage_titles import stage_in_sentence
from db import people, projects
from db.engine import Store
from db.records import StoredMail, StoredMailChoice
from domain.errors import NotFoundError
from domain.language import _, ngettext, speaking
from domain.mail import MailState, MailTime
from domain.notices import Notice, NoticeKind
from domain.records import Person
from domain.states import Stage
from extensions.notices.notice_list import notices_in
from extensions.notices.queries import mails
from extensions.notices.sending import Letter, MailFailure
from extensions.notices.settings import require_address
from workflow.access.accounts import person_of
from workflow.access.projects import access_to
from workflow.annotate import progress

DIGEST_HOUR = 6
"""The hour (UTC) at which the notices of a day are sent in one mail."""
AWAY_FOR = timedelta(hours=20)
"""A person who has worked in a stage within this time knows what waits there."""
WORK = "work:"
TRIES = 10
SHORTEST_WAIT, LONGEST_WAIT = timedelta(minutes=2), timedelta(hours=6)
MANY = 100
"""Maximum number of mails sent in one run."""
CLIPPED = 100
"""Maximum length of a name or title in a mail, in characters."""

_log = logging.getLogger(__name__)


# ---- mail settings --------------------------------------------------------------------------------------------------


def choice(store: Store, *, person: Person) -> tuple[str, MailTime]:
    """Return a person's address and time for notices."""
    with store.read() as session:
        row = mails.choice(session, person_id=person.id)
        return (row.address, row.time) if row is not None else ("", MailTime.OFF)


def choose(store: Store, *, person: Person, address: str, time: MailTime) -> None:
    """Set a person's address and time for notices; raise ``InvalidInputError`` if the address is invalid."""
    if address.strip() or time is not MailTime.OFF:
        address = require_address(address)
    with store.write(archived_too=True) as session:
        mails.choose(session, person_id=person.id, address=address, time=time, now=store.now())


def is_link(store: Store, *, token: str) -> bool:
    """Return whether the token of a link turns off a person's mails."""
    with store.read() as session:
        return mails.by_off_token(session, token=token) is not None


def turn_off(store: Store, *, token: str) -> None:
    """Turn off mails to the person who received this link; raise ``NotFoundError`` for an unknown link."""
    with store.write(archived_too=True) as session:
        if not mails.turn_off(session, token=token):
            raise NotFoundError(
                _(
                    "This link is not valid, so your email settings did not change. You can change these settings on "
                    "the Notices page."
                )
            )


# ---- writing --------------------------------------------------------------------------------------------------------


def write(store: Store, *, public_url: str) -> int:
    """Write the mails that are due, each in its person's language, and return how many."""
    with store.read() as session:
        due = mails.takers(session)
        spoken = {row.id: people.setting(session, person_id=row.id, name=people.LANGUAGE) for row, _chosen in due}
    written = 0
    for person, row in due:
        with speaking(spoken[person.id]):
            written += _write(store, person_of(person), row, public_url)
    return written


def digest_is_due(told_at: datetime, now: datetime) -> bool:
    """Whether the hour of the daily digest lies between the two times."""
    last = now.replace(hour=DIGEST_HOUR, minute=0, second=0, microsecond=0)
    if last > now:
        last -= timedelta(days=1)
    return told_at < last


def _write(store: Store, person: Person, chosen: StoredMailChoice, public_url: str) -> bool:
    now = store.now()
    daily = digest_is_due(chosen.told_at, now)
    if not daily and chosen.time is MailTime.DAILY:
        return False
    work = list(_work(store, person, now)) if daily else []
    with store.read() as session:
        notices = [*(notice for notice in notices_in(session, person=person, now=now) if not notice.seen), *work]
        known = mails.mailed(session, person_id=person.id, keys=[key for notice in notices for key in notice.keys])
        new = [notice for notice in notices if not known.issuperset(notice.keys)]
        ids = {row.name: row.id for row, _ in projects.of_person(session, person_id=person.id)}
    if not new and not daily:
        return False
    with store.write(archived_too=True) as session:
        if not mails.take_turn(session, of=chosen, now=now):
            return False
        if daily:  # a stage without waiting work is announced again when new work arrives
            mails.forget(session, person_id=person.id, begin=WORK, but=[key for notice in work for key in notice.keys])
        if not new:
            return False
        keys = {key: ids[notice.project] for notice in new for key in notice.keys}
        mails.note_mailed(session, person_id=person.id, keys=keys, now=now)
        text = text_of(new, name=person.name, time=chosen.time, public_url=public_url, off=chosen.off_token)
        mails.add(session, person_id=person.id, subject=subject_of(new), text=text, now=now)
    return True


def _work(store: Store, person: Person, now: datetime) -> Iterator[Notice]:
    """Yield notices for the stages in which work waits for a person who has not worked there recently."""
    rows = [row for row in progress.my_work(store, person=person) if row.available and row.waiting]
    with store.read() as session:
        mine = {row.name: row for row, _ in projects.of_person(session, person_id=person.id)}
        for (name, stage), of_them in groupby(rows, key=lambda row: (row.project, row.stage)):
            if name not in mine:  # admins also see projects without being members
                continue
            last = mails.last_submission(session, person_id=person.id, project_id=mine[name].id, stage=stage)
            if last is not None and last[1] > now - AWAY_FOR:
                continue
            n = sum(row.waiting for row in of_them)
            called = stage_in_sentence(access_to(session, person=person, project=name).schema, stage)
            waiting = ngettext(
                "{n} task is waiting for you in the {stage}.", ("{n} tasks are waiting for you in the {stage}."), n
            )
            words = waiting.format(n=f"{n:,}", stage=called)
            if stage in (Stage.AUTHORING, Stage.TRIAGE):  # the number depends on the images that others take
                words = _("Work is waiting for you in the {stage}.").format(stage=called)
            key = f"{WORK}{mine[name].id}:{stage}:{last[0] if last else 0}"
            yield Notice(NoticeKind.WORK, name, mine[name].title, words, now, (key,))


def subject_of(found: Sequence[Notice]) -> str:
    """Return the subject of a mail, without text that other people wrote."""
    if len(found) == 1:
        return f"Touchstone: {found[0].words}"
    return ngettext("Touchstone: {n} notice", "Touchstone: {n} notices", len(found)).format(n=len(found))


def text_of(found: Sequence[Notice], *, name: str, time: MailTime, public_url: str, off: str) -> str:
    """Return the text of a mail."""
    lines = [_("Hello {name},").format(name=clipped(name))]
    by_project = sorted(found, key=lambda each: (each.title.casefold(), each.project))
    for _project, of_them in groupby(by_project, key=lambda each: each.project):
        here = list(of_them)
        lines += ["", _("In {project}:").format(project=clipped(here[0].title))]
        for notice in here:
            lines += [f"- {notice.words}", f"  {public_url}{notice.path}"]
    often = _("Touchstone sends you this email {time}. To change this setting: {address}")
    lines += ["", often.format(time=_(time.label), address=f"{public_url}/notices")]
    lines += [_("No more emails: {address}").format(address=off_address(public_url, off)), ""]
    return "\n".join(lines)


def off_address(public_url: str, token: str) -> str:
    """Return the link that turns off a person's mails."""
    return f"{public_url}/mail-off/{token}"


def clipped(text: str) -> str:
    """Shorten a name or a title to one line of limited length."""
    plain = " ".join(text.split())
    return plain if len(plain) <= CLIPPED else plain[: CLIPPED - 1] + "…"


# ---- handing over ---------------------------------------------------------------------------------------------------


def hand_over(
    store: Store, *, send: Callable[[Letter], None], public_url: str, stop: Callable[[], bool] = lambda: False
) -> int:
    """Send the mails that are due, one after another, and return how many the mail server accepted.

    ``send`` raises ``MailFailure``. ``stop`` tells when to leave the rest for later.
    """
    sent = 0
    for _turn in range(MANY):
        taken = None if stop() else _take(store)
        if taken is None:
            break
        mail, address, token = taken
        now = store.now()
        if not address:
            with store.write(archived_too=True) as session:
                mails.end(session, id=mail.id, state=MailState.DROPPED, now=now)
            continue
        letter = Letter(mail.public_id, address, mail.subject, mail.text, off_address(public_url, token))
        try:
            send(letter)
        except MailFailure as error:
            _failed(store, mail, error)
            if error.again:  # the mail server is probably down, so stop here
                break
        else:
            sent += 1
            with store.write(archived_too=True) as session:
                mails.end(session, id=mail.id, state=MailState.SENT, now=store.now())
    return sent


def _take(store: Store) -> tuple[StoredMail, str, str] | None:
    """Take a mail that is due; return it with its address (empty if the person wants no mails now) and their token."""
    with store.write(archived_too=True) as session:
        mail = mails.take(session, now=store.now())
        if mail is None:
            return None
        chosen = mails.choice(session, person_id=mail.person_id)
        wanted = chosen is not None and chosen.time is not MailTime.OFF
        wanted = wanted and people.is_active(session, id=mail.person_id)
        return mail, chosen.address if chosen and wanted else "", chosen.off_token if chosen else ""


def _failed(store: Store, mail: StoredMail, error: MailFailure) -> None:
    reason = str(error)
    _log.warning("an email was not sent (try %d): %s", mail.attempts, reason)
    with store.write(archived_too=True) as session:
        now = store.now()
        if error.again and mail.attempts < TRIES:
            wait = min(SHORTEST_WAIT * 2 ** (mail.attempts - 1), LONGEST_WAIT)
            mails.put_back(session, id=mail.id, due_at=now + wait, said=reason)
        else:
            mails.end(session, id=mail.id, state=MailState.FAILED, now=now, said=reason)


# ---- state of the mails ---------------------------------------------------------------------------------------------


def standing(store: Store) -> tuple[dict[MailState, int], list[tuple[str, StoredMail]]]:
    """Return the number of mails in each state, and the newest unsent ones with the login of their receiver."""
    with store.read() as session:
        return mails.counts(session), [(login, mail) for mail, login in mails.troubled(session, limit=10)]
