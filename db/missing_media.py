"""Queries on missing media: images and clips that items name, that the schema needs, and that were not imported yet."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, bindparam, distinct, exists, func, or_, true
from sqlalchemy import select as sa_select
from sqlmodel import Session, col, select

from db.tables import AssetRow, ItemAssetRow, ItemRow, SourceRow, TaskRow
from domain.runs import chunked
from domain.states import ItemState, Purpose, TaskState


def waits(of: Any) -> ColumnElement[bool]:
    """Return the condition that a row's item lacks the file of an image or clip in a ``needed`` role."""
    return exists().where(
        col(ItemAssetRow.item_id) == col(of.item_id),
        col(ItemAssetRow.role).in_(bindparam("needed", expanding=True)),
        col(AssetRow.id) == col(ItemAssetRow.asset_id),
        col(AssetRow.sha256).is_(None),
    )


def waiting(session: Session, *, item_ids: Iterable[int], needed: Sequence[str]) -> set[int]:
    """Return those of the items (ids) that wait for missing files.

    The missing assets are locked until the transaction ends. Whoever imports them then sees the result of the
    transaction.
    """
    waiting_ids: set[int] = set()
    ids = sorted(set(item_ids)) if needed else []
    for lot in chunked(ids):
        wanted = _missing(needed).where(col(ItemAssetRow.item_id).in_(lot))
        held = wanted.order_by(col(AssetRow.id)).with_for_update(read=True, of=AssetRow)
        waiting_ids |= set(session.exec(held))
    return waiting_ids


def waiting_in(session: Session, *, project_id: int, needed: Sequence[str]) -> set[int]:
    """Return the items (ids) of a project that wait for missing files."""
    return set(session.exec(_missing(needed).where(AssetRow.project_id == project_id)))


def incomplete(session: Session, *, project_id: int, states: Collection[ItemState]) -> set[int]:
    """Return the items (ids) in one of the states that name a missing image or clip in any role.

    People may work without some roles, but a release needs all files.
    """
    return set(
        session.exec(
            select(ItemAssetRow.item_id)
            .join(AssetRow, col(AssetRow.id) == ItemAssetRow.asset_id)
            .join(ItemRow, col(ItemRow.id) == ItemAssetRow.item_id)
            .where(
                AssetRow.project_id == project_id,
                col(AssetRow.sha256).is_(None),
                col(ItemRow.state).in_(states),
            )
        )
    )


def _missing(needed: Sequence[str]) -> Any:
    return (
        select(ItemAssetRow.item_id)
        .join(AssetRow, col(AssetRow.id) == ItemAssetRow.asset_id)
        .where(col(AssetRow.sha256).is_(None), col(ItemAssetRow.role).in_(needed))
    )


def with_assets(session: Session, *, asset_ids: Sequence[int]) -> set[int]:
    """Return the items (ids) that have one of these assets."""
    item_ids: set[int] = set()
    for lot in chunked(asset_ids):
        some = col(ItemAssetRow.asset_id).in_(lot)
        item_ids |= set(session.exec(select(ItemAssetRow.item_id).where(some)))
    return item_ids


@dataclass(frozen=True)
class MissingFiles:
    """The missing images or clips of one role."""

    role: str
    kind: str
    files: int
    example: str
    """The name of the first of them."""
    source: str | None
    """The video or collection of the first one, if it is known."""


@dataclass(frozen=True)
class MissingMedia:
    """The number of waiting items, and the media that they wait for."""

    items: int
    lacking: tuple[MissingFiles, ...]


def by_dimension(
    session: Session, *, project_id: int, states: Sequence[ItemState], needed: Sequence[str]
) -> dict[str, MissingMedia]:
    """Return the media that items in these states or with open slots wait for, by dimension."""
    open_slot = select(TaskRow.id).where(
        TaskRow.item_id == ItemRow.id, TaskRow.state == TaskState.OPEN, TaskRow.purpose == Purpose.LIVE
    )

    def asked(*columns: Any) -> Any:
        return (
            sa_select(col(ItemRow.dimension), *columns)
            .select_from(ItemRow)
            .join(ItemAssetRow, col(ItemAssetRow.item_id) == col(ItemRow.id))
            .join(AssetRow, col(AssetRow.id) == col(ItemAssetRow.asset_id))
            .where(col(AssetRow.project_id) == project_id, col(AssetRow.sha256).is_(None))
            .where(col(ItemAssetRow.role).in_(needed), or_(col(ItemRow.state).in_(states), open_slot.exists()))
            .group_by(col(ItemRow.dimension))
        )

    n_items = {name: int(n) for name, n in session.execute(asked(func.count(distinct(col(ItemRow.id)))))}
    place = (col(ItemAssetRow.role), col(AssetRow.kind))
    what = asked(*place, func.count(distinct(col(AssetRow.id))), func.min(col(AssetRow.id))).group_by(*place)
    rows = session.execute(what).all()
    named = (
        sa_select(col(AssetRow.id), col(AssetRow.name), col(SourceRow.name))
        .join(SourceRow, col(SourceRow.id) == col(AssetRow.source_id), isouter=True)
        .where(col(AssetRow.id).in_([first for *_, first in rows]))
    )
    examples = {id: (name, source) for id, name, source in session.execute(named)}
    lacking: dict[str, list[MissingFiles]] = {name: [] for name in n_items}
    for name, role, kind, files, first in rows:
        lacking[name].append(MissingFiles(role, kind, int(files), *examples[first]))
    order = {role: at for at, role in enumerate(needed)}
    return {
        name: MissingMedia(n, tuple(sorted(lacking[name], key=lambda each: order[each.role])))
        for name, n in n_items.items()
    }


def wrongly_noted(session: Session, *, project_id: int, needed: Sequence[str]) -> list[tuple[int, str, str, bool]]:
    """Return unfinished slots (id, stage, item's external id, whether it waits) whose ``awaits_media`` is wrong."""
    lacks = waits(TaskRow)
    wanted = (
        sa_select(col(TaskRow.id), col(TaskRow.stage), col(ItemRow.external_id), lacks)
        .join(ItemRow, col(ItemRow.id) == col(TaskRow.item_id))
        .where(
            col(TaskRow.project_id) == project_id,
            col(TaskRow.state) != TaskState.DONE,
            col(TaskRow.purpose) == Purpose.LIVE,
            or_(
                (col(TaskRow.awaits_media) == true()) & ~lacks,
                (col(TaskRow.awaits_media) != true()) & lacks,
            ),
        )
        .order_by(col(TaskRow.id))
    )
    rows = session.execute(wanted, {"needed": list(needed)})
    return [(id, stage.value, name, bool(lacks)) for id, stage, name, lacks in rows]
