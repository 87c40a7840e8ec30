"""Claims: the next task goes to one person for a while, and comes back by itself if nothing is heard of them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from annotation_schemas import registry
from annotation_schemas.model import Schema
from db import (
    comment_threads,
    events,
    items,
    postponed,
    queue_cursor,
    submissions,
    task_claims,
    task_counts,
    task_slots,
    tasks,
)
from db.engine import Session, Store
from db.records import StoredItem, StoredTask
from domain.errors import Conflict, InvalidInput, LeaseLost, NotAllowed, NotAvailable, NotFound, Problem
from domain.records import NothingLeft, Person, TaskView
from domain.states import ItemState, Purpose, Stage, TaskState
from workflow.access.held_tasks import call_off_authoring
from workflow.access.projects import Access, access_by_id, access_to, log, require_lead, role_for, stages_of
from workflow.annotate import gold_checks, image_pool, qualification
from workflow.annotate.task_views import task_view

ATTEMPTS = 25
"""How often a claim looks again while others hold every task that it finds. It never waits for them in the database:
waiting while holding something is how two of them would wait for each other."""

LARGEST_PRIORITY = 1_000_000

LOST = "This task has gone to somebody else because its lease had ended; what you wrote is kept as a draft."


def next_task(
    store: Store,
    *,
    person: Person,
    project: str,
    stage: Stage,
    dimension: str | None = None,
    put_off: str | None = None,
) -> TaskView | NothingLeft:
    """The next task for a person: what they have in hand first, then one nobody has, then what they had put off; or
    why there is none.

    ``put_off`` is the item that they have put off just now: it does not come back at once, even if nothing else is
    left.
    """
    found = None
    while found is None:
        with store.write() as session:
            access = access_to(session, person=person, project=project)
            found = take_next(
                session,
                access=access,
                person=person,
                stage=stage,
                dimension=dimension,
                put_off=put_off,
                now=store.now(),
            )
    return found


def take_next(
    session: Session,
    *,
    access: Access,
    person: Person,
    stage: Stage,
    dimension: str | None,
    put_off: str | None,
    now: datetime,
) -> TaskView | NothingLeft | None:
    """As ``next_task``, in a transaction of others; None if the search is long and goes on in another transaction."""
    nothing = why_closed(session, access=access, person=person, stage=stage, dimension=dimension)
    if nothing is not None:
        return nothing
    let_in = qualification.lets_in(session, access=access, person=person, stage=stage)
    row = _in_hand(session, access, person, stage, dimension, now, only_qualifying=not let_in)
    if row is not None:
        return task_view(session, access=access, row=row, person=person)
    if not let_in:
        row = _put_off_before(session, access, person, stage, dimension, now, but=put_off)
        if row is not None and row.purpose is Purpose.QUALIFICATION:
            return replace(task_view(session, access=access, row=row, person=person), put_off=True)
        return qualification.why_barred(session, access=access, person=person, stage=stage)
    stopped = gold_checks.why_stopped(session, access=access, person=person, stage=stage)
    if stopped is not None:
        return stopped
    more = False
    if stage is not Stage.AUTHORING:
        row, more = _claim(session, access, person, stage, dimension, now)
    if row is not None:
        return task_view(session, access=access, row=row, person=person)
    if more:
        return None
    row = _put_off_before(session, access, person, stage, dimension, now, but=put_off)
    if row is not None:
        return replace(task_view(session, access=access, row=row, person=person), put_off=True)
    return why_nothing(session, access=access, person=person, stage=stage, dimension=dimension, now=now)


def peek(
    store: Store, *, person: Person, project: str, stage: Stage, dimension: str | None = None, limit: int = 2
) -> list[str]:
    """The ids of the assets of the tasks that would probably come next, so that a page can fetch them beforehand."""
    with store.read() as session:
        access = access_to(session, person=person, project=project)
        if stage is Stage.AUTHORING:
            return []
        if why_closed(session, access=access, person=person, stage=stage, dimension=dimension) is not None:
            return []
        mine = _dimensions(access, dimension)
        ahead = [
            row.item_id
            for row in task_claims.abandoned(
                session,
                project_id=access.project_id,
                stage=stage,
                person_id=person.id,
                dimensions=mine,
                now=store.now(),
                limit=limit,
            )
        ]
        ways = _walks(session, access, person, stage, mine, hold=False)
        ahead += [spot.item_id for _, spot in _search(session, ways, limit=limit)]
        coming = list(dict.fromkeys(ahead))[:limit]
        coming = list(
            gold_checks.mixed_in(session, access=access, person=person, stage=stage, dimensions=mine, ahead=coming)
        )
        found = [
            asset.public_id
            for item_id in coming
            for _, asset, _ in items.assets(session, item_id=item_id or 0)
            if asset.sha256 is not None
        ]
        return list(dict.fromkeys(found))


def release(store: Store, *, person: Person, task: str) -> None:
    """Give a task back for others to take. What was typed stays as a draft, and it is offered to this person again
    after everything else; a reopened one stands as it was submitted."""
    with store.write() as session:
        now = store.now()
        row, access = held_task(session, person=person, task=task)
        if row.person_id != person.id or row.state not in (TaskState.CLAIMED, TaskState.DONE):
            return
        give_up(session, access=access, row=row, person=person, now=now)


def set_aside(store: Store, *, person: Person, task: str) -> None:
    """Put a task off: it stays with this person until its lease ends, and is offered to them again after everything
    else, or when they ask for it (``take_back``)."""
    with store.write() as session:
        now = store.now()
        row, access = held_task(session, person=person, task=task)
        if row.state is TaskState.DONE and row.correcting and row.person_id == person.id:
            raise Conflict("This is submitted already: submit it again, or give it back to leave it as it was.")
        if row.stage is Stage.AUTHORING:
            raise Conflict("An item that you write is put off by itself: leave it, or give its image back.")
        if not extend(session, access=access, row=row, person=person, now=now):
            raise LeaseLost(LOST)
        _put_aside(session, access, row, person, now)


def take_back(store: Store, *, person: Person, task: str) -> tuple[str, Stage]:
    """Take in hand what one has put off, or what one has lost together with the text that was kept; its project and
    stage.

    If the slot has gone to somebody else, another free one of the same item takes the text.

    Raises
    ------
    LeaseLost
        No slot of it is free.
    """
    with store.write() as session:
        now = store.now()
        row, access = held_task(session, person=person, task=task)
        nothing = why_closed(session, access=access, person=person, stage=row.stage, dimension=row.dimension)
        if nothing is not None:
            raise NotAllowed(nothing.sentence)
        mine = _resume(session, access, row, person, now)
        if mine is None:
            raise LeaseLost("Others have all of its slots now, so it is not free for you; your text stays here.")
        for other in task_claims.in_hand(session, project_id=row.project_id, stage=row.stage, person_id=person.id):
            if other.id != mine.id:
                _put_aside(session, access, other, person, now)
        log(session, access, mine, person, "task.taken_back", now)
        return access.name, row.stage


def heartbeat(store: Store, *, person: Person, task: str) -> datetime:
    """Say that the page is still open; the new end of the lease. ``LeaseLost`` if the task has gone to somebody
    else."""
    with store.write() as session:
        row, access = held_task(session, person=person, task=task)
        if not extend(session, access=access, row=row, person=person, now=store.now()) or row.lease_until is None:
            raise LeaseLost(LOST)
        return row.lease_until


def set_priority(store: Store, *, by: Person | None, project: str, names: Sequence[str], priority: int) -> int:
    """Let items (named by page id or external id) come earlier, the higher the number; how many have another one now.

    For leads. It shows in stages whose order is by priority.
    """
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        found = [_item(session, access, name) for name in dict.fromkeys(names)]
        return prioritise(
            session, access=access, item_ids=[row.id for row in found], priority=priority, by=by, now=store.now()
        )


def prioritise(
    session: Session, *, access: Access, item_ids: Sequence[int], priority: int, by: Person | None, now: datetime
) -> int:
    """As ``set_priority``, within a transaction of others."""
    if not -LARGEST_PRIORITY <= priority <= LARGEST_PRIORITY:
        raise InvalidInput([Problem("priority", f"A priority is a number up to {LARGEST_PRIORITY}.")])
    changed = items.set_priority(session, item_ids=sorted(set(item_ids)), priority=priority)
    for stage in Stage:
        if order_of(access.schema, stage) == "priority":
            task_slots.set_ranks(session, ranks=dict.fromkeys(changed, -priority), stage=stage)
    for item_id in changed:
        events.record(
            session,
            at=now,
            kind="item.prioritised",
            project_id=access.project_id,
            person_id=by.id if by else None,
            item_id=item_id,
            data={"priority": priority},
        )
    return len(changed)


# ---- what the other use cases ask ------------------------------------------------------------------------------------


def take_more(
    session: Session, *, access: Access, person: Person, stage: Stage, now: datetime, put_off_until: datetime
) -> StoredTask | NothingLeft | None:
    """One more slot for somebody who has others in hand and keeps them; why there is none; or None if the search is
    long and goes on in another transaction.

    The rules are those of ``take_next``: gold in its turn, what was put off last (only what was put off before
    ``put_off_until``, or somebody who skips the last of it would get it back at once). Whoever has not qualified gets
    no live work, and no image is picked for an author.
    """
    nothing = why_closed(session, access=access, person=person, stage=stage, dimension=None)
    if nothing is not None:
        return nothing
    barred = qualification.require(session, access=access, person=person, stage=stage)
    if barred is not None:
        row = _put_off_before(session, access, person, stage, None, now, but=None, until=put_off_until)
        return row if row is not None and row.purpose is Purpose.QUALIFICATION else barred
    stopped = gold_checks.why_stopped(session, access=access, person=person, stage=stage)
    if stopped is not None:
        return stopped
    if stage is not Stage.AUTHORING:
        row, more = _claim(session, access, person, stage, None, now)
        if row is not None or more:
            return row
        row = _put_off_before(session, access, person, stage, None, now, but=None, until=put_off_until)
        if row is not None:
            return row
    return why_nothing(session, access=access, person=person, stage=stage, dimension=None, now=now)


def give_up(session: Session, *, access: Access, row: StoredTask, person: Person, now: datetime) -> None:
    """Give back a locked task that somebody has, as they ask for it (``release``)."""
    if row.state is TaskState.DONE:
        task_claims.leave_as_submitted(session, row=row)
    elif row.stage is Stage.AUTHORING:
        call_off_authoring(session, row=row)
    else:
        postponed.put(session, row=row, person_id=person.id, released=True, now=now)
        if row.purpose is Purpose.LIVE:  # others were made for this person only
            task_claims.reopen(session, row=row)
    log(session, access, row, person, "task.released", now)


def held_task(session: Session, *, person: Person, task: str, with_item: bool = False) -> tuple[StoredTask, Access]:
    """A task, locked, that a person has in hand or once had; ``NotFound`` for anything else.

    ``with_item`` holds its item as well, for whoever may change the item's state.
    """
    missing = NotFound("There is no such task of yours; go back to My work and take the next one.")
    if with_item:
        items.lock_of_task(session, task=task)
    row = tasks.lock(session, public_id=task)
    if row is None:
        raise missing
    try:
        access = access_by_id(session, person=person, project_id=row.project_id)
    except NotFound as error:
        raise missing from error
    if row.person_id != person.id and not events.held(session, task_id=row.id, person_id=person.id):
        raise missing
    if not access.may_do(row.stage) or not access.may_use(row.dimension):
        raise NotAllowed("This stage or dimension is no longer one of yours; ask a lead of the project.")
    return row, access


def extend(session: Session, *, access: Access, row: StoredTask, person: Person, now: datetime) -> bool:
    """Renew the lease of a locked task, also one that has ended if nobody took it; False if it is somebody else's.

    One that is held for longer keeps its end.
    """
    if row.state is TaskState.OPEN and task_claims.may_take(session, row=row, person_id=person.id):
        task_claims.claim(session, row=row, person_id=person.id, now=now)
        _note_claim(session, access, row, person, None, now)
    held = row.state is TaskState.CLAIMED or (row.state is TaskState.DONE and row.correcting)
    if row.person_id != person.id or not held:
        return False
    if row.stage is Stage.AUTHORING and row.state is TaskState.CLAIMED and not image_pool.keep(session, access, row):
        return False
    task_claims.renew(session, row=row, now=now)
    return True


def why_closed(
    session: Session, *, access: Access, person: Person, stage: Stage, dimension: str | None
) -> NothingLeft | None:
    """Why somebody cannot work in a stage at all; None if they can."""
    if stage not in stages_of(access.schema):
        return NothingLeft("no_stage", f"This project has no {stage.value}; look at My work for what it has.")
    if not access.may_do(stage):
        who = role_for(access.schema, stage).value
        article = "an" if who[:1] in "aeiou" else "a"
        return NothingLeft(
            "not_member", f"You have no part in the {stage.value}; a lead can make you {article} {who} for it."
        )
    if dimension is not None and dimension not in {known.id for known in access.schema.dimensions}:
        return NothingLeft("not_your_dimension", f"This project has no dimension {dimension!r}.")
    if dimension is not None and not access.may_use(dimension):
        return NothingLeft("not_your_dimension", f"{dimension!r} is not one of your dimensions; ask a lead for it.")
    try:
        registry.require_available(access.schema, stage.value)
    except NotAvailable as error:
        return NothingLeft("not_available", str(error))
    return None


WAITS_FOR_MEDIA = (
    "What is left for you waits for images or clips that are not there yet; a lead brings them in. Come back later."
)


def why_nothing(
    session: Session, *, access: Access, person: Person, stage: Stage, dimension: str | None, now: datetime
) -> NothingLeft:
    """Why nothing waits for somebody who may work in a stage."""
    mine = _dimensions(access, dimension)
    if stage is Stage.AUTHORING:
        if image_pool.count(session, access=access, dimensions=mine):
            return NothingLeft("pick_first", "Pick an image from the pool to write about it.")
        return NothingLeft("pool_empty", "The pool has no free image for you; a lead can add more.")
    if postponed.count(session, person_id=person.id, project_id=access.project_id, stage=stage):
        return NothingLeft("put_off", "You have done the rest. What you have put off is still waiting; look again.")
    everywhere = [known.id for known in access.schema.dimensions]

    def dimensions_in(*states: TaskState) -> set[str]:
        return task_counts.dimensions_in(
            session, project_id=access.project_id, stage=stage, dimensions=everywhere, states=states
        )

    unfinished = dimensions_in(TaskState.OPEN, TaskState.CLAIMED)
    within = unfinished if mine is None else unfinished & set(mine)
    if within and task_counts.any_waits_for_media(
        session, project_id=access.project_id, stage=stage, person_id=person.id, dimensions=mine
    ):
        return NothingLeft("waiting_for_media", WAITS_FOR_MEDIA)
    if within:
        return NothingLeft(
            "waiting_for_others", "You have done your part; what is left waits for others. Come back later."
        )
    if unfinished and dimension is not None:
        return NothingLeft("all_done", "Nothing is left in this dimension; there is work in others.")
    if unfinished:
        return NothingLeft("not_your_dimension", "Nothing is left in your dimensions; there is work in others.")
    pending = (ItemState.IN_VERIFICATION, ItemState.IN_ADJUDICATION)
    if stage is Stage.ADJUDICATION and items.any_in(session, project_id=access.project_id, states=pending):
        return NothingLeft("waiting_for_others", "Nothing to settle now; votes are still coming in.")
    if dimensions_in(TaskState.DONE, TaskState.WITHDRAWN):
        return NothingLeft("all_done", "All done here. Thank you.")
    return NothingLeft("all_done", _NOTHING_YET[stage])


_NOTHING_YET = {
    Stage.VERIFICATION: "There is nothing to verify yet; items come from authoring or from an import.",
    Stage.ADJUDICATION: "There is nothing to settle: no votes have differed.",
    Stage.GRADING: "There is nothing to grade yet; a lead imports models' answers.",
    Stage.TRIAGE: "There is nothing to sift yet.",
    Stage.REFINEMENT: "There is nothing to refine yet; a lead feeds a model's answers.",
}


def _in_hand(
    session: Session,
    access: Access,
    person: Person,
    stage: Stage,
    dimension: str | None,
    now: datetime,
    *,
    only_qualifying: bool = False,
) -> StoredTask | None:
    found = task_claims.mine(
        session,
        project_id=access.project_id,
        stage=stage,
        person_id=person.id,
        dimension=None if only_qualifying else dimension,
        now=now,
        only_qualifying=only_qualifying,
    )
    row = tasks.lock(session, public_id=found.public_id) if found else None
    if row is None or row.person_id != person.id or not access.may_use(row.dimension):
        return None
    return row if extend(session, access=access, row=row, person=person, now=now) else None


def _claim(
    session: Session, access: Access, person: Person, stage: Stage, dimension: str | None, now: datetime
) -> tuple[StoredTask | None, bool]:
    """A slot that nobody has, now this person's; and if there is none yet, whether to go on looking."""
    mine = _dimensions(access, dimension)
    ways = _walks(session, access, person, stage, mine, hold=True)
    known = gold_checks.due(session, access=access, person=person, stage=stage, dimensions=mine)
    for attempt in range(ATTEMPTS):
        left_behind = task_claims.abandoned(
            session,
            project_id=access.project_id,
            stage=stage,
            person_id=person.id,
            dimensions=mine,
            now=now,
            limit=1 + attempt,
        )
        found = [] if left_behind else _search(session, ways, limit=1 + attempt)
        if known is not None and (left_behind or found):  # among live work, never after the last of it
            row = gold_checks.hand_out(session, access=access, person=person, gold_id=known, now=now)
            if row is not None:
                _note_claim(session, access, row, person, None, now)
                return row, False
        for row in left_behind:
            before = row.person_id
            if task_claims.take(session, task_id=row.id, stage=stage, person_id=person.id, now=now):
                _note_claim(session, access, row, person, before, now)
                return row, False
        if left_behind:
            found = _search(session, ways, limit=1 + attempt)
        for way, spot in found:
            chosen = _own_choice(session, access, person, stage, spot)
            taken = task_claims.take(session, task_id=chosen, stage=stage, person_id=person.id, now=now)
            if taken is not None:
                if chosen == spot.id:  # else it is still ahead
                    queue_cursor.took(way, spot)
                _note_claim(session, access, taken, person, None, now)
                return taken, False
        if not found and not left_behind:
            return None, any(way.more for lot in ways for way in lot)
        time.sleep(0.002 * (attempt + 1))  # others hold all of these just now; they are done with them in a moment
    return None, False


def _own_choice(session: Session, access: Access, person: Person, stage: Stage, spot: queue_cursor.Spot) -> int:
    """The slot to take: the one found, or where the schema shuffles an item's answers the person's own first one of
    them. Which one follows from the project's seed."""
    if "predictions" not in getattr(getattr(access.schema.stages, stage.value), "shuffle", ()):
        return spot.id
    slots = task_claims.beside(session, task_id=spot.id, stage=stage, person_id=person.id)
    seed = f"{access.seed}/predictions/{person.id}"
    first = min(
        slots, key=lambda slot: (task_slots.shuffle_key(seed=seed, unit=slot[1], slot=0), slot[0]), default=None
    )
    return first[0] if first is not None else spot.id


def _walks(
    session: Session, access: Access, person: Person, stage: Stage, dimensions: Sequence[str] | None, *, hold: bool
) -> list[list[queue_cursor.Walk]]:
    """Where a person is in each dimension that they go through by itself, in lots of which one is looked through
    before the next: a random order of answers begins with those that somebody has graded."""
    random = order_of(access.schema, stage) == "random"
    return [
        [
            queue_cursor.open_walk(
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
    session: Session, ways: Sequence[Sequence[queue_cursor.Walk]], *, limit: int
) -> list[tuple[queue_cursor.Walk, queue_cursor.Spot]]:
    """The next slots that a person may take, out of the first lot of walks in which there are any."""
    for lot in ways:
        found = queue_cursor.search(session, lot, limit=limit)
        if found:
            return found
    return []


def _put_off_before(
    session: Session,
    access: Access,
    person: Person,
    stage: Stage,
    dimension: str | None,
    now: datetime,
    *,
    but: str | None,
    until: datetime | None = None,
) -> StoredTask | None:
    """What a person has put off (before ``until``), the longest ago first; what nobody can give them any more is
    forgotten."""
    item = items.by_public_id(session, project_id=access.project_id, public_id=but) if but else None
    for aside, row in postponed.of_person(session, person_id=person.id, project_id=access.project_id, stage=stage):
        if until is not None and aside.at > until:
            continue
        if not access.may_use(row.dimension) or dimension not in (None, row.dimension):
            continue
        if item is not None and row.item_id == item.id:
            continue
        mine = _resume(session, access, row, person, now)
        if mine is not None:
            return mine
    return None


def _resume(session: Session, access: Access, row: StoredTask, person: Person, now: datetime) -> StoredTask | None:
    """A slot of a unit that a person had before: the same if it can be theirs, else another free one with their
    text."""
    mine: StoredTask | None = None
    if row.stage is Stage.AUTHORING:
        held = tasks.lock(session, public_id=row.public_id)
        return held if held is not None and extend(session, access=access, row=held, person=person, now=now) else None
    slots = tasks.of_unit(session, unit=row.unit)
    for slot in sorted(slots, key=lambda slot: slot.id != row.id):
        if slot.state is TaskState.CLAIMED and slot.person_id == person.id:
            held = tasks.lock(session, public_id=slot.public_id)
            mine = held if held and extend(session, access=access, row=held, person=person, now=now) else None
        elif task_claims.is_free(slot, now=now) and slot.purpose is Purpose.LIVE:
            before = slot.person_id
            mine = task_claims.take(session, task_id=slot.id, stage=slot.stage, person_id=person.id, now=now)
            if mine is not None:
                _note_claim(session, access, mine, person, before, now)
        if mine is not None:
            break
    if mine is None:
        if not any(slot.state in (TaskState.OPEN, TaskState.CLAIMED) for slot in slots):
            postponed.forget(session, person_id=person.id, unit=row.unit)
        return None
    postponed.forget(session, person_id=person.id, unit=row.unit)
    if mine.id != row.id:
        submissions.copy_draft(session, of=row.id, to=mine.id, person_id=person.id, now=now)
    return mine


def _put_aside(session: Session, access: Access, row: StoredTask, person: Person, now: datetime) -> None:
    postponed.put(session, row=row, person_id=person.id, released=False, now=now)
    log(session, access, row, person, "task.set_aside", now)


def order_of(schema: Schema, stage: Stage) -> str:
    """In which order a stage hands out its slots."""
    if stage is Stage.ADJUDICATION:
        return "contested"
    return getattr(getattr(schema.stages, stage.value), "order", "random")


def _item(session: Session, access: Access, name: str) -> StoredItem:
    found = items.by_public_id(session, project_id=access.project_id, public_id=name)
    found = found or items.by_external_id(session, project_id=access.project_id, external_id=name)
    if found is None:
        raise NotFound(f"There is no item {name!r} in {access.name!r}.")
    return found


def _note_claim(
    session: Session, access: Access, row: StoredTask, person: Person, before: int | None, now: datetime
) -> None:
    if before is not None and before != person.id:
        events.record(
            session,
            at=now,
            kind="task.expired",
            project_id=access.project_id,
            person_id=before,
            item_id=row.item_id,
            task_id=row.id,
        )
    if row.stage is Stage.REFINEMENT and row.item_id is not None:  # its page shows the key
        comment_threads.note_insight(session, item_id=row.item_id, person_id=person.id, now=now)
    log(session, access, row, person, "task.claimed", now)


def _dimensions(access: Access, dimension: str | None) -> Sequence[str] | None:
    return (dimension,) if dimension is not None else access.dimensions
