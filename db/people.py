"""Commands and queries about people, their sessions, links and invitations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import and_, bindparam, delete, exists, func, or_, update
from sqlmodel import Session, col, select

from db import prepared
from db.records import StoredInvitation, StoredPerson, StoredSession
from db.tables import (
    AnnotationRow,
    FailedLoginRow,
    InvitationRow,
    PersonRow,
    PersonSettingRow,
    SessionRow,
    SignInLinkRow,
)
from domain.roles import Role
from domain.states import VERIFICATIONS, Purpose

LANGUAGE = "language"
"""The name of the setting with a person's language."""

# ---- accounts -------------------------------------------------------------------------------------------------------


def add(
    session: Session, *, login: str, name: str, password_hash: str | None, is_admin: bool, now: datetime
) -> StoredPerson:
    """Add an account. Raise ``IntegrityError`` if the login is taken."""
    row = PersonRow(login=login, name=name, password_hash=password_hash, is_admin=is_admin, created_at=now)
    session.add(row)
    session.flush()
    return row


def set_password(session: Session, *, row: StoredPerson, password_hash: str) -> None:
    """Set the password of an account."""
    row.password_hash = password_hash
    session.add(row)
    session.flush()


def activate(session: Session, *, row: StoredPerson) -> None:
    """Allow an account to sign in again."""
    row.active = True
    session.add(row)
    session.flush()


def deactivate(session: Session, *, row: StoredPerson) -> None:
    """Stop an account from signing in."""
    row.active = False
    session.add(row)
    session.flush()


def by_login(session: Session, *, login: str) -> StoredPerson | None:
    """Return the person with this login, active or not."""
    return session.exec(select(PersonRow).where(PersonRow.login == login)).first()


def by_id(session: Session, *, id: int) -> StoredPerson | None:
    """Return the person with this id."""
    return session.get(PersonRow, id)


def all_people(session: Session) -> Sequence[StoredPerson]:
    """Return all accounts, by login."""
    return session.exec(select(PersonRow).order_by(col(PersonRow.login))).all()


def set_admin(session: Session, *, row: StoredPerson, is_admin: bool) -> None:
    """Make an account an admin, or take this right away."""
    row.is_admin = is_admin
    session.add(row)
    session.flush()


def lock_admins(session: Session) -> None:
    """Lock the accounts of all admins until the transaction ends."""
    wanted = select(PersonRow).where(col(PersonRow.is_admin)).order_by(col(PersonRow.id)).with_for_update()
    session.exec(wanted.execution_options(populate_existing=True)).all()


def active_admins(session: Session) -> list[int]:
    """Return the ids of admins with an active account, read from the database."""
    wanted = select(PersonRow.id).where(col(PersonRow.is_admin), col(PersonRow.active))
    return [id for id in session.exec(wanted) if id is not None]


def is_active(session: Session, *, id: int) -> bool:
    """Tell whether an account is active, read from the database."""
    return session.exec(select(PersonRow.active).where(PersonRow.id == id)).first() is True


def any_admin(session: Session) -> bool:
    """Tell whether the installation has an admin."""
    return session.exec(select(PersonRow.id).where(col(PersonRow.is_admin)).limit(1)).first() is not None


def setting(session: Session, *, person_id: int, name: str) -> Any:
    """Return a person's own setting, or None."""
    row = session.get(PersonSettingRow, (person_id, name))
    return row.value if row is not None else None


def put_setting(session: Session, *, person_id: int, name: str, value: Any, now: datetime) -> None:
    """Store a person's own setting."""
    session.merge(PersonSettingRow(person_id=person_id, name=name, value=value, set_at=now))
    session.flush()


# ---- sessions -------------------------------------------------------------------------------------------------------


def add_session(
    session: Session,
    *,
    token_hash: str,
    person_id: int,
    csrf: str,
    now: datetime,
    expires_at: datetime,
    device: str = "",
) -> None:
    """Store a sign-in session."""
    row = SessionRow(
        token_hash=token_hash, person_id=person_id, csrf=csrf, created_at=now, expires_at=expires_at, device=device
    )
    session.add(row)
    session.flush()


def live_sessions(session: Session, *, person_id: int, now: datetime) -> Sequence[StoredSession]:
    """Return the live sessions of a person, newest first."""
    theirs = (col(SessionRow.person_id) == person_id, col(SessionRow.expires_at) > now)
    return session.exec(select(SessionRow).where(*theirs).order_by(col(SessionRow.id).desc())).all()


def note_session_use(session: Session, *, token_hash: str, now: datetime) -> None:
    """Store that a session was just used."""
    session.exec(update(SessionRow).where(col(SessionRow.token_hash) == token_hash).values(used_at=now))


def session_with_person(
    session: Session, *, token_hash: str, now: datetime
) -> tuple[StoredSession, StoredPerson, str | None] | None:
    """Return a live session, its person, and the language that they have chosen."""
    found: tuple[StoredSession, StoredPerson, str | None] | None = prepared.first(
        session, _live_session(), {"token_hash": token_hash, "now": now}
    )
    return found


@cache
def _live_session() -> Any:
    return (
        select(SessionRow, PersonRow, PersonSettingRow.value)
        .where(col(SessionRow.token_hash) == bindparam("token_hash"), col(SessionRow.expires_at) > bindparam("now"))
        .join(PersonRow, col(PersonRow.id) == SessionRow.person_id)
        .outerjoin(
            PersonSettingRow,
            and_(col(PersonSettingRow.person_id) == col(PersonRow.id), col(PersonSettingRow.name) == LANGUAGE),
        )
        .where(col(PersonRow.active))
    )


def end_session(session: Session, *, token_hash: str) -> None:
    """Delete one session."""
    session.exec(delete(SessionRow).where(col(SessionRow.token_hash) == token_hash))


def end_sessions(session: Session, *, person_id: int, id: int | None = None, keep_hash: str | None = None) -> int:
    """Delete the sessions of a person: all, or one by its id, without the one with ``keep_hash``. Return how many."""
    gone = delete(SessionRow).where(col(SessionRow.person_id) == person_id)
    if id is not None:
        gone = gone.where(col(SessionRow.id) == id)
    if keep_hash is not None:
        gone = gone.where(col(SessionRow.token_hash) != keep_hash)
    return len(session.exec(gone.returning(col(SessionRow.id))).all())


def forget_expired_sessions(session: Session, *, person_id: int, now: datetime) -> None:
    """Delete the expired sessions of a person."""
    session.exec(delete(SessionRow).where(col(SessionRow.person_id) == person_id, col(SessionRow.expires_at) <= now))


# ---- links and invitations ------------------------------------------------------------------------------------------


def add_link(session: Session, *, token_hash: str, person_id: int, now: datetime, expires_at: datetime) -> None:
    """Store a link that signs a person in once."""
    session.add(SignInLinkRow(token_hash=token_hash, person_id=person_id, created_at=now, expires_at=expires_at))
    session.flush()


def use_link(session: Session, *, token_hash: str, now: datetime) -> int | None:
    """Mark an unused, unexpired sign-in link as used. Return the person's id, or None if there is no such link."""
    used = session.exec(
        update(SignInLinkRow)
        .where(
            col(SignInLinkRow.token_hash) == token_hash,
            col(SignInLinkRow.used_at).is_(None),
            col(SignInLinkRow.expires_at) > now,
        )
        .values(used_at=now)
        .returning(col(SignInLinkRow.person_id))
    ).first()
    return None if used is None else int(used[0])


def spend_links(session: Session, *, person_id: int, now: datetime) -> None:
    """Mark the unused sign-in links of a person as used."""
    theirs = (col(SignInLinkRow.person_id) == person_id, col(SignInLinkRow.used_at).is_(None))
    session.exec(update(SignInLinkRow).where(*theirs).values(used_at=now))


def add_invitation(
    session: Session,
    *,
    token_hash: str,
    project_id: int,
    role: Role,
    dimensions: list[str] | None,
    stages: list[str] | None,
    invited_by_id: int | None,
    now: datetime,
    expires_at: datetime,
) -> None:
    """Store an invitation to a project."""
    session.add(
        InvitationRow(
            token_hash=token_hash,
            project_id=project_id,
            role=role,
            dimensions=dimensions,
            stages=stages,
            invited_by_id=invited_by_id,
            created_at=now,
            expires_at=expires_at,
        )
    )
    session.flush()


def invitation(session: Session, *, token_hash: str, now: datetime, lock: bool = False) -> StoredInvitation | None:
    """Return an unused, unexpired invitation."""
    wanted = select(InvitationRow).where(
        InvitationRow.token_hash == token_hash,
        col(InvitationRow.used_at).is_(None),
        InvitationRow.expires_at > now,
    )
    return session.exec(wanted.with_for_update(key_share=True) if lock else wanted).first()


def open_invitations(session: Session, *, project_id: int, now: datetime) -> list[tuple[StoredInvitation, str | None]]:
    """Return the unused, unexpired invitations to a project, newest first, each with the name of who invited."""
    wanted = (
        select(InvitationRow, PersonRow.name)
        .join(PersonRow, col(PersonRow.id) == col(InvitationRow.invited_by_id), isouter=True)
        .where(
            InvitationRow.project_id == project_id, col(InvitationRow.used_at).is_(None), InvitationRow.expires_at > now
        )
        .order_by(col(InvitationRow.id).desc())
    )
    return [(row, name) for row, name in session.exec(wanted)]


def revoke_invitation(session: Session, *, id: int, project_id: int, now: datetime) -> bool:
    """End an open invitation to a project now. Return False if there is no such invitation."""
    theirs = (
        col(InvitationRow.id) == id,
        col(InvitationRow.project_id) == project_id,
        col(InvitationRow.used_at).is_(None),
        col(InvitationRow.expires_at) > now,
    )
    ended = session.exec(update(InvitationRow).where(*theirs).values(expires_at=now).returning(col(InvitationRow.id)))
    return ended.first() is not None


def spend_invitation(session: Session, *, row: StoredInvitation, person_id: int, now: datetime) -> None:
    """Mark a locked invitation as used by a person."""
    row.used_at, row.used_by_id = now, person_id
    session.add(row)
    session.flush()


# ---- failed attempts ------------------------------------------------------------------------------------------------


_FROM = " from "
"""The separator between a login and an origin. Both are free of spaces."""


def attempts_key(login: str, origin: str) -> str:
    """Return the key under which failed sign-ins are counted: the login and the origin."""
    return f"{login}{_FROM}{origin}" if origin else login


def note_failure(session: Session, *, key: str, now: datetime) -> None:
    """Record a failed sign-in."""
    session.add(FailedLoginRow(login=key, at=now))
    session.flush()


def failures(session: Session, *, key: str, since: datetime) -> tuple[int, datetime | None]:
    """Return the number of failed sign-ins since a moment, and the time of the last one."""
    n, last = session.exec(
        select(func.count(), func.max(FailedLoginRow.at)).where(FailedLoginRow.login == key, FailedLoginRow.at > since)
    ).one()
    return n, last


def logins_tried(session: Session, *, origin: str, since: datetime) -> int:
    """Count the logins that failed from one origin since a moment."""
    there = col(FailedLoginRow.login).endswith(f"{_FROM}{origin}", autoescape=True)
    wanted = select(func.count(func.distinct(FailedLoginRow.login))).where(there, FailedLoginRow.at > since)
    return session.exec(wanted).one()


def forget_failures(session: Session, *, key: str, before: datetime) -> None:
    """Delete the failures of a key after a success, and all failures before a moment."""
    session.exec(delete(FailedLoginRow).where(or_(col(FailedLoginRow.login) == key, col(FailedLoginRow.at) < before)))


def forget_all_failures(session: Session, *, login: str) -> None:
    """Delete a login's failures from all origins."""
    theirs = col(FailedLoginRow.login).startswith(f"{login}{_FROM}", autoescape=True)
    session.exec(delete(FailedLoginRow).where(or_(col(FailedLoginRow.login) == login, theirs)))


# ---- names of people ------------------------------------------------------------------------------------------------


def names(session: Session, *, ids: Iterable[int]) -> dict[int, str]:
    """Return people's names, by id."""
    wanted = select(PersonRow.id, PersonRow.name).where(col(PersonRow.id).in_(sorted(ids)))
    return {id: name for id, name in session.exec(wanted)}


def logins(session: Session, *, ids: Iterable[int]) -> dict[int, str]:
    """Return people's logins, by id."""
    wanted = select(PersonRow.id, PersonRow.login).where(col(PersonRow.id).in_(sorted(ids)))
    return {id: login for id, login in session.exec(wanted)}


def called(session: Session, *, logins: Iterable[str]) -> dict[str, str]:
    """Return people's names, by login. Unknown logins are left out."""
    wanted = select(PersonRow.login, PersonRow.name).where(col(PersonRow.login).in_(sorted(set(logins))))
    return dict(session.exec(wanted).all())


def voters(session: Session, *, project_id: int) -> list[str]:
    """Return the logins of everyone who has ever voted in a project."""
    voted = exists().where(
        col(AnnotationRow.person_id) == col(PersonRow.id),
        col(AnnotationRow.project_id) == project_id,
        col(AnnotationRow.stage).in_(VERIFICATIONS),
        col(AnnotationRow.purpose) == Purpose.LIVE,
    )
    return list(session.exec(select(PersonRow.login).where(voted).order_by(col(PersonRow.login))))
