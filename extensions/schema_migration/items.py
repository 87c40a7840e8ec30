"""The migration of items to a changed schema: votes asked again, slots opened and withdrawn, verdicts recomputed.

Items are migrated in lots, each in its own transaction, so that people can keep working. Repeating a lot changes
nothing. A claimed slot stays with its person, and counts when it is submitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from db import submissions
from db.engine import Session
from db.records import StoredAnnotation, StoredItem, StoredTask
from domain.policies import Verdict
from domain.states import VERIFICATIONS, VOTED_ON, ItemState, TaskState
from extensions.schema_migration.effects import Effect
from extensions.schema_migration.queries import changes
from workflow.access.projects import Access
from workflow.annotate import answering, sent_back
from workflow.annotate.verdicts import judge, rounds_of
from workflow.annotate.verification import follow, open_verification

AT_ONCE = 50
"""The number of items that are locked at a time, for a few hundredths of a second."""


@dataclass(frozen=True)
class StateChange:
    """An item whose verdict changes."""

    item: str
    """The item's id in files."""
    before: ItemState
    after: ItemState
    why: str


@dataclass
class ChangeTally:
    """The number of changed items and votes."""

    moved: list[StateChange] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """The ids in files of items with a vote that an undo cannot restore, because another person has voted in its
    place.
    """
    asked_again: int = 0
    """Votes that count no more and are asked again."""
    counted_again: int = 0
    """Votes that had been asked again and count as they did."""
    opened: int = 0
    """Slots for votes that opened."""
    closed: int = 0
    """Slots for votes that were called off."""

    def add(self, *, asked_again: int = 0, counted_again: int = 0, opened: int = 0, closed: int = 0) -> None:
        """Count further ones."""
        self.asked_again += asked_again
        self.counted_again += counted_again
        self.opened += opened
        self.closed += closed


@dataclass(frozen=True)
class OngoingChange:
    """A change of a project's schema that is under way."""

    number: int
    effect: Effect
    undoes: int | None = None
    """The number of the change that it takes back."""


def outcome(
    access: Access, effect: Effect, item: StoredItem, lot: changes.ItemBatch
) -> tuple[Verdict, list[StoredAnnotation]]:
    """Return the verdict of an item under a schema that may not be in force yet, and its votes that are asked again."""
    fields, votes = lot.contents[item.id], lot.votes.get(item.id, [])
    again = [vote for vote in votes if effect.asks_again(vote, fields, now=access.schema_version_id)]
    gone = {vote.id for vote in again}
    left = [vote for vote in votes if vote.id not in gone]
    return judge(access, fields, left, lot.decisions.get(item.id, [])), again


def bring_up(
    session: Session,
    *,
    access: Access,
    change: OngoingChange,
    lot: changes.ItemBatch,
    now: datetime,
    tally: ChangeTally,
) -> None:
    """Migrate a lot of locked items to the schema in force."""
    if change.undoes is not None:
        lot = with_votes_of_before(session, access, change, lot, tally)
    verdicts: list[tuple[StoredItem, Verdict]] = []
    with_author = sent_back.of_project(session, access=access)  # other people are not asked about these items
    for item in lot.items:
        verdict, again = outcome(access, change.effect, item, lot)
        slots = {slot.id: slot for slot in lot.slots.get(item.id, [])}
        for vote in again:
            ask_again(session, change, vote, slots[vote.task_id], now)
            tally.add(asked_again=1)
        tally.add(closed=_close(session, access, list(slots.values()), verdict.state))
        verdicts.append((item, verdict))
    for stage in rounds_of(access.schema):
        wanting = [  # others: ``follow``
            item for item, verdict in verdicts if verdict.state is VOTED_ON[stage] and item.id not in with_author
        ]
        revisions = [(item.id, item.current_revision, item.dimension) for item in wanting]
        tally.add(opened=open_verification(session, access=access, revisions=revisions, now=now, stage=stage))
    for item, verdict in verdicts:
        if verdict.state is not item.state:
            tally.moved.append(StateChange(item.external_id, item.state, verdict.state, verdict.why))
            continue
        for stage, part in rounds_of(access.schema).items():
            if verdict.state is VOTED_ON[stage] and item.id not in with_author:
                there = [slot for slot in lot.slots.get(item.id, []) if slot.stage is stage]
                tally.add(opened=_reopen(session, part.raters, there))
    follow(session, access=access, verdicts=verdicts, now=now, honour=True)
    if change.effect.answers_begin:
        for item, verdict in verdicts:
            _answered_from_now_on(session, access, item, verdict.state, now)


def with_votes_of_before(
    session: Session, access: Access, change: OngoingChange, lot: changes.ItemBatch, tally: ChangeTally
) -> changes.ItemBatch:
    """Return the lot with the votes that the undone change had asked again, unless another vote has replaced them
    since.
    """
    if change.undoes is None:
        raise ValueError("this change does not undo another change")
    ids = [item.id for item in lot.items]
    gone = changes.asked_again(session, item_ids=ids, change=change.undoes, stages=lot.stages)
    votes: dict[int, list[StoredAnnotation]] = dict(lot.votes)
    for item in lot.items:
        slots = {slot.id: slot for slot in lot.slots.get(item.id, [])}
        for vote in gone.get(item.id, []):
            slot = slots[vote.task_id]
            others = [other for other in slots.values() if slot.stage in VERIFICATIONS or other.unit == slot.unit]
            people = {other.person_id for other in others} - {None}
            free = slot.state in (TaskState.OPEN, TaskState.WITHDRAWN) and vote.person_id not in people
            if not free:
                tally.left_out.append(item.external_id)
                continue
            restored = changes.count_again(session, vote=vote, slot=slot, change=change.number)
            votes[item.id] = [*votes.get(item.id, []), restored]
            tally.add(counted_again=1)
    return lot._replace(votes=votes)


def ask_again(session: Session, change: OngoingChange, vote: StoredAnnotation, slot: StoredTask, now: datetime) -> None:
    """Offer the slot to all who may vote on the item, including the person who had filled it.

    That person finds the earlier values in the form, as far as they are still asked.
    """
    if not slot.correcting:  # a correction in progress has a draft already
        content: dict[str, Any] = {"values": vote.answers, "reasons": vote.reasons, "note": vote.note}
        submissions.put_draft(session, task_id=slot.id, person_id=vote.person_id, seq=None, content=content, now=now)
    changes.ask_again(session, vote=vote, slot=slot, change=change.number)


def _close(session: Session, access: Access, slots: Sequence[StoredTask], state: ItemState) -> int:
    """Withdraw unclaimed slots that the item no longer needs, and return their number."""
    surplus: list[StoredTask] = []
    for stage, part in rounds_of(access.schema).items():
        there = [slot for slot in slots if slot.stage is stage]
        wanted = part.raters if state is VOTED_ON[stage] else 0
        taken = sum(slot.state in (TaskState.DONE, TaskState.CLAIMED) for slot in there)
        idle = [slot for slot in there if slot.state is TaskState.OPEN]
        surplus += idle[max(wanted - taken, 0) :]
    changes.withdraw(session, slots=surplus)
    return len(surplus)


def _reopen(session: Session, raters: int, slots: Sequence[StoredTask]) -> int:
    """Reopen withdrawn slots of a stage that are needed again, and return their number."""
    there = sum(slot.state is not TaskState.WITHDRAWN for slot in slots)
    new = raters - sum(slot.slot < raters for slot in slots)  # these were just opened, and are not in ``slots``
    off = [slot for slot in slots if slot.state is TaskState.WITHDRAWN][: max(raters - there - new, 0)]
    changes.offer(session, slots=off)
    return len(off)


def _answered_from_now_on(session: Session, access: Access, item: StoredItem, state: ItemState, now: datetime) -> None:
    revision = (item.id, item.current_revision, item.dimension)
    answering.open_new(session, access=access, revisions=[revision], now=now)
    if state is ItemState.KEPT:
        answering.follow_state(
            session, access=access, revision=revision, before=ItemState.IN_VERIFICATION, state=state, now=now
        )
