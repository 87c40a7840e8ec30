"""The order in which a stage hands out its slots, and the priorities that leads give to items."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from annotation_schemas.model import Schema
from db import items, task_slots
from db.engine import Session, Store
from db.records import StoredItem
from domain.errors import InvalidInputError, NotFoundError, Problem
from domain.records import Person
from domain.states import Stage
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead

LARGEST_PRIORITY = 1_000_000


def set_priority(store: Store, *, by: Person | None, project: str, names: Sequence[str], priority: int) -> int:
    """Give items (page id or external id) a priority and return how many changed; leads only.

    Higher numbers come earlier, in stages whose order is by priority.
    """
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        rows = [_item(session, access, name) for name in dict.fromkeys(names)]
        return prioritise(
            session, access=access, item_ids=[row.id for row in rows], priority=priority, by=by, now=store.now()
        )


def prioritise(
    session: Session, *, access: Access, item_ids: Sequence[int], priority: int, by: Person | None, now: datetime
) -> int:
    """Do the same as ``set_priority`` inside a transaction."""
    if not -LARGEST_PRIORITY <= priority <= LARGEST_PRIORITY:
        raise InvalidInputError(
            [Problem("priority", f"The priority must be from -{LARGEST_PRIORITY} to {LARGEST_PRIORITY}.")]
        )
    changed = items.set_priority(session, item_ids=sorted(set(item_ids)), priority=priority)
    for stage in Stage:
        if order_of(access.schema, stage) == "priority":
            task_slots.set_ranks(session, ranks=dict.fromkeys(changed, -priority), stage=stage)
    for item_id in changed:
        log(session, "item.prioritised", by=by, project=access, item=item_id, now=now, data={"priority": priority})
    return len(changed)


def order_of(schema: Schema, stage: Stage) -> str:
    """Return the order in which a stage hands out its slots."""
    if stage is Stage.ADJUDICATION:
        return "contested"
    if stage in (Stage.COMPARISON, Stage.CODING):
        return "shuffled"  # one order for everyone, so that answers or pairs are completed one after another
    return getattr(getattr(schema.stages, stage.value), "order", "random")


def _item(session: Session, access: Access, name: str) -> StoredItem:
    row = items.by_public_id(session, project_id=access.project_id, public_id=name)
    row = row or items.by_external_id(session, project_id=access.project_id, external_id=name)
    if row is None:
        raise NotFoundError(f"There is no item {name!r} in {access.name!r}. Check the item's ID.")
    return row
