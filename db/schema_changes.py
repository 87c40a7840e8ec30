"""Commands and queries about changes of a project's schema, and their effects on votes and slots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import func, or_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db import reworded
from db.records import StoredPerson, StoredProject, StoredSchemaChange
from db.tables import (
    AnnotationRow,
    ItemRow,
    PersonRow,
    SchemaChangeRow,
)
from domain.rewording import Rewording
from domain.states import VERIFICATIONS, Purpose, Stage

_NEWER = aliased(AnnotationRow)


def add(session: Session, *, row: Mapping[str, Any]) -> StoredSchemaChange:
    """Add a change of a project's schema. Raise ``IntegrityError`` if the number is taken."""
    added = SchemaChangeRow(**row)
    session.add(added)
    session.flush()
    return added


def put_into_force(session: Session, *, row: StoredProject, schema_version_id: int, reading: Rewording) -> None:
    """Put a schema into force for a locked project, with the rules for reading earlier content."""
    row.schema_version_id, row.reading = schema_version_id, reading.as_json()
    session.add(row)
    session.flush()
    reworded.note(session, project=row)


def of_project(session: Session, *, project_id: int) -> list[tuple[StoredSchemaChange, StoredPerson | None]]:
    """Return all changes of a project's schema, oldest first, with the people who made them."""
    wanted = (
        select(SchemaChangeRow, PersonRow)
        .join(PersonRow, col(PersonRow.id) == SchemaChangeRow.by_id, isouter=True)
        .where(SchemaChangeRow.project_id == project_id)
        .order_by(col(SchemaChangeRow.number))
    )
    return [(change, person) for change, person in session.exec(wanted)]


def newest(session: Session, *, project_id: int) -> StoredSchemaChange | None:
    """Return the last change of a project's schema."""
    wanted = select(SchemaChangeRow).where(SchemaChangeRow.project_id == project_id)
    return session.exec(wanted.order_by(col(SchemaChangeRow.number).desc()).limit(1)).first()


def votes_by_version(
    session: Session, *, project_id: int, stage: Stage | None = None, as_they_stand: bool = False
) -> dict[tuple[int, Stage], int]:
    """Count the submissions that count, by schema version (id) and stage.

    ``as_they_stand``: leave out votes and decisions on earlier revisions of items. They affect no verdict.
    """
    wanted = (
        select(AnnotationRow.schema_version_id, AnnotationRow.stage, func.count())
        .join(_NEWER, col(_NEWER.supersedes_id) == col(AnnotationRow.id), isouter=True)
        .where(AnnotationRow.project_id == project_id, AnnotationRow.purpose == Purpose.LIVE, col(_NEWER.id).is_(None))
        .group_by(col(AnnotationRow.schema_version_id), col(AnnotationRow.stage))
    )
    if stage is not None:
        wanted = wanted.where(AnnotationRow.stage == stage)
    if as_they_stand:
        decides = col(AnnotationRow.stage).in_((*VERIFICATIONS, Stage.ADJUDICATION))
        wanted = wanted.join(ItemRow, col(ItemRow.id) == col(AnnotationRow.item_id)).where(
            or_(~decides, col(AnnotationRow.revision) == col(ItemRow.current_revision))
        )
    return {(version, Stage(stage_name)): n for version, stage_name, n in session.exec(wanted)}
