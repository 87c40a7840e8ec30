"""Queries on the exposure ledger: they record what each person was sent about an item, and find leaks in it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, lru_cache
from typing import Any

from sqlalchemy import ColumnElement, String, bindparam, exists, func, literal_column
from sqlalchemy import insert as sa_insert
from sqlalchemy import select as sa_select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db import reworded
from db.engine import UNHURRIED, Direct
from db.many_rows import insert_or_ignore
from db.prepared import prepared, rows
from db.records import StoredAnnotation, StoredExposure, StoredExposureShape
from db.tables import (
    AnnotationRow,
    AssetRow,
    BridgeTaskRow,
    ExposureRow,
    ExposureShapeRow,
    ImportedRatingRow,
    ItemRow,
    JudgementRow,
    JudgeUnitRow,
    PersonRow,
    PredictionRow,
    ProjectRow,
    RevisionRow,
    TaskRow,
    metadata,
)
from domain.exposure import WORKING, Disclosure, Route, Secrets
from domain.runs import chunked
from domain.states import VERIFICATIONS, Purpose, Stage

_WITH_ANSWERS = (Stage.GRADING, Stage.COMPARISON, Stage.CODING, Stage.ARBITRATION, Stage.REFINEMENT)


# ---- recording -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SentContent:
    """The item and task that sent content is about, with the secrets to look for in it."""

    project_id: int
    schema_version_id: int
    item_id: int
    revision: int
    stage: str = ""
    task_id: int | None = None
    secrets: Secrets = field(default_factory=Secrets)


def place_of_task(direct: Direct, *, public_id: str) -> SentContent | None:
    """Return the place of a task, or None if its item is not written yet or the task is missing."""
    return _place(direct, _of_task(), public_id)


def place_of_item(direct: Direct, *, public_id: str) -> SentContent | None:
    """Return the place of an item at its current revision."""
    return _place(direct, _of_item(), public_id)


def _place(direct: Direct, wanted: Any, public_id: str) -> SentContent | None:
    row = _run(direct, wanted, {"id": public_id}).fetchone()
    if row is None:
        return None
    project, reading, version, item, stage, task, number, content, written_under, login, name = row
    fields = reworded.content_now(_json(reading), version=written_under, given=_json(content))
    models: Sequence[str] = ()
    if stage in _WITH_ANSWERS:
        models = [model for (model,) in _run(direct, _models(), {"item": item})]
    secrets = Secrets(fields, tuple(filter(None, (login, name))), models, _settled(stage))
    return SentContent(project, version, item, number, stage, task, secrets)


def _settled(stage: str) -> Sequence[Stage]:
    if stage == Stage.ARBITRATION:
        return (Stage.CODING,)
    return VERIFICATIONS if stage in (Stage.ADJUDICATION, *VERIFICATIONS) else ()


@cache
def _of_task() -> Any:
    number = func.coalesce(col(TaskRow.revision), col(ItemRow.current_revision))
    wanted = _about(col(TaskRow.stage), col(TaskRow.id)).select_from(TaskRow)
    return _joined(wanted.join(ItemRow, col(ItemRow.id) == TaskRow.item_id), number).where(
        col(TaskRow.public_id) == bindparam("id")
    )


@cache
def _of_item() -> Any:
    number = col(ItemRow.current_revision)
    wanted = _about(literal_column("''"), literal_column("NULL")).select_from(ItemRow)
    return _joined(wanted, number).where(col(ItemRow.public_id) == bindparam("id"))


def _about(stage: Any, task: Any) -> Any:
    columns = [
        *(col(ItemRow.project_id), col(ProjectRow.reading), col(ProjectRow.schema_version_id), col(ItemRow.id)),
        *(stage, task, col(RevisionRow.number), col(RevisionRow.content), col(RevisionRow.schema_version_id)),
        *(col(PersonRow.login), col(PersonRow.name)),
    ]
    return sa_select(*columns)


def _joined(wanted: Any, number: Any) -> Any:
    return (
        wanted.join(ProjectRow, col(ProjectRow.id) == ItemRow.project_id)
        .join(PersonRow, col(PersonRow.id) == ItemRow.author_id, isouter=True)
        .join(RevisionRow, (col(RevisionRow.item_id) == ItemRow.id) & (col(RevisionRow.number) == number))
    )


@cache
def _models() -> Any:
    return sa_select(col(PredictionRow.model)).where(col(PredictionRow.item_id) == bindparam("item")).distinct()


class AsyncCommit(ColumnElement[str]):
    """The SQL expression that tells PostgreSQL, as part of the statement, not to wait for the disk at the commit."""

    inherit_cache = True
    type = String()


@compiles(AsyncCommit)
def _said(_element: AsyncCommit, _compiler: Any, **_: Any) -> str:
    return "'off'"


@compiles(AsyncCommit, "postgresql")
def _said_there(_element: AsyncCommit, _compiler: Any, **_: Any) -> str:
    return f"({UNHURRIED})"


def _json(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str | bytes) else value


def _run(direct: Direct, statement: Any, given: Mapping[str, Any]) -> Any:
    """Run a statement of this module."""
    ready = prepared(direct.dialect, statement)
    if ready is None:
        raise ValueError("a statement about what is sent has no lists")
    return direct.run(ready.text, ready.values(given))


def add(
    direct: Direct,
    *,
    place: SentContent,
    person_id: int,
    route: Route,
    told: Disclosure,
    sha256: str,
    size: int,
    revision: int | None,
    now: datetime,
    alone: bool = False,
) -> None:
    """Record that content about an item is being sent to a person.

    ``alone``: the transaction holds nothing more, and its commit does not wait for the disk.
    """
    shape = _shape(told, place.schema_version_id)
    row = {
        "project_id": place.project_id,
        "item_id": place.item_id,
        "person_id": person_id,
        "task_id": place.task_id,
        "route": route.value,
        "stage": place.stage,
        "revision": revision,
        "sha256": sha256,
        "bytes": size,
        "at": now,
        "shape": shape,
    }
    if not _run(direct, _insert(alone), row).rowcount:
        _add_shape(direct, place.project_id, place.schema_version_id, shape, told)
        _run(direct, _insert(alone), row)


@cache
def _insert(alone: bool) -> Any:
    """Return the one statement that finds the shape and adds the row. It adds nothing if the shape is missing."""
    names = ("project_id", "item_id", "person_id", "task_id", "route", "stage", "revision", "sha256", "bytes", "at")
    table: Any = metadata.tables["exposure"]
    shapes: Any = metadata.tables["exposure_shape"]
    given = [bindparam(name, type_=table.c[name].type).label(name) for name in names]
    query = sa_select(*given, shapes.c.id).where(
        shapes.c.project_id == bindparam("project_id", type_=table.c.project_id.type),
        shapes.c.hash == bindparam("shape"),
    )
    if alone:
        query = query.where(AsyncCommit() == literal_column("'off'"))
    return sa_insert(table).from_select([*names, "shape_id"], query)


def add_for_items(
    session: Session,
    *,
    project_id: int,
    schema_version_id: int,
    item_ids: Collection[int],
    person_id: int,
    route: Route,
    told: Disclosure,
    sha256: str,
    size: int,
    now: datetime,
) -> None:
    """Record that one page shows a person content about several items."""
    direct = Direct.of(session)
    for item_id in sorted(item_ids):
        place = SentContent(project_id, schema_version_id, item_id, 0)
        add(
            direct,
            place=place,
            person_id=person_id,
            route=route,
            told=told,
            sha256=sha256,
            size=size,
            revision=None,
            now=now,
        )


def add_media(
    session: Session,
    *,
    asset: str,
    person_id: int,
    task: str | None,
    route: Route,
    sha256: str,
    size: int,
    now: datetime,
) -> None:
    """Record that an image or clip is being sent to a person. The same bytes are recorded once."""
    placed = rows(session, _of_asset(), {"asset": asset})
    if not placed:
        return
    asset_id, project_id, version = placed[0]
    shape = _shape(Disclosure(), version)
    _add_shape(Direct.of(session), project_id, version, shape, Disclosure())
    shape_id = session.execute(
        sa_select(col(ExposureShapeRow.id)).where(
            col(ExposureShapeRow.project_id) == project_id, col(ExposureShapeRow.hash) == shape
        )
    ).scalar_one()
    row = {
        "project_id": project_id,
        "item_id": None,
        "person_id": person_id,
        "task_id": _id_of_task(session, task),
        "asset_id": asset_id,
        "shape_id": shape_id,
        "route": route,
        "stage": "",
        "revision": None,
        "sha256": sha256,
        "bytes": size,
        "at": now,
    }
    insert_or_ignore(session, ExposureRow, [row])


@cache
def _of_asset() -> Any:
    wanted = sa_select(col(AssetRow.id), col(AssetRow.project_id), col(ProjectRow.schema_version_id))
    wanted = wanted.join(ProjectRow, col(ProjectRow.id) == AssetRow.project_id)
    return wanted.where(col(AssetRow.public_id) == bindparam("asset"))


def _id_of_task(session: Session, public_id: str | None) -> int | None:
    if public_id is None:
        return None
    return session.exec(select(TaskRow.id).where(TaskRow.public_id == public_id)).first()


def whose_link(session: Session, *, key: str) -> tuple[int, str] | None:
    """Return the person (id) to whom a task was sent in Label Studio, and the task's public id, by the key of its
    links.
    """
    wanted = (
        select(BridgeTaskRow.person_id, TaskRow.public_id)
        .join(TaskRow, col(TaskRow.id) == BridgeTaskRow.task_id)
        .where(BridgeTaskRow.key == key)
    )
    row = session.exec(wanted).first()
    return (row[0], row[1]) if row is not None else None


def _shape(told: Disclosure, version: int) -> str:
    return _hash_of(version, tuple(told.fields), tuple(told.facts), tuple(told.said), tuple(told.other))


@lru_cache(maxsize=1000)
def _hash_of(version: int, *told: tuple[Any, ...]) -> str:
    """Return the hash of a shape. It is cached because nearly all pages of a stage show the same kinds of facts."""
    return hashlib.sha256(json.dumps([version, Disclosure(*told).as_json()], sort_keys=True).encode()).hexdigest()


def _add_shape(direct: Direct, project_id: int, version: int, hash: str, told: Disclosure) -> None:
    row = {"project_id": project_id, "hash": hash, "schema_version_id": version, "told": told.as_json()}
    _run(direct, _new_shape(direct.dialect.name), row)


@cache
def _new_shape(dialect: str) -> Any:
    table: Any = metadata.tables["exposure_shape"]
    names = ("project_id", "hash", "schema_version_id", "told")
    build = sqlite.insert if dialect == "sqlite" else postgresql.insert
    return (
        build(table)
        .values({name: bindparam(name, type_=table.c[name].type) for name in names})
        .on_conflict_do_nothing()
    )


# ---- reading the ledger ----------------------------------------------------------------------------------------------


def shapes(session: Session, *, project_id: int) -> list[StoredExposureShape]:
    """Return all kinds of facts that were ever sent in a project."""
    wanted = select(ExposureShapeRow).where(ExposureShapeRow.project_id == project_id)
    return [row for row in session.exec(wanted.order_by(col(ExposureShapeRow.id)))]


def place(session: Session, *, id: int) -> int:
    """Return the position of a ledger row, from 1. In a store with one project this is its line in a file."""
    return session.exec(select(func.count()).where(col(ExposureRow.id) <= id)).one()


def since(session: Session, *, project_id: int) -> datetime | None:
    """Return the time of a project's first ledger row."""
    first = select(func.min(col(ExposureRow.id))).where(ExposureRow.project_id == project_id).scalar_subquery()
    return session.exec(select(ExposureRow.at).where(ExposureRow.id == first)).first()


def before_votes(
    session: Session,
    *,
    project_id: int,
    stage: Stage,
    shape_ids: Collection[int],
    item_ids: Collection[int] | None,
) -> Iterator[tuple[StoredExposure, StoredAnnotation, str]]:
    """Yield content of these shapes that people were sent before they submitted a live vote on the same item in a
    stage.

    Each comes with the vote and the item's external id.
    """
    wanted = (
        select(ExposureRow, AnnotationRow, ItemRow.external_id)
        .join(
            AnnotationRow,
            (col(AnnotationRow.item_id) == ExposureRow.item_id)
            & (col(AnnotationRow.person_id) == ExposureRow.person_id),
        )
        .join(ItemRow, col(ItemRow.id) == ExposureRow.item_id)
        .where(
            ExposureRow.project_id == project_id,
            col(ExposureRow.shape_id).in_(sorted(shape_ids)),
            ExposureRow.at <= AnnotationRow.created_at,
            AnnotationRow.stage == stage,
            AnnotationRow.purpose == Purpose.LIVE,
            col(AnnotationRow.schema_change).is_(None),
        )
        .order_by(col(ExposureRow.item_id), col(AnnotationRow.id), col(ExposureRow.id))
    )
    if item_ids is None:
        yield from reworded.query(session, wanted)
        return
    ordered = sorted(item_ids)
    for lot in chunked(ordered):
        yield from reworded.query(session, wanted.where(col(ExposureRow.item_id).in_(lot)))


def was_sent_task(session: Session, *, task_id: int, item_id: int | None, person_id: int) -> bool:
    """Tell whether a page with a task was ever sent to a person."""
    wanted = select(ExposureRow.id).where(
        ExposureRow.item_id == item_id,
        ExposureRow.person_id == person_id,
        ExposureRow.task_id == task_id,
        ExposureRow.route == Route.PAGE,
    )
    return session.exec(wanted.limit(1)).first() is not None


def others_had_said(session: Session, *, vote: StoredAnnotation, stages: Collection[Stage], before: datetime) -> bool:
    """Tell whether another person had submitted before a moment in one of these stages, on the subject of a vote."""
    other: list[Any] = [
        AnnotationRow.item_id == vote.item_id,
        AnnotationRow.person_id != vote.person_id,
        col(AnnotationRow.stage).in_(stages),
        AnnotationRow.purpose == Purpose.LIVE,
        AnnotationRow.created_at <= before,
    ]
    if vote.prediction_id is not None:
        other.append(AnnotationRow.prediction_id == vote.prediction_id)
    else:
        other.append(AnnotationRow.revision == vote.revision)
    return session.exec(select(AnnotationRow.id).where(*other).limit(1)).first() is not None


def was_answered(session: Session, *, prediction_id: int, before: datetime) -> bool:
    """Tell whether a model's answer existed at a moment."""
    wanted = select(PredictionRow.id).where(PredictionRow.id == prediction_id, PredictionRow.created_at <= before)
    return session.exec(wanted).first() is not None


def was_judged(session: Session, *, prediction_id: int, before: datetime) -> bool:
    """Tell whether a judge had rated a model's answer before a moment."""
    wanted = (
        select(JudgementRow.id)
        .join(JudgeUnitRow, col(JudgeUnitRow.id) == JudgementRow.unit_id)
        .where(JudgeUnitRow.prediction_id == prediction_id, JudgementRow.created_at <= before)
    )
    return session.exec(wanted.limit(1)).first() is not None


def superseded(session: Session, *, ids: Collection[int]) -> set[int]:
    """Return those of these annotations that the same person has superseded."""
    superseded_ids: set[int] = set()
    ordered = sorted(ids)
    for lot in chunked(ordered):
        wanted = select(AnnotationRow.supersedes_id).where(col(AnnotationRow.supersedes_id).in_(lot))
        superseded_ids |= {id for id in session.exec(wanted) if id is not None}
    return superseded_ids


def counts(session: Session, *, project_id: int) -> Mapping[Stage, tuple[int, int]]:
    """Count the live votes of each stage, and those for which the ledger shows that the task was sent before the vote.

    The task was sent on a page of Touchstone or to Label Studio.
    """
    sent = aliased(ExposureRow)
    known = exists().where(
        col(sent.item_id) == AnnotationRow.item_id,
        col(sent.person_id) == AnnotationRow.person_id,
        col(sent.task_id) == AnnotationRow.task_id,
        col(sent.route).in_(WORKING),
        col(sent.at) <= AnnotationRow.created_at,
    )
    wanted: Any = (
        sa_select(col(AnnotationRow.stage), func.count(), func.count().filter(known))
        .where(
            col(AnnotationRow.project_id) == project_id,
            col(AnnotationRow.purpose) == Purpose.LIVE,
            col(AnnotationRow.schema_change).is_(None),
        )
        .group_by(col(AnnotationRow.stage))
    )
    return {stage: (votes, complete) for stage, votes, complete in session.execute(wanted)}


def n_from_files(session: Session, *, project_id: int) -> int:
    """Count the imported ratings of a project."""
    return session.exec(select(func.count()).where(ImportedRatingRow.project_id == project_id)).one()
