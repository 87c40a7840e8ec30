"""Queries about identities at providers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import delete
from sqlmodel import Session, col, select

from db.records import StoredIdentity, StoredPerson
from db.tables import IdentityRow, PersonRow


def find(session: Session, *, issuer: str, subject: str) -> tuple[StoredIdentity, StoredPerson] | None:
    """Return an identity, locked until the transaction ends, and its person."""
    wanted = (
        select(IdentityRow, PersonRow)
        .join(PersonRow, col(PersonRow.id) == col(IdentityRow.person_id))
        .where(IdentityRow.issuer == issuer, IdentityRow.subject == subject)
        .with_for_update(of=IdentityRow)
    )
    return session.exec(wanted).first()


def add(session: Session, *, issuer: str, subject: str, person_id: int, now: datetime) -> StoredIdentity:
    """Store an identity of a person. Raise ``IntegrityError`` if somebody has this identity."""
    row = IdentityRow(issuer=issuer, subject=subject, person_id=person_id, created_at=now)
    session.add(row)
    session.flush()
    return row


def set_given(session: Session, *, row: StoredIdentity, given: Mapping[str, str]) -> None:
    """Store the rights that claims gave at this sign-in."""
    row.given = dict(given)
    session.add(row)
    session.flush()


def remove_all(session: Session, *, person_id: int) -> int:
    """Delete all identities of a person. Return how many."""
    gone = delete(IdentityRow).where(col(IdentityRow.person_id) == person_id).returning(col(IdentityRow.id))
    return len(session.exec(gone).all())


def identities(session: Session) -> Sequence[tuple[StoredIdentity, StoredPerson]]:
    """Return all identities with their persons, by login."""
    wanted = (
        select(IdentityRow, PersonRow)
        .join(PersonRow, col(PersonRow.id) == col(IdentityRow.person_id))
        .order_by(col(PersonRow.login), col(IdentityRow.id))
    )
    return [(identity, person) for identity, person in session.exec(wanted)]
