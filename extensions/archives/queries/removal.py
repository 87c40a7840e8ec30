"""Counting and deleting all rows of a project. Rows that another project shares are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, exists, func, select, tuple_
from sqlmodel import Session

from db.carried import CARRIED, in_order
from db.events import COVERED
from db.project_rows import mine
from db.tables import metadata
from extensions.archives.queries import withheld_files

Key = tuple[Any, ...]
"""The primary key of a row."""
_KEPT = frozenset({"person", "schema_version", "project"})
"""Tables that stay: accounts and schemas belong to no project, and the project itself is deleted last."""


def sizes(session: Session, *, project_id: int) -> dict[str, int]:
    """Count the rows of a project in each table. For ``media_object``, files of other projects are left out."""
    by_table = {}
    for table in in_order():
        if table.name in _KEPT or table.name == "media_object":
            continue
        counted = select(func.count()).select_from(table).where(mine(table, project_id))
        by_table[table.name] = int(session.connection().scalar(counted) or 0)
    by_table["media_object"] = len(own_media(session, project_id=project_id))
    return by_table


def own_media(session: Session, *, project_id: int) -> list[str]:
    """Return the hashes of the images and clips that only this project has, including withheld originals."""
    asset = metadata.tables["asset"]
    others = asset.alias()
    elsewhere = exists().where(others.c.sha256 == asset.c.sha256, others.c.project_id != project_id)
    wanted = select(asset.c.sha256).where(asset.c.project_id == project_id, asset.c.sha256.is_not(None), ~elsewhere)
    shown = set(session.connection().scalars(wanted.distinct()))
    mine_ = withheld_files.named(session, project_id=project_id)
    if mine_:
        media = metadata.tables["media_object"]
        unused = media.c.sha256.in_(mine_), ~exists().where(asset.c.sha256 == media.c.sha256)
        mine_ = set(session.connection().scalars(select(media.c.sha256).where(*unused)))
    return sorted((shown | mine_) - withheld_files.named(session, but=project_id))


def media_is_there(session: Session, *, sha256: str) -> bool:
    """Tell whether an image or clip still belongs to a project."""
    media = metadata.tables["media_object"]
    return session.connection().scalar(select(media.c.sha256).where(media.c.sha256 == sha256)) is not None


def tables() -> list[str]:
    """Return the tables with rows of a project, each before the tables that it points to."""
    left = [name for name, table in metadata.tables.items() if name not in CARRIED and "project_id" in table.c]
    mine_ = [table.name for table in reversed(in_order()) if not CARRIED[table.name].pointed]
    return [*left, *(name for name in mine_ if name != "project")]


def keys(session: Session, *, project_id: int, table: str, below: Key | None, limit: int) -> list[Key]:
    """Return the keys of up to ``limit`` rows of a project, highest first: later rows point to earlier ones."""
    of = metadata.tables[table]
    key = list(of.primary_key.columns)
    belongs: Any = mine(of, project_id) if table in CARRIED else of.c.project_id == project_id
    wanted = select(*key).where(belongs).order_by(*[column.desc() for column in key]).limit(limit)
    if below is not None:
        wanted = wanted.where(tuple_(*key) < tuple_(*below) if len(key) > 1 else key[0] < below[0])
    return [tuple(row) for row in session.connection().execute(wanted)]


def remove(session: Session, *, table: str, lot: Sequence[Key]) -> list[str]:
    """Delete rows by their keys, in a transaction that allows it. Return the hashes of media that are now unused."""
    of, connection = metadata.tables[table], session.connection()
    key = list(of.primary_key.columns)
    these = tuple_(*key).in_(lot) if len(key) > 1 else key[0].in_([row[0] for row in lot])
    hashes = set()
    if table == "asset":
        hashes = {*connection.scalars(select(of.c.sha256).where(these, of.c.sha256.is_not(None)))}
    if table == "event":
        decided = connection.scalars(select(of.c.data).where(these, of.c.kind == COVERED))
        hashes = {sha256 for data in decided for sha256 in withheld_files.hashes_in(data)}
    connection.execute(delete(of).where(these))
    hashes -= withheld_files.named(session) if hashes else set()
    if not hashes:
        return []
    media, asset = metadata.tables["media_object"], metadata.tables["asset"]
    unused = media.c.sha256.in_(hashes), ~exists().where(asset.c.sha256 == media.c.sha256)
    return sorted(connection.scalars(delete(media).where(*unused).returning(media.c.sha256)))


def remove_project(session: Session, *, project_id: int) -> None:
    """Delete the row of an otherwise empty project. PostgreSQL raises ``IntegrityError`` if rows are left."""
    project = metadata.tables["project"]
    session.connection().execute(delete(project).where(project.c.id == project_id))
