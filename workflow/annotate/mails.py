"""Notices by e-mail: someone's new ones in one mail, once a day or at once, written by a worker and handed over by one.

A mail is written once: who writes it takes the person's turn and notes what is in it, in one transaction. It is handed
over at most once: a worker that dies over it leaves it as it is, since no one then knows whether it arrived. Where the
server surely did not take it, it waits for another try. What a mail told stands in the app in any case.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import groupby

from db import mails, people, projects
from db.engine import Store
from db.records import StoredMail, StoredMailChoice
from domain.errors import InvalidInput, NotFound, Problem
from domain.mail import Letter, MailState, MailTime, NotSent, digest_is_due, is_address
from domain.notices import Notice, NoticeKind
from domain.records import Person
from domain.states import Stage
from workflow.access.accounts import person_of
from workflow.access.projects import access_to
from workflow.annotate import notices, progress

AWAY_FOR = timedelta(hours=20)
"""Who has worked in a stage within this time knows what waits there."""
WORK = "work:"
TRIES = 10
SHORTEST_WAIT, LONGEST_WAIT = timedelta(minutes=2), timedelta(hours=6)
MANY = 100
"""So many mails are handed over in a row."""
CLIPPED = 100
"""Letters of a name or title that stand in a mail."""

_log = logging.getLogger(__name__)


# ---- what someone wants ---------------------------------------------------------------------------------------------


def choice(store: Store, *, person: Person) -> tuple[str, MailTime]:
    """Where and when someone wants their notices."""
    with store.read() as session:
        row = mails.choice(session, person_id=person.id)
        return (row.address, row.time) if row is not None else ("", MailTime.OFF)


def choose(store: Store, *, person: Person, address: str, time: MailTime) -> None:
    """Note where and when someone wants their notices. ``InvalidInput`` for what is no address."""
    address = address.strip()
    if (address or time is not MailTime.OFF) and not is_address(address):
        raise InvalidInput([Problem("address", "Give one e-mail address, such as ann@example.org.")])
    with store.write(archived_too=True) as session:
        mails.choose(session, person_id=person.id, address=address, time=time, now=store.now())


def is_link(store: Store, *, token: str) -> bool:
    """Whether a link out of a mail turns someone's mails off."""
    with store.read() as session:
        return mails.by_off_token(session, token=token) is not None


def turn_off(store: Store, *, token: str) -> None:
    """Send no more mails to whom this link was sent; ``NotFound`` if it was sent to no one."""
    with store.write(archived_too=True) as session:
        if not mails.turn_off(session, token=token):
            raise NotFound("This link turns off no one's mails.")


# ---- writing --------------------------------------------------------------------------------------------------------


def write(store: Store, *, public_url: str) -> int:
    """Write the mails that are due; how many."""
    with store.read() as session:
        due = mails.takers(session)
    return sum(_write(store, person_of(person), row, public_url) for person, row in due)


def _write(store: Store, person: Person, chosen: StoredMailChoice, public_url: str) -> bool:
    now = store.now()
    daily = digest_is_due(chosen.told_at, now)
    if not daily and chosen.time is MailTime.DAILY:
        return False
    work = list(_work(store, person, now)) if daily else []
    with store.read() as session:
        found = [*(each for each in notices.told(session, person=person, now=now) if not each.seen), *work]
        known = mails.mailed(session, person_id=person.id, keys=[key for each in found for key in each.keys])
        new = [each for each in found if not known.issuperset(each.keys)]
        ids = {row.name: row.id for row, _ in projects.of_person(session, person_id=person.id)}
    if not new and not daily:
        return False
    with store.write(archived_too=True) as session:
        if not mails.take_turn(session, of=chosen, now=now):
            return False
        if daily:  # where nothing waits any more, what comes next is told again
            mails.forget(session, person_id=person.id, begin=WORK, but=[key for each in work for key in each.keys])
        if not new:
            return False
        keys = {key: ids[each.project] for each in new for key in each.keys}
        mails.note_mailed(session, person_id=person.id, keys=keys, now=now)
        text = text_of(new, name=person.name, time=chosen.time, public_url=public_url, off=chosen.off_token)
        mails.add(session, person_id=person.id, subject=subject_of(new), text=text, now=now)
    return True


def _work(store: Store, person: Person, now: datetime) -> Iterator[Notice]:
    """The stages in which work waits for someone who has not worked there for a while."""
    rows = [row for row in progress.my_work(store, person=person) if row.available and row.waiting]
    with store.read() as session:
        mine = {row.name: row for row, _ in projects.of_person(session, person_id=person.id)}
        for (name, stage), of_them in groupby(rows, key=lambda row: (row.project, row.stage)):
            if name not in mine:  # an admin sees what is no part of theirs
                continue
            last = mails.last_submission(session, person_id=person.id, project_id=mine[name].id, stage=stage)
            if last is not None and last[1] > now - AWAY_FOR:
                continue
            n = sum(row.waiting for row in of_them)
            called = access_to(session, person=person, project=name).schema.stages.in_a_sentence(stage)
            words = f"{n:,} {'task waits' if n == 1 else 'tasks wait'} for you in the {called}."
            if stage in (Stage.AUTHORING, Stage.TRIAGE):  # how many depends on the images that others take
                words = f"Work waits for you in the {called}."
            key = f"{WORK}{mine[name].id}:{stage}:{last[0] if last else 0}"
            yield Notice(NoticeKind.WORK, name, mine[name].title, words, now, (key,))


def subject_of(found: Sequence[Notice]) -> str:
    """What a mail is about; nothing that someone else has written."""
    return f"Touchstone: {found[0].words}" if len(found) == 1 else f"Touchstone: {len(found)} notices"


def text_of(found: Sequence[Notice], *, name: str, time: MailTime, public_url: str, off: str) -> str:
    """A mail as it is read."""
    lines = [f"Hello {clipped(name)},"]
    by_project = sorted(found, key=lambda each: (each.title.casefold(), each.project))
    for _, of_them in groupby(by_project, key=lambda each: each.project):
        here = list(of_them)
        lines += ["", f"In {clipped(here[0].title)}:"]
        for each in here:
            lines += [f"- {each.words}", f"  {public_url}{each.path}"]
    lines += ["", f"Touchstone sends you this {time.label}. To change that: {public_url}/notices"]
    lines += [f"No more mails: {off_address(public_url, off)}", ""]
    return "\n".join(lines)


def off_address(public_url: str, token: str) -> str:
    """The link that turns someone's mails off."""
    return f"{public_url}/mail-off/{token}"


def clipped(text: str) -> str:
    """A name or a title as it stands in a mail: in one line, not too long."""
    plain = " ".join(text.split())
    return plain if len(plain) <= CLIPPED else plain[: CLIPPED - 1] + "…"


# ---- handing over ---------------------------------------------------------------------------------------------------


def hand_over(
    store: Store, *, send: Callable[[Letter], None], public_url: str, stop: Callable[[], bool] = lambda: False
) -> int:
    """Hand over the mails that are due, one after the other; how many were taken by the server.

    ``send`` raises ``NotSent``. ``stop`` says when to leave the rest for later.
    """
    sent = 0
    for _ in range(MANY):
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
        except NotSent as error:
            _failed(store, mail, error)
            if error.again:  # the server is most likely away for the others, too
                break
        else:
            sent += 1
            with store.write(archived_too=True) as session:
                mails.end(session, id=mail.id, state=MailState.SENT, now=store.now())
    return sent


def _take(store: Store) -> tuple[StoredMail, str, str] | None:
    """A mail that is due, where it goes (nowhere, if whom it is for wants none any more), and their link."""
    with store.write(archived_too=True) as session:
        mail = mails.take(session, now=store.now())
        if mail is None:
            return None
        chosen = mails.choice(session, person_id=mail.person_id)
        wanted = chosen is not None and chosen.time is not MailTime.OFF
        wanted = wanted and people.is_active(session, id=mail.person_id)
        return mail, chosen.address if chosen and wanted else "", chosen.off_token if chosen else ""


def _failed(store: Store, mail: StoredMail, error: NotSent) -> None:
    said = str(error)
    _log.warning("a mail was not handed over (try %d): %s", mail.attempts, said)
    with store.write(archived_too=True) as session:
        now = store.now()
        if error.again and mail.attempts < TRIES:
            wait = min(SHORTEST_WAIT * 2 ** (mail.attempts - 1), LONGEST_WAIT)
            mails.put_back(session, id=mail.id, due_at=now + wait, said=said)
        else:
            mails.end(session, id=mail.id, state=MailState.FAILED, now=now, said=said)


# ---- how it goes ----------------------------------------------------------------------------------------------------


def standing(store: Store) -> tuple[dict[MailState, int], list[tuple[str, StoredMail]]]:
    """How many mails are in each state, and the newest that were not handed over with whom they are for (login)."""
    with store.read() as session:
        return mails.counts(session), [(login, mail) for mail, login in mails.troubled(session, limit=10)]
