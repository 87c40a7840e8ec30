"""Queries on a project's media and on the pool of free images."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, func, or_, update
from sqlmodel import Session, col, select

from db.many_rows import insert_or_ignore
from db.records import StoredAsset, StoredMediaObject, StoredPick, StoredTask
from db.tables import AssetRow, MediaObjectRow, PickRow, SourceRow, TaskRow
from domain.states import Stage, TaskState

_AT_ONCE = 500
"""How many names one query asks for at most."""


def put_media(session: Session, *, row: Mapping[str, Any]) -> None:
    """Record a file of the media store. A file that is already recorded stays unchanged."""
    insert_or_ignore(session, MediaObjectRow, [row])


def put_all_media(session: Session, *, rows: Sequence[Mapping[str, Any]]) -> None:
    """Record many files of the media store at once, like ``put_media``."""
    insert_or_ignore(session, MediaObjectRow, rows)


def add(
    session: Session,
    *,
    project_id: int,
    sha256: str,
    name: str,
    kind: str,
    source_id: int | None,
    dimension: str | None,
    in_pool: bool,
    now: datetime,
    group: tuple[str, str, int] | None = None,
) -> StoredAsset:
    """Add an image or clip whose file is stored, for all dimensions or one. Authors may pick it if it is ``in_pool``.

    ``group``: the name of its group, its role in an item, and its place in the group.
    """
    row = AssetRow(
        project_id=project_id,
        sha256=sha256,
        name=name,
        kind=kind,
        source_id=source_id,
        dimension=dimension,
        in_pool=in_pool,
        group_name=group[0] if group else None,
        role=group[1] if group else None,
        place=group[2] if group else None,
        created_at=now,
    )
    session.add(row)
    session.flush()
    return row


def by_hash(session: Session, *, project_id: int, sha256: str) -> StoredAsset | None:
    """Return the project's asset with this content."""
    return session.exec(select(AssetRow).where(AssetRow.project_id == project_id, AssetRow.sha256 == sha256)).first()


def groups(
    session: Session, *, project_id: int, names: Iterable[str]
) -> dict[str, list[tuple[StoredAsset, StoredMediaObject | None]]]:
    """Return the assets of each of these groups, in order, with their files."""
    wanted = (
        select(AssetRow, MediaObjectRow)
        .join(MediaObjectRow, col(MediaObjectRow.sha256) == AssetRow.sha256, isouter=True)
        .where(AssetRow.project_id == project_id, col(AssetRow.group_name).in_(sorted(set(names))))
        .order_by(col(AssetRow.group_name), col(AssetRow.place))
    )
    by_group: dict[str, list[tuple[StoredAsset, StoredMediaObject | None]]] = {}
    for asset, media in session.exec(wanted):
        by_group.setdefault(asset.group_name or "", []).append((asset, media))
    return by_group


def by_public_id(session: Session, *, public_id: str) -> StoredAsset | None:
    """Return the asset behind a public id."""
    return session.exec(select(AssetRow).where(AssetRow.public_id == public_id)).first()


def source_id(session: Session, *, project_id: int, name: str) -> int:
    """Return the id of the source with this name. The source is created if it is missing."""
    return source_ids(session, project_id=project_id, names=[name])[name]


def source_ids(session: Session, *, project_id: int, names: Sequence[str]) -> dict[str, int]:
    """Return the ids of the sources with these names, by name. Missing sources are created."""
    ids: dict[str, int] = {}
    ordered = sorted(set(names))
    lots = [ordered[start : start + _AT_ONCE] for start in range(0, len(ordered), _AT_ONCE)]

    def look() -> None:
        for some in lots:
            wanted = select(SourceRow.name, SourceRow.id).where(
                SourceRow.project_id == project_id, col(SourceRow.name).in_(some)
            )
            ids.update({name: id for name, id in session.exec(wanted) if id is not None})

    look()
    new = [name for some in lots for name in some if name not in ids]
    if new:
        insert_or_ignore(session, SourceRow, [{"project_id": project_id, "name": name, "taken": 0} for name in new])
        look()
    return ids


def free_clips(session: Session, *, project_id: int) -> list[tuple[str, str]]:
    """Return the name and the hash of each free clip in the pool, oldest first."""
    wanted = select(AssetRow.name, AssetRow.sha256).where(
        AssetRow.project_id == project_id, AssetRow.kind == "clip", col(AssetRow.in_pool)
    )
    return [(name, sha256) for name, sha256 in session.exec(wanted.order_by(col(AssetRow.id))) if sha256 is not None]


def free(
    session: Session,
    *,
    project_id: int,
    dimensions: Sequence[str] | None,
    per_source: int | None,
    after: str | None,
    limit: int,
) -> list[tuple[StoredAsset, StoredMediaObject | None]]:
    """Return images in the pool that may be picked for one of these dimensions, oldest first."""
    wanted = (
        select(AssetRow, MediaObjectRow)
        .join(MediaObjectRow, col(MediaObjectRow.sha256) == AssetRow.sha256, isouter=True)
        .join(SourceRow, col(SourceRow.id) == AssetRow.source_id, isouter=True)
        .where(*_free(project_id, dimensions, per_source))
        .order_by(col(AssetRow.id))
        .limit(limit)
    )
    if after is not None:
        wanted = wanted.where(
            col(AssetRow.id) > select(AssetRow.id).where(AssetRow.public_id == after).scalar_subquery()
        )
    return [(asset, media) for asset, media in session.exec(wanted)]


def count_free(session: Session, *, project_id: int, dimensions: Sequence[str] | None, per_source: int | None) -> int:
    """Count the images in the pool for these dimensions."""
    wanted = (
        select(func.count())
        .select_from(AssetRow)
        .join(SourceRow, col(SourceRow.id) == AssetRow.source_id, isouter=True)
        .where(*_free(project_id, dimensions, per_source))
    )
    return session.exec(wanted).one()


def take_from_pool(session: Session, *, asset: StoredAsset, per_source: int | None) -> bool:
    """Take an image out of the pool. Return False if it was already taken, or if its source has given enough images."""
    taken = session.exec(
        update(AssetRow)
        .where(col(AssetRow.id) == asset.id, col(AssetRow.in_pool))
        .values(in_pool=False)
        .returning(col(AssetRow.id))
    ).first()
    if taken is None:
        return False
    if asset.source_id is None:
        return True
    room = [] if per_source is None else [col(SourceRow.taken) < per_source]
    counted = session.exec(
        update(SourceRow)
        .where(col(SourceRow.id) == asset.source_id, *room)
        .values(taken=SourceRow.taken + 1)
        .returning(col(SourceRow.id))
    ).first()
    return counted is not None


def return_to_pool(session: Session, *, asset: StoredAsset) -> None:
    """Put an image back into the pool. The rest of its group follows the first image of the group."""
    back = session.exec(
        update(AssetRow)
        .where(col(AssetRow.id) == asset.id, col(AssetRow.in_pool).is_(False), _stands_for_itself())
        .values(in_pool=True)
        .returning(col(AssetRow.id))
    ).first()
    if back is not None and asset.source_id is not None:
        session.exec(update(SourceRow).where(col(SourceRow.id) == asset.source_id).values(taken=SourceRow.taken - 1))


def picks(session: Session, *, task_id: int) -> list[tuple[StoredPick, StoredAsset, StoredMediaObject | None]]:
    """Return the images of an item that is being written, in order."""
    wanted = (
        select(PickRow, AssetRow, MediaObjectRow)
        .join(AssetRow, col(AssetRow.id) == PickRow.asset_id)
        .join(MediaObjectRow, col(MediaObjectRow.sha256) == AssetRow.sha256, isouter=True)
        .where(PickRow.task_id == task_id)
        .order_by(col(PickRow.position))
    )
    return [(pick, asset, media) for pick, asset, media in session.exec(wanted)]


def pick_of(session: Session, *, asset_id: int) -> StoredPick | None:
    """Return the last pick of an image."""
    return session.get(PickRow, asset_id)


def add_picks(session: Session, *, task_id: int, asset_ids: Sequence[int]) -> None:
    """Record which images a task has, in order. The primary key refuses an image that another task has."""
    session.add_all(
        PickRow(asset_id=asset_id, task_id=task_id, position=position) for position, asset_id in enumerate(asset_ids)
    )
    session.flush()


def forget_picks(session: Session, *, task_id: int) -> None:
    """Delete all picks of a task."""
    session.exec(delete(PickRow).where(col(PickRow.task_id) == task_id))


def abandoned_authoring(
    session: Session, *, project_id: int, now: datetime, lock: bool = False
) -> Sequence[StoredTask]:
    """Return authoring tasks whose lease ended and whose images are not back in the pool yet."""
    wanted = (
        select(TaskRow)
        .where(
            TaskRow.project_id == project_id,
            TaskRow.stage == Stage.AUTHORING,
            TaskRow.state == TaskState.CLAIMED,
            col(TaskRow.lease_until) < now,
            select(PickRow.asset_id)
            .join(AssetRow, col(AssetRow.id) == PickRow.asset_id)
            .where(PickRow.task_id == TaskRow.id, col(AssetRow.in_pool).is_(False), _stands_for_itself())
            .exists(),
        )
        .order_by(col(TaskRow.id))
    )
    return session.exec(wanted.with_for_update(skip_locked=True, key_share=True) if lock else wanted).all()


def _stands_for_itself() -> ColumnElement[bool]:
    """Return the condition that an image belongs to no group, or is the first of its group."""
    return func.coalesce(AssetRow.place, 0) == 0


def _free(project_id: int, dimensions: Sequence[str] | None, per_source: int | None) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [
        col(AssetRow.project_id) == project_id,
        col(AssetRow.in_pool).is_(True),
    ]
    if dimensions is not None:
        conditions.append(or_(col(AssetRow.dimension).is_(None), col(AssetRow.dimension).in_(dimensions)))
    if per_source is not None:
        conditions.append(or_(col(AssetRow.source_id).is_(None), col(SourceRow.taken) < per_source))
    return conditions


def in_lock_order(rows: Iterable[StoredAsset]) -> list[StoredAsset]:
    """Sort images by source, then id: the order in which all transactions lock images and their sources' counts."""
    return sorted(rows, key=lambda row: (row.source_id or 0, row.id))
