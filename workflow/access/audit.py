"""The event log: who did what, when, from where; leads read it, and nothing in it is ever changed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from db import events, items, people
from db.engine import Session, Store
from domain.errors import NotAllowedError, NotFoundError
from domain.records import AuditEntry, Person
from workflow.access.projects import require_lead


def entries(
    store: Store,
    *,
    by: Person | None,
    project: str | None,
    kinds: Sequence[str] = (),
    who: str | None = None,
    item: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    before: int | None = None,
    offset: int = 0,
    limit: int | None = None,
) -> list[AuditEntry]:
    """Return events, newest first.

    Parameters
    ----------
    by
        A lead of the project; None is the command on the machine itself.
    project
        None means all projects and events outside projects (sign-in, accounts); for admins and the command only.
    kinds
        For example ``task.submitted``; ``task.`` matches all kinds with this beginning.
    who, item
        A login; an item's external id.
    since, until
        From the first moment on, up to the second.
    before, offset, limit
        Only events older than this id, without the newest ``offset`` ones, and at most ``limit``.

    Raises
    ------
    NotFoundError
        The account or item does not exist.
    """
    with store.read() as session:
        project_id = _project_id(session, by=by, project=project)
        rows = events.find_events(
            session,
            project_id=project_id,
            kinds=kinds,
            person_id=_person_id(session, who),
            item_id=_item_id(session, project_id, item),
            since=since,
            until=until,
            before=before,
            offset=offset,
            limit=limit,
        )
        called = people.called(session, logins={login for _, login, _, _ in rows if login is not None})
        return [
            AuditEntry(row.id, row.at, row.kind, name, login, external, row.origin, row.data, called.get(login or ""))
            for row, login, external, name in rows
        ]


def count(
    store: Store,
    *,
    by: Person | None,
    project: str | None,
    kinds: Sequence[str] = (),
    who: str | None = None,
    item: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> int:
    """Return how many events ``entries`` finds without a limit."""
    with store.read() as session:
        project_id = _project_id(session, by=by, project=project)
        return events.count(
            session,
            project_id=project_id,
            kinds=kinds,
            person_id=_person_id(session, who),
            item_id=_item_id(session, project_id, item),
            since=since,
            until=until,
        )


def _project_id(session: Session, *, by: Person | None, project: str | None) -> int | None:
    if project is not None:
        return require_lead(session, by=by, project=project).project_id
    if by is not None and not by.is_admin:
        raise NotAllowedError("Only an admin can read the log of all projects. Name one of your projects.")
    return None


def _person_id(session: Session, login: str | None) -> int | None:
    if login is None:
        return None
    row = people.by_login(session, login=login.strip().casefold())
    if row is None:
        raise NotFoundError(f"No account has the login {login!r}. Check the spelling.")
    return row.id


def _item_id(session: Session, project_id: int | None, external_id: str | None) -> int | None:
    if external_id is None:
        return None
    row = items.by_external_id(session, project_id=project_id, external_id=external_id) if project_id else None
    if row is None:
        raise NotFoundError(f"This project has no item {external_id!r}. Check the item's ID.")
    return row.id
