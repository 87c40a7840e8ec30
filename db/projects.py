"""Commands and queries about projects, their schema versions and members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy
from sqlalchemy import and_, bindparam
from sqlmodel import Session, col, select

from db import prepared, reworded
from db.engine import CHANGES
from db.many_rows import insert_or_ignore
from db.records import StoredMember, StoredPerson, StoredProject, StoredSchemaVersion
from db.tables import GuidelineVersionRow, GuidelineVisitRow, MemberRow, PersonRow, ProjectRow, SchemaVersionRow
from domain.project_parts import PASSING
from domain.roles import Role


def add(
    session: Session, *, name: str, title: str, made_up: bool, schema_version_id: int, seed: int, now: datetime
) -> StoredProject:
    """Add a project. Raise ``IntegrityError`` if the name is taken."""
    row = ProjectRow(
        name=name, title=title, made_up=made_up, schema_version_id=schema_version_id, seed=seed, created_at=now
    )
    session.add(row)
    session.flush()
    return row


def bring_guideline_into_force(session: Session, *, row: StoredProject, number: int) -> None:
    """Put a version of the guideline into force for a locked project."""
    row.guideline_number = number
    session.add(row)
    session.flush()


def rename(session: Session, *, row: StoredProject, title: str) -> None:
    """Set the title of a locked project."""
    row.title = title
    session.add(row)
    session.flush()


def archive(session: Session, *, row: StoredProject, at: datetime | None) -> None:
    """Archive a locked project, so that nothing in it can change. ``at`` None: bring it back into use."""
    row.archived_at = at
    session.add(row)
    session.flush()


def put_member(
    session: Session,
    *,
    project_id: int,
    person_id: int,
    role: Role,
    dimensions: list[str] | None = None,
    stages: list[str] | None = None,
) -> None:
    """Give a person a role in a project, or change their role."""
    row = member(session, project_id=project_id, person_id=person_id)
    if row is None:
        row = MemberRow(project_id=project_id, person_id=person_id, role=role)
    if row.dimensions != dimensions:
        row.dimensions_given = row.dimensions_version = None
    row.role, row.dimensions, row.stages = role, dimensions, stages
    session.add(row)
    session.flush()


def remove_member(session: Session, *, row: StoredMember) -> None:
    """Remove a person from a project."""
    session.delete(row)
    session.flush()


def by_name(session: Session, *, name: str) -> StoredProject | None:
    """Return the project with this name."""
    return session.exec(select(ProjectRow).where(ProjectRow.name == name)).first()


def by_id(session: Session, *, id: int) -> StoredProject:
    """Return the project with this id, which must exist."""
    return session.exec(select(ProjectRow).where(ProjectRow.id == id)).one()


def lock(session: Session, *, id: int) -> StoredProject:
    """Return the project with this id, locked until the transaction ends."""
    wanted = select(ProjectRow).where(ProjectRow.id == id).with_for_update(key_share=True)
    return session.exec(wanted.execution_options(populate_existing=True)).one()


def standing(
    session: Session, *, person_id: int | None, name: str | None = None, id: int | None = None
) -> tuple[StoredProject, StoredMember | None, str, str, int | None] | None:
    """Return the facts that every use case asks for first, or None if the project is missing.

    They are: the project, the person's membership, the hash of the schema, the hash of the guideline, and the guideline
    version that the person opened last.
    """
    wanted = _standing("id" if name is None else "name")
    row = prepared.first(session, wanted, {"person_id": person_id, "project": id if name is None else name})
    if row is None or (person_id is not None and row[0].name.startswith(PASSING)):
        return None
    reworded.note(session, project=row[0])
    return row[0], row[1], row[2], row[3], row[4]


def changes_work(session: Session) -> bool:
    """Tell whether a session changes work, which an archived project refuses (``Store.write``)."""
    return bool(session.info.get(CHANGES))


@cache
def _standing(key: str) -> Any:
    mine = and_(col(MemberRow.project_id) == col(ProjectRow.id), col(MemberRow.person_id) == bindparam("person_id"))
    in_force = and_(
        col(GuidelineVersionRow.project_id) == col(ProjectRow.id),
        col(GuidelineVersionRow.number) == col(ProjectRow.guideline_number),
    )
    opened = and_(
        col(GuidelineVisitRow.project_id) == col(ProjectRow.id),
        col(GuidelineVisitRow.person_id) == bindparam("person_id"),
    )
    return (
        sqlalchemy.select(
            ProjectRow,
            MemberRow,
            col(SchemaVersionRow.hash),
            col(GuidelineVersionRow.hash),
            col(GuidelineVisitRow.number),
        )
        .join(SchemaVersionRow, col(SchemaVersionRow.id) == ProjectRow.schema_version_id)
        .join(GuidelineVersionRow, in_force)
        .join(MemberRow, mine, isouter=True)
        .join(GuidelineVisitRow, opened, isouter=True)
        .where(getattr(ProjectRow, key) == bindparam("project"))
    )


def everything(session: Session) -> Sequence[StoredProject]:
    """Return all projects, by name, except those that are being imported or deleted."""
    return session.exec(select(ProjectRow).where(_there()).order_by(col(ProjectRow.name))).all()


def _there() -> Any:
    return ~col(ProjectRow.name).startswith(PASSING)


def of_person(session: Session, *, person_id: int) -> list[tuple[StoredProject, StoredMember]]:
    """Return the projects that a person is a member of, by name."""
    wanted = (
        select(ProjectRow, MemberRow)
        .join(MemberRow, col(MemberRow.project_id) == ProjectRow.id)
        .where(MemberRow.person_id == person_id, _there())
        .order_by(col(ProjectRow.name))
    )
    return [(project, member) for project, member in session.exec(wanted)]


def member(session: Session, *, project_id: int, person_id: int) -> StoredMember | None:
    """Return a person's membership in a project."""
    wanted = select(MemberRow).where(MemberRow.project_id == project_id, MemberRow.person_id == person_id)
    return session.exec(wanted).first()


def members(session: Session, *, project_id: int, active: bool = True) -> list[tuple[StoredMember, StoredPerson]]:
    """Return a project's members with an active account (or an inactive one), by login."""
    wanted = (
        select(MemberRow, PersonRow)
        .join(PersonRow, col(PersonRow.id) == MemberRow.person_id)
        .where(MemberRow.project_id == project_id, col(PersonRow.active).is_(active))
        .order_by(col(PersonRow.login))
    )
    return [(member, person) for member, person in session.exec(wanted)]


def leads(session: Session, *, project_id: int) -> list[int]:
    """Return the ids of a project's leads with an active account, read from the database."""
    wanted = (
        select(PersonRow.id)
        .join(MemberRow, col(MemberRow.person_id) == PersonRow.id)
        .where(MemberRow.project_id == project_id, MemberRow.role == Role.LEAD, col(PersonRow.active))
    )
    return [id for id in session.exec(wanted) if id is not None]


def begun(session: Session, *, id: int) -> datetime:
    """Return when a project was created, which is when its schema came into force."""
    return session.exec(select(ProjectRow.created_at).where(ProjectRow.id == id)).one()


def schema_version(session: Session, *, id: int) -> StoredSchemaVersion:
    """Return a stored schema, which must exist."""
    return session.exec(select(SchemaVersionRow).where(SchemaVersionRow.id == id)).one()


def schema_version_by_hash(session: Session, *, hash: str) -> StoredSchemaVersion | None:
    """Return the stored schema with this hash."""
    return session.exec(select(SchemaVersionRow).where(SchemaVersionRow.hash == hash)).first()


def put_schema_version(session: Session, *, row: Mapping[str, Any]) -> None:
    """Store a schema. A schema whose hash is stored already stays unchanged."""
    insert_or_ignore(session, SchemaVersionRow, [row])
