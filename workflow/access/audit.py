"""The event log: who did what, when, from where; leads read and download it, and nothing in it is ever changed."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from datetime import datetime

from db import events, items, people
from db.engine import Session, Store
from domain import csv_text
from domain.errors import NotAllowedError, NotFoundError
from domain.records import AuditEntry, Person
from workflow.access.projects import require_lead

_SHOWN_KINDS = {
    "cause.answered": "adjudication_reason.answered",
    "gold.let_go_on": "gold.reinstated",
    "task.late": "task.submission_expired",
    "task.set_aside": "task.postponed",
}
"""Current names of event kinds that the log, which is never rewritten, stores under earlier names."""

COLUMNS = ("at", "kind", "project", "who", "name", "item", "origin", "data")


def shown_kind(kind: str) -> str:
    """Return the name of an event kind on pages; downloaded logs keep the stored name.

    >>> shown_kind("task.set_aside"), shown_kind("task.claimed")
    ('task.postponed', 'task.claimed')
    """
    return _SHOWN_KINDS.get(kind, kind)


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
        found = events.find_events(
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
        called = people.called(session, logins={login for _, login, _, _ in found if login is not None})
        return [
            AuditEntry(row.id, row.at, row.kind, name, login, external, row.origin, row.data, called.get(login or ""))
            for row, login, external, name in found
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


def doers(store: Store, *, by: Person | None, project: str) -> list[str]:
    """Return the logins of everyone with an event in a project, including former members."""
    with store.read() as session:
        return events.people(session, project_id=require_lead(session, by=by, project=project).project_id)


def kinds(store: Store, *, by: Person | None, project: str | None) -> list[str]:
    """Return the kinds of events that have happened."""
    with store.read() as session:
        return events.kinds(session, project_id=_project_id(session, by=by, project=project))


def as_csv(found: Iterable[AuditEntry]) -> str:
    """Return events as CSV text; the column ``data`` holds the details of a kind as JSON."""
    out = io.StringIO(newline="")
    writer = csv_text.DictWriter(out, COLUMNS)
    writer.writeheader()
    for entry in found:
        row = _row(entry)
        writer.writedict({**row, "data": json.dumps(row["data"], ensure_ascii=False, sort_keys=True)})
    return out.getvalue()


def as_jsonl(found: Iterable[AuditEntry]) -> str:
    """Return events as JSON Lines."""
    return "".join(json.dumps(_row(entry), ensure_ascii=False) + "\n" for entry in found)


def _row(entry: AuditEntry) -> dict[str, object]:
    return {
        "at": entry.at.isoformat(),
        "kind": entry.kind,
        "project": entry.project,
        "who": entry.who,
        "name": entry.name,
        "item": entry.item,
        "origin": entry.origin,
        "data": dict(entry.data),
    }


def _project_id(session: Session, *, by: Person | None, project: str | None) -> int | None:
    if project is not None:
        return require_lead(session, by=by, project=project).project_id
    if by is not None and not by.is_admin:
        raise NotAllowedError("Only an admin reads the log of all projects; name one of yours.")
    return None


def _person_id(session: Session, login: str | None) -> int | None:
    if login is None:
        return None
    row = people.by_login(session, login=login.strip().casefold())
    if row is None:
        raise NotFoundError(f"There is no account with the login {login!r}.")
    return row.id


def _item_id(session: Session, project_id: int | None, external_id: str | None) -> int | None:
    if external_id is None:
        return None
    row = items.by_external_id(session, project_id=project_id, external_id=external_id) if project_id else None
    if row is None:
        raise NotFoundError(f"There is no item {external_id!r} in this project.")
    return row.id
