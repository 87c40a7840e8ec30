"""Erasing a person's identity from the database. Their row stays as a number that belongs to nobody."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Text, cast, delete, or_, select, update
from sqlmodel import Session, col

from db import append_only, people
from db.attributes import DESCRIBED, LABELLED
from db.events import FRAME_CHOICES, FRAMES_POOLED, QUESTIONS_MADE, VIDEO_GOALS
from db.records import StoredPerson
from db.tables import (
    BridgePersonRow,
    DailyGoalRow,
    DraftRow,
    EventRow,
    FileRaterRow,
    IdentityRow,
    ImportedRatingRow,
    JobRow,
    MailChoiceRow,
    MailRow,
    MemberRow,
    NoticeMarkRow,
    PersonKeyRow,
    PersonRow,
    PersonSettingRow,
    PostponementRow,
    QueueCursorRow,
    SignInLinkRow,
    WorkCountRow,
)

OWN: tuple[Any, ...] = (
    DailyGoalRow,
    DraftRow,
    IdentityRow,
    JobRow,
    MailChoiceRow,
    MailRow,
    MemberRow,
    NoticeMarkRow,
    PersonSettingRow,
    PostponementRow,
    QueueCursorRow,
    SignInLinkRow,
    WorkCountRow,
)
"""Tables whose rows about a person are deleted: settings, drafts, notices and permissions."""


def called(id: int) -> str:
    """Return the login of an account whose person was erased."""
    return f"erased-{id}"


def was_erased(row: StoredPerson) -> bool:
    """Tell whether a row's person was erased."""
    return row.login == called(row.id)


def erase(session: Session, *, row: StoredPerson) -> None:
    """Delete name, login, password, keys, sessions and addresses of a person everywhere in the database.

    Their submissions keep the number of their row. In the log and in imported ratings, the new login replaces their old
    login, name and addresses. The origins of their requests are deleted.
    """
    id, login, instead = row.id, row.login, called(row.id)
    words = {login, row.name, *_addresses(session, id)} - {""}
    people.end_sessions(session, person_id=id)
    people.forget_all_failures(session, login=login)
    forget_keys(session, person_id=id)
    for table in OWN:
        session.exec(delete(table).where(col(table.person_id) == id))
    session.exec(delete(JobRow).where(col(JobRow.ended_at).is_not(None)))  # figures and refusals name people
    session.exec(
        update(BridgePersonRow).where(col(BridgePersonRow.person_id) == id).values(email="", outside_user=None)
    )
    session.exec(update(ImportedRatingRow).where(col(ImportedRatingRow.rater) == login).values(rater=instead))
    session.exec(update(FileRaterRow).where(col(FileRaterRow.name) == login).values(name=instead))
    with append_only.changing(session.connection(), "event"):
        _in_the_log(session, id, words, instead)
    theirs = col(PersonRow.id) == id
    gone = {"login": instead, "name": instead, "password_hash": None, "is_admin": False, "active": False}
    session.exec(update(PersonRow).where(theirs).values(**gone).execution_options(synchronize_session="fetch"))
    session.flush()


def _addresses(session: Session, id: int) -> set[str]:
    """Return the known email addresses of a person."""
    mailed = select(MailChoiceRow.address).where(col(MailChoiceRow.person_id) == id)  # type: ignore[call-overload]
    outside = select(BridgePersonRow.email).where(col(BridgePersonRow.person_id) == id)  # type: ignore[call-overload]
    return {*session.connection().scalars(mailed), *session.connection().scalars(outside)}


def _in_the_log(session: Session, id: int, words: Collection[str], instead: str) -> None:
    """Replace a person's names in the log.

    Attributes of models, items and videos stay unchanged, because their values are not names of people.
    """
    of = EventRow.__table__  # type: ignore[attr-defined]
    connection = session.connection()
    connection.execute(update(of).where(of.c.person_id == id).values(origin=None))
    named = or_(*(cast(of.c.data, Text).contains(word, autoescape=True) for word in sorted(words, key=len)))
    escaped = or_(*(cast(of.c.data, Text).contains(_escaped(word), autoescape=True) for word in sorted(words)))
    theirs = of.c.kind.not_in((DESCRIBED, LABELLED, *VIDEO_GOALS, QUESTIONS_MADE, FRAMES_POOLED, *FRAME_CHOICES))
    wanted = select(of.c.id, of.c.data).where(or_(named, escaped), theirs)
    for event, data in connection.execute(wanted).all():
        changed = _without(data, frozenset(words), instead)
        if changed != data:
            connection.execute(update(of).where(of.c.id == event).values(data=changed))


def _escaped(word: str) -> str:
    """Return a word as the database holds it in JSON."""
    return word.encode("ascii", "backslashreplace").decode()


def _without(value: Any, words: frozenset[str], instead: str) -> Any:
    """Return a JSON value in which ``instead`` replaces every string and every key that is one of ``words``."""
    if isinstance(value, str):
        return instead if value in words else value
    if isinstance(value, list):
        return [_without(part, words, instead) for part in value]
    if isinstance(value, dict):
        return {instead if key in words else key: _without(part, words, instead) for key, part in value.items()}
    return value


def forget_keys(session: Session, *, person_id: int) -> None:
    """Delete a person's key. Nobody can then tell which pseudonym was theirs."""
    session.exec(delete(PersonKeyRow).where(col(PersonKeyRow.person_id) == person_id))
