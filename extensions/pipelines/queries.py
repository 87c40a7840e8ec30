"""Queries on items by the file that they came from."""

from __future__ import annotations

from sqlalchemy import func
from sqlmodel import Session, col, select

from db.tables import ItemRow
from domain.states import ItemState


def states_by_file(session: Session, *, project_id: int) -> dict[int | None, dict[ItemState, int]]:
    """Count the items of each file, by state. The key None holds items without a file, such as authored ones."""
    wanted = (
        select(ItemRow.file_id, ItemRow.state, func.count())
        .where(ItemRow.project_id == project_id)
        .group_by(col(ItemRow.file_id), col(ItemRow.state))
    )
    states: dict[int | None, dict[ItemState, int]] = {}
    for id, state, n in session.exec(wanted):
        states.setdefault(id, {})[ItemState(state)] = n
    return states
