"""The removal of deleted or incompletely imported projects, a lot of rows at a time, while others write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from db.engine import IntegrityError, Store
from domain.errors import ConflictError
from domain.jobs import Progress, unheard
from extensions.archives.queries import removal, transit
from extensions.archives.queries.transit import ProjectInTransit

if TYPE_CHECKING:
    from media.store import MediaStore

_KEYS = 20_000
_AT_ONCE = 1_000
_ROUNDS = 5


def clear_abandoned(store: Store, media: MediaStore) -> int:
    """Clear projects whose deletion or import was interrupted. Return the number of projects."""
    with store.read() as session:
        there = transit.projects_in_transit(session)
    cleared = 0
    for project in there:
        with transit.hold_name(store, project.name) as mine, store.read() as session:
            still = transit.projects_in_transit(session, name=project.name) if mine else []
            if still:
                clear(store, media, still[0])
                cleared += 1
    return cleared


def clear(store: Store, media: MediaStore, project: ProjectInTransit, *, progress: Progress = unheard) -> None:
    """Delete all rows of a project in transit, and the images and clips that no other project uses."""
    for _ in range(_ROUNDS):
        removed = False
        for done, table in enumerate(tables := removal.tables()):
            progress("tables deleted", done, len(tables))
            removed |= _cleared(store, media, project.id, table)
        if not removed:  # PostgreSQL: a transaction that began earlier may have added rows in between
            break
    try:
        with store.letting_go() as session:
            removal.remove_project(session, project_id=project.id)
        with store.write(archived_too=True) as session:
            transit.drop_accounts(session, ids=project.accounts)
    except IntegrityError as error:
        raise ConflictError(
            "Another process is still writing to the data of the deleted project. The next import, copy "
            "or deletion of a project removes the remaining data."
        ) from error


def _cleared(store: Store, media: MediaStore, project_id: int, table: str) -> bool:
    """Delete the rows of a table; whether there were any."""
    last = None
    while True:
        with store.read() as session:
            keys = removal.keys(session, project_id=project_id, table=table, below=last, limit=_KEYS)
        if not keys:
            return last is not None
        for at in range(0, len(keys), _AT_ONCE):
            with store.letting_go() as session:
                gone = removal.remove(session, table=table, lot=keys[at : at + _AT_ONCE])
            for sha256 in gone:
                with store.read() as session:
                    back = removal.media_is_there(session, sha256=sha256)
                if not back:
                    media.remove(sha256)
        last = keys[-1]
