"""The dimensions of a project's rows and the roles of its images and clips, after a schema renames them.

An item's dimension is part of indexes, so the current name is stored. If it differs, the name as given is stored next
to it. The given name yields the name under any schema that the project has had. Therefore a change can be taken back
even after several dimensions were merged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import delete, func, or_, select, text, update
from sqlmodel import Session, col

from db.tables import (
    AnnotationRow,
    AssetRow,
    GoldRow,
    InvitationRow,
    ItemAssetRow,
    ItemRow,
    MemberRow,
    QueueCursorRow,
    TaskRow,
    WorkCountRow,
)
from domain.rewording import Rewording
from domain.states import Purpose, TaskState

_LEVEL = "/"
"""The separator after the dimension in the name of a place in a queue (``db.queue_cursor``)."""


def do_not_wait(session: Session) -> None:
    """Set a short lock timeout on PostgreSQL, where others may hold the rows to be changed.

    They may also wait for this transaction. Then this transaction has to start over, not a person who submits.
    """
    if session.connection().dialect.name != "sqlite":
        session.connection().execute(text("SET LOCAL lock_timeout = '300ms'"))


def call_anew(session: Session, *, project_id: int, before: int, now: int, reading: Rewording) -> None:
    """Move everything in a locked project to its dimension under the schema ``now`` (id), which follows ``before``.

    Items are changed before their slots, in the order of every submission. A second pass finds the rows that others
    held during the first.
    """
    for _ in range(2):
        _forget_places(session, project_id, before, reading)
        for table, only in ((ItemRow, ()), (AssetRow, ()), (TaskRow, (col(TaskRow.item_id).is_(None),))):
            _put(session, table, project_id, before, now, reading, only)
        _follow_items(session, TaskRow, project_id)
        _follow_items(session, GoldRow, project_id)
    for people in (MemberRow, InvitationRow):
        _put_people(session, people, project_id, before, now, reading)


def _put(
    session: Session, table: Any, project_id: int, before: int, now: int, reading: Rewording, only: Sequence[Any]
) -> None:
    connection = session.connection()
    columns = (col(table.dimension), col(table.dimension_given), col(table.dimension_version))
    mine = (col(table.project_id) == project_id, *only)
    stored = connection.execute(select(*columns).where(*mine, columns[0].is_not(None)).distinct()).all()
    # Rows without a given name come first, so that none is changed twice.
    for row in sorted(stored, key=lambda each: each[1] is not None):
        made = _now(*row, before=before, now=now, reading=reading)
        if made != tuple(row):
            these = [
                column.is_(None) if value is None else column == value
                for column, value in zip(columns, row, strict=True)
            ]
            names = ("dimension", "dimension_given", "dimension_version")
            connection.execute(update(table).where(*mine, *these).values(dict(zip(names, made, strict=True))))


def _now(
    stored: str, given: str | None, version: int | None, *, before: int, now: int, reading: Rewording
) -> tuple[str, str | None, int | None]:
    """Return a dimension's current name, and the name as given with its schema version if that differs."""
    name, under = (stored, before) if given is None or version is None else (given, version)
    if under == now:
        return name, None, None
    made = reading.dimension(under, name)
    return (made, None, None) if given is None and made == stored else (made, name, under)


def _put_people(session: Session, table: Any, project_id: int, before: int, now: int, reading: Rewording) -> None:
    """Rename the dimensions that people may work in, like ``_now``."""
    connection = session.connection()
    columns = (col(table.id), col(table.dimensions), col(table.dimensions_given), col(table.dimensions_version))
    for id, stored, given, version in connection.execute(select(*columns).where(col(table.project_id) == project_id)):
        if stored is None:
            continue
        names, under = (stored, before) if given is None else (given, version)
        made = list(dict.fromkeys(reading.dimension(under, name) for name in names)) if under != now else names
        kept = None if under == now or (given is None and made == stored) else names
        values = {"dimensions": made, "dimensions_given": kept, "dimensions_version": under if kept else None}
        if (made, kept) != (stored, given):
            connection.execute(update(table).where(col(table.id) == id).values(values))


def _follow_items(session: Session, table: Any, project_id: int) -> None:
    """Set the dimension of rows about an item to the item's dimension."""
    of_item = select(col(ItemRow.dimension)).where(col(ItemRow.id) == col(table.item_id)).scalar_subquery()
    mine = (col(table.project_id) == project_id, col(table.item_id).is_not(None), col(table.dimension) != of_item)
    session.connection().execute(update(table).where(*mine).values(dimension=of_item))


def _forget_places(session: Session, project_id: int, before: int, reading: Rewording) -> None:
    """Delete everyone's places in the queues of renamed dimensions, so that they start over."""
    names = {
        name for steps in reading.steps.values() for step in steps for pair in step.dimensions.items() for name in pair
    }
    of = col(QueueCursorRow.dimension)
    there = [or_(of == name, of.startswith(name + _LEVEL, autoescape=True)) for name in sorted(names)]
    if there:
        gone = delete(QueueCursorRow).where(col(QueueCursorRow.project_id) == project_id, or_(*there))
        session.connection().execute(gone)


def forget_counts(session: Session, *, project_id: int) -> None:
    """Delete all cached counts of waiting work, which are stored by dimension."""
    session.connection().execute(delete(WorkCountRow).where(col(WorkCountRow.project_id) == project_id))


def call_assets(session: Session, *, project_id: int, names: Mapping[str, str]) -> None:
    """Rename the roles of a project's images and clips, including those in the pool: new role by old role.

    No row may already use a new role.
    """
    if names:  # wait for transactions that are writing an item
        written = select(col(TaskRow.id)).where(col(TaskRow.project_id) == project_id, col(TaskRow.item_id).is_(None))
        session.connection().execute(written.with_for_update(key_share=True)).all()
    items = select(col(ItemRow.id)).where(col(ItemRow.project_id) == project_id)
    for before, now in names.items():
        mine = (col(ItemAssetRow.role) == before, col(ItemAssetRow.item_id).in_(items))
        session.connection().execute(update(ItemAssetRow).where(*mine).values(role=now))
        pooled = (col(AssetRow.role) == before, col(AssetRow.project_id) == project_id)
        session.connection().execute(update(AssetRow).where(*pooled).values(role=now))


def items_in(session: Session, *, project_id: int) -> dict[str, int]:
    """Count the items of each dimension."""
    wanted = select(col(ItemRow.dimension), func.count()).where(col(ItemRow.project_id) == project_id)
    return {name: n for name, n in session.connection().execute(wanted.group_by(col(ItemRow.dimension)))}


def once_called(
    session: Session, *, project_id: int, before: int, now: int, reading: Rewording
) -> dict[str, list[int]]:
    """Count what each dimension would hold under the schema ``now``, as ``call_anew`` would change it.

    The counts are: items, items that people are writing, and images and clips of the pool.
    """
    waits = (col(TaskRow.item_id).is_(None), col(TaskRow.state) == TaskState.CLAIMED)
    pooled = (col(AssetRow.dimension).is_not(None),)
    counts: dict[str, list[int]] = {}
    lots: tuple[tuple[Any, Any], ...] = ((ItemRow, ()), (TaskRow, waits), (AssetRow, pooled))
    for at, (table, only) in enumerate(lots):
        columns = (col(table.dimension), col(table.dimension_given), col(table.dimension_version))
        wanted = select(*columns, func.count()).where(col(table.project_id) == project_id, *only).group_by(*columns)
        for *name_columns, n in session.connection().execute(wanted):
            name, _, _ = _now(*name_columns, before=before, now=now, reading=reading)
            counts.setdefault(name, [0, 0, 0])[at] += n
    return counts


def votes_in(session: Session, *, project_id: int) -> dict[str, int]:
    """Count the submissions that count, by the dimension of their item."""
    later = select(col(AnnotationRow.supersedes_id)).where(
        col(AnnotationRow.project_id) == project_id, col(AnnotationRow.supersedes_id).is_not(None)
    )
    wanted = (
        select(col(ItemRow.dimension), func.count())
        .join(AnnotationRow, col(AnnotationRow.item_id) == col(ItemRow.id))
        .where(
            col(AnnotationRow.project_id) == project_id,
            col(AnnotationRow.purpose) == Purpose.LIVE,
            col(AnnotationRow.id).not_in(later),
        )
    )
    return {name: n for name, n in session.connection().execute(wanted.group_by(col(ItemRow.dimension)))}


def in_hand(session: Session, *, project_id: int) -> dict[str, int]:
    """Count the items that people are writing, by dimension."""
    wanted = select(col(TaskRow.dimension), func.count()).where(
        col(TaskRow.project_id) == project_id, col(TaskRow.item_id).is_(None), col(TaskRow.state) == TaskState.CLAIMED
    )
    return {name: n for name, n in session.connection().execute(wanted.group_by(col(TaskRow.dimension)))}


def with_role(session: Session, *, project_id: int, role: str) -> int:
    """Count the items that have an image or clip in a role, and the unused groups of the pool that do."""
    items = (
        select(func.count(func.distinct(ItemAssetRow.item_id)))
        .join(ItemRow, col(ItemRow.id) == col(ItemAssetRow.item_id))
        .where(col(ItemRow.project_id) == project_id, col(ItemAssetRow.role) == role)
    )
    groups = select(func.count(func.distinct(AssetRow.group_name))).where(
        col(AssetRow.project_id) == project_id,
        col(AssetRow.role) == role,
        col(AssetRow.id).not_in(select(col(ItemAssetRow.asset_id))),
    )
    return sum(session.connection().execute(query).scalar_one() for query in (items, groups))
