"""Verification: independent votes on an item's revision, and the verdict that follows from them.

A schema may have several stages of verification; an item reaches a stage after the stage before has kept it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from annotation_schemas import kinds, registry
from annotation_schemas.stage_titles import stage_title
from db import comment_threads, item_revisions, items, submissions, task_slots
from db.engine import Session, Store
from db.records import StoredItem, StoredTask
from domain.errors import Problem
from domain.language import _, marked
from domain.policies import KEEP_RULES, LEASE, Verdict, contest
from domain.records import Person, Submission
from domain.roles import Role, at_least
from domain.states import VERIFICATIONS, VOTED_ON, ItemState, Stage
from workflow.access.event_log import log_items
from workflow.access.projects import Access, access_to
from workflow.annotate import qualification, stage_kinds
from workflow.annotate.verdicts import StoredVote, as_votes, judge, of_stage, rounds_of, votes_wanted

SETTLED = marked(
    "This item is settled or being settled, so you cannot change your vote. If your vote is wrong, tell a senior."
)


def first_state(access: Access) -> ItemState:
    """Return the state of an item without votes."""
    return ItemState.IN_VERIFICATION if access.schema.stages.verification else ItemState.UNVERIFIED


def open_verification(
    session: Session,
    *,
    access: Access,
    revisions: Iterable[tuple[int, int, str]],
    now: datetime,
    stage: Stage = Stage.VERIFICATION,
) -> int:
    """Open the slots for votes on revisions (item id, number, dimension) in a stage and return their number.

    New revisions begin with the first stage.
    """
    part = rounds_of(access.schema).get(stage)
    if part is None:
        return 0
    slots = []
    revisions = list(revisions)
    by_priority = part.order == "priority"
    priorities = items.priorities(session, item_ids=[id for id, _, _ in revisions]) if by_priority else {}
    for item_id, revision, dimension in revisions:
        unit = task_slots.unit_of_revision(stage, item_id=item_id, revision=revision)
        slots += [
            task_slots.Slot(
                project_id=access.project_id,
                stage=stage,
                unit=unit,
                slot=slot,
                item_id=item_id,
                revision=revision,
                dimension=dimension,
                rank=task_slots.rank_of(part.order, slot=slot, item_id=item_id, priority=priorities.get(item_id, 0)),
                shuffle=task_slots.shuffle_key(seed=access.seed, unit=unit, slot=slot),
                at=now,
            )
            for slot in range(part.raters)
        ]
    return task_slots.open_slots(session, slots=slots, needed=access.needed_roles)


_OFFERED_AT_ONCE = 500
"""Number of items whose slots one transaction opens, small enough that voters do not notice."""


def offer_new(store: Store, *, project: str, told: Callable[[int, int], None] = lambda done, total: None) -> None:
    """Open the slots of items without slots, a few items at a time, so that people can continue to work.

    You can stop this function at any point: the next call opens the missing slots. ``told`` is called with the number
    of finished items and the total.
    """
    with store.read() as session:
        access = access_to(session, person=None, project=project)
        ids = task_slots.items_without(session, project_id=access.project_id, stage=Stage.VERIFICATION)
    for begin in range(0, len(ids), _OFFERED_AT_ONCE):
        told(begin, len(ids))
        with store.write(much=True) as session:
            access = access_to(session, person=None, project=project)
            some = ids[begin : begin + _OFFERED_AT_ONCE]
            revisions = items.hold_revisions(session, ids=some, state=ItemState.IN_VERIFICATION)
            open_verification(session, access=access, revisions=revisions, now=store.now())


def _said_of(
    session: Session, access: Access, item: StoredItem
) -> tuple[Mapping[str, Any], Sequence[StoredVote], Sequence[StoredVote]]:
    """Return the current fields of an item, its votes, and the seniors' decisions."""
    item_id, revision, rounds = item.id, item.current_revision, [*rounds_of(access.schema)]
    by_stage = items.latest_by_stage(session, item_id=item_id, revision=revision, stages=(*rounds, Stage.ADJUDICATION))
    fields = item_revisions.content(session, item_id=item_id, revision=revision)
    return fields, [vote for stage in rounds for vote in by_stage[stage]], by_stage[Stage.ADJUDICATION]


def settle(session: Session, *, access: Access, item: StoredItem, now: datetime) -> Verdict:
    """Update a locked item's cached state and slots from its votes, and ask a senior if the votes leave it open.

    An item that skips have taken out of verification is no longer offered; if a skip is taken back, the item is offered
    again. If an earlier schema asked more people, a person who holds the item keeps it although enough have voted,
    and their vote counts.
    """
    fields, votes, decisions = _said_of(session, access, item)
    verdict = judge(access, fields, votes, decisions)
    honour = any(
        len(of_stage(votes, stage)) >= votes_wanted(access, votes, stage)
        for stage, part in rounds_of(access.schema).items()
        if access.reading.most_votes.get(stage, 0) > part.raters
    )
    follow(session, access=access, verdicts=[(item, verdict)], now=now, honour=honour)
    return verdict


def follow(
    session: Session,
    *,
    access: Access,
    verdicts: Sequence[tuple[StoredItem, Verdict]],
    now: datetime,
    honour: bool = False,
) -> None:
    """Apply the verdicts on locked items (see ``settle``); ``honour`` leaves people the tasks that they hold."""
    changed = [(item, item.state, verdict) for item, verdict in verdicts if verdict.state is not item.state]
    known = _ever_voted_on(access)
    if changed:
        item_changes = {
            item.id: {"from": before.value, "to": verdict.state.value, "why": verdict.why}
            for item, before, verdict in changed
        }
        log_items(session, "item.state", project=access, items=item_changes, now=now)
        states = [(item, verdict.state) for item, _, verdict in changed]
        items.settle(session, states=states)
        open_missing(session, access=access, states=states, now=now)
        match_slots(session, access=access, states=states, honour=honour)
    for item, before, verdict in changed:
        revision = (item.id, item.current_revision, item.dimension)
        stage_kinds.follow_state(session, access=access, revision=revision, before=before, state=verdict.state, now=now)
    contested = [(item, verdict.stage) for item, verdict in verdicts if verdict.state is ItemState.IN_ADJUDICATION]
    if contested:
        slots = [_for_senior(session, access, item, stage, now) for item, stage in contested]
        task_slots.offer(session, slots=slots, needed=access.needed_roles)
    if access.schema.stages.adjudication is not None:
        over = [
            _to_settle(stage, item)
            for item, _, verdict in changed
            for stage in known
            if verdict.state is not ItemState.IN_ADJUDICATION or verdict.stage is not stage
        ]
        task_slots.withdraw(session, units=over, held=not honour)


def open_missing(
    session: Session, *, access: Access, states: Sequence[tuple[StoredItem, ItemState]], now: datetime
) -> None:
    """Open the slots that items lack in the stage that they have reached; some may exist from an earlier vote."""
    for stage in rounds_of(access.schema):
        here = [item for item, state in states if state is VOTED_ON[stage]]
        if here:
            revisions = [(item.id, item.current_revision, item.dimension) for item in here]
            open_verification(session, access=access, revisions=revisions, now=now, stage=stage)


def match_slots(
    session: Session, *, access: Access, states: Sequence[tuple[StoredItem, ItemState]], honour: bool = False
) -> None:
    """Offer or withdraw items' voting slots as their states require; ``honour`` as in ``follow``."""
    rounds = rounds_of(access.schema)
    for stage in _ever_voted_on(access):
        offered = [_unit(stage, item) for item, state in states if state is VOTED_ON[stage]]
        task_slots.offer_units(session, units=offered, most=rounds[stage].raters if stage in rounds else 0)
        over = [_unit(stage, item) for item, state in states if state is not VOTED_ON[stage]]
        task_slots.withdraw(session, units=over, held=not honour)


def _ever_voted_on(access: Access) -> Collection[Stage]:
    """Return the schema's stages of verification, or all possible ones if the schema has changed."""
    return VERIFICATIONS if access.reading.numbers else rounds_of(access.schema)


def _unit(stage: Stage, item: StoredItem) -> str:
    """Return the unit for votes on an item's current revision."""
    return task_slots.unit_of_revision(stage, item_id=item.id, revision=item.current_revision)


def _to_settle(stage: Stage, item: StoredItem) -> str:
    """Return the unit for settling an item's current revision after the votes of a stage."""
    return task_slots.unit_to_settle(stage, item_id=item.id, revision=item.current_revision)


def _for_senior(session: Session, access: Access, item: StoredItem, stage: Stage, now: datetime) -> task_slots.Slot:
    """Return the slot in which a senior settles what the votes of a stage left open."""
    unit = _to_settle(stage, item)
    return task_slots.Slot(
        project_id=access.project_id,
        stage=Stage.ADJUDICATION,
        unit=unit,
        item_id=item.id,
        revision=item.current_revision,
        dimension=item.dimension,
        shuffle=task_slots.contest_key(seed=access.seed, unit=unit, contest=_contest(session, access, item, stage)),
        at=now,
    )


def weight_of(session: Session, *, access: Access, row: StoredTask, person: Person) -> float | None:
    """Return the weight of a vote on this slot: the rater's qualification score, if the keep rule weighs votes.

    None means that votes are not weighed or that the rater has no score; such votes count 1 (see
    ``domain.policies.weighed``).
    """
    part = rounds_of(access.schema).get(row.stage)
    if part is None or not KEEP_RULES[part.keep.rule].weighs:
        return None
    return score_of(session, access, person.id, row.stage)


def score_of(session: Session, access: Access, person_id: int, stage: Stage) -> float | None:
    """Return a rater's qualification score for a stage, between 0 and 1; None without a score."""
    return qualification.score_of(session, access, person_id, stage)


def _contest(session: Session, access: Access, item: StoredItem, stage: Stage) -> float:
    """Return how contested an item's current revision is, by the votes of a stage."""
    cast = items.latest_annotations(session, item_id=item.id, revision=item.current_revision, stage=stage)
    fields = item_revisions.content(session, item_id=item.id, revision=item.current_revision)
    return contest(rounds_of(access.schema)[stage].keep, as_votes(cast), item_fields=fields)


# ---- the step of submit ----------------------------------------------------------------------------------------------


def check(session: Session, access: Access, row: StoredTask, given: Submission) -> Sequence[Problem]:
    """Return the problems with a vote."""
    part = rounds_of(access.schema).get(row.stage)
    if part is None or row.item_id is None or row.revision is None:
        return [
            Problem(
                "stage",
                _("This project has no {stage}. Open My work to see the project's stages.").format(
                    stage=stage_title(access.schema, row.stage)
                ),
            )
        ]
    fields = item_revisions.content(session, item_id=row.item_id, revision=row.revision)
    criteria = registry.criteria_of(access.schema, row.stage.value, row.dimension)
    return kinds.check_answers(criteria, given.values, given.reasons, fields, rules=part.rules)


def place(
    session: Session, access: Access, row: StoredTask, given: Submission, person: Person, now: datetime
) -> tuple[int, int]:
    """Lock the item and return the revision that the vote is about."""
    item = items.lock(session, id=row.item_id or 0)
    return item.id, row.revision or item.current_revision


def after(
    session: Session, access: Access, row: StoredTask, given: Submission, person: Person, now: datetime
) -> ItemState | None:
    """Return the item's state with this vote."""
    item = items.lock(session, id=row.item_id or 0)
    return settle(session, access=access, item=item, now=now).state


def why_fixed(session: Session, access: Access, row: StoredTask, now: datetime) -> str | None:
    """Return why a vote can no longer be corrected, or None if it can.

    A vote can be corrected while votes are missing, and for a short time after it was cast. So a voter can fix a slip
    even after others have voted. The result does not depend on whether the votes agree. An item that waits for a
    senior is treated like a settled one, and a senior's actions do not change the result. A decision counts despite
    later corrections; a senior who loses the item through a correction keeps their text as a draft.
    """
    item = items.lock(session, id=row.item_id or 0)
    if is_slip(session, access, row, now):
        return None
    later = VERIFICATIONS[VERIFICATIONS.index(row.stage) + 1 :]
    voted = (ItemState.KEPT, ItemState.REJECTED, ItemState.IN_ADJUDICATION, *(VOTED_ON[stage] for stage in later))
    return _(SETTLED) if item.state in voted or item.current_revision != row.revision else None


def is_slip(session: Session, access: Access, row: StoredTask, now: datetime) -> bool:
    """Return whether a submission about a settled item may still be corrected.

    This is possible for the length of a lease, or while the correction is open. People who may know the other votes are
    excluded: seniors, and authors or readers of a comment on the item that had to wait for the verdict.
    """
    last = submissions.latest_of_task(session, task_id=row.id)
    if last is None or at_least(access.role, Role.SENIOR):
        return False
    mending = row.correcting and row.lease_until is not None and row.lease_until > now
    if not mending and now - last.created_at >= LEASE:
        return False
    return not comment_threads.has_part(session, item_id=row.item_id or 0, person_id=last.person_id)
