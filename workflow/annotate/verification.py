"""Verification: independent votes on an item's revision, and the verdict that follows from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from annotation_schemas import kinds, registry
from annotation_schemas.model import Schema
from db import comment_threads, items, submissions, task_slots
from db.engine import Session, Store
from db.records import StoredItem, StoredTask
from domain.errors import Problem
from domain.policies import KEEP_RULES, LEASE, Verdict, Vote, contest, item_state
from domain.records import Person, Submission
from domain.roles import Role, at_least
from domain.states import ItemState, Stage
from workflow.access.event_log import log_items
from workflow.access.projects import Access, access_to
from workflow.annotate import answering, coding, comparison, grading, qualification

SETTLED = "This item is settled or being settled, so your vote stays as it is; tell a senior if it is wrong."


def first_state(access: Access) -> ItemState:
    """The state of an item on which no one has voted yet."""
    return ItemState.IN_VERIFICATION if access.schema.stages.verification else ItemState.UNVERIFIED


def open_verification(
    session: Session, *, access: Access, revisions: Iterable[tuple[int, int, str]], now: datetime
) -> int:
    """Open the slots for votes on new revisions (item id, number, dimension); the number of slots."""
    stage = access.schema.stages.verification
    if stage is None:
        return 0
    slots = []
    revisions = list(revisions)
    by_priority = stage.order == "priority"
    priorities = items.priorities(session, item_ids=[id for id, _, _ in revisions]) if by_priority else {}
    for item_id, revision, dimension in revisions:
        unit = task_slots.unit_of_revision(Stage.VERIFICATION, item_id=item_id, revision=revision)
        slots += [
            task_slots.Slot(
                project_id=access.project_id,
                stage=Stage.VERIFICATION,
                unit=unit,
                slot=slot,
                item_id=item_id,
                revision=revision,
                dimension=dimension,
                rank=task_slots.rank_of(stage.order, slot=slot, item_id=item_id, priority=priorities.get(item_id, 0)),
                shuffle=task_slots.shuffle_key(seed=access.seed, unit=unit, slot=slot),
                at=now,
            )
            for slot in range(stage.raters)
        ]
    return task_slots.open_slots(session, slots=slots, needed=access.needed_roles)


_OFFERED_AT_ONCE = 250
"""Items whose slots one transaction opens: about as long as a page takes, so that voters do not wait for it."""


def offer_new(store: Store, *, project: str, told: Callable[[int, int], None] = lambda done, total: None) -> None:
    """Open the slots of items that have none yet, a few items at a time, so that work goes on meanwhile.

    It may be stopped anywhere: whatever is missing then, the next call opens. ``told`` hears how many are done, of
    how many.
    """
    with store.read() as session:
        access = access_to(session, person=None, project=project)
        ids = task_slots.items_without(session, project_id=access.project_id, stage=Stage.VERIFICATION)
    for begin in range(0, len(ids), _OFFERED_AT_ONCE):
        told(begin, len(ids))
        with store.write() as session:
            access = access_to(session, person=None, project=project)
            some = ids[begin : begin + _OFFERED_AT_ONCE]
            revisions = items.hold_revisions(session, ids=some, state=ItemState.IN_VERIFICATION)
            open_verification(session, access=access, revisions=revisions, now=store.now())


class Said(Protocol):
    """A stored vote or decision, as far as the policy reads it."""

    @property
    def person_id(self) -> int: ...
    @property
    def answers(self) -> dict[str, Any]: ...
    @property
    def reasons(self) -> dict[str, Any]: ...
    @property
    def weight(self) -> float | None: ...
    @property
    def schema_version_id(self) -> int: ...


def judge(access: Access, fields: Mapping[str, Any], votes: Sequence[Said], decisions: Sequence[Said]) -> Verdict:
    """What the votes on an item's current revision, and the senior's decision about it, come to."""
    verification = access.schema.stages.verification
    return item_state(
        verification.keep if verification else None,
        as_votes(votes),
        raters=votes_wanted(access, votes),
        item_fields=fields,
        adjudication=access.schema.stages.adjudication is not None,
        decision=decisions[-1].answers.get("decision") if decisions else None,
        skips=verification.skips if verification else None,
        words=reasons_of_skips(access.schema),
    )


def votes_wanted(access: Access, votes: Sequence[Said]) -> int:
    """How many votes an item needs on which these were cast: as many as the schema says, or as an earlier one said
    under which it had all of them, where the items that were decided then stay decided."""
    stage = access.schema.stages.verification
    return access.reading.wanted(stage.raters, [vote.schema_version_id for vote in votes]) if stage else 0


def as_votes(rows: Sequence[Said]) -> list[Vote]:
    """Stored votes as the policy reads them."""
    return [Vote(str(row.person_id), row.answers, row.reasons, row.weight) for row in rows]


def reasons_of_skips(schema: Schema) -> dict[Any, str]:
    """The labels of the reasons that a verifier may give for a skip."""
    return {
        reason.value: reason.label
        for criterion in registry.criteria_of(schema, "verification")
        if criterion.skip
        for reason in criterion.skip.reasons
    }


def verdict_of(session: Session, *, access: Access, item: StoredItem) -> Verdict:
    """As ``judge``, from the database."""
    return judge(access, *_said_of(session, item))


def _said_of(session: Session, item: StoredItem) -> tuple[Mapping[str, Any], Sequence[Said], Sequence[Said]]:
    """The fields of an item as it stands, its votes, and what seniors have decided."""
    item_id, revision = item.id, item.current_revision
    said = items.latest_by_stage(
        session, item_id=item_id, revision=revision, stages=(Stage.VERIFICATION, Stage.ADJUDICATION)
    )
    fields = items.content(session, item_id=item_id, revision=revision)
    return fields, said[Stage.VERIFICATION], said[Stage.ADJUDICATION]


def settle(session: Session, *, access: Access, item: StoredItem, now: datetime) -> Verdict:
    """Bring a locked item's cached state and slots up to its votes, and ask a senior if they leave it open.

    An item that skips have taken out of verification is offered to no one else; one that is in verification again
    because a skip was taken back is. Where the schema asked more people before, who has the item in hand while enough
    have voted keeps it, and their vote counts.
    """
    fields, votes, decisions = _said_of(session, item)
    verdict = judge(access, fields, votes, decisions)
    enough = len(votes) >= votes_wanted(access, votes)
    fewer_now = access.reading.most_votes > votes_wanted(access, ())
    follow(session, access=access, verdicts=[(item, verdict)], now=now, honour=enough and fewer_now)
    return verdict


def follow(
    session: Session,
    *,
    access: Access,
    verdicts: Sequence[tuple[StoredItem, Verdict]],
    now: datetime,
    honour: bool = False,
) -> None:
    """Do what follows from the verdicts on locked items; see ``settle``. ``honour`` leaves people what they have in
    hand: what they submit of it counts, too."""
    changed = [(item, item.state, verdict) for item, verdict in verdicts if verdict.state is not item.state]
    if changed:
        told = {
            item.id: {"from": before.value, "to": verdict.state.value, "why": verdict.why}
            for item, before, verdict in changed
        }
        log_items(session, "item.state", project=access, items=told, now=now)
        states = [(item, verdict.state) for item, _, verdict in changed]
        items.settle(session, states=states)
        _open_missing(session, access, states, now)
        match_slots(session, access=access, states=states, honour=honour)
    for item, before, verdict in changed:
        grading.follow_state(session, access=access, item_id=item.id, before=before, state=verdict.state)
        comparison.follow_state(session, access=access, item_id=item.id, before=before, state=verdict.state)
        coding.follow_state(session, access=access, item_id=item.id, before=before, state=verdict.state)
        revision = (item.id, item.current_revision, item.dimension)
        answering.follow_state(session, access=access, revision=revision, before=before, state=verdict.state, now=now)
    contested = [item for item, verdict in verdicts if verdict.state is ItemState.IN_ADJUDICATION]
    if contested:
        slots = [_for_senior(session, access, item, now) for item in contested]
        task_slots.offer(session, slots=slots, needed=access.needed_roles)
    if access.schema.stages.adjudication is not None:
        over = [item for item, _, verdict in changed if verdict.state is not ItemState.IN_ADJUDICATION]
        task_slots.withdraw(session, units=[_unit(Stage.ADJUDICATION, item) for item in over], held=not honour)


def _open_missing(
    session: Session, access: Access, states: Sequence[tuple[StoredItem, ItemState]], now: datetime
) -> None:
    """Open what items lack of their slots that are voted on again: the schema may ask more people than when they were
    decided."""
    again = [item for item, state in states if state is ItemState.IN_VERIFICATION]
    if again:
        revisions = [(item.id, item.current_revision, item.dimension) for item in again]
        open_verification(session, access=access, revisions=revisions, now=now)


def match_slots(
    session: Session, *, access: Access, states: Sequence[tuple[StoredItem, ItemState]], honour: bool = False
) -> None:
    """Offer items' slots for votes, or call them off, as their states want it; ``honour`` as in ``follow``."""
    stage = access.schema.stages.verification
    wanted = {item.id: state is ItemState.IN_VERIFICATION for item, state in states}
    offered = [_unit(Stage.VERIFICATION, item) for item, _ in states if wanted[item.id]]
    task_slots.offer_units(session, units=offered, below=stage.raters if stage is not None else 0)
    over = [_unit(Stage.VERIFICATION, item) for item, _ in states if not wanted[item.id]]
    task_slots.withdraw(session, units=over, held=not honour)


def _unit(stage: Stage, item: StoredItem) -> str:
    """An item as it stands, as something to vote on or to settle."""
    return task_slots.unit_of_revision(stage, item_id=item.id, revision=item.current_revision)


def _for_senior(session: Session, access: Access, item: StoredItem, now: datetime) -> task_slots.Slot:
    """The slot in which a senior settles an item."""
    unit = _unit(Stage.ADJUDICATION, item)
    return task_slots.Slot(
        project_id=access.project_id,
        stage=Stage.ADJUDICATION,
        unit=unit,
        item_id=item.id,
        revision=item.current_revision,
        dimension=item.dimension,
        shuffle=task_slots.contest_key(seed=access.seed, unit=unit, contest=_contest(session, access, item)),
        at=now,
    )


def weight_of(session: Session, *, access: Access, row: StoredTask, person: Person) -> float | None:
    """What a vote on this slot weighs: its rater's score in the qualification, where the keep rule weighs votes.

    None where votes are not weighed, and for raters whom no one has scored: their votes count 1 (see
    ``domain.policies.weighed``). As long as the stage ``qualification`` is not available that is everyone.
    """
    stage = access.schema.stages.verification
    if row.stage is not Stage.VERIFICATION or stage is None or not KEEP_RULES[stage.keep.rule].weighs:
        return None
    return score_of(session, access, person.id, row.stage)


def score_of(session: Session, access: Access, person_id: int, stage: Stage) -> float | None:
    """A rater's score in the qualification for a stage, between 0 and 1; None if they were never scored."""
    return qualification.score_of(session, access, person_id, stage)


def _contest(session: Session, access: Access, item: StoredItem) -> float:
    """How contested an item is as it stands."""
    stage = access.schema.stages.verification
    if stage is None:
        return 0.0
    cast = items.latest_annotations(session, item_id=item.id, revision=item.current_revision, stage=Stage.VERIFICATION)
    fields = items.content(session, item_id=item.id, revision=item.current_revision)
    return contest(stage.keep, as_votes(cast), item_fields=fields)


# ---- the step of submit ----------------------------------------------------------------------------------------------


def check(session: Session, access: Access, row: StoredTask, given: Submission) -> Sequence[Problem]:
    """What is wrong with a vote."""
    stage = access.schema.stages.verification
    if stage is None or row.item_id is None or row.revision is None:
        return [Problem("stage", "This project has no verification.")]
    fields = items.content(session, item_id=row.item_id, revision=row.revision)
    criteria = registry.criteria_of(access.schema, "verification", row.dimension)
    return kinds.check_answers(criteria, given.values, given.reasons, fields, rules=stage.rules)


def place(
    session: Session, access: Access, row: StoredTask, given: Submission, person: Person, now: datetime
) -> tuple[int, int]:
    """The item and revision that a vote is about; the item is held from here on."""
    item = items.lock(session, id=row.item_id or 0)
    return item.id, row.revision or item.current_revision


def after(
    session: Session, access: Access, row: StoredTask, given: Submission, person: Person, now: datetime
) -> ItemState | None:
    """The item's state with this vote."""
    item = items.lock(session, id=row.item_id or 0)
    return settle(session, access=access, item=item, now=now).state


def why_fixed(session: Session, access: Access, row: StoredTask, now: datetime) -> str | None:
    """Why a vote can no longer be corrected; None if it can: as long as votes are missing, and for a while after it was
    cast, so that a slip can be mended no matter who else has voted.

    The answer is the same whether the votes agree or differ: an item that waits for a senior is as one that is settled,
    and what a senior does meanwhile, takes it up, decides about it or edits it, changes nothing. A decision stands
    whatever is corrected after it; a senior from whom a correction takes the item keeps what they wrote as a draft.
    """
    item = items.lock(session, id=row.item_id or 0)
    if is_slip(session, access, row, now):
        return None
    voted = (ItemState.KEPT, ItemState.REJECTED, ItemState.IN_ADJUDICATION)
    return SETTLED if item.state in voted or item.current_revision != row.revision else None


def is_slip(session: Session, access: Access, row: StoredTask, now: datetime) -> bool:
    """Whether what was submitted about a settled item may still be mended: for a lease's time, or while it is being
    corrected; not by the person who may know by now what others said of it (seniors, and anyone who has written a
    comment on the item or read one that had to wait for the verdict)."""
    last = submissions.latest_of_task(session, task_id=row.id)
    if last is None or at_least(access.role, Role.SENIOR):
        return False
    mending = row.correcting and row.lease_until is not None and row.lease_until > now
    if not mending and now - last.created_at >= LEASE:
        return False
    return not comment_threads.has_part(session, item_id=row.item_id or 0, person_id=last.person_id)
