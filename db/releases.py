"""Commands and queries on releases, on what is said of them, and on what was withdrawn."""

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

_AT_ONCE = 500
_KEPT_AT_ONCE = 5_000


# ---- releases --------------------------------------------------------------------------------------------------------


def of_project(session: Session, *, project_id: int) -> Sequence[StoredRelease]:
    """All releases of a project, the first one first, each before its point releases."""
    wanted = select(ReleaseRow).where(ReleaseRow.project_id == project_id)
    return session.exec(wanted.order_by(col(ReleaseRow.number), col(ReleaseRow.point))).all()


def one(session: Session, *, project_id: int, number: int, point: int) -> StoredRelease | None:
    """A release of a project; None: there is no such one."""
    wanted = select(ReleaseRow).where(
        ReleaseRow.project_id == project_id, ReleaseRow.number == number, ReleaseRow.point == point
    )
    return session.exec(wanted).first()


def last_number(session: Session, *, project_id: int) -> int:
    """The number of the newest release; 0: there is none."""
    return session.exec(select(func.max(ReleaseRow.number)).where(ReleaseRow.project_id == project_id)).one() or 0


def last_point(session: Session, *, project_id: int, number: int) -> int:
    """The newest point of a release."""
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
    """Keep a release; IntegrityError if there is one of that number and point."""
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


class Placed(NamedTuple):
    """An item of a release."""

    item_id: int
    revision: int
    split: str
    place: int


def add_items(session: Session, *, release_id: int, rows: Iterable[Placed]) -> None:
    """Keep what is in a release."""
    todo = iter(rows)
    while lot := list(islice(todo, _KEPT_AT_ONCE)):
        insert_all(session, ReleaseItemRow, [{"release_id": release_id, **row._asdict()} for row in lot])


def items_of(session: Session, *, release_id: int) -> list[Placed]:
    """What is in a release, in its order."""
    columns = [getattr(ReleaseItemRow, name) for name in Placed._fields]
    found = session.execute(
        plain_select(*columns).where(col(ReleaseItemRow.release_id) == release_id).order_by(col(ReleaseItemRow.place))
    )
    return [Placed(*row) for row in found]


def splits_of_items(session: Session, *, project_id: int) -> dict[int, str]:
    """The split of every item that a release of a project has, by id; the newest release that has it counts."""
    wanted = (
        plain_select(col(ReleaseItemRow.item_id), col(ReleaseItemRow.split))
        .join(ReleaseRow, col(ReleaseRow.id) == ReleaseItemRow.release_id)
        .where(col(ReleaseRow.project_id) == project_id)
        .order_by(col(ReleaseRow.number), col(ReleaseRow.point))
    )
    return {item: split for item, split in session.execute(wanted)}


# ---- what is withdrawn -----------------------------------------------------------------------------------------------


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
    """Keep that a point release lacks an item, and why."""
    session.add(
        WithdrawalRow(
            project_id=project_id, release_id=release_id, item_id=item_id, reason=reason, by_id=by_id, created_at=now
        )
    )
    session.flush()


def withdrawn(session: Session, *, project_id: int) -> list[tuple[StoredWithdrawal, int, int, str]]:
    """Every withdrawal of a project: the row, number and point of the release that lacks the item first, and the
    item's id in files."""
    wanted = (
        select(WithdrawalRow, ReleaseRow.number, ReleaseRow.point, ItemRow.external_id)
        .join(ReleaseRow, col(ReleaseRow.id) == WithdrawalRow.release_id)
        .join(ItemRow, col(ItemRow.id) == WithdrawalRow.item_id)
        .where(WithdrawalRow.project_id == project_id)
        .order_by(col(WithdrawalRow.id))
    )
    return [(row, number, point, name) for row, number, point, name in session.exec(wanted)]


# ---- what is said ----------------------------------------------------------------------------------------------------


def about(session: Session, *, project_id: int) -> StoredReleaseAbout | None:
    """What the leads say of their releases now; None: nothing yet."""
    wanted = select(ReleaseAboutRow).where(ReleaseAboutRow.project_id == project_id)
    return session.exec(wanted.order_by(col(ReleaseAboutRow.number).desc()).limit(1)).first()


def abouts(session: Session, *, project_id: int) -> Sequence[StoredReleaseAbout]:
    """Every version of what they say, the first one first."""
    wanted = select(ReleaseAboutRow).where(ReleaseAboutRow.project_id == project_id)
    return session.exec(wanted.order_by(col(ReleaseAboutRow.number))).all()


def say(
    session: Session, *, project_id: int, number: int, about: Mapping[str, Any], by_id: int | None, now: datetime
) -> None:
    """Keep what they say from now on; IntegrityError if someone else has said something meanwhile."""
    session.add(ReleaseAboutRow(project_id=project_id, number=number, about=dict(about), by_id=by_id, created_at=now))
    session.flush()


# ---- what is in it ---------------------------------------------------------------------------------------------------


class Asset(NamedTuple):
    """An image or clip of an item, with what the store knows of it."""

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
    """The images and clips of a few items, item by item, each in its order."""
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


def contents(session: Session, *, project_id: int, revisions: Mapping[int, int]) -> dict[int, dict[str, Any]]:
    """The fields of a few items at these revisions (item id -> number), in the words of the schema in force."""
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
