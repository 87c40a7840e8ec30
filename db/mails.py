"""Mails: who wants them, what waits to be handed over, and what has become of it."""

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
    """What someone has chosen."""
    return session.get(MailChoiceRow, person_id)


def choose(session: Session, *, person_id: int, address: str, time: MailTime, now: datetime) -> None:
    """Note what someone chooses. Who wanted no mail so far is told of what comes from now on."""
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
    """The choice that a link turns off."""
    return session.exec(select(MailChoiceRow).where(MailChoiceRow.off_token == token)).first()


def turn_off(session: Session, *, token: str) -> bool:
    """Send no more mails to whom this link was sent; whether there is such a link."""
    changed = update(MailChoiceRow).where(col(MailChoiceRow.off_token) == token).values(time=MailTime.OFF)
    return bool(session.exec(changed).rowcount)


def takers(session: Session) -> list[tuple[StoredPerson, StoredMailChoice]]:
    """Everyone with an active account who wants mails, and what they chose."""
    wanted = (
        select(PersonRow, MailChoiceRow)
        .join(MailChoiceRow, col(MailChoiceRow.person_id) == PersonRow.id)
        .where(col(PersonRow.active), MailChoiceRow.time != MailTime.OFF)
        .order_by(col(PersonRow.id))
    )
    return [(person, row) for person, row in session.exec(wanted)]


def take_turn(session: Session, *, of: StoredMailChoice, now: datetime) -> bool:
    """Note that what there is to tell someone is told now; False: another worker has done so since ``of`` was read."""
    mine = (col(MailChoiceRow.person_id) == of.person_id, col(MailChoiceRow.turn) == of.turn)
    changed = update(MailChoiceRow).where(*mine).values(turn=of.turn + 1, told_at=now)
    return bool(session.exec(changed).rowcount)


# ---- what was told --------------------------------------------------------------------------------------------------


def mailed(session: Session, *, person_id: int, keys: Sequence[str]) -> set[str]:
    """Which of these were put into a mail to someone."""
    wanted = select(NoticeMarkRow.key).where(
        NoticeMarkRow.person_id == person_id,
        col(NoticeMarkRow.key).in_(keys),
        col(NoticeMarkRow.mailed_at).is_not(None),
    )
    return set(session.exec(wanted))


def note_mailed(session: Session, *, person_id: int, keys: Mapping[str, int], now: datetime) -> None:
    """Note that these (key and project) are in a mail to someone."""
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
    """Forget what someone was told whose keys begin so, but for these: it may be told again."""
    session.exec(
        delete(NoticeMarkRow).where(
            col(NoticeMarkRow.person_id) == person_id,
            col(NoticeMarkRow.key).startswith(begin, autoescape=True),
            col(NoticeMarkRow.key).not_in(but),
        )
    )


def last_submission(session: Session, *, person_id: int, project_id: int, stage: Stage) -> tuple[int, datetime] | None:
    """What someone submitted last in a stage: its id, and when."""
    wanted = select(AnnotationRow.id, AnnotationRow.created_at).where(
        AnnotationRow.person_id == person_id, AnnotationRow.project_id == project_id, AnnotationRow.stage == stage
    )
    return session.exec(wanted.order_by(col(AnnotationRow.id).desc()).limit(1)).first()


# ---- mails ----------------------------------------------------------------------------------------------------------


def add(session: Session, *, person_id: int, subject: str, text: str, now: datetime) -> None:
    """Put a mail where workers find it."""
    row = MailRow(person_id=person_id, subject=subject, text=text, state=MailState.WAITING, due_at=now, created_at=now)
    session.add(row)
    session.flush()


def take(session: Session, *, now: datetime) -> StoredMail | None:
    """A mail that is due, which no other worker takes from now on; None if there is none, or another was faster."""
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
    """A mail that was not handed over waits for another try."""
    session.exec(update(MailRow).where(col(MailRow.id) == id).values(state=MailState.WAITING, due_at=due_at, said=said))


def end(session: Session, *, id: int, state: MailState, now: datetime, said: str = "") -> None:
    """A mail has left, or never will; its text is kept no longer."""
    session.exec(update(MailRow).where(col(MailRow.id) == id).values(state=state, ended_at=now, said=said, text=""))


def counts(session: Session) -> dict[MailState, int]:
    """How many mails are in each state."""
    found = session.exec(select(MailRow.state, func.count()).group_by(col(MailRow.state)))
    return {MailState(state): n for state, n in found}


def troubled(session: Session, *, limit: int) -> list[tuple[StoredMail, str]]:
    """The newest mails that were not handed over, and the logins of those whom they are for."""
    wanted = (
        select(MailRow, PersonRow.login)
        .join(PersonRow, col(PersonRow.id) == MailRow.person_id)
        .where(col(MailRow.state).in_((MailState.WAITING, MailState.SENDING, MailState.FAILED)), MailRow.attempts > 0)
        .order_by(col(MailRow.id).desc())
        .limit(limit)
    )
    return [(row, login) for row, login in session.exec(wanted)]
