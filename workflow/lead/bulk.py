"""Bulk actions on many items or claims: an exact preview first, and then all changes or none."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import zip_longest

from db import items, people, task_claims
from db.engine import Session, Store
from db.records import StoredItem, StoredTask
from domain.errors import Conflict
from domain.records import Person
from workflow.access.event_log import log
from workflow.access.held_tasks import give_back
from workflow.access.projects import Access, require_lead
from workflow.annotate import authoring
from workflow.annotate.priorities import prioritise
from workflow.lead import send_back
from workflow.lead.bulk_plans import Action, ActionDetails, BulkPreview, BulkSelection, Receivers, plan_action
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
    to: str | None = None,
    among: Sequence[str] = (),
    priority: int = 0,
    reasons: Reasons = NO_REASONS,
) -> BulkPreview:
    """Return the changes that an action would make, and the reason for every item it cannot change, for leads.

    Nothing is changed.

    Parameters
    ----------
    to
        The login of the person who gets the claims (``REASSIGN``) or the items (``ASSIGN``).
    among
        The logins of people among whom items are shared as evenly as their rights allow (``ASSIGN``).
    priority
        The items' new priority (``PRIORITISE``).
    reasons
        The reasons that authors read (``SEND_BACK``).
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        how = ActionDetails(Receivers(to, among), priority, reasons, by)
        return plan_action(session, access, action, chosen, how, lock=False).preview


def do(
    store: Store,
    *,
    by: Person | None,
    project: str,
    action: Action,
    chosen: BulkSelection,
    token: str,
    to: str | None = None,
    among: Sequence[str] = (),
    priority: int = 0,
    reasons: Reasons = NO_REASONS,
) -> int:
    """Execute a previewed action. Return the number of changed claims or items.

    Raises
    ------
    Conflict
        The data has changed since the preview, and nothing was done.
    """
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        plan = plan_action(
            session, access, action, chosen, ActionDetails(Receivers(to, among), priority, reasons, by), lock=True
        )
        if plan.preview.token != token:
            raise Conflict("Something has changed since you looked, so nothing was done; look at the preview again.")
        now = store.now()
        for claim, to_id in zip_longest(plan.claims, plan.to):
            if to_id is None:
                give_back(session, row=claim, by=by, now=now)
                continue
            _hand_over(session, claim, to=to_id, by=by, now=now)
            if action is Action.ASSIGN:
                task_claims.hold_until(session, row=claim, until=now + ASSIGNED_FOR)
        if action is Action.PRIORITISE:
            ids = [item.id for item in plan.items]
            prioritise(session, access=access, item_ids=ids, priority=priority, by=by, now=now)
        if action is Action.VERIFY_AGAIN:
            for item in plan.items:
                _verify_again(session, access, item, by=by, now=now)
        if action is Action.SEND_BACK and by is not None:
            for item in plan.items:
                send_back.send(session, access, item, why=reasons.of(item.external_id), by=by, now=now)
        n = len(plan.claims) + len(plan.items)
        data = {"action": action.value, "n": n, "left_out": len(plan.preview.cannot)}
        log(session, "bulk.done", by=by, project=access, now=now, data=data)
        return n


def voters(store: Store, *, by: Person | None, project: str) -> list[str]:
    """Return the logins of all people who have voted in a project, including former members, for leads."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return people.voters(session, project_id=access.project_id)


# ---- what would be done ----------------------------------------------------------------------------------------------


# ---- doing it --------------------------------------------------------------------------------------------------------


def _hand_over(session: Session, row: StoredTask, *, to: int, by: Person | None, now: datetime) -> None:
    """Give a locked slot to someone, for as long as a claim lasts."""
    before = row.person_id
    task_claims.claim(session, row=row, person_id=to, now=now)
    logins = people.logins(session, ids={to, before or 0})
    data = {"stage": row.stage.value, "from": logins.get(before or 0), "to": logins[to]}
    log(session, "task.reassigned", by=by, task=row, now=now, data=data)
    by_whom = {"stage": row.stage.value, "by": by.login if by else "command"}
    log(session, "task.given", by=to, task=row, now=now, data=by_whom)


def _verify_again(session: Session, access: Access, item: StoredItem, *, by: Person | None, now: datetime) -> None:
    """Start a new round: a revision with the same content, on which votes are counted from zero."""
    fields = items.content(session, item_id=item.id, revision=item.current_revision)
    authoring.revise(session, access=access, item=item, fields=fields, editor_id=None, now=now)
    log(session, "item.reopened", by=by, project=access, item=item, now=now)
