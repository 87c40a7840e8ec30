"""Submissions that arrived after their lease had ended, for leads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from db import items
from db.engine import Store
from domain.errors import NotFoundError
from domain.exposure import Disclosure, Fact, Route
from domain.records import Person, TextLine
from domain.states import Stage, TaskState
from extensions.expired_submissions import queries
from workflow.access import exposure
from workflow.access.projects import require_lead
from workflow.access.visibility import look_into
from workflow.annotate.expired_drafts import lines_of

MOST = 200


@dataclass(frozen=True)
class ExpiredSubmission:
    """A submission that arrived after its lease had ended, as leads see it listed."""

    id: int
    login: str
    name: str
    at: datetime
    stage: Stage
    dimension: str
    item: str | None
    """The item's external ID; None while the item is being written."""
    item_on_pages: str | None
    """The item's ID on pages."""
    taken_up: bool
    """True if the author has the task again."""


def expired_submissions(store: Store, *, by: Person | None, project: str) -> list[ExpiredSubmission]:
    """Return the submissions that arrived after their lease had ended, newest first; leads only."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        lost = queries.lost_of_project(session, project_id=access.project_id, limit=MOST)
        known = items.by_ids(session, ids=[row.item_id for _, row, _ in lost if row.item_id is not None])
        return [
            ExpiredSubmission(
                id=draft.id,
                login=person.login,
                name=person.name,
                at=draft.saved_at,
                stage=row.stage,
                dimension=row.dimension,
                item=known[row.item_id].external_id if row.item_id is not None else None,
                item_on_pages=known[row.item_id].public_id if row.item_id is not None else None,
                taken_up=row.person_id == draft.person_id and row.state in (TaskState.CLAIMED, TaskState.DONE),
            )
            for draft, row, person in lost
        ]


def expired_submission(store: Store, *, by: Person, project: str, id: int) -> Sequence[TextLine]:
    """Return the text of one expired submission.

    A lead who reads the text while others still answer is no longer asked about the item blind. Raises
    ``NotAllowedError`` for a lead who is being asked about the item now.
    """
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        for draft, row, _ in queries.lost_of_project(session, project_id=access.project_id, limit=1, id=id):
            if row.item_id is not None:
                item = items.by_id(session, id=row.item_id)
                look_into(session, access=access, person=by, item=item, now=store.now())
                disclosure = Disclosure((), (Fact.VOTES,), (row.stage,))
                exposure.record_look(
                    session,
                    access=access,
                    person=by,
                    item_ids=[item.id],
                    route=Route.EXPIRED,
                    record=lines_of(access, row, draft),
                    told=disclosure,
                    now=store.now(),
                )
            return lines_of(access, row, draft)
        raise NotFoundError("This expired submission is not in this project. Reload the page.")
