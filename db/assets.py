"""Queries on media of a project and on the pool of free images."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, exists, func, or_, update
from sqlmodel import Session, col, select

from db.many_rows import insert_or_ignore
from db.records import StoredAsset, StoredMediaObject, StoredPick, StoredTask
from db.tables import AssetRow, ItemAssetRow, MediaObjectRow, PickRow, SourceRow, TaskRow
from domain.states import Stage, TaskState

_AT_ONCE = 500
"""So many names are asked for in one query."""


def put_media(session: Session, *, row: Mapping[str, Any]) -> None:
    """Remember a file of the media store; one that is known already stays as it is."""
    insert_or_ignore(session, MediaObjectRow, [row])


def put_all_media(session: Session, *, rows: Sequence[Mapping[str, Any]]) -> None:
    """As ``put_media``, many at once."""
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
    """Add an image or clip whose file is stored, for all dimensions or one; free for authors if it is ``in_pool``.
    ``group``: the name of its group, its role in an item, its place in the group."""
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
    """A project's asset with that content."""
    return session.exec(select(AssetRow).where(AssetRow.project_id == project_id, AssetRow.sha256 == sha256)).first()


def groups(
    session: Session, *, project_id: int, names: Iterable[str]
) -> dict[str, list[tuple[StoredAsset, StoredMediaObject | None]]]:
    """What is in each of these groups, in order."""
    wanted = (
        select(AssetRow, MediaObjectRow)
        .join(MediaObjectRow, col(MediaObjectRow.sha256) == AssetRow.sha256, isouter=True)
        .where(AssetRow.project_id == project_id, col(AssetRow.group_name).in_(sorted(set(names))))
        .order_by(col(AssetRow.group_name), col(AssetRow.place))
    )
    found: dict[str, list[tuple[StoredAsset, StoredMediaObject | None]]] = {}
    for asset, media in session.exec(wanted):
        found.setdefault(asset.group_name or "", []).append((asset, media))
    return found


def by_public_id(session: Session, *, public_id: str) -> StoredAsset | None:
    """The asset behind an id that a page knows."""
    return session.exec(select(AssetRow).where(AssetRow.public_id == public_id)).first()


def by_public_ids(
    session: Session, *, project_id: int, public_ids: Iterable[str], lock: bool = False
) -> dict[str, StoredAsset]:
    """A project's assets of these ids, by id."""
    found: dict[str, StoredAsset] = {}
    ordered = sorted(set(public_ids))
    for begin in range(0, len(ordered), _AT_ONCE):
        some = ordered[begin : begin + _AT_ONCE]
        wanted = select(AssetRow).where(AssetRow.project_id == project_id, col(AssetRow.public_id).in_(some))
        wanted = wanted.order_by(col(AssetRow.id))
        found |= {row.public_id: row for row in session.exec(wanted.with_for_update() if lock else wanted)}
    return found


def propose(session: Session, *, asset: StoredAsset, proposal: Mapping[str, Any]) -> None:
    """Keep what a model proposes for an item about a locked asset."""
    asset.proposal = dict(proposal)
    session.add(asset)


def media_object(session: Session, *, sha256: str) -> StoredMediaObject | None:
    """What is known of a file of the media store."""
    return session.get(MediaObjectRow, sha256)


def source_id(session: Session, *, project_id: int, name: str) -> int:
    """The source of that name, made if need be."""
    return source_ids(session, project_id=project_id, names=[name])[name]


def source_ids(session: Session, *, project_id: int, names: Sequence[str]) -> dict[str, int]:
    """The sources of these names, made if need be."""
    found: dict[str, int] = {}
    ordered = sorted(set(names))
    lots = [ordered[start : start + _AT_ONCE] for start in range(0, len(ordered), _AT_ONCE)]

    def look() -> None:
        for some in lots:
            wanted = select(SourceRow.name, SourceRow.id).where(
                SourceRow.project_id == project_id, col(SourceRow.name).in_(some)
            )
            found.update({name: id for name, id in session.exec(wanted) if id is not None})

    look()
    new = [name for some in lots for name in some if name not in found]
    if new:
        insert_or_ignore(session, SourceRow, [{"project_id": project_id, "name": name, "taken": 0} for name in new])
        look()
    return found


def free_clips(session: Session, *, project_id: int) -> list[tuple[str, str]]:
    """The name and the hash of each clip that is free in the pool, in the order in which they came."""
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
    """Images in the pool that may be picked for one of these dimensions, in the order in which they came."""
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
    """How many images are in the pool for these dimensions."""
    wanted = (
        select(func.count())
        .select_from(AssetRow)
        .join(SourceRow, col(SourceRow.id) == AssetRow.source_id, isouter=True)
        .where(*_free(project_id, dimensions, per_source))
    )
    return session.exec(wanted).one()


def take_from_pool(session: Session, *, asset: StoredAsset, per_source: int | None) -> bool:
    """Let an image leave the pool; False if it has left already, or if its source has given enough."""
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
    """Let an image be free again; what follows the first one of its group goes with that."""
    back = session.exec(
        update(AssetRow)
        .where(col(AssetRow.id) == asset.id, col(AssetRow.in_pool).is_(False), _stands_for_itself())
        .values(in_pool=True)
        .returning(col(AssetRow.id))
    ).first()
    if back is not None and asset.source_id is not None:
        session.exec(update(SourceRow).where(col(SourceRow.id) == asset.source_id).values(taken=SourceRow.taken - 1))


def return_unused(session: Session, *, ids: Sequence[int]) -> None:
    """Let those of these images (by id) be free again that no item has."""
    for begin in range(0, len(ids), 500):
        used = exists().where(col(ItemAssetRow.asset_id) == AssetRow.id)
        wanted = select(AssetRow).where(col(AssetRow.id).in_(ids[begin : begin + 500]), ~used)
        for asset in in_lock_order(session.exec(wanted).all()):
            return_to_pool(session, asset=asset)


def picks(session: Session, *, task_id: int) -> list[tuple[StoredPick, StoredAsset, StoredMediaObject | None]]:
    """The images of an item being written, in order."""
    wanted = (
        select(PickRow, AssetRow, MediaObjectRow)
        .join(AssetRow, col(AssetRow.id) == PickRow.asset_id)
        .join(MediaObjectRow, col(MediaObjectRow.sha256) == AssetRow.sha256, isouter=True)
        .where(PickRow.task_id == task_id)
        .order_by(col(PickRow.position))
    )
    return [(pick, asset, media) for pick, asset, media in session.exec(wanted)]


def pick_of(session: Session, *, asset_id: int) -> StoredPick | None:
    """Who picked an image last."""
    return session.get(PickRow, asset_id)


def add_picks(session: Session, *, task_id: int, asset_ids: Sequence[int]) -> None:
    """Note which images a task has, in order; the primary key refuses an image that another task has."""
    session.add_all(
        PickRow(asset_id=asset_id, task_id=task_id, position=position) for position, asset_id in enumerate(asset_ids)
    )
    session.flush()


def forget_picks(session: Session, *, task_id: int) -> None:
    """Give up all picks of a task."""
    session.exec(delete(PickRow).where(col(PickRow.task_id) == task_id))


def abandoned_authoring(
    session: Session, *, project_id: int, now: datetime, lock: bool = False
) -> Sequence[StoredTask]:
    """Items being written whose lease ended and whose images are not back in the pool yet."""
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
    """It is alone, or the first of its group."""
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
    """By source, then id: the order in which all transactions hold images and the counts of their sources."""
    return sorted(rows, key=lambda row: (row.source_id or 0, row.id))
