"""Commands and queries on releases, their descriptions, and withdrawals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import func
from sqlalchemy import select as plain_select
from sqlmodel import Session, col, select

from db import reworded
from db.many_rows import insert_all
from db.records import StoredRelease, StoredReleaseAbout, StoredWithdrawal
from db.tables import (
    AssetRow,
    ItemAssetRow,
    ItemRow,
    MediaObjectRow,
    ReleaseAboutRow,
    ReleaseItemRow,
    ReleaseRow,
    RevisionRow,
    SourceRow,
    WithdrawalRow,
)

_KEPT_AT_ONCE = 5_000


# ---- releases --------------------------------------------------------------------------------------------------------


def of_project(session: Session, *, project_id: int) -> Sequence[StoredRelease]:
    """Return all releases of a project, oldest first, each before its point releases."""
    wanted = select(ReleaseRow).where(ReleaseRow.project_id == project_id)
    return session.exec(wanted.order_by(col(ReleaseRow.number), col(ReleaseRow.point))).all()


def find_release(session: Session, *, project_id: int, number: int, point: int) -> StoredRelease | None:
    """Return a release of a project, or None."""
    wanted = select(ReleaseRow).where(
        ReleaseRow.project_id == project_id, ReleaseRow.number == number, ReleaseRow.point == point
    )
    return session.exec(wanted).first()


def last_number(session: Session, *, project_id: int) -> int:
    """Return the number of the newest release, or 0."""
    return session.exec(select(func.max(ReleaseRow.number)).where(ReleaseRow.project_id == project_id)).one() or 0


def last_point(session: Session, *, project_id: int, number: int) -> int:
    """Return the newest point of a release."""
    wanted = select(func.max(ReleaseRow.point)).where(ReleaseRow.project_id == project_id, ReleaseRow.number == number)
    return session.exec(wanted).one() or 0


def add(
    session: Session,
    *,
    project_id: int,
    number: int,
    point: int,
    asked: Mapping[str, Any],
    told: Mapping[str, Any],
    manifest_sha256: str,
    by_id: int | None,
    now: datetime,
) -> StoredRelease:
    """Store a release. Raise ``IntegrityError`` if its number and point are taken."""
    row = ReleaseRow(
        project_id=project_id,
        number=number,
        point=point,
        asked=dict(asked),
        told=dict(told),
        manifest_sha256=manifest_sha256,
        by_id=by_id,
        created_at=now,
    )
    session.add(row)
    session.flush()
    return row


class PlacedItem(NamedTuple):
    """An item of a release."""

    item_id: int
    revision: int
    split: str
    place: int


def add_items(session: Session, *, release_id: int, rows: Iterable[PlacedItem]) -> None:
    """Store the items of a release."""
    todo = iter(rows)
    while lot := list(islice(todo, _KEPT_AT_ONCE)):
        insert_all(session, ReleaseItemRow, [{"release_id": release_id, **row._asdict()} for row in lot])


def items_of(session: Session, *, release_id: int) -> list[PlacedItem]:
    """Return the items of a release, in its order."""
    columns = [getattr(ReleaseItemRow, name) for name in PlacedItem._fields]
    rows = session.execute(
        plain_select(*columns).where(col(ReleaseItemRow.release_id) == release_id).order_by(col(ReleaseItemRow.place))
    )
    return [PlacedItem(*row) for row in rows]


def splits_of_items(session: Session, *, project_id: int) -> dict[int, str]:
    """Return the split of every released item, by id. The newest release of the item counts."""
    wanted = (
        plain_select(col(ReleaseItemRow.item_id), col(ReleaseItemRow.split))
        .join(ReleaseRow, col(ReleaseRow.id) == ReleaseItemRow.release_id)
        .where(col(ReleaseRow.project_id) == project_id)
        .order_by(col(ReleaseRow.number), col(ReleaseRow.point))
    )
    return {item: split for item, split in session.execute(wanted)}


# ---- withdrawals -----------------------------------------------------------------------------------------------------


def withdraw(
    session: Session,
    *,
    project_id: int,
    release_id: int,
    item_id: int,
    reason: str,
    by_id: int | None,
    now: datetime,
) -> None:
    """Record that a point release lacks an item, and why."""
    session.add(
        WithdrawalRow(
            project_id=project_id, release_id=release_id, item_id=item_id, reason=reason, by_id=by_id, created_at=now
        )
    )
    session.flush()


def withdrawn(session: Session, *, project_id: int) -> list[tuple[StoredWithdrawal, int, int, str]]:
    """Return every withdrawal of a project, with the first release (number and point) that lacks the item.

    The last value is the item's external id.
    """
    wanted = (
        select(WithdrawalRow, ReleaseRow.number, ReleaseRow.point, ItemRow.external_id)
        .join(ReleaseRow, col(ReleaseRow.id) == WithdrawalRow.release_id)
        .join(ItemRow, col(ItemRow.id) == WithdrawalRow.item_id)
        .where(WithdrawalRow.project_id == project_id)
        .order_by(col(WithdrawalRow.id))
    )
    return [(row, number, point, name) for row, number, point, name in session.exec(wanted)]


# ---- descriptions ----------------------------------------------------------------------------------------------------


def current_card(session: Session, *, project_id: int) -> StoredReleaseAbout | None:
    """Return the leads' current description of their releases, or None."""
    wanted = select(ReleaseAboutRow).where(ReleaseAboutRow.project_id == project_id)
    return session.exec(wanted.order_by(col(ReleaseAboutRow.number).desc()).limit(1)).first()


def say(
    session: Session, *, project_id: int, number: int, about: Mapping[str, Any], by_id: int | None, now: datetime
) -> None:
    """Store a new description. Raise ``IntegrityError`` if someone has stored the same number."""
    session.add(ReleaseAboutRow(project_id=project_id, number=number, about=dict(about), by_id=by_id, created_at=now))
    session.flush()


# ---- content ---------------------------------------------------------------------------------------------------------


class Asset(NamedTuple):
    """An image or clip of an item, with the record of its file."""

    item_id: int
    role: str
    name: str
    source: str | None
    kind: str
    sha256: str | None
    mime: str | None
    bytes: int | None
    width: int | None
    height: int | None
    duration: float | None
    group: str | None


def assets(session: Session, *, item_ids: Sequence[int]) -> Iterator[Asset]:
    """Yield the images and clips of items, item by item, each in its order."""
    wanted = (
        plain_select(
            col(ItemAssetRow.item_id),
            col(ItemAssetRow.role),
            col(AssetRow.name),
            col(SourceRow.name),
            col(AssetRow.kind),
            col(AssetRow.sha256),
            col(MediaObjectRow.mime),
            col(MediaObjectRow.bytes),
            col(MediaObjectRow.width),
            col(MediaObjectRow.height),
            col(MediaObjectRow.duration),
            col(AssetRow.group_name),
        )
        .join(AssetRow, col(AssetRow.id) == ItemAssetRow.asset_id)
        .join(SourceRow, col(SourceRow.id) == AssetRow.source_id, isouter=True)
        .join(MediaObjectRow, col(MediaObjectRow.sha256) == AssetRow.sha256, isouter=True)
        .where(col(ItemAssetRow.item_id).in_(item_ids))
        .order_by(col(ItemAssetRow.item_id), col(ItemAssetRow.position), col(ItemAssetRow.id))
    )
    for row in session.execute(wanted):
        yield Asset(*row)


def names(session: Session, *, item_ids: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Return the external ids and the dimensions of items, by id."""
    wanted = select(col(ItemRow.id), col(ItemRow.external_id), col(ItemRow.dimension))
    rows = session.execute(wanted.where(col(ItemRow.id).in_(item_ids)))
    return {id: (name, dimension) for id, name, dimension in rows}


def contents(session: Session, *, project_id: int, revisions: Mapping[int, int]) -> dict[int, dict[str, Any]]:
    """Return the fields of items at these revisions (item id -> number), in the words of the schema in force."""
    wanted = (
        plain_select(
            col(RevisionRow.item_id),
            col(RevisionRow.number),
            col(RevisionRow.content),
            col(RevisionRow.schema_version_id),
        )
        .join(ItemRow, col(ItemRow.id) == RevisionRow.item_id)
        .where(col(RevisionRow.item_id).in_(list(revisions)))
    )
    return {
        item_id: reworded.content(session, version=version, given=fields, item_id=item_id, project_id=project_id)
        for item_id, number, fields, version in session.execute(wanted)
        if revisions[item_id] == number
    }
