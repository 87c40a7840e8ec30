"""The number of entries that a team may submit within some days, so that no team finds the key by trial and error."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from db import projects
from db.engine import Session, Store
from db.records import StoredRun
from domain.errors import InvalidInputError, NotAllowedError, Problem
from domain.records import Person
from extensions.leaderboard import queries
from workflow.access.event_log import log
from workflow.access.projects import require_lead

MOST_ENTRIES = 1000
MOST_DAYS = 3650


@dataclass(frozen=True)
class EntryBudget:
    """The largest number of entries of a team, for all its models together, within any period of ``days``.

    Entries that a newer one has replaced count too.
    """

    entries: int
    days: int

    @property
    def words(self) -> str:
        """Return the budget in words, such as ``3 entries in 7 days``.

        >>> EntryBudget(1, 1).words
        '1 entry in 1 day'
        """
        entries = "1 entry" if self.entries == 1 else f"{self.entries:,} entries"
        return f"{entries} in {'1 day' if self.days == 1 else f'{self.days:,} days'}"


def budget(store: Store, *, by: Person | None, project: str) -> EntryBudget | None:
    """Return the budget of a project, for its leads. None: teams may submit any number of entries."""
    with store.read() as session:
        return _of_project(session, require_lead(session, by=by, project=project).project_id)


def set_budget(store: Store, *, by: Person | None, project: str, budget: EntryBudget | None) -> bool:
    """Set the budget, or remove it with None. Return whether it has changed.

    Raises
    ------
    InvalidInputError
        A number is not within its limits.
    """
    if budget is not None and not (1 <= budget.entries <= MOST_ENTRIES and 1 <= budget.days <= MOST_DAYS):
        message = (
            f"The limit cannot be {budget.words}. Choose 1 to {MOST_ENTRIES:,} entries in 1 to {MOST_DAYS:,} days."
        )
        raise InvalidInputError([Problem("budget", message)])
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        projects.lock(session, id=access.project_id)
        if budget == _of_project(session, access.project_id):
            return False
        before = queries.newest(session, project_id=access.project_id)
        queries.add(
            session,
            project_id=access.project_id,
            number=before.number + 1 if before is not None else 1,
            entries=budget.entries if budget is not None else None,
            days=budget.days if budget is not None else None,
            by_id=by.id if by is not None else None,
            now=store.now(),
        )
        data = {"entries": budget.entries, "days": budget.days} if budget is not None else {"entries": None}
        log(session, "entry.budget_set", by=by, project=access, now=store.now(), data=data)
        return True


def must_have_one_left(
    session: Session, *, project_id: int, team: str, rows: Iterable[StoredRun], now: datetime
) -> None:
    """Refuse another entry of a team that has used up its budget. Call this in the transaction that stores the entry.

    Lock the project before, so that of two simultaneous entries the second one sees the first.

    Parameters
    ----------
    rows
        All entries of the project, also those that no longer count.

    Raises
    ------
    NotAllowedError
        The budget is used up. The message says when the next entry is possible.
    """
    allowed = _of_project(session, project_id)
    if allowed is None:
        return
    window = timedelta(days=allowed.days)
    mine = sorted(
        row.created_at
        for row in rows
        if row.params["entry"]["team"].casefold() == team.casefold() and row.created_at > now - window
    )
    if len(mine) >= allowed.entries:
        again = mine[len(mine) - allowed.entries] + window
        raise NotAllowedError(
            f"Touchstone did not accept the entry because {team} has reached the limit ({len(mine):,} of "
            f"{allowed.words}). The team can send its next entry from {again:%d %B %Y, %H:%M:%S} UTC."
        )


def _of_project(session: Session, project_id: int) -> EntryBudget | None:
    row = queries.newest(session, project_id=project_id)
    return EntryBudget(row.entries, row.days) if row is not None and row.entries and row.days else None
