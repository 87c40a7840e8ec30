"""Queries on the texts and votes about items that models proposed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlmodel import Session, col, select

from db import reworded
from db.records import StoredAnnotation
from db.tables import AnnotationRow, AssetRow, SourceRow
from domain.runs import chunked
from domain.states import Purpose, Stage


def of_stage(
    session: Session, *, project_id: int, stage: Stage, item_ids: Iterable[int] = (), task_ids: Iterable[int] = ()
) -> list[StoredAnnotation]:
    """Return a stage's submissions about these items or for these tasks, superseded or not, oldest first."""
    stored_annotations: list[StoredAnnotation] = []
    for column, ids in ((AnnotationRow.item_id, item_ids), (AnnotationRow.task_id, task_ids)):
        for some in chunked(sorted(set(ids)), 500):
            wanted = select(AnnotationRow).where(
                AnnotationRow.project_id == project_id,
                col(AnnotationRow.stage) == stage,
                col(AnnotationRow.purpose) == Purpose.LIVE,
                col(column).in_(some),
            )
            stored_annotations += reworded.query(session, wanted.order_by(col(AnnotationRow.id)))
    return stored_annotations


def authored(session: Session, *, project_id: int, task_ids: Iterable[int]) -> set[int]:
    """Return those of these tasks for which an author has submitted an item."""
    found: set[int] = set()
    for some in chunked(sorted(set(task_ids)), 500):
        wanted = select(AnnotationRow.task_id).where(
            AnnotationRow.project_id == project_id,
            col(AnnotationRow.stage) == Stage.AUTHORING,
            col(AnnotationRow.purpose) == Purpose.LIVE,
            col(AnnotationRow.task_id).in_(some),
        )
        found.update(session.exec(wanted.distinct()))
    return found


def sources(session: Session, *, asset_ids: Sequence[int]) -> dict[int, str]:
    """Return the name of the source of each of these assets that has one."""
    found: dict[int, str] = {}
    for some in chunked(sorted(set(asset_ids)), 500):
        wanted = (
            select(AssetRow.id, SourceRow.name)
            .join(SourceRow, col(SourceRow.id) == AssetRow.source_id)
            .where(col(AssetRow.id).in_(some))
        )
        found |= {id: name for id, name in session.exec(wanted) if id is not None}
    return found
