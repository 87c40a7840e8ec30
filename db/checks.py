"""Queries that look for states that should be impossible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import and_, exists, func, or_
from sqlalchemy import select as plain_select
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db import reworded
from db.tables import (
    AnnotationRow,
    AssetRow,
    GuidelineVersionRow,
    ItemAssetRow,
    ItemRow,
    MediaObjectRow,
    RevisionRow,
    TaskRow,
)
from domain.states import VERIFICATIONS, VOTED_ON, Purpose, Stage, TaskState

_NEWER = aliased(AnnotationRow)
"""An annotation that supersedes another."""
_AT_ONCE = 2_000


class ItemSubmission(NamedTuple):
    """A person's submission about an item, with the columns that verdicts and checks need."""

    item_id: int
    person_id: int
    stage: Stage
    answers: dict[str, Any]
    reasons: dict[str, Any]
    weight: float | None
    guideline_hash: str
    schema_version_id: int


def current_annotations(
    session: Session, *, project_id: int, stages: Sequence[Stage], ids: Sequence[int] | None = None
) -> dict[int, list[ItemSubmission]]:
    """Return the submissions that count for the current revision of every item, by item id, oldest first.

    ``ids``: only these items.
    """
    columns: tuple[Any, ...] = (
        AnnotationRow.item_id,
        AnnotationRow.person_id,
        AnnotationRow.stage,
        AnnotationRow.answers,
        AnnotationRow.reasons,
        AnnotationRow.weight,
        AnnotationRow.guideline_hash,
        AnnotationRow.schema_version_id,
    )
    wanted = (
        plain_select(*columns)
        .join(ItemRow, col(ItemRow.id) == AnnotationRow.item_id)
        .where(
            # not both conditions: SQLite would scan the whole project for a few items
            col(AnnotationRow.project_id) == project_id if ids is None else col(AnnotationRow.item_id).in_(ids),
            col(AnnotationRow.stage).in_(stages),
            col(AnnotationRow.purpose) == Purpose.LIVE,
            col(AnnotationRow.revision) == ItemRow.current_revision,
            ~exists().where(col(_NEWER.supersedes_id) == col(AnnotationRow.id)),
        )
        .order_by(col(AnnotationRow.id))
    )
    item_submissions: dict[int, list[ItemSubmission]] = {}
    otherwise = reworded.differs(session, project_id=project_id)
    about: dict[str, Any] = {"project_id": project_id}
    for row in map(ItemSubmission._make, session.execute(wanted)):
        if otherwise:
            about["version"] = row.schema_version_id
            answers = reworded.answers(session, **about, stage=row.stage, given=row.answers)
            row = row._replace(answers=answers, reasons=reworded.reasons(session, **about, given=row.reasons))
        item_submissions.setdefault(row.item_id, []).append(row)
    return item_submissions


def current_slots(session: Session, *, ids: Sequence[int]) -> dict[tuple[int, Stage], int]:
    """Count the slots of each item's current revision, by item and stage.

    Withdrawn slots are left out. So are claimed vote slots of decided items: the schema asked for them at claim time.
    """
    over = [and_(col(TaskRow.stage) == stage, col(ItemRow.state) != state) for stage, state in VOTED_ON.items()]
    honoured = and_(or_(*over), col(TaskRow.state) == TaskState.CLAIMED)
    wanted = (
        select(TaskRow.item_id, TaskRow.stage, func.count())
        .join(ItemRow, col(ItemRow.id) == TaskRow.item_id)
        .where(
            col(TaskRow.item_id).in_(ids),
            TaskRow.revision == ItemRow.current_revision,
            TaskRow.purpose == Purpose.LIVE,
            TaskRow.state != TaskState.WITHDRAWN,
            ~honoured,
        )
        .group_by(col(TaskRow.item_id), col(TaskRow.stage))
    )
    return {(item_id or 0, Stage(stage)): n for item_id, stage, n in session.exec(wanted)}


def units_to_settle(session: Session, *, ids: Sequence[int]) -> list[tuple[int, str]]:
    """Return the adjudication tasks about the current revisions of these items, open or done: (item id, unit)."""
    wanted = (
        select(TaskRow.item_id, TaskRow.unit)
        .join(ItemRow, col(ItemRow.id) == TaskRow.item_id)
        .where(
            col(TaskRow.item_id).in_(ids),
            TaskRow.stage == Stage.ADJUDICATION,
            TaskRow.revision == ItemRow.current_revision,
            TaskRow.state != TaskState.WITHDRAWN,
        )
    )
    return [(item_id or 0, unit) for item_id, unit in session.exec(wanted)]


@dataclass(frozen=True)
class UsedMedia:
    """A media file of a project, under one of its names."""

    sha256: str
    bytes: int
    name: str
    items: tuple[str, ...]
    """The external ids of the items that show it, in order."""


def media_used(session: Session, *, project_id: int) -> list[UsedMedia]:
    """Return the files of a project's images and clips, sorted by hash."""
    wanted = (
        select(MediaObjectRow.sha256, MediaObjectRow.bytes, AssetRow.name, ItemRow.external_id)
        .join(AssetRow, col(AssetRow.sha256) == MediaObjectRow.sha256)
        .join(ItemAssetRow, col(ItemAssetRow.asset_id) == AssetRow.id, isouter=True)
        .join(ItemRow, col(ItemRow.id) == ItemAssetRow.item_id, isouter=True)
        .where(AssetRow.project_id == project_id)
        .order_by(col(MediaObjectRow.sha256), col(AssetRow.id), col(ItemRow.id))
    )
    files: dict[str, tuple[int, str, dict[str, None]]] = {}
    for sha256, n_bytes, name, item in session.exec(wanted):
        shown = files.setdefault(sha256, (n_bytes, name, {}))[2]
        if item is not None:
            shown[item] = None
    return [UsedMedia(sha256, n_bytes, name, tuple(shown)) for sha256, (n_bytes, name, shown) in files.items()]


def overfilled(session: Session, *, project_id: int, stage: Stage, raters: int) -> list[tuple[str, int]]:
    """Return units with more submissions that count than the schema asks for."""
    wanted = (
        select(TaskRow.unit, func.count())
        .join(AnnotationRow, col(AnnotationRow.task_id) == TaskRow.id)
        .where(
            TaskRow.project_id == project_id,
            TaskRow.stage == stage,
            TaskRow.purpose == Purpose.LIVE,
            AnnotationRow.purpose == Purpose.LIVE,
            ~exists().where(col(_NEWER.supersedes_id) == col(AnnotationRow.id)),
        )
        .group_by(col(TaskRow.unit))
        .having(func.count() > raters)
    )
    return [(unit, n) for unit, n in session.exec(wanted)]


def own_votes(session: Session, *, project_id: int) -> list[str]:
    """Return external ids of items that were verified by their own author or editor."""
    wanted = (
        select(ItemRow.external_id)
        .join(AnnotationRow, col(AnnotationRow.item_id) == ItemRow.id)
        .join(RevisionRow, col(RevisionRow.item_id) == ItemRow.id)
        .where(
            ItemRow.project_id == project_id,
            col(AnnotationRow.stage).in_(VERIFICATIONS),
            AnnotationRow.purpose == Purpose.LIVE,
            RevisionRow.number <= AnnotationRow.revision,
            (col(RevisionRow.editor_id) == AnnotationRow.person_id)
            | (col(ItemRow.author_id) == AnnotationRow.person_id),
        )
        .distinct()
    )
    return list(session.exec(wanted))


def done_without_annotation(session: Session, *, project_id: int) -> list[str]:
    """Return slots that are done without a submission of the person who did them."""
    wanted = select(TaskRow.public_id).where(
        TaskRow.project_id == project_id,
        TaskRow.state == TaskState.DONE,
        ~exists().where(
            col(AnnotationRow.task_id) == col(TaskRow.id), col(AnnotationRow.person_id) == col(TaskRow.person_id)
        ),
    )
    return list(session.exec(wanted))


def annotated_but_open(session: Session, *, project_id: int) -> list[str]:
    """Return slots that are not done although they have a submission that counts."""
    wanted = select(TaskRow.public_id).where(
        TaskRow.project_id == project_id,
        TaskRow.state != TaskState.DONE,
        exists().where(
            col(AnnotationRow.task_id) == col(TaskRow.id),
            col(AnnotationRow.purpose) != Purpose.ASKED_AGAIN,
            ~exists().where(col(_NEWER.supersedes_id) == col(AnnotationRow.id)),
        ),
    )
    return list(session.exec(wanted))


def strange_weights(session: Session, *, project_id: int) -> list[tuple[str, float]]:
    """Return submissions whose weight is not between 0 and 1."""
    wanted = select(AnnotationRow.public_id, AnnotationRow.weight).where(
        AnnotationRow.project_id == project_id,
        col(AnnotationRow.weight).is_not(None),
        ~col(AnnotationRow.weight).between(0, 1),
    )
    return [(id, weight) for id, weight in session.exec(wanted) if weight is not None]


def strange_guidelines(session: Session, *, project_id: int) -> list[str]:
    """Return submissions made under a guideline that does not belong to their project."""
    wanted = select(AnnotationRow.public_id).where(
        AnnotationRow.project_id == project_id,
        ~exists().where(
            col(GuidelineVersionRow.project_id) == col(AnnotationRow.project_id),
            col(GuidelineVersionRow.hash) == col(AnnotationRow.guideline_hash),
        ),
    )
    return list(session.exec(wanted))


def mixed_purposes(session: Session, *, project_id: int) -> list[str]:
    """Return submissions whose purpose is not the purpose of their task."""
    wanted = (
        select(AnnotationRow.public_id)
        .join(TaskRow, col(TaskRow.id) == AnnotationRow.task_id)
        .where(
            AnnotationRow.project_id == project_id,
            AnnotationRow.purpose != TaskRow.purpose,
            AnnotationRow.purpose != Purpose.ASKED_AGAIN,
        )
    )
    return list(session.exec(wanted))


class UnfinishedSlot(NamedTuple):
    """A slot that is open or claimed, with its item."""

    id: int
    slot: int
    rank: int
    item_id: int
    external_id: str
    priority: int


def unfinished(session: Session, *, project_id: int, stage: Stage) -> Iterator[UnfinishedSlot]:
    """Yield the open and claimed live slots of a stage."""
    columns: tuple[Any, ...] = (
        TaskRow.id,
        TaskRow.slot,
        TaskRow.rank,
        ItemRow.id,
        ItemRow.external_id,
        ItemRow.priority,
    )
    wanted = (
        plain_select(*columns)
        .join(ItemRow, col(ItemRow.id) == TaskRow.item_id)
        .where(
            col(TaskRow.project_id) == project_id,
            col(TaskRow.stage) == stage,
            col(TaskRow.purpose) == Purpose.LIVE,
            col(TaskRow.state).in_((TaskState.OPEN, TaskState.CLAIMED)),
        )
        .order_by(col(TaskRow.id))
    )
    return map(UnfinishedSlot._make, session.execute(wanted.execution_options(yield_per=_AT_ONCE)))
