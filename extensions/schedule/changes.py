"""Change deadlines and the order of stages, and list the changes of deadlines, order and targets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from annotation_schemas.model import Schema
from db import people, projects, schema_changes
from db.engine import Session, Store
from domain.errors import ConflictError, InvalidInputError, Problem
from domain.records import Person
from domain.schedule import Schedule
from domain.states import Stage
from extensions.schedule import queries
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead, stages_of
from workflow.access.schedule import NOTHING, of_project, read_schedule
from workflow.access.stored_schemas import stored_schema


@dataclass(frozen=True)
class ScheduleChange:
    """A change of deadlines, of the order of stages or of targets."""

    at: datetime
    by: str | None
    """Login of the author; None for the command on the machine itself."""
    what: Sequence[str]
    """One line for each change."""


def set_deadlines(
    store: Store,
    *,
    by: Person | None,
    project: str,
    deadlines: Mapping[Stage, date],
    order: Sequence[Stage] = (),
    based_on: int | None = None,
) -> bool:
    """Set the deadlines and the order of all stages of a project and return whether anything changed; leads only.

    Parameters
    ----------
    order
        Stages that are offered first; the others follow in the order of the protocol.
    based_on
        Number of the schedule that the caller has seen; None means the current one.

    Raises
    ------
    InvalidInputError
        The project has no such stage, or a stage is twice in the order.
    ConflictError
        The current schedule is not the one that the change is based on.
    """
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        if problems := list(_problems(access.schema, deadlines, order)):
            raise InvalidInputError(problems)
        projects.lock(session, id=access.project_id)
        now = of_project(session, project_id=access.project_id)
        usual = stages_of(access.schema)
        new = Schedule(now.number + 1, dict(deadlines), tuple(order))
        if now.deadlines == new.deadlines and now.in_order(usual) == new.in_order(usual):
            return False
        if based_on not in (None, now.number):
            who = _last_author(session, access) or "A command on the server's machine"
            raise ConflictError(
                f"{who} changed the deadlines or the order before you saved. Check the new values, then save "
                "your changes again."
            )
        queries.add(
            session,
            project_id=access.project_id,
            number=new.number,
            deadlines={stage.value: due.isoformat() for stage, due in deadlines.items()},
            order=[stage.value for stage in order],
            by_id=by.id if by is not None else None,
            now=store.now(),
        )
        data = {"number": new.number, "changed": _differences(access.schema, now, new)}
        log(session, "schedule.set", by=by, project=access, now=store.now(), data=data)
        return True


def _last_author(session: Session, access: Access) -> str | None:
    """Return the name of the person who set the current schedule. None for a command on the machine itself."""
    versions = queries.of_project(session, project_id=access.project_id)
    login = versions[-1][1] if versions else None
    return people.called(session, logins=[login]).get(login, login) if login is not None else None


def history(store: Store, *, by: Person | None, project: str) -> list[ScheduleChange]:
    """Return all changes of deadlines, order and targets, newest first; leads only."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        changes = [*_schedules(session, access), *_targets(session, access)]
    return sorted(changes, key=lambda each: each.at, reverse=True)


def latest_version(store: Store, *, by: Person | None, project: str) -> int:
    """Return the highest version of the schema that a project has had; leads only."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        past = schema_changes.of_project(session, project_id=access.project_id)
        ids = {access.schema_version_id, *(id for row, _ in past for id in (row.before_id, row.after_id))}
        return max(stored_schema(session, id=id).schema_.version for id in ids)


def _problems(schema: Schema, deadlines: Mapping[Stage, date], order: Sequence[Stage]) -> Iterator[Problem]:
    known = stages_of(schema)
    for stage in (*deadlines, *order):
        if stage not in known:
            yield Problem(stage.value, f"The project has no stage {stage.value}. Choose one of {', '.join(known)}.")
    for stage in dict.fromkeys(order):
        if list(order).count(stage) > 1:
            yield Problem(
                stage.value, (f"{schema.stages.title_of(stage)} appears twice in the order. Name each stage once.")
            )


def _schedules(session: Session, access: Access) -> Iterator[ScheduleChange]:
    before = NOTHING
    for row, login in queries.of_project(session, project_id=access.project_id):
        now = read_schedule(row, login)
        yield ScheduleChange(row.created_at, login, _differences(access.schema, before, now))
        before = now


def _differences(schema: Schema, before: Schedule, now: Schedule) -> list[str]:
    usual, called = stages_of(schema), schema.stages.title_of
    lines = []
    for stage in Stage:
        old, new = before.deadlines.get(stage), now.deadlines.get(stage)
        if old != new:
            lines.append(f"{called(stage)}: deadline {new or 'none'} (was {old or 'none'})")
    if before.in_order(usual) != now.in_order(usual):
        lines.append(f"Order of stages: {', '.join(map(called, now.in_order(usual)))}")
    return lines


def _targets(session: Session, access: Access) -> Iterator[ScheduleChange]:
    """Yield the schema changes that changed the number of wanted items."""
    for row, person in schema_changes.of_project(session, project_id=access.project_id):
        before, after = (stored_schema(session, id=id).schema_.dimensions for id in (row.before_id, row.after_id))
        old, titles = (
            {dimension.id: dimension.wanted for dimension in before},
            {dimension.id: dimension.title for dimension in after},
        )
        lines = [
            f"{titles[dimension.id]}, wanted items: {dimension.wanted or 'no number'} (was "
            f"{old[dimension.id] or 'no number'})"
            for dimension in after
            if dimension.id in old and old[dimension.id] != dimension.wanted
        ]
        if lines:
            yield ScheduleChange(row.created_at, person.login if person else None, lines)
