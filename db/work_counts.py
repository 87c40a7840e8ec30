"""Queries on cached counts of work."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from db import prepared
from db.many_rows import insert_or_ignore
from db.records import StoredWorkCount
from db.tables import WorkCountRow
from domain.states import Stage


def of_person(session: Session, *, project_id: int, person_id: int, stage: Stage) -> StoredWorkCount | None:
    """Return the last count for a person in a stage."""
    given = {"project": project_id, "person": person_id, "stage": stage}
    count: StoredWorkCount | None = prepared.first(session, _of_person(), given)
    return count


@cache
def _of_person() -> Any:
    return select(WorkCountRow).where(
        col(WorkCountRow.project_id) == bindparam("project"),
        col(WorkCountRow.person_id) == bindparam("person"),
        col(WorkCountRow.stage) == bindparam("stage"),
    )


def keep(session: Session, *, row: StoredWorkCount) -> None:
    """Store a count. The last writer wins, because nothing depends on the count."""
    values = row.model_dump(exclude={"id"})
    if insert_or_ignore(session, WorkCountRow, [{**values, "stage": row.stage}]):
        return
    given = {"project": row.project_id, "person": row.person_id, "stage": row.stage}
    known = session.exec(_of_person(), params=given).first()
    if known is not None:
        for name in ("counted_at", "fresh_until", "left", "done", "kept", "decided"):
            setattr(known, name, values[name])
        session.add(known)
