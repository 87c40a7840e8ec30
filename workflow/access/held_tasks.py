"""Give back tasks that a person holds, because their account was deactivated or a lead took a task away."""

from __future__ import annotations

from datetime import datetime

from db import assets as stock
from db import people, task_claims, tasks
from db.engine import Session
from db.records import StoredTask
from domain.records import Person
from domain.states import Purpose, Stage, TaskState
from workflow.access.event_log import log


def give_back_all(
    session: Session, *, person_id: int, by: Person | None, now: datetime, project_id: int | None = None
) -> int:
    """Give back everything that a person holds, in one project or in all, and return the number of tasks.

    Their text stays as drafts. Tasks reopened for correction keep their submission.
    """
    rows = tasks.held_by(session, person_id=person_id, project_id=project_id, lock=True)
    for row in rows:
        give_back(session, row=row, by=by, now=now)
    return len(rows)


def give_back(
    session: Session, *, row: StoredTask, by: Person | None, now: datetime, kind: str = "task.taken_away"
) -> None:
    """Give a locked slot back, no matter who holds it; ``kind`` is the event to log."""
    before = people.logins(session, ids=[row.person_id]) if row.person_id else {}
    if row.state is TaskState.DONE:
        task_claims.leave_as_submitted(session, row=row)
    elif row.stage is Stage.AUTHORING:
        call_off_authoring(session, row=row)
    elif row.purpose is Purpose.LIVE:
        task_claims.reopen(session, row=row)
    else:  # made for this person only
        task_claims.end_lease(session, row=row)
    data = {"stage": row.stage.value, "from": next(iter(before.values()), None)}
    log(session, kind, by=by, task=row, now=now, data=data)


def call_off_authoring(session: Session, *, row: StoredTask) -> None:
    """Withdraw a locked authoring task and return its images to the pool."""
    for asset in stock.in_lock_order(asset for _, asset, _ in stock.picks(session, task_id=row.id)):
        stock.return_to_pool(session, asset=asset)
    stock.forget_picks(session, task_id=row.id)
    task_claims.call_off(session, row=row)
