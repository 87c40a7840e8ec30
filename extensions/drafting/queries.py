"""Queries on the texts and votes about items that models proposed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import exists
from sqlmodel import Session, col, select

from db import reworded
from db.project_facts import Viewer
from db.records import StoredAnnotation, StoredAsset
from db.tables import AnnotationRow, AssetRow, SourceRow
from domain.runs import chunked
from domain.states import Purpose, Stage


def of_stage(
    session: Session, *, project_id: int, stage: Stage, item_ids: Iterable[int] = (), task_ids: Iterable[int] = ()
) -> list[StoredAnnotation]:
    """Return a stage's submissions about these items or for these tasks, superseded or not, oldest first."""
    stored_annotations: list[StoredAnnotation] = []
    for column, ids in ((AnnotationRow.item_id, item_ids), (AnnotationRow.task_id, task_ids)):
        for some in chunked(sorted(set(ids))):
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
    ids: set[int] = set()
    for some in chunked(sorted(set(task_ids))):
        wanted = select(AnnotationRow.task_id).where(
            AnnotationRow.project_id == project_id,
            col(AnnotationRow.stage) == Stage.AUTHORING,
            col(AnnotationRow.purpose) == Purpose.LIVE,
            col(AnnotationRow.task_id).in_(some),
        )
        ids.update(session.exec(wanted.distinct()))
    return ids


def sources(session: Session, *, asset_ids: Sequence[int]) -> dict[int, str]:
    """Return the name of the source of each of these assets that has one."""
    source_names: dict[int, str] = {}
    for some in chunked(sorted(set(asset_ids))):
        wanted = (
            select(AssetRow.id, SourceRow.name)
            .join(SourceRow, col(SourceRow.id) == AssetRow.source_id)
            .where(col(AssetRow.id).in_(some))
        )
        source_names |= {id: name for id, name in session.exec(wanted) if id is not None}
    return source_names


def by_public_ids(
    session: Session, *, project_id: int, public_ids: Iterable[str], lock: bool = False
) -> dict[str, StoredAsset]:
    """Return a project's assets with these public ids, by public id."""
    stored_assets: dict[str, StoredAsset] = {}
    ordered = sorted(set(public_ids))
    for some in chunked(ordered):
        wanted = select(AssetRow).where(AssetRow.project_id == project_id, col(AssetRow.public_id).in_(some))
        wanted = wanted.order_by(col(AssetRow.id))
        stored_assets |= {row.public_id: row for row in session.exec(wanted.with_for_update() if lock else wanted)}
    return stored_assets


def propose(session: Session, *, asset: StoredAsset, proposal: Mapping[str, Any]) -> None:
    """Store a model's proposal for an item about a locked asset."""
    asset.proposal = dict(proposal)
    session.add(asset)


def has_proposals(viewer: Viewer) -> Any:
    """Tell whether a model has proposed an item."""
    return exists().where(col(AssetRow.project_id) == viewer.project_id, col(AssetRow.proposal).is_not(None))
