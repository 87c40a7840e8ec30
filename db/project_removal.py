"""All rows of a project, counted and deleted; what another project has, too, stays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import delete, exists, func, select
from sqlmodel import Session

from db.carried import CARRIED, in_order
from db.project_rows import mine
from db.tables import metadata

_KEPT = frozenset({"person", "schema_version", "project"})
"""Accounts and stored schemas belong to no project; the project itself goes last."""


def sizes(session: Session, *, project_id: int) -> dict[str, int]:
    """How many rows of a project each of its tables has; of ``media_object`` those that no other project has."""
    found = {}
    for table in in_order():
        if table.name in _KEPT or table.name == "media_object":
            continue
        counted = select(func.count()).select_from(table).where(mine(table, project_id))
        found[table.name] = int(session.connection().scalar(counted) or 0)
    found["media_object"] = len(own_media(session, project_id=project_id))
    return found


def own_media(session: Session, *, project_id: int) -> list[str]:
    """The hashes of the images and clips that this project has alone."""
    asset = metadata.tables["asset"]
    others = asset.alias()
    elsewhere = exists().where(others.c.sha256 == asset.c.sha256, others.c.project_id != project_id)
    wanted = select(asset.c.sha256).where(asset.c.project_id == project_id, asset.c.sha256.is_not(None), ~elsewhere)
    return sorted(session.connection().scalars(wanted.distinct()))


def media_is_there(session: Session, *, sha256: str) -> bool:
    """Whether an image or clip belongs to a project (again)."""
    media = metadata.tables["media_object"]
    return session.connection().scalar(select(media.c.sha256).where(media.c.sha256 == sha256)) is not None


def remove(session: Session, *, project_id: int, progress: Callable[[int, int], None] | None = None) -> Sequence[str]:
    """Delete every row of a project, in a transaction that lets them go; the hashes of images and clips that no one
    has any more. ``progress`` is called with how many tables are done, of how many."""
    connection = session.connection()
    files = own_media(session, project_id=project_id)
    tables = [table for table in reversed(in_order()) if not CARRIED[table.name].pointed and table.name != "project"]
    left = [metadata.tables[name] for name in metadata.tables if name not in CARRIED]
    left = [table for table in left if "project_id" in table.c]
    for done, table in enumerate([*left, *tables]):
        if progress is not None:
            progress(done, len(left) + len(tables))
        condition: Any = mine(table, project_id) if table.name in CARRIED else table.c.project_id == project_id
        connection.execute(delete(table).where(condition))
    media = metadata.tables["media_object"]
    for at in range(0, len(files), 500):
        connection.execute(delete(media).where(media.c.sha256.in_(files[at : at + 500])))
    project = metadata.tables["project"]
    connection.execute(delete(project).where(project.c.id == project_id))
    return files
