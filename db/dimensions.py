"""A query on the dimensions of a project's items, after a schema renamed them."""

from __future__ import annotations

from sqlalchemy import select
from sqlmodel import Session, col

from db.tables import (
    ItemRow,
    TaskRow,
)
from domain.rewording import Rewording


def unlike(session: Session, *, project_id: int, reading: Rewording) -> list[str]:
    """Return items (external ids) whose dimension disagrees with the name as given, or with their slots."""
    connection = session.connection()
    columns = (col(ItemRow.dimension), col(ItemRow.dimension_given), col(ItemRow.dimension_version))
    named = select(col(ItemRow.external_id)).where(col(ItemRow.project_id) == project_id)
    noted = select(*columns).where(col(ItemRow.project_id) == project_id, columns[1].is_not(None)).distinct()
    differing: set[str] = set()
    for stored, given, version in connection.execute(noted).all():
        if reading.dimension(version or 0, given or "") != stored:
            differing |= set(connection.scalars(named.where(columns[0] == stored, columns[1] == given)))
    apart = named.join(TaskRow, col(TaskRow.item_id) == col(ItemRow.id)).where(col(TaskRow.dimension) != columns[0])
    return sorted(differing | set(connection.scalars(apart)))
