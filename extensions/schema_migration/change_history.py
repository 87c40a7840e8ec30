"""The schema changes of a project: those that were made, and one that is under way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from db import schema_changes
from db.engine import Session, Store
from domain.records import Person
from domain.states import ItemState
from extensions.schema_migration.changes import Decisions
from extensions.schema_migration.queries import changes
from workflow.access.projects import Access, require_lead


@dataclass(frozen=True)
class PastChange:
    """A change of the schema, as the history of a project has it."""

    number: int
    version: int
    """Before."""
    new_version: int
    decisions: Sequence[str]
    """The decisions as options of the command."""
    by: str | None
    """The login; None for a command on the machine itself."""
    at: datetime
    finished_at: datetime | None
    undoes: int | None
    """The number of the change that this one takes back."""
    undone: bool
    """Taken back since."""


def in_each_state(store: Store, *, by: Person | None, project: str) -> Mapping[ItemState, int]:
    """Return the number of a project's items in each state, for its leads."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return changes.states(session, project_id=access.project_id)


@dataclass(frozen=True)
class UnderWay:
    """A change that is not at its end."""

    number: int
    done: int
    """Items that are brought up to it."""
    items: int


def under_way(store: Store, *, by: Person | None, project: str) -> UnderWay | None:
    """Return the change that is in progress or was interrupted, if any, for leads."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        row = schema_changes.newest(session, project_id=access.project_id)
        if row is None or row.finished_at is not None:
            return None
        done = changes.n_up_to(session, project_id=access.project_id, last=row.done_to)
        n = sum(changes.states(session, project_id=access.project_id).values())
        return UnderWay(row.number, done, n)


def history(store: Store, *, by: Person | None, project: str) -> list[PastChange]:
    """Return all changes of a project's schema, oldest first, for its leads."""
    with store.read() as session:
        return past_changes(session, require_lead(session, by=by, project=project))


def past_changes(session: Session, access: Access) -> list[PastChange]:
    rows = schema_changes.of_project(session, project_id=access.project_id)
    undone = {row.undoes for row, _ in rows}
    numbers = access.reading.numbers
    return [
        PastChange(
            number=row.number,
            version=numbers[row.before_id],
            new_version=numbers[row.after_id],
            decisions=[str(decision) for decision in Decisions.from_json(row.decisions).made],
            by=person.login if person else None,
            at=row.created_at,
            finished_at=row.finished_at,
            undoes=row.undoes,
            undone=row.number in undone,
        )
        for row, person in rows
    ]
