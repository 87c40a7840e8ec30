"""Queries on the work of a project that goes out to another tool."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func
from sqlmodel import Session, col, select

from db.records import StoredBridge
from db.tables import BridgeProjectRow, BridgeRow, BridgeTaskRow
from domain.bridge import BridgeState


def servers(session: Session, *, project_id: int) -> Sequence[StoredBridge]:
    """Return the servers to which a project sends work, by address."""
    wanted = select(BridgeRow).where(BridgeRow.project_id == project_id).order_by(col(BridgeRow.address))
    return session.exec(wanted).all()


def unfinished(session: Session, *, bridge_id: int) -> dict[int, dict[BridgeState, int]]:
    """Count the tasks that each project on the server may still have, by state."""
    wanted = (
        select(BridgeTaskRow.bridge_project_id, BridgeTaskRow.state, func.count())
        .join(BridgeProjectRow, col(BridgeProjectRow.id) == BridgeTaskRow.bridge_project_id)
        .where(
            BridgeProjectRow.bridge_id == bridge_id,
            col(BridgeProjectRow.removed_at).is_(None),
            col(BridgeTaskRow.gone_at).is_(None),
        )
        .group_by(col(BridgeTaskRow.bridge_project_id), col(BridgeTaskRow.state))
    )
    by_id: dict[int, dict[BridgeState, int]] = {}
    for id, state, n in session.exec(wanted):
        by_id.setdefault(id, {})[BridgeState(state)] = n
    return by_id
