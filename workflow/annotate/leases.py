"""Leases: how long a person holds a slot, and how they extend it, give it back, postpone it and resume it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from db import comment_threads, events, exposure, items, postponed, submissions, task_claims, tasks
from db.engine import Session
from db.records import StoredTask
from domain.errors import NotAllowedError, NotFoundError
from domain.language import _, marked
from domain.log_facts import add_log_facts
from domain.records import Person
from domain.states import Purpose, Stage, TaskState
from workflow.access.event_log import log
from workflow.access.held_tasks import call_off_authoring
from workflow.access.projects import Access, access_by_id
from workflow.annotate import claim_rules, image_pool, no_work, qualification

KEPT = marked("Your text is saved as a draft.")
LOST = marked("Your lease had ended, so this task went to another person. Your text is saved as a draft.")
TAKEN_AWAY = marked("A lead has withdrawn this task from you. Your text is saved as a draft.")
NOT_WANTED = marked(
    "This task is no longer needed, because another person has the item or image of this task. Your text is saved."
)


def held_task(session: Session, *, person: Person, task: str, with_item: bool = False) -> tuple[StoredTask, Access]:
    """Lock and return a task that a person holds or once held; raise ``NotFoundError`` for other tasks.

    A reserved task counts as held, because the page may have shown it while the server was away. ``with_item`` also
    locks the item, for callers that may change the item's state.
    """
    missing = NotFoundError(_("This task is not assigned to you. Open My work, and start the next task."))
    if with_item:
        items.lock_of_task(session, task=task)
    row = tasks.lock(session, public_id=task)
    if row is None:
        raise missing
    add_log_facts(stage=row.stage.value)
    try:
        access = access_by_id(session, person=person, project_id=row.project_id)
    except NotFoundError as error:
        raise missing from error
    if row.person_id != person.id and not _had(session, row, person):
        raise missing
    if not access.may_do(row.stage) or not access.may_use(row.dimension):
        raise NotAllowedError(_("You no longer work in this stage or dimension. Ask a lead of the project."))
    return row, access


def _had(session: Session, row: StoredTask, person: Person) -> bool:
    given = events.was_given_task(session, task_id=row.id, person_id=person.id)
    return given or exposure.was_sent_task(session, task_id=row.id, item_id=row.item_id, person_id=person.id)


def extend(session: Session, *, access: Access, row: StoredTask, person: Person, now: datetime) -> bool:
    """Renew the lease of a locked task, even an expired lease if nobody took the task.

    Returns False if another person has the task, if the person gets no new work, or if a lead took it from them;
    ``why_lost`` gives the reason. A lease that ends later than the renewed one keeps its end. A reserved task begins.
    """
    free = row.state is TaskState.OPEN and _why_not_again(session, access, row, person) is None
    if free and task_claims.may_take(session, row=row, person_id=person.id):
        task_claims.claim(session, row=row, person_id=person.id, now=now)
        note_claim(session, access=access, row=row, person=person, before=None, now=now)
    held = row.state is TaskState.CLAIMED or (row.state is TaskState.DONE and row.correcting)
    if row.person_id != person.id or not held:
        return False
    if row.stage is Stage.AUTHORING and row.state is TaskState.CLAIMED and not image_pool.keep(session, access, row):
        return False
    if row.reserved:
        task_claims.begin(session, row=row, now=now)
        note_claim(session, access=access, row=row, person=person, before=None, now=now)
    else:
        task_claims.renew(session, row=row, now=now)
    return True


def why_lost(session: Session, *, access: Access, row: StoredTask, person: Person) -> str:
    """Return why the person lost a locked task that ``extend`` refused."""
    if row.state is TaskState.WITHDRAWN:
        return _(NOT_WANTED)
    if row.state is TaskState.OPEN:
        return _why_not_again(session, access, row, person) or LOST
    return _(LOST)


def _why_not_again(session: Session, access: Access, row: StoredTask, person: Person) -> str | None:
    """Return why an open page may not claim its free task again, or None if it may.

    The person must qualify first, is stopped, or lost the task to a lead, or an extension is missing.
    """
    if row.purpose is Purpose.LIVE:
        about: Any = {"access": access, "person": person, "stage": row.stage}
        nothing = (
            no_work.why_unavailable(access, row.stage)
            or qualification.require(session, **about)
            or claim_rules.why_stopped(session, **about)
        )
        if nothing is not None:
            return f"{nothing.sentence} {_(KEPT)}"
    taken = events.taken_away(session, task_id=row.id, person_id=person.id, login=person.login)
    return _(TAKEN_AWAY) if taken else None


def give_up(session: Session, *, access: Access, row: StoredTask, person: Person, now: datetime) -> None:
    """Give back a locked task at its holder's request (``release``).

    A submission that the person was editing stays as it was; the draft of the edit is deleted. A reserved task, which
    they have not seen, leaves no trace.
    """
    if row.reserved:
        if row.purpose is Purpose.LIVE:
            task_claims.reopen(session, row=row)
        return
    kind = "task.released"
    if row.state is TaskState.DONE:
        task_claims.leave_as_submitted(session, row=row)
        submissions.drop_draft(session, task_id=row.id, person_id=person.id)
        kind = "task.edit_left"
    elif row.stage is Stage.AUTHORING:
        call_off_authoring(session, row=row)
    else:
        postponed.postpone(session, row=row, person_id=person.id, released=True, now=now)
        if row.purpose is Purpose.LIVE:  # others were made for this person only
            task_claims.reopen(session, row=row)
    log(session, kind, by=person, task=row, now=now, data={"stage": row.stage.value})


def resume(session: Session, *, access: Access, row: StoredTask, person: Person, now: datetime) -> StoredTask | None:
    """Claim a slot of a unit that a person had before, or return None.

    The same slot comes first, then another free slot, to which the draft is copied.
    """
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
            before = None if slot.reserved else slot.person_id
            mine = task_claims.take(session, task_id=slot.id, stage=slot.stage, person_id=person.id, now=now)
            if mine is not None:
                note_claim(session, access=access, row=mine, person=person, before=before, now=now)
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


def may_resume(session: Session, *, row: StoredTask, person: Person, now: datetime) -> bool:
    """Return whether ``resume`` would get a slot, without claiming it."""
    mine = row.state is TaskState.CLAIMED and row.person_id == person.id
    if mine or row.stage is Stage.AUTHORING:
        return mine
    return any(
        task_claims.is_free(slot, now=now) and task_claims.may_take(session, row=slot, person_id=person.id)
        for slot in tasks.of_unit(session, unit=row.unit)
    )


def note_claim(
    session: Session, *, access: Access, row: StoredTask, person: Person, before: int | None, now: datetime
) -> None:
    """Log who has a slot now, and who (``before``) had abandoned it."""
    note_expiry(session, row=row, person=person, before=before, now=now)
    if row.stage is Stage.REFINEMENT and row.item_id is not None:  # its page shows the key
        comment_threads.note_insight(session, item_id=row.item_id, person_id=person.id, now=now)
    log(session, "task.claimed", by=person, task=row, now=now, data={"stage": row.stage.value})


def note_expiry(session: Session, *, row: StoredTask, person: Person, before: int | None, now: datetime) -> None:
    """Log that another person (``before``) had abandoned a slot, if there is one."""
    if before is not None and before != person.id:
        log(session, "task.expired", by=before, task=row, now=now)


def postpone_task(session: Session, *, access: Access, row: StoredTask, person: Person, now: datetime) -> None:
    """Postpone a locked slot; its holder keeps it until the lease ends."""
    postponed.postpone(session, row=row, person_id=person.id, released=False, now=now)
    log(session, "task.set_aside", by=person, task=row, now=now, data={"stage": row.stage.value})
