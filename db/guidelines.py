"""Commands and queries on guideline versions, their readers, and the decisions that they answer."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from db.many_rows import insert_or_ignore
from db.records import StoredGuidelineVersion
from db.tables import AnnotationRow, GuidelineVersionRow, GuidelineVisitRow, PersonRow


def add(
    session: Session,
    *,
    project_id: int,
    number: int,
    hash: str,
    text: str,
    now: datetime,
    why: str = "",
    requalify: bool = False,
    by_id: int | None = None,
) -> StoredGuidelineVersion:
    """Store a version of the guideline."""
    row = GuidelineVersionRow(
        project_id=project_id,
        number=number,
        hash=hash,
        text=text,
        why=why,
        requalify=requalify,
        by_id=by_id,
        created_at=now,
    )
    session.add(row)
    session.flush()
    return row


def of_project(session: Session, *, project_id: int) -> list[tuple[StoredGuidelineVersion, str | None]]:
    """Return all versions of a project's guideline, oldest first, with the author's login."""
    wanted = (
        select(GuidelineVersionRow, PersonRow.login)
        .join(PersonRow, col(PersonRow.id) == GuidelineVersionRow.by_id, isouter=True)
        .where(GuidelineVersionRow.project_id == project_id)
        .order_by(col(GuidelineVersionRow.number))
    )
    return [(row, login) for row, login in session.exec(wanted)]


def by_hash(session: Session, *, project_id: int, hash: str) -> StoredGuidelineVersion | None:
    """Return the version whose text has this hash."""
    wanted = select(GuidelineVersionRow).where(
        GuidelineVersionRow.project_id == project_id, GuidelineVersionRow.hash == hash
    )
    return session.exec(wanted).first()


def text_of(session: Session, *, project_id: int, number: int) -> str:
    """Return the text of a version. The version must exist."""
    wanted = select(GuidelineVersionRow.text).where(
        GuidelineVersionRow.project_id == project_id, GuidelineVersionRow.number == number
    )
    return session.exec(wanted).one()


def numbers(session: Session, *, project_id: int) -> dict[str, int]:
    """Return the numbers of a project's versions, by hash."""
    wanted = select(GuidelineVersionRow.hash, GuidelineVersionRow.number).where(
        GuidelineVersionRow.project_id == project_id
    )
    return {hash: number for hash, number in session.exec(wanted)}


def standards(session: Session, *, project_id: int, number: int) -> frozenset[str] | None:
    """Return the hashes of guideline versions whose qualifications are valid while version ``number`` is in force.

    None: all versions.
    """
    known = list(session.exec(_asking(), params={"project": project_id}))
    least = max((version for _, version, asks in known if asks and version <= number), default=0)
    return frozenset(hash for hash, version, _ in known if version >= least) if least else None


@cache
def _asking() -> Any:
    wanted = select(GuidelineVersionRow.hash, GuidelineVersionRow.number, GuidelineVersionRow.requalify)
    return wanted.where(col(GuidelineVersionRow.project_id) == bindparam("project"))


def last_of_person(session: Session, *, project_id: int, person_id: int) -> str | None:
    """Return the hash of the guideline of a person's last submission."""
    wanted = (
        select(AnnotationRow.guideline_hash)
        .where(AnnotationRow.project_id == project_id, AnnotationRow.person_id == person_id)
        .order_by(col(AnnotationRow.id).desc())
        .limit(1)
    )
    return session.exec(wanted).first()


def put_seen(session: Session, *, project_id: int, person_id: int, number: int, now: datetime) -> None:
    """Record that a person has read a version."""
    row = session.get(GuidelineVisitRow, (project_id, person_id))
    if row is None:
        new = {"project_id": project_id, "person_id": person_id, "number": number, "seen_at": now}
        insert_or_ignore(session, GuidelineVisitRow, [new])
    elif row.number != number:
        row.number, row.seen_at = number, now
        session.add(row)
        session.flush()
