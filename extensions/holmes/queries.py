"""Queries for the precomputed results of tools about items."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import insert
from sqlmodel import Session, col, select

from db.records import StoredToolResult
from db.tables import ItemRow, ToolResultRow

Stored = dict[str, list[dict[str, Any]]]
"""Results by the tool's name: ``{"arguments": an object or None, "result": any JSON value}``."""


def of_items(session: Session, *, item_ids: Sequence[int]) -> dict[int, Stored]:
    """Return the stored results for these items, by item."""
    wanted = select(ToolResultRow).where(col(ToolResultRow.item_id).in_(list(item_ids))).order_by(col(ToolResultRow.id))
    by_item: dict[int, Stored] = defaultdict(dict)
    for row in session.exec(wanted):
        by_item[row.item_id].setdefault(row.tool, []).append({"arguments": row.arguments, "result": row.result})
    return dict(by_item)


def of_project(session: Session, *, project_id: int) -> Sequence[StoredToolResult]:
    """Return all stored results of a project."""
    wanted = (
        select(ToolResultRow)
        .join(ItemRow, col(ItemRow.id) == ToolResultRow.item_id)
        .where(ItemRow.project_id == project_id)
        .order_by(col(ToolResultRow.id))
    )
    return session.exec(wanted).all()


def add(session: Session, *, rows: Sequence[Mapping[str, Any]]) -> None:
    """Store results."""
    if rows:
        session.connection().execute(insert(ToolResultRow), [dict(row) for row in rows])
