"""Queries on emails: who wants them, which are waiting, and which were sent."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import delete, func, update
from sqlmodel import Session, col, select

from db.many_rows import insert_or_ignore
from db.records import StoredMail, StoredMailChoice, StoredPerson
from db.tables import AnnotationRow, MailChoiceRow, MailRow, NoticeMarkRow, PersonRow
from domain.mail import MailState, MailTime
from domain.states import Stage

# ---- choices --------------------------------------------------------------------------------------------------------


def choice(session: Session, *, person_id: int) -> StoredMailChoice | None:
    """Return a person's email settings."""
    return session.get(MailChoiceRow, person_id)


def choose(session: Session, *, person_id: int, address: str, time: MailTime, now: datetime) -> None:
    """Store a person's email settings. A person who had turned emails off only gets news from now on."""
    row = session.get(MailChoiceRow, person_id)
    if row is None:
        token = secrets.token_urlsafe(24)
        row = MailChoiceRow(person_id=person_id, address=address, time=time, off_token=token, told_at=now)
    elif row.time is MailTime.OFF:
        row.told_at = now
    row.address, row.time = address, time
    session.add(row)
    session.flush()


def by_off_token(session: Session, *, token: str) -> StoredMailChoice | None:
    """Return the settings that a link turns off."""
    return session.exec(select(MailChoiceRow).where(MailChoiceRow.off_token == token)).first()


def turn_off(session: Session, *, token: str) -> bool:
    """Turn off the emails of the person who got this link. Return whether the link exists."""
    changed = update(MailChoiceRow).where(col(MailChoiceRow.off_token) == token).values(time=MailTime.OFF)
    return bool(session.exec(changed).rowcount)


def takers(session: Session) -> list[tuple[StoredPerson, StoredMailChoice]]:
    """Return everyone with an active account who wants emails, with their settings."""
    wanted = (
        select(PersonRow, MailChoiceRow)
        .join(MailChoiceRow, col(MailChoiceRow.person_id) == PersonRow.id)
        .where(col(PersonRow.active), MailChoiceRow.time != MailTime.OFF)
        .order_by(col(PersonRow.id))
    )
    return [(person, row) for person, row in session.exec(wanted)]


def take_turn(session: Session, *, of: StoredMailChoice, now: datetime) -> bool:
    """Record that a person is being notified now. Return False if another worker did so since ``of`` was read."""
    mine = (col(MailChoiceRow.person_id) == of.person_id, col(MailChoiceRow.turn) == of.turn)
    changed = update(MailChoiceRow).where(*mine).values(turn=of.turn + 1, told_at=now)
    return bool(session.exec(changed).rowcount)


# ---- sent notices ---------------------------------------------------------------------------------------------------


def mailed(session: Session, *, person_id: int, keys: Sequence[str]) -> set[str]:
    """Return those of these notices that were put into an email to a person."""
    wanted = select(NoticeMarkRow.key).where(
        NoticeMarkRow.person_id == person_id,
        col(NoticeMarkRow.key).in_(keys),
        col(NoticeMarkRow.mailed_at).is_not(None),
    )
    return set(session.exec(wanted))


def note_mailed(session: Session, *, person_id: int, keys: Mapping[str, int], now: datetime) -> None:
    """Record that these notices (key and project) are in an email to a person."""
    insert_or_ignore(
        session,
        NoticeMarkRow,
        [{"person_id": person_id, "project_id": project, "key": key} for key, project in keys.items()],
    )
    marks = update(NoticeMarkRow).where(
        col(NoticeMarkRow.person_id) == person_id, col(NoticeMarkRow.key).in_(list(keys))
    )
    session.exec(marks.values(mailed_at=now))


def forget(session: Session, *, person_id: int, begin: str, but: Sequence[str]) -> None:
    """Delete the record of a person's notices whose keys begin with ``begin``, except ``but``, so that they can be sent
    again.
    """
    session.exec(
        delete(NoticeMarkRow).where(
            col(NoticeMarkRow.person_id) == person_id,
            col(NoticeMarkRow.key).startswith(begin, autoescape=True),
            col(NoticeMarkRow.key).not_in(but),
        )
    )


def last_submission(session: Session, *, person_id: int, project_id: int, stage: Stage) -> tuple[int, datetime] | None:
    """Return the id and the time of a person's last submission in a stage."""
    wanted = select(AnnotationRow.id, AnnotationRow.created_at).where(
        AnnotationRow.person_id == person_id, AnnotationRow.project_id == project_id, AnnotationRow.stage == stage
    )
    return session.exec(wanted.order_by(col(AnnotationRow.id).desc()).limit(1)).first()


# ---- mails ----------------------------------------------------------------------------------------------------------


def add(session: Session, *, person_id: int, subject: str, text: str, now: datetime) -> None:
    """Queue an email for the workers."""
    row = MailRow(person_id=person_id, subject=subject, text=text, state=MailState.WAITING, due_at=now, created_at=now)
    session.add(row)
    session.flush()


def take(session: Session, *, now: datetime) -> StoredMail | None:
    """Return an email that is due and reserve it. None: none is due, or another worker was faster."""
    due = select(MailRow).where(MailRow.state == MailState.WAITING, MailRow.due_at <= now)
    row = session.exec(due.order_by(col(MailRow.due_at), col(MailRow.id)).limit(1)).first()
    if row is None:
        return None
    mine = (col(MailRow.id) == row.id, col(MailRow.state) == MailState.WAITING)
    changed = update(MailRow).where(*mine).values(state=MailState.SENDING, attempts=row.attempts + 1)
    if not session.exec(changed.execution_options(synchronize_session=False)).rowcount:
        return None
    session.refresh(row)
    return row


def put_back(session: Session, *, id: int, due_at: datetime, said: str) -> None:
    """Queue an email that was not sent for another try."""
    session.exec(update(MailRow).where(col(MailRow.id) == id).values(state=MailState.WAITING, due_at=due_at, said=said))


def end(session: Session, *, id: int, state: MailState, now: datetime, said: str = "") -> None:
    """Record that an email was sent, or never will be, and delete its text."""
    session.exec(update(MailRow).where(col(MailRow.id) == id).values(state=state, ended_at=now, said=said, text=""))


def counts(session: Session) -> dict[MailState, int]:
    """Count the emails in each state."""
    rows = session.exec(select(MailRow.state, func.count()).group_by(col(MailRow.state)))
    return {MailState(state): n for state, n in rows}


def troubled(session: Session, *, limit: int) -> list[tuple[StoredMail, str]]:
    """Return the newest emails that were tried and not sent, with the logins of their recipients."""
    wanted = (
        select(MailRow, PersonRow.login)
        .join(PersonRow, col(PersonRow.id) == MailRow.person_id)
        .where(col(MailRow.state).in_((MailState.WAITING, MailState.SENDING, MailState.FAILED)), MailRow.attempts > 0)
        .order_by(col(MailRow.id).desc())
        .limit(limit)
    )
    return [(row, login) for row, login in session.exec(wanted)]
