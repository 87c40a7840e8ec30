"""Queries on drafts of forms, which are settings of the person who writes them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete
from sqlmodel import Session, col, select

from db.tables import PersonSettingRow

NAMES = "form."
"""The beginning of the names of these settings."""


def drafts_of(session: Session, *, person_id: int) -> Sequence[tuple[str, dict[str, Any], datetime]]:
    """Return a person's drafts with their ids and times, newest first."""
    rows = session.exec(
        select(PersonSettingRow)
        .where(PersonSettingRow.person_id == person_id, col(PersonSettingRow.name).startswith(NAMES, autoescape=True))
        .order_by(col(PersonSettingRow.set_at).desc(), col(PersonSettingRow.name))
    ).all()
    return [(row.name.removeprefix(NAMES), row.value, row.set_at) for row in rows]


def locked_draft(session: Session, *, person_id: int, id: str) -> dict[str, Any] | None:
    """Return a draft, and keep other transactions from changing it."""
    row = session.get(PersonSettingRow, (person_id, NAMES + id), with_for_update=True, populate_existing=True)
    return row.value if row is not None else None


def delete_draft(session: Session, *, person_id: int, id: str) -> None:
    """Delete a draft."""
    named = (col(PersonSettingRow.person_id) == person_id, col(PersonSettingRow.name) == NAMES + id)
    session.exec(delete(PersonSettingRow).where(*named))
