"""Queries on items, their revisions and assets.

Statements on the annotator's path are built once and run with named parameters, because building costs more than
running.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import bindparam, func, update
from sqlalchemy import select as plain_select
from sqlalchemy.exc import NoResultFound
from sqlmodel import Session, col, select

from db import prepared, reworded
from db.many_rows import insert_all
from db.records import (
    StoredAnnotation,
    StoredAsset,
    StoredItem,
    StoredItemAsset,
    StoredMediaObject,
    StoredPrediction,
)
from db.tables import (
    AnnotationRow,
    AssetRow,
    ItemAssetRow,
    ItemRow,
    MediaObjectRow,
    PredictionRow,
    RevisionRow,
    TaskRow,
)
from db.withdrawn_runs import of_counting_runs
from domain.runs import chunked
from domain.states import VERIFICATIONS, ItemState, Purpose, Stage

_AT_ONCE = 500
"""How many ids go into one query."""


def insert_rows(session: Session, *, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Add items. Return their ids in the order of the rows."""
    if not rows:
        return []
    session.flush()
    connection = session.connection()
    insert_all(session, ItemRow, rows)
    ids: dict[str, int] = {}
    for begin in range(0, len(rows), _AT_ONCE):  # SQLite returns ids for only one row at a time
        names = [row["public_id"] for row in rows[begin : begin + _AT_ONCE]]
        there = plain_select(col(ItemRow.public_id), col(ItemRow.id)).where(col(ItemRow.public_id).in_(names))
        ids.update({public: id for public, id in connection.execute(there)})
    return [ids[row["public_id"]] for row in rows]


def insert_revisions(session: Session, *, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add revisions."""
    insert_all(session, RevisionRow, rows)


def insert_assets(session: Session, *, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add links between items and assets."""
    insert_all(session, ItemAssetRow, rows)


def lock(session: Session, *, id: int) -> StoredItem:
    """Return an item, locked until the transaction ends, so that its verdict is made once."""
    held = _held(session)
    if id not in held:
        held[id] = _of_record(_one(session, id, hold=True))
    return held[id]


def lock_all(session: Session, *, ids: Sequence[int]) -> Sequence[StoredItem]:
    """Return items, locked like ``lock``. All callers lock in one order, so that two of them never deadlock."""
    wanted = select(ItemRow).where(col(ItemRow.id).in_(ids)).order_by(col(ItemRow.id))
    rows = session.exec(wanted.with_for_update(key_share=True).execution_options(populate_existing=True)).all()
    _held(session).update({row.id: row for row in rows})
    return rows


def hold_revisions(session: Session, *, ids: Sequence[int], state: ItemState) -> list[tuple[int, int, str]]:
    """Return id, current revision and dimension of those items that are in a state, locked like ``lock_all``."""
    wanted = select(ItemRow.id, ItemRow.current_revision, ItemRow.dimension).where(
        col(ItemRow.id).in_(ids), ItemRow.state == state
    )
    held = session.exec(wanted.order_by(col(ItemRow.id)).with_for_update(key_share=True))
    return [(id, revision, dimension) for id, revision, dimension in held]


def _held(session: Session) -> dict[int, StoredItem]:
    """Return the items that this transaction has locked. Nobody can change them, so they need not be read again."""
    stored_items: dict[int, StoredItem] = session.info.setdefault("held items", {})
    return stored_items


@cache
def _by_id(*, hold: bool) -> Any:
    wanted = select(ItemRow).where(col(ItemRow.id) == bindparam("item"))
    return wanted.with_for_update(key_share=True) if hold else wanted


def _one(session: Session, id: int, *, hold: bool) -> Any:
    found = prepared.first(session, _by_id(hold=hold), {"item": id})
    if found is None:
        raise NoResultFound(f"there is no item {id}")
    return found


def _of_record(found: Any) -> StoredItem:
    """Return a record (``db.prepared``) of an item as one that ``settle`` and ``revise`` may change."""
    return StoredItem.model_construct(**found._asdict())


def lock_of_task(session: Session, *, task: str) -> None:
    """Lock the item whose state a task may change, before the task is locked.

    All transactions lock an item before its tasks, so that two of them never deadlock.
    """
    found = prepared.first(session, _of_task(), {"task": task})
    if found is not None:
        _held(session)[found.id] = _of_record(found)


@cache
def _of_task() -> Any:
    return (
        select(ItemRow)
        .join(TaskRow, col(TaskRow.item_id) == ItemRow.id)
        .where(col(TaskRow.public_id) == bindparam("task"))
        .where(col(TaskRow.stage).not_in((Stage.GRADING, Stage.COMPARISON)))
        .with_for_update(of=ItemRow, key_share=True)
    )


def by_id(session: Session, *, id: int) -> StoredItem:
    """Return an item, which must exist."""
    if id in _held(session):
        return _held(session)[id]
    stored_item: StoredItem = _one(session, id, hold=False)
    return stored_item


def by_public_id(session: Session, *, project_id: int, public_id: str) -> StoredItem | None:
    """Return an item by its public id."""
    return session.exec(select(ItemRow).where(ItemRow.project_id == project_id, ItemRow.public_id == public_id)).first()


def by_external_id(session: Session, *, project_id: int, external_id: str) -> StoredItem | None:
    """Return an item by its external id."""
    return session.exec(
        select(ItemRow).where(ItemRow.project_id == project_id, ItemRow.external_id == external_id)
    ).first()


def set_priority(session: Session, *, item_ids: Sequence[int], priority: int) -> list[int]:
    """Set the priority of items. Return the ids of those that had a different one."""
    changed: list[int] = []
    for lot in chunked(item_ids):
        some_ids = col(ItemRow.id).in_(lot)
        held = select(ItemRow.id).where(some_ids).order_by(col(ItemRow.id)).with_for_update(key_share=True)
        session.exec(held).all()  # in one order, so that two transactions never deadlock
        some = (
            update(ItemRow)
            .where(some_ids, col(ItemRow.priority) != priority)
            .values(priority=priority)
            .returning(col(ItemRow.id))
        )
        changed += [int(row[0] or 0) for row in session.execute(some)]
    return changed


def priorities(session: Session, *, item_ids: Sequence[int]) -> dict[int, int]:
    """Return the priority of items, by id. Items with priority 0 are left out."""
    by_item: dict[int, int] = {}
    for lot in chunked(item_ids):
        wanted = select(ItemRow.id, ItemRow.priority).where(col(ItemRow.id).in_(lot), ItemRow.priority != 0)
        by_item |= {id: priority for id, priority in session.exec(wanted)}
    return by_item


def settle(session: Session, *, states: Sequence[tuple[StoredItem, ItemState]]) -> None:
    """Store the states that follow from the votes on locked items."""
    for item, state in states:
        prepared.change(session, ItemRow, item, state=state)


def revise(session: Session, *, item: StoredItem, row: Mapping[str, Any]) -> None:
    """Add a revision (as ``insert_revisions``) to a locked item and make it the current one."""
    insert_revisions(session, rows=[row])
    prepared.change(session, ItemRow, item, current_revision=row["number"])


def of_project(session: Session, *, project_id: int) -> Sequence[StoredItem]:
    """Return all items of a project, oldest first."""
    return session.exec(select(ItemRow).where(ItemRow.project_id == project_id).order_by(col(ItemRow.id))).all()


class OutgoingItem(NamedTuple):
    """The columns of an item that exports and releases need. A hundred thousand whole rows would not fit in memory."""

    id: int
    external_id: str
    dimension: str
    dimension_given: str | None
    author_id: int | None
    file_id: int | None
    position: int | None
    fragment_lead: str | None
    fragment_raw: str | None
    state: ItemState
    current_revision: int


def outgoing(session: Session, *, project_id: int) -> list[OutgoingItem]:
    """Return all items of a project, oldest first."""
    return list(each_outgoing(session, project_id=project_id))


def each_outgoing(session: Session, *, project_id: int) -> Iterator[OutgoingItem]:
    """Yield the items of ``outgoing`` one by one."""
    columns = (getattr(ItemRow, name) for name in OutgoingItem._fields)
    wanted = plain_select(*columns).where(col(ItemRow.project_id) == project_id).order_by(col(ItemRow.id))
    return map(OutgoingItem._make, session.execute(wanted.execution_options(yield_per=2_000)))


def by_ids(session: Session, *, ids: Iterable[int]) -> dict[int, StoredItem]:
    """Return items by id."""
    wanted = select(ItemRow).where(col(ItemRow.id).in_(sorted(set(ids))))
    return {row.id: row for row in session.exec(wanted)}


def names(session: Session, *, project_id: int) -> list[tuple[int, str, str, str]]:
    """Return id, public id, external id and dimension of all items, oldest first."""
    wanted = (
        select(ItemRow.id, ItemRow.public_id, ItemRow.external_id, ItemRow.dimension)
        .where(ItemRow.project_id == project_id)
        .order_by(col(ItemRow.id))
    )
    return [(id, public, external, dimension) for id, public, external, dimension in session.exec(wanted)]


def with_states(
    session: Session, *, project_id: int, after: int = 0, limit: int | None = None
) -> list[tuple[int, str, str, ItemState]]:
    """Return id, external id, dimension and state of all items, oldest first.

    ``after``: only items after this id.
    """
    wanted = (
        select(ItemRow.id, ItemRow.external_id, ItemRow.dimension, ItemRow.state)
        .where(ItemRow.project_id == project_id, col(ItemRow.id) > after)
        .order_by(col(ItemRow.id))
        .limit(limit)
    )
    rows = session.exec(wanted)
    return [(id, external, dimension, ItemState(state)) for id, external, dimension, state in rows]


def assets(session: Session, *, item_id: int) -> list[tuple[StoredItemAsset, StoredAsset, StoredMediaObject | None]]:
    """Return an item's assets in order, with the records of their files."""
    return prepared.rows(session, _assets(), {"item": item_id})


@cache
def _assets() -> Any:
    return (
        select(ItemAssetRow, AssetRow, MediaObjectRow)
        .join(AssetRow, col(AssetRow.id) == ItemAssetRow.asset_id)
        .join(MediaObjectRow, col(MediaObjectRow.sha256) == AssetRow.sha256, isouter=True)
        .where(col(ItemAssetRow.item_id) == bindparam("item"))
        .order_by(col(ItemAssetRow.id))
    )


def assets_of(
    session: Session, *, ids: Iterable[int]
) -> dict[int, list[tuple[StoredItemAsset, StoredAsset, StoredMediaObject | None]]]:
    """Return the assets of several items, by item id, like ``assets``."""
    wanted = (
        select(ItemAssetRow, AssetRow, MediaObjectRow)
        .join(AssetRow, col(AssetRow.id) == ItemAssetRow.asset_id)
        .join(MediaObjectRow, col(MediaObjectRow.sha256) == AssetRow.sha256, isouter=True)
        .where(col(ItemAssetRow.item_id).in_(sorted(set(ids))))
        .order_by(col(ItemAssetRow.id))
    )
    by_item: dict[int, list[tuple[StoredItemAsset, StoredAsset, StoredMediaObject | None]]] = {}
    for link, asset, media in session.exec(wanted):
        by_item.setdefault(link.item_id, []).append((link, asset, media))
    return by_item


def has_predictions(session: Session, *, item_id: int) -> bool:
    """Tell whether a model has answered the item."""
    return session.exec(select(PredictionRow.id).where(PredictionRow.item_id == item_id).limit(1)).first() is not None


def predictions(session: Session, *, ids: Sequence[int]) -> dict[int, StoredPrediction]:
    """Return models' answers by their ids."""
    return {row.id: row for row in session.exec(select(PredictionRow).where(col(PredictionRow.id).in_(ids)))}


def models_of(session: Session, *, prediction_ids: Sequence[int]) -> dict[int, str]:
    """Return the models that gave these answers, by the answers' ids."""
    by_item: dict[int, str] = {}
    for lot in chunked(prediction_ids):
        wanted = select(PredictionRow.id, PredictionRow.model).where(col(PredictionRow.id).in_(lot))
        by_item |= {id: model for id, model in session.exec(wanted)}
    return by_item


def prediction(session: Session, *, id: int) -> StoredPrediction:
    """Return a model's answer, which must exist."""
    return session.exec(select(PredictionRow).where(PredictionRow.id == id)).one()


def answers_of(session: Session, *, project_id: int, model: str) -> list[tuple[StoredPrediction, StoredItem]]:
    """Return a model's answers with their items, oldest first."""
    wanted = (
        select(PredictionRow, ItemRow)
        .join(ItemRow, col(ItemRow.id) == PredictionRow.item_id)
        .where(PredictionRow.project_id == project_id, PredictionRow.model == model, of_counting_runs())
        .order_by(col(PredictionRow.id))
    )
    return [(answer, item) for answer, item in session.exec(wanted)]


def models(session: Session, *, project_id: int) -> list[str]:
    """Return the models that have answers in a project, sorted."""
    wanted = select(PredictionRow.model).where(PredictionRow.project_id == project_id, of_counting_runs()).distinct()
    return sorted(session.exec(wanted))


def any_in(session: Session, *, project_id: int, states: Sequence[ItemState]) -> bool:
    """Tell whether a project has an item in one of the states."""
    return any(
        session.exec(
            select(ItemRow.id).where(ItemRow.project_id == project_id, ItemRow.state == state).limit(1)
        ).first()
        is not None
        for state in states
    )


def count(session: Session, *, project_id: int) -> int:
    """Count the items of a project."""
    return session.exec(select(func.count()).select_from(ItemRow).where(ItemRow.project_id == project_id)).one()


def count_by_state(session: Session, *, project_id: int) -> dict[tuple[str, ItemState], int]:
    """Count the items of a project by dimension and state."""
    wanted = (
        select(ItemRow.dimension, ItemRow.state, func.count())
        .where(ItemRow.project_id == project_id)
        .group_by(col(ItemRow.dimension), col(ItemRow.state))
    )
    return {(dimension, ItemState(state)): n for dimension, state, n in session.exec(wanted)}


def in_state(session: Session, *, project_id: int, state: ItemState) -> list[int]:
    """Return the ids of the items in a state."""
    wanted = select(ItemRow.id).where(ItemRow.project_id == project_id, ItemRow.state == state)
    return [id for id in session.exec(wanted)]


def latest_annotations(
    session: Session, *, item_id: int, revision: int, stage: Stage, purpose: Purpose = Purpose.LIVE
) -> list[StoredAnnotation]:
    """Return a stage's current submissions about a revision. Superseded submissions are left out."""
    return latest_by_stage(session, item_id=item_id, revision=revision, stages=(stage,), purpose=purpose)[stage]


def latest_by_stage(
    session: Session, *, item_id: int, revision: int, stages: Sequence[Stage], purpose: Purpose = Purpose.LIVE
) -> dict[Stage, list[StoredAnnotation]]:
    """Return the submissions of ``latest_annotations`` for several stages."""
    given = {"item": item_id, "revision": revision, "purpose": purpose}
    stored_annotations: dict[Stage, list[StoredAnnotation]] = {stage: [] for stage in stages}
    for row in reworded.read_annotations(session, _latest_annotations(tuple(stages)), given):
        stored_annotations[row.stage].append(row)
    return stored_annotations


@cache
def _latest_annotations(stages: tuple[Stage, ...]) -> Any:
    newer = select(AnnotationRow.supersedes_id).where(
        col(AnnotationRow.supersedes_id).is_not(None), col(AnnotationRow.item_id) == bindparam("item")
    )
    return (
        select(AnnotationRow)
        .where(
            col(AnnotationRow.item_id) == bindparam("item"),
            col(AnnotationRow.stage).in_(stages),
            col(AnnotationRow.purpose) == bindparam("purpose"),
            col(AnnotationRow.revision) == bindparam("revision"),
            col(AnnotationRow.id).not_in(newer),
        )
        .order_by(col(AnnotationRow.id))
    )


def parts(session: Session, *, item_id: int) -> dict[int, list[str]]:
    """Return the roles that keep people from adjudicating an item, by person id: written, edited, voted on."""
    author = session.exec(select(ItemRow.author_id).where(ItemRow.id == item_id)).first()
    editors = session.exec(select(RevisionRow.editor_id).where(RevisionRow.item_id == item_id, RevisionRow.number > 1))
    voters = session.exec(
        select(AnnotationRow.person_id).where(
            AnnotationRow.item_id == item_id,
            col(AnnotationRow.stage).in_(VERIFICATIONS),
            AnnotationRow.purpose == Purpose.LIVE,
        )
    )
    by_person: dict[int, list[str]] = {}
    for who, what in (({author}, "written"), (set(editors), "edited"), (set(voters), "voted on")):
        for person_id in who - {None}:
            by_person.setdefault(person_id or 0, []).append(what)
    return by_person
