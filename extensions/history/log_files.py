"""The files of the event log, and the choices of its filters."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable

from db import events
from db.engine import Store
from domain import csv_text
from domain.records import AuditEntry, Person
from extensions.history import queries
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


def doers(store: Store, *, by: Person | None, project: str) -> list[str]:
    """Return the logins of everyone with an event in a project, including former members."""
    with store.read() as session:
        return queries.people(session, project_id=require_lead(session, by=by, project=project).project_id)


def kinds(store: Store, *, by: Person | None, project: str) -> list[str]:
    """Return the kinds of events that have happened in a project."""
    with store.read() as session:
        return events.kinds(session, project_id=require_lead(session, by=by, project=project).project_id)


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
