"""How an event comes into the log: the one place of the workflow that writes there (``audit.py`` reads it)."""

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
    """Add an event to the log, in the transaction that does what it tells of.

    Parameters
    ----------
    kind
        Such as ``task.submitted``: what it happened to, and what happened.
    by
        The person, or their id; None is the command on the machine itself, or no one in particular.
    project, item
        What it is about, or its id: an ``Access``, or anything else of a project, stands for the project.
    task
        It is about this task, and with it about the task's item and project.
    run
        It is about this run, and with it about the run's project. ``data`` begins with the run's public id and the
        name of its model.
    data
        What belongs to this kind of event alone, as JSON takes it.
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
    """An event for each of many items (by id, with what belongs to each) at once, as ``log`` adds it for one."""
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
