"""Rules for looking into an item: its votes, its history and all comments; closed to people who rate it blind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from db import comment_threads, events, task_claims
from db.engine import Session
from db.records import StoredAnnotation, StoredItem, StoredTask
from domain.errors import NotAllowedError
from domain.language import marked
from domain.records import Person
from domain.roles import Role, at_least
from domain.states import BLIND, UNSETTLED, VERIFICATIONS, VOTED_ON, Purpose, Stage, TaskState
from workflow.access.event_log import log
from workflow.access.projects import Access

FOR_SENIORS = "Only seniors and leads can see an item's history and all comments on the item. Ask a senior or lead."
IN_HAND = "You vote on this item blind. Other votes appear after you have voted and the item is settled."
MAY_COME = (
    "You may still be asked to review this item blind, so other people's answers stay hidden until everyone has "
    "answered. To see the answers now, ask a lead to remove you from this stage."
)
LOOKED = marked(
    "You have seen votes or comments on this item since you answered, so you cannot change your answer. If the "
    "answer is wrong, tell a lead."
)

_CORRECTED = BLIND - {*VERIFICATIONS, Stage.ARBITRATION}
"""Stages whose answers can be corrected even after everyone has answered, because no verdict depends on them."""


@dataclass(frozen=True)
class Visibility:
    """A person's view of an item."""

    open: bool
    """Whether someone still answers about the item blind, or may take an answer back."""
    blind: str
    """Why the person must not look into the item; empty if they may."""
    names: bool
    """Whether the person may see who voted."""
    asked: frozenset[Stage] = frozenset()
    """Stages in which the person could still be asked about the item blind, unless they look."""

    @property
    def whole(self) -> bool:
        """Whether the person sees everything."""
        return not self.blind


def visibility_of(session: Session, *, access: Access, person: Person, item: StoredItem) -> Visibility:
    """Return a person's current view of an item."""
    slots = comment_threads.slots(session, item_id=item.id, stages=BLIND)
    mine = any(row.person_id == person.id and _in_hand(row) for row in slots)  # includes tasks that are not live
    open_ = mine or item.state in UNSETTLED or any(_unfinished(row, item) for row in slots)
    settled = item.state not in UNSETTLED
    names = at_least(access.role, Role.LEAD) or settled or access.schema.stages.adjudication is None
    senior = at_least(access.role, Role.SENIOR)
    asked = _may_be_asked(session, access, person, item, slots) if senior else frozenset()
    return Visibility(open_, _why_blind(access, person, item, slots, asked=bool(asked)), names, asked)


def look_into(session: Session, *, access: Access, person: Person, item: StoredItem, now: datetime) -> Visibility:
    """Return ``visibility_of`` for a person who looks; raise ``NotAllowedError`` if they must not.

    A person who looks before the verdict is no longer asked about the item blind. A person who looks later can no
    longer correct their answer (``has_looked``).
    """
    visibility = visibility_of(session, access=access, person=person, item=item)
    if visibility.blind:
        raise NotAllowedError(visibility.blind)
    if visibility.open:
        comment_threads.note_insight(session, item_id=item.id, person_id=person.id, now=now)
    elif any(row.person_id == person.id for row in comment_threads.slots(session, item_id=item.id, stages=_CORRECTED)):
        log(session, events.LOOKED, by=person, project=access, item=item, now=now)
    return visibility


def has_looked(session: Session, *, said: StoredAnnotation) -> bool:
    """Return whether a person has seen others' answers about the item since this submission.

    Reading a comment that had to wait until everyone had answered counts too.
    """
    who = {"item_id": said.item_id, "person_id": said.person_id}
    return (
        comment_threads.has_insight(session, **who)
        or events.has_looked(session, **who, since=said.created_at)
        or comment_threads.has_read(session, **who, since=said.created_at)
    )


def may_be_asked(session: Session, *, access: Access, person: Person, item: StoredItem) -> bool:
    """Return whether a person, of any role, has or may get a blind task about an item or about an answer to it."""
    slots = comment_threads.slots(session, item_id=item.id, stages=BLIND)
    return bool(_may_be_asked(session, access, person, item, slots))


def _may_be_asked(
    session: Session, access: Access, person: Person, item: StoredItem, slots: Sequence[StoredTask]
) -> frozenset[Stage]:
    stages: set[Stage] = set()
    for row in slots:
        if (
            row.stage not in stages
            and access.may_do(row.stage)
            and access.may_use(row.dimension)
            and _unfinished(row, item)
            and task_claims.may_take(session, row=row, person_id=person.id)
        ):
            stages.add(row.stage)
    waits = item.state in VOTED_ON.values() and not any(
        row.stage in VERIFICATIONS and row.revision == item.current_revision for row in slots
    )
    if waits and events.sent_back(session, item_id=item.id, revision=item.current_revision) is not None:
        stages |= _when_it_comes_back(session, access, person, item)
    return frozenset(stages)


def _when_it_comes_back(session: Session, access: Access, person: Person, item: StoredItem) -> set[Stage]:
    """Return the stages in which a person may be asked about an item once its author has changed it."""
    if item.author_id == person.id or comment_threads.has_insight(session, item_id=item.id, person_id=person.id):
        return set()
    asked = [Stage(name) for name in access.schema.stages.verifications]
    return {stage for stage in asked if access.may_do(stage) and access.may_use(item.dimension)}


def _why_blind(access: Access, person: Person, item: StoredItem, slots: Sequence[StoredTask], *, asked: bool) -> str:
    if not at_least(access.role, Role.SENIOR):
        return FOR_SENIORS
    waiting = {row.unit for row in slots if _unfinished(row, item)}
    for row in slots:
        undoable = row.unit in waiting or (row.stage in VERIFICATIONS and item.state in UNSETTLED)
        if row.person_id == person.id and (
            _in_hand(row) or (undoable and row.revision in (None, item.current_revision))
        ):
            return IN_HAND
    return MAY_COME if asked and not at_least(access.role, Role.LEAD) else ""


def _in_hand(row: StoredTask) -> bool:
    return row.state is TaskState.CLAIMED or row.correcting


def _unfinished(row: StoredTask, item: StoredItem) -> bool:
    if row.purpose is not Purpose.LIVE:
        return False
    if row.stage in VERIFICATIONS and row.revision != item.current_revision:
        return False
    return row.state in (TaskState.OPEN, TaskState.CLAIMED) or row.correcting
