"""Queries on the revisions of items: the fields of items, in the words of the schema in force."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from db import prepared, reworded
from db.records import StoredRevision
from db.tables import ItemRow, RevisionRow
from domain.states import ItemState


def content(session: Session, *, item_id: int, revision: int) -> dict[str, Any]:
    """Return an item's fields at a revision. They never change."""
    known: dict[tuple[int, int], Mapping[str, Any]] = session.info.setdefault("contents", {})
    if (item_id, revision) not in known:
        given = {"item": item_id, "revision": revision}
        fields, version = prepared.first(session, _content(), given)
        known[item_id, revision] = reworded.content(session, version=version, given=fields, item_id=item_id)
    return dict(known[item_id, revision])


@cache
def _content() -> Any:
    return select(RevisionRow.content, RevisionRow.schema_version_id).where(
        col(RevisionRow.item_id) == bindparam("item"), col(RevisionRow.number) == bindparam("revision")
    )


def contents(session: Session, *, ids: Iterable[int]) -> dict[tuple[int, int], dict[str, Any]]:
    """Return the fields of items at all of their revisions, by item id and number."""
    wanted = select(RevisionRow.item_id, RevisionRow.number, RevisionRow.content, RevisionRow.schema_version_id)
    rows = session.exec(wanted.where(col(RevisionRow.item_id).in_(sorted(set(ids))))).all()
    return {
        (item_id, number): reworded.content(session, version=version, given=fields, item_id=item_id)
        for item_id, number, fields, version in rows
    }


def current_content(
    session: Session, *, project_id: int, ids: Sequence[int] | None = None
) -> dict[int, dict[str, Any]]:
    """Return the current fields of all items of a project, or of those with these ids, by item id."""
    wanted = (
        select(RevisionRow.item_id, RevisionRow.content, RevisionRow.schema_version_id)
        .join(ItemRow, col(ItemRow.id) == RevisionRow.item_id)
        .where(
            # not both conditions: SQLite would scan the whole project for a few items
            ItemRow.project_id == project_id if ids is None else col(RevisionRow.item_id).in_(ids),
            RevisionRow.number == ItemRow.current_revision,
        )
    )
    return {
        item_id: reworded.content(session, version=version, given=fields, item_id=item_id, project_id=project_id)
        for item_id, fields, version in session.exec(wanted)
    }


def present_contents(session: Session, *, ids: Sequence[int], project_id: int) -> dict[int, tuple[dict[str, Any], int]]:
    """Return the current fields of items and the schema version (id) that they were given under, by item id."""
    wanted = (
        select(RevisionRow.item_id, RevisionRow.content, RevisionRow.schema_version_id)
        .join(ItemRow, col(ItemRow.id) == RevisionRow.item_id)
        .where(col(RevisionRow.item_id).in_(ids), RevisionRow.number == ItemRow.current_revision)
    )
    return {
        id: (reworded.content(session, version=version, given=fields, item_id=id, project_id=project_id), version)
        for id, fields, version in session.exec(wanted)
    }


def edited(session: Session, *, project_id: int) -> dict[int, datetime]:
    """Return when each edited item got its current revision, by item id. Unedited items are left out."""
    wanted = (
        select(RevisionRow.item_id, RevisionRow.created_at)
        .join(ItemRow, col(ItemRow.id) == RevisionRow.item_id)
        .where(
            ItemRow.project_id == project_id,
            ItemRow.current_revision > 1,
            RevisionRow.number == ItemRow.current_revision,
        )
    )
    return dict(session.exec(wanted).all())


def revisions(session: Session, *, item_id: int) -> Sequence[StoredRevision]:
    """Return an item's revisions, oldest first."""
    wanted = select(RevisionRow).where(RevisionRow.item_id == item_id).order_by(col(RevisionRow.number))
    return reworded.query(session, wanted)


def latest_contents(
    session: Session, *, project_id: int, dimension: str, limit: int, but: str | None = None
) -> list[dict[str, Any]]:
    """Return the current fields of a dimension's newest items, newest first. ``but`` leaves one item out."""
    wanted = (
        select(RevisionRow.content, RevisionRow.schema_version_id, RevisionRow.item_id)
        .join(ItemRow, col(ItemRow.id) == RevisionRow.item_id)
        .where(
            ItemRow.project_id == project_id,
            col(ItemRow.state).in_(list(ItemState)),  # all states, so that the index is used
            ItemRow.dimension == dimension,
            RevisionRow.number == ItemRow.current_revision,
            ItemRow.public_id != (but or ""),
        )
        .order_by(col(ItemRow.id).desc())
        .limit(limit)
    )
    return [
        reworded.content(session, version=version, given=fields, item_id=item_id, project_id=project_id)
        for fields, version, item_id in session.exec(wanted)
    ]
