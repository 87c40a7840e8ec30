"""Queries on the items of a release in batches: who wrote, voted and adjudicated, and when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select
from sqlmodel import Session, col

from db.tables import AnnotationRow, EventRow, RevisionRow, SchemaVersionRow
from domain.states import VERIFICATIONS, Purpose, Stage

IMPORTED = "item.imported"


class RevisionStep(NamedTuple):
    """A revision of an item."""

    item_id: int
    number: int
    editor_id: int | None
    at: datetime
    schema_id: int


class VoteStep(NamedTuple):
    """A vote on an item, or a senior's decision about it."""

    id: int
    item_id: int
    revision: int
    stage: Stage
    person_id: int
    at: datetime
    schema_id: int
    supersedes_id: int | None


def revised(session: Session, *, item_ids: Sequence[int]) -> Iterator[RevisionStep]:
    """Yield all revisions of items, oldest first for each item."""
    columns = (
        col(RevisionRow.item_id),
        col(RevisionRow.number),
        col(RevisionRow.editor_id),
        col(RevisionRow.created_at),
        col(RevisionRow.schema_version_id),
    )
    wanted = select(*columns).where(col(RevisionRow.item_id).in_(item_ids))
    return map(RevisionStep._make, session.execute(wanted.order_by(col(RevisionRow.item_id), col(RevisionRow.number))))


def votes_and_decisions(session: Session, *, item_ids: Sequence[int]) -> Iterator[VoteStep]:
    """Yield all votes and decisions on items, including superseded ones."""
    columns = (
        col(AnnotationRow.id),
        col(AnnotationRow.item_id),
        col(AnnotationRow.revision),
        col(AnnotationRow.stage),
        col(AnnotationRow.person_id),
        col(AnnotationRow.created_at),
        col(AnnotationRow.schema_version_id),
        col(AnnotationRow.supersedes_id),
    )
    wanted = select(*columns).where(
        col(AnnotationRow.item_id).in_(item_ids),
        col(AnnotationRow.stage).in_((*VERIFICATIONS, Stage.ADJUDICATION)),
        col(AnnotationRow.purpose) == Purpose.LIVE,
    )
    return map(VoteStep._make, session.execute(wanted.order_by(col(AnnotationRow.id))))


def importers(session: Session, *, item_ids: Sequence[int]) -> dict[int, int]:
    """Return the person who imported each item, by item id. Authored items and imports by a command are left out."""
    wanted = select(col(EventRow.item_id), col(EventRow.person_id)).where(
        col(EventRow.item_id).in_(item_ids), col(EventRow.kind) == IMPORTED, col(EventRow.person_id).is_not(None)
    )
    return {item_id: person_id for item_id, person_id in session.execute(wanted)}


def who_imported(session: Session, *, project_id: int) -> set[int]:
    """Return the ids of everyone who has imported items of a project."""
    wanted = select(col(EventRow.person_id)).where(
        col(EventRow.project_id) == project_id, col(EventRow.kind) == IMPORTED, col(EventRow.person_id).is_not(None)
    )
    return {person_id for (person_id,) in session.execute(wanted.distinct()) if person_id is not None}


def schemas(session: Session, *, ids: Sequence[int]) -> dict[int, tuple[str, int, str]]:
    """Return name, version and hash of schemas, by id."""
    wanted = select(
        col(SchemaVersionRow.id), col(SchemaVersionRow.name), col(SchemaVersionRow.version), col(SchemaVersionRow.hash)
    ).where(col(SchemaVersionRow.id).in_(ids))
    return {id: (name, version, hash) for id, name, version, hash in session.execute(wanted)}
