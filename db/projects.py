"""Queries about projects, their schema versions and members."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from sqlalchemy import and_, bindparam
from sqlmodel import Session, col, select

from db.engine import insert_or_ignore
from db.tables import MemberRow, PersonRow, ProjectRow, SchemaVersionRow


def by_name(session: Session, *, name: str) -> ProjectRow | None:
    """The project of that name."""
    return session.exec(select(ProjectRow).where(ProjectRow.name == name)).first()


def by_id(session: Session, *, id: int) -> ProjectRow:
    """The project with that id, which must exist."""
    return session.exec(select(ProjectRow).where(ProjectRow.id == id)).one()


def standing(
    session: Session, *, person_id: int | None, name: str | None = None, id: int | None = None
) -> tuple[ProjectRow, MemberRow | None, str] | None:
    """A project by name or id, the person's part in it, and the hash of its schema: what every use case asks first."""
    wanted = _standing("id" if name is None else "name")
    found = session.execute(wanted, {"person_id": person_id, "project": id if name is None else name}).first()
    return (found[0], found[1], found[2]) if found else None


@cache
def _standing(key: str) -> Any:
    mine = and_(col(MemberRow.project_id) == col(ProjectRow.id), col(MemberRow.person_id) == bindparam("person_id"))
    return (
        select(ProjectRow, MemberRow, SchemaVersionRow.hash)
        .join(SchemaVersionRow, col(SchemaVersionRow.id) == ProjectRow.schema_version_id)
        .join(MemberRow, mine, isouter=True)
        .where(getattr(ProjectRow, key) == bindparam("project"))
    )


def everything(session: Session) -> list[ProjectRow]:
    """All projects, by name."""
    return list(session.exec(select(ProjectRow).order_by(col(ProjectRow.name))))


def of_person(session: Session, *, person_id: int) -> list[tuple[ProjectRow, MemberRow]]:
    """The projects that a person is a member of, by name."""
    wanted = (
        select(ProjectRow, MemberRow)
        .join(MemberRow, col(MemberRow.project_id) == ProjectRow.id)
        .where(MemberRow.person_id == person_id)
        .order_by(col(ProjectRow.name))
    )
    return [(project, member) for project, member in session.exec(wanted)]


def member(session: Session, *, project_id: int, person_id: int) -> MemberRow | None:
    """A person's part in a project."""
    wanted = select(MemberRow).where(MemberRow.project_id == project_id, MemberRow.person_id == person_id)
    return session.exec(wanted).first()


def members(session: Session, *, project_id: int) -> list[tuple[MemberRow, PersonRow]]:
    """Everybody in a project who is active, by login."""
    wanted = (
        select(MemberRow, PersonRow)
        .join(PersonRow, col(PersonRow.id) == MemberRow.person_id)
        .where(MemberRow.project_id == project_id, col(PersonRow.active))
        .order_by(col(PersonRow.login))
    )
    return [(member, person) for member, person in session.exec(wanted)]


def schema_version(session: Session, *, id: int) -> SchemaVersionRow:
    """A stored schema, which must exist."""
    return session.exec(select(SchemaVersionRow).where(SchemaVersionRow.id == id)).one()


def schema_version_by_hash(session: Session, *, hash: str) -> SchemaVersionRow | None:
    """The stored schema with that hash."""
    return session.exec(select(SchemaVersionRow).where(SchemaVersionRow.hash == hash)).first()


def put_schema_version(session: Session, *, row: Mapping[str, Any]) -> None:
    """Store a schema; one with that hash that is there already stays as it is."""
    insert_or_ignore(session, SchemaVersionRow, [row])
