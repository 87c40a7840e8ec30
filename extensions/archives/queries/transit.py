"""Projects in transit: their rows are imported or deleted batch by batch, and nobody sees them until then.

Such a project has a reserved name (``PASSING``). Its title holds JSON that says what to delete with it. The process
that imports or deletes the project holds a lock on the name (``hold_name``). If nobody holds it, the process was
interrupted and the project may be deleted.
"""

from __future__ import annotations

import fcntl
import json
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import delete, text, update
from sqlmodel import Session, col, select

from db.engine import IntegrityError, Store
from db.records import StoredProject
from db.tables import PersonRow, ProjectRow
from domain.project_parts import PASSING
from extensions.archives.queries.landing import Landing


@dataclass(frozen=True)
class ProjectInTransit:
    """A project in transit."""

    id: int
    name: str
    accounts: tuple[int, ...] = ()
    """Accounts (ids) that were created for it, and are deleted if the import fails."""


def drawn_name(way: str) -> str:
    """Return a random name for a project that is ``coming`` or ``going``."""
    return f"{PASSING}{way}-{secrets.token_hex(8)}"


def begin(session: Session, *, land: Landing, accounts: Sequence[int]) -> ProjectInTransit:
    """Add a project that is being imported, under the name that ``land`` has for it."""
    title = json.dumps({"accounts": list(accounts)})
    id = land.add_project(session, changed={"title": title, "archived_at": None})
    return ProjectInTransit(id, land.name, tuple(accounts))


def arrive(session: Session, *, id: int, name: str, title: str, archived_at: datetime | None) -> None:
    """Make an imported project visible. Raise ``IntegrityError`` if its name is taken."""
    named = update(ProjectRow).where(col(ProjectRow.id) == id)
    session.execute(named.values(name=name, title=title, archived_at=archived_at))


def leave(session: Session, *, row: StoredProject) -> ProjectInTransit:
    """Hide a locked project for its deletion."""
    row.name, row.title = drawn_name("going"), json.dumps({})
    session.add(row)
    session.flush()
    return ProjectInTransit(row.id, row.name)


def projects_in_transit(session: Session, *, name: str | None = None) -> list[ProjectInTransit]:
    """Return all projects in transit, or the one with this name."""
    wanted = select(ProjectRow.id, ProjectRow.name, ProjectRow.title).where(col(ProjectRow.name).startswith(PASSING))
    if name is not None:
        wanted = wanted.where(ProjectRow.name == name)
    return [
        ProjectInTransit(id, name, tuple(json.loads(title).get("accounts", ())))
        for id, name, title in session.exec(wanted)
    ]


def drop_accounts(session: Session, *, ids: Sequence[int]) -> None:
    """Delete accounts that own nothing."""
    for id in ids:
        try:
            with session.begin_nested():
                session.execute(delete(PersonRow).where(col(PersonRow.id) == id))
        except IntegrityError:
            continue  # it has become a member of another project since, so it stays


@contextmanager
def hold_name(store: Store, name: str) -> Iterator[bool]:
    """Lock the name of a project in transit while the block runs. Yield whether the lock was free."""
    if store.is_sqlite:
        path = Path(f"{store.engine.url.database}{name}")
        with path.open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            try:
                yield True
            finally:
                path.unlink(missing_ok=True)
        return
    with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        about = {"name": name}
        mine = bool(connection.scalar(text("SELECT pg_try_advisory_lock(hashtextextended(:name, 0))"), about))
        try:
            yield mine
        finally:
            if mine:
                connection.execute(text("SELECT pg_advisory_unlock(hashtextextended(:name, 0))"), about)
