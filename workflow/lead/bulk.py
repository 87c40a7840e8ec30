"""Bulk actions on many items: an exact preview first, and then all changes or none."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from db import item_revisions, people, task_claims
from db.engine import Session, Store
from db.records import StoredItem
from domain.errors import ConflictError
from domain.records import Person
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead
from workflow.annotate import authoring
from workflow.annotate.priorities import prioritise
from workflow.lead import send_back
from workflow.lead.bulk_plans import Action, ActionDetails, BulkPreview, BulkSelection, plan_action
from workflow.lead.hand_over import hand_over
from workflow.lead.send_back import NO_REASONS, Reasons

ASSIGNED_FOR = timedelta(days=7)
"""So long an assigned item waits for its person alone; then anyone who asks gets it."""


def preview(
    store: Store,
    *,
    by: Person | None,
    project: str,
    action: Action,
    chosen: BulkSelection,
    among: Sequence[str] = (),
    priority: int = 0,
    reasons: Reasons = NO_REASONS,
) -> BulkPreview:
    """Return the changes that an action would make, and the reason for every item it cannot change, for leads.

    Nothing is changed.

    Parameters
    ----------
    among
        The logins of people who get the items, shared as evenly as their rights allow (``ASSIGN``).
    priority
        The items' new priority (``PRIORITISE``).
    reasons
        The reasons that authors read (``SEND_BACK``).
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        how = ActionDetails(among, priority, reasons, by)
        return plan_action(session, access, action, chosen, how, lock=False).preview


def do(
    store: Store,
    *,
    by: Person | None,
    project: str,
    action: Action,
    chosen: BulkSelection,
    token: str,
    among: Sequence[str] = (),
    priority: int = 0,
    reasons: Reasons = NO_REASONS,
) -> int:
    """Execute a previewed action. Return the number of changed items.

    Raises
    ------
    ConflictError
        The data has changed since the preview, and nothing was done.
    """
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        plan = plan_action(session, access, action, chosen, ActionDetails(among, priority, reasons, by), lock=True)
        if plan.preview.token != token:
            raise ConflictError(
                "The items have changed since the preview, so nothing was done. Open the preview again."
            )
        now = store.now()
        for slot, to in plan.slots:
            hand_over(session, slot, to=to, by=by, now=now)
            task_claims.hold_until(session, row=slot, until=now + ASSIGNED_FOR)
        if action is Action.PRIORITISE:
            ids = [item.id for item in plan.items]
            prioritise(session, access=access, item_ids=ids, priority=priority, by=by, now=now)
        if action is Action.VERIFY_AGAIN:
            for item in plan.items:
                _verify_again(session, access, item, by=by, now=now)
        if action is Action.SEND_BACK and by is not None:
            for item in plan.items:
                send_back.send(session, access, item, why=reasons.of(item.external_id), by=by, now=now)
        n = len(plan.slots) + len(plan.items)
        data = {"action": action.value, "n": n, "left_out": len(plan.preview.cannot)}
        log(session, "bulk.done", by=by, project=access, now=now, data=data)
        return n


def voters(store: Store, *, by: Person | None, project: str) -> list[str]:
    """Return the logins of all people who have voted in a project, including former members, for leads."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return people.voters(session, project_id=access.project_id)


def _verify_again(session: Session, access: Access, item: StoredItem, *, by: Person | None, now: datetime) -> None:
    """Start a new round: a revision with the same content, on which votes are counted from zero."""
    fields = item_revisions.content(session, item_id=item.id, revision=item.current_revision)
    authoring.revise(session, access=access, item=item, fields=fields, editor_id=None, now=now)
    log(session, "item.reopened", by=by, project=access, item=item, now=now)
