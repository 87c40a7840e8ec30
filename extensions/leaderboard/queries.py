"""Commands and queries on how many entries a team may submit. Every version is kept, and the newest counts."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session, col, select

from db.records import StoredEntryBudget
from db.tables import EntryBudgetRow


def newest(session: Session, *, project_id: int) -> StoredEntryBudget | None:
    """Return the current version of a project, or None if none was ever set."""
    wanted = select(EntryBudgetRow).where(EntryBudgetRow.project_id == project_id)
    return session.exec(wanted.order_by(col(EntryBudgetRow.number).desc()).limit(1)).first()


def add(
    session: Session,
    *,
    project_id: int,
    number: int,
    entries: int | None,
    days: int | None,
    by_id: int | None,
    now: datetime,
) -> None:
    """Store a version. It counts from now on."""
    row = EntryBudgetRow(project_id=project_id, number=number, entries=entries, days=days, by_id=by_id, created_at=now)
    session.add(row)
    session.flush()
