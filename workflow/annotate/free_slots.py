"""Find a slot that is free, in the person's own order, and claim it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from itertools import chain

from db import queue_cursor, task_claims, task_slots
from db.engine import Session
from db.records import StoredTask
from domain.records import Person
from domain.states import Stage
from workflow.access.projects import Access
from workflow.annotate import claim_rules
from workflow.annotate.leases import note_claim, note_expiry
from workflow.annotate.priorities import order_of

ATTEMPTS = 25
"""Number of times that a claim searches again while others hold every task that it finds.

A claim never waits for others inside the database: two claims that hold locks and wait could deadlock.
"""

LEFT_FOR_OTHERS = 10
"""Number of free slots below which no task is reserved, so that everyone can take the last ones."""


def claim_next(
    session: Session,
    *,
    access: Access,
    person: Person,
    stage: Stage,
    dimensions: Sequence[str] | None,
    now: datetime,
    reserves: bool = False,
) -> tuple[StoredTask | None, bool]:
    """Claim a free slot for this person; without a free slot, also return whether to keep searching.

    With ``reserves`` the person does not see the slot yet, so its claim is noted later (``leases.extend``). Nothing is
    reserved if few slots are left, so that others can take these.
    """
    ways = _cursors(session, access, person, stage, dimensions, hold=True)
    found = _claim(session, ways, access, person, stage, dimensions, now, reserves)
    for way in chain.from_iterable(ways):
        queue_cursor.keep(session, way)
    return found


def _claim(
    session: Session,
    ways: Sequence[Sequence[queue_cursor.Cursor]],
    access: Access,
    person: Person,
    stage: Stage,
    dimensions: Sequence[str] | None,
    now: datetime,
    reserves: bool,
) -> tuple[StoredTask | None, bool]:
    least = LEFT_FOR_OTHERS if reserves else 1

    def claimed(row: StoredTask, before: int | None) -> tuple[StoredTask, bool]:
        if reserves:
            note_expiry(session, row=row, person=person, before=before, now=now)
        else:
            note_claim(session, access=access, row=row, person=person, before=before, now=now)
        return row, False

    def take(task_id: int) -> StoredTask | None:
        return task_claims.take(session, task_id=task_id, stage=stage, person_id=person.id, now=now, reserves=reserves)

    assign = claim_rules.due(session, access=access, person=person, stage=stage, dimensions=dimensions)
    for attempt in range(ATTEMPTS):
        left_behind = task_claims.abandoned(
            session,
            project_id=access.project_id,
            stage=stage,
            person_id=person.id,
            dimensions=dimensions,
            now=now,
            limit=1 + attempt,
        )
        spots = [] if left_behind and not reserves else _search(session, ways, limit=max(1 + attempt, least))
        if reserves and len(spots) < least:
            return None, True
        if assign is not None and (left_behind or spots):  # mixed into live work, never after the last live task
            row = assign(now)
            if row is not None:
                if reserves:
                    task_claims.reserve(session, row=row, now=now)
                return claimed(row, None)
        for row in left_behind:
            before = None if row.reserved else row.person_id
            mine = take(row.id)
            if mine is not None:
                return claimed(mine, before)
        if left_behind:
            spots = _search(session, ways, limit=1 + attempt)
        for way, spot in spots:
            chosen = _own_choice(session, access, person, stage, spot)
            taken = take(chosen)
            if taken is not None:
                if chosen == spot.id:  # otherwise the slot is still ahead of the cursor
                    queue_cursor.took(way, spot)
                return claimed(taken, None)
        if not spots and not left_behind:
            return None, any(way.more for lot in ways for way in lot)
        time.sleep(0.002 * (attempt + 1))  # others hold all of these slots for a moment
    return None, False


def ahead(
    session: Session,
    *,
    access: Access,
    person: Person,
    stage: Stage,
    dimensions: Sequence[str] | None,
    now: datetime,
    limit: int,
) -> list[int]:
    """Return the items (ids) of the slots that ``claim_next`` would probably give next; claim nothing."""
    left_behind = task_claims.abandoned(
        session,
        project_id=access.project_id,
        stage=stage,
        person_id=person.id,
        dimensions=dimensions,
        now=now,
        limit=limit,
    )
    ways = _cursors(session, access, person, stage, dimensions, hold=False)
    live = [row.item_id for row in left_behind] + [spot.item_id for _, spot in _search(session, ways, limit=limit)]
    mixed = claim_rules.mixed_in(
        session,
        access=access,
        person=person,
        stage=stage,
        dimensions=dimensions,
        ahead=list(dict.fromkeys(live))[:limit],
    )
    return [item_id for item_id in mixed if item_id is not None]


def _own_choice(session: Session, access: Access, person: Person, stage: Stage, spot: queue_cursor.SearchedSlot) -> int:
    """Return the slot to claim.

    This is the given slot, unless the schema shuffles an item's answers. Then it is the first one of that item in this
    person's own order, which depends on the project's seed.
    """
    if "predictions" not in getattr(getattr(access.schema.stages, stage.value), "shuffle", ()):
        return spot.id
    slots = task_claims.open_siblings(session, task_id=spot.id, stage=stage, person_id=person.id)
    seed = f"{access.seed}/predictions/{person.id}"
    first = min(
        slots, key=lambda slot: (task_slots.shuffle_key(seed=seed, unit=slot[1], slot=0), slot[0]), default=None
    )
    return first[0] if first is not None else spot.id


def _cursors(
    session: Session, access: Access, person: Person, stage: Stage, dimensions: Sequence[str] | None, *, hold: bool
) -> list[list[queue_cursor.Cursor]]:
    """Return a person's cursors, one for each dimension, in groups that are searched one after another.

    A random order of answers starts with the group of answers that someone has graded.
    """
    random = order_of(access.schema, stage) == "random"
    return [
        [
            queue_cursor.open_cursor(
                session,
                project_id=access.project_id,
                person_id=person.id,
                stage=stage,
                dimension=dimension,
                seed=access.seed,
                random=random,
                hold=hold,
                level=level,
            )
            for dimension in sorted(dimensions if dimensions is not None else ("",))
        ]
        for level in ((task_slots.BEGUN, 0) if random and stage is Stage.GRADING else (0,))
    ]


def _search(
    session: Session, ways: Sequence[Sequence[queue_cursor.Cursor]], *, limit: int
) -> list[tuple[queue_cursor.Cursor, queue_cursor.SearchedSlot]]:
    """Return the next slots that a person may claim, from the first group of cursors that has any."""
    for lot in ways:
        spots = queue_cursor.search(session, lot, limit=limit)
        if spots:
            return spots
    return []
