"""Write events to the log; this is the only module of the workflow that writes there (``audit.py`` reads)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from db import events
from db.engine import Session
from db.records import StoredRun, StoredTask


class _HasId(Protocol):
    @property
    def id(self) -> int: ...


class _InProject(Protocol):
    @property
    def project_id(self) -> int: ...


def log(
    session: Session,
    kind: str,
    *,
    now: datetime,
    by: _HasId | int | None = None,
    project: _InProject | int | None = None,
    item: _HasId | int | None = None,
    task: StoredTask | None = None,
    run: StoredRun | None = None,
    data: Mapping[str, Any] | None = None,
) -> None:
    """Add an event to the log, in the transaction that makes the change.

    Parameters
    ----------
    kind
        Object and event, for example ``task.submitted``.
    by
        The person or their id; None is the command on the machine itself, or nobody in particular.
    project, item
        The project or item of the event, or its id; an ``Access`` or any other row of a project names the project.
    task
        The task of the event; its item and project are added.
    run
        The run of the event; its project is added. ``data`` then starts with the run's public id and its model's name.
    data
        Details of this kind of event, as JSON values.
    """
    if task is not None:
        project, item = task, task.item_id
    if run is not None:
        project, data = run, {"run": run.public_id, "model": run.name, **(data or {})}
    events.record(
        session,
        at=now,
        kind=kind,
        project_id=project if project is None or isinstance(project, int) else project.project_id,
        person_id=_id(by),
        item_id=_id(item),
        task_id=_id(task),
        data=data,
    )


def log_items(
    session: Session,
    kind: str,
    *,
    now: datetime,
    by: _HasId | int | None = None,
    project: _InProject | int,
    items: Mapping[int, Mapping[str, Any]],
) -> None:
    """Add one event for each of many items (data by item id) at once; see ``log``."""
    events.record_of_items(
        session,
        at=now,
        kind=kind,
        project_id=project if isinstance(project, int) else project.project_id,
        person_id=_id(by),
        items=items,
    )


def _id(one: _HasId | int | None) -> int | None:
    return one if one is None or isinstance(one, int) else one.id
