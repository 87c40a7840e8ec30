"""Queries on readings of models' answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlmodel import Session, col, select

from db.tables import PredictionRow, ReadingRow
from domain.runs import chunked


def public_ids(session: Session, *, ids: Sequence[int]) -> dict[int, str]:
    """Return the public ids of answers, by id."""
    public_by_id: dict[int, str] = {}
    for some in chunked(sorted(set(ids))):
        wanted = select(PredictionRow.id, PredictionRow.public_id).where(col(PredictionRow.id).in_(some))
        public_by_id |= {id: public for id, public in session.exec(wanted)}
    return public_by_id


def last_detail(session: Session, *, project_id: int, reader: str) -> Mapping[str, Any] | None:
    """Return the details of a reader's last reading in a project, or None if it has none."""
    wanted = (
        select(ReadingRow.detail)
        .join(PredictionRow, col(PredictionRow.id) == col(ReadingRow.prediction_id))
        .where(PredictionRow.project_id == project_id, ReadingRow.reader == reader)
        .order_by(col(ReadingRow.id).desc())
    )
    return session.exec(wanted.limit(1)).first()
