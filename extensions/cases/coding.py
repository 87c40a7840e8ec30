"""Coding: people label errors in a model's answer, blind to the model and to each other.

A senior annotator settles disagreements.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from annotation_schemas import registry
from annotation_schemas.model import Criterion, Schema
from db import items, task_slots, tasks
from db.engine import Session
from db.records import StoredAnnotation, StoredTask
from domain.comparison import same
from domain.language import _, marked
from domain.records import Person, Submission
from domain.states import ItemState, Stage
from extensions.cases import queries
from workflow.access.counted_items import counting
from workflow.access.projects import Access
from workflow.annotate import answer_steps
from workflow.annotate.stage_kinds import Revision

NO_CODING = (
    "The schema {name} has no coding stage, so Touchstone does not count failures. Add `stages: coding` to the schema."
)
SETTLED = marked(
    "The codes of this answer are settled, so you cannot change your codes. If your codes are wrong, tell a senior "
    "annotator."
)


class CodingProgress(StrEnum):
    """Progress of an answer's codes."""

    WAITING = "waiting"
    """Not everyone who is asked has coded the answer."""
    DIFFER = "differ"
    """The coders disagree, and the answer is not settled."""
    UNANIMOUS = "unanimous"
    ARBITRATED = "arbitrated"


@dataclass(frozen=True)
class CombinedCodes:
    """The combined codes of one answer."""

    standing: CodingProgress
    values: Mapping[str, Any]
    """The settled value of each criterion with codes, None where no code was given; empty if nothing is settled."""


def code_criteria(schema: Schema, dimension: str | None = None) -> tuple[Criterion, ...]:
    """Return the criteria whose options are codes, in a dimension or (None) in all dimensions."""
    return tuple(
        criterion for criterion in registry.criteria_of(schema, Stage.CODING.value, dimension) if criterion.options
    )


def settled(
    schema: Schema,
    dimension: str,
    coders: Sequence[Mapping[str, Any]],
    decision: Mapping[str, Any] | None,
    *,
    wanted: int | None = None,
) -> CombinedCodes:
    """Combine the coders' answers and a senior annotator's decision, if there is one.

    A code is settled if all coders give it, or if the senior decides, whatever the coders chose. ``wanted`` is how
    many people were asked about this answer (``coders_wanted``); None uses the schema's number.
    """
    stage = schema.stages.coding
    names = [criterion.name for criterion in code_criteria(schema, dimension)]
    if decision is not None:
        return CombinedCodes(CodingProgress.ARBITRATED, {name: decision.get(name) for name in names})
    if stage is None or len(coders) < (wanted if wanted is not None else stage.raters):
        return CombinedCodes(CodingProgress.WAITING, {})
    first = coders[0]
    if all(same(coder.get(name), first.get(name)) for coder in coders for name in names):
        return CombinedCodes(CodingProgress.UNANIMOUS, {name: first.get(name) for name in names})
    return CombinedCodes(CodingProgress.DIFFER, {})


def coders_wanted(access: Access, versions: Sequence[int]) -> int:
    """Return how many people are asked about an answer that was coded under these schema versions (ids)."""
    stage = access.schema.stages.coding
    return access.reading.wanted(stage.raters, versions, Stage.CODING) if stage is not None else 0


def standing_of(session: Session, *, access: Access, prediction_id: int, dimension: str) -> CombinedCodes:
    """Return ``settled`` for an answer in the database."""
    submissions = queries.latest_of_answer(session, prediction_id=prediction_id, stage=Stage.CODING)
    decided = queries.latest_of_answer(session, prediction_id=prediction_id, stage=Stage.ARBITRATION)
    return settled(
        access.schema,
        dimension,
        [submission.answers for submission in submissions],
        decided[-1].answers if decided else None,
        wanted=coders_wanted(access, [submission.schema_version_id for submission in submissions]),
    )


def offer_arbitration(
    session: Session, *, access: Access, row: StoredTask, now: datetime, honour: bool = False
) -> None:
    """Ask a senior annotator about an answer if its coders disagree; withdraw the task if they agree again.

    ``honour`` leaves a senior the task that they hold.
    """
    if row.prediction_id is None:
        return
    standing = standing_of(session, access=access, prediction_id=row.prediction_id, dimension=row.dimension)
    unit = task_slots.unit_of_answer(Stage.ARBITRATION, prediction_id=row.prediction_id)
    if access.schema.stages.arbitration is not None and standing.standing is CodingProgress.DIFFER:
        slot = task_slots.Slot(
            project_id=access.project_id,
            stage=Stage.ARBITRATION,
            unit=unit,
            item_id=row.item_id,
            prediction_id=row.prediction_id,
            dimension=row.dimension,
            shuffle=task_slots.shuffle_key(seed=access.seed, unit=unit, slot=0),
            at=now,
        )
        task_slots.offer(session, slots=[slot], needed=access.needed_roles)
    else:
        task_slots.withdraw(session, units=[unit], held=not honour)


# ---- answers that stop or start counting -----------------------------------------------------------------------------


def follow_state(
    session: Session, *, access: Access, revision: Revision, before: ItemState, state: ItemState, now: datetime
) -> None:
    """Open or close coding of the answers to an item, as its new verdict requires; given codes stay."""
    if access.schema.stages.coding is None or state is before:
        return
    where: dict[str, Any] = {"project_id": access.project_id, "stage": Stage.CODING, "item_id": revision[0]}
    if state is ItemState.KEPT:
        _offer(session, access=access, ids=queries.answers_in(session, **where, counting=True))
    elif state is ItemState.REJECTED or before is ItemState.KEPT:
        _call_off(session, ids=queries.answers_in(session, **where))


def follow_run(session: Session, *, access: Access, run_id: int, withdrawn: bool, now: datetime) -> None:
    """Withdraw the coding slots of a withdrawn run, or offer them again; given codes stay."""
    if access.schema.stages.coding is None:
        return
    ids = queries.answers_in(session, project_id=access.project_id, stage=Stage.CODING, run_id=run_id)
    if withdrawn:
        _call_off(session, ids=ids)
        return
    counted = counting(session, access=access)
    _offer(session, access=access, ids=[id for id in ids if counted.counts(items.prediction(session, id=id).item_id)])


def _call_off(session: Session, *, ids: Iterable[int]) -> None:
    for id in sorted(ids):
        for stage in (Stage.CODING, Stage.ARBITRATION):
            task_slots.withdraw(session, units=[task_slots.unit_of_answer(stage, prediction_id=id)])


def _offer(session: Session, *, access: Access, ids: Iterable[int]) -> None:
    """Offer the withdrawn slots of these answers again: coding, and arbitration where the coders disagree."""
    units = [task_slots.unit_of_answer(Stage.CODING, prediction_id=id) for id in sorted(ids)]
    stage = access.schema.stages.coding
    task_slots.offer_units(session, units=units, most=stage.raters if stage is not None else None)
    for id in sorted(ids):
        unit = task_slots.unit_of_answer(Stage.ARBITRATION, prediction_id=id)
        for row in tasks.of_unit(session, unit=unit):
            standing = standing_of(session, access=access, prediction_id=id, dimension=row.dimension)
            if standing.standing is CodingProgress.DIFFER:
                task_slots.offer_units(session, units=[unit])


# ---- the step of submit ----------------------------------------------------------------------------------------------


def place(
    session: Session, access: Access, row: StoredTask, given: Submission, person: Person, now: datetime
) -> tuple[int, int]:
    """Lock and return the item that the answer belongs to, with its current revision.

    The lock makes the second of two simultaneous coders see the first one's codes.
    """
    item = items.lock(session, id=row.item_id or 0)
    return item.id, item.current_revision


def after(
    session: Session, access: Access, row: StoredTask, given: Submission, person: Person, now: datetime
) -> ItemState | None:
    """Return the item's state, which codes do not change; if the coders disagree, ask a senior to settle it."""
    if row.stage is Stage.CODING:
        offer_arbitration(session, access=access, row=row, now=now)
    return items.by_id(session, id=row.item_id or 0).state


def votes(session: Session, row: StoredTask) -> Sequence[StoredAnnotation]:
    """Return the codes of an answer, for the senior annotator who settles them."""
    if row.prediction_id is None:
        return ()
    return queries.latest_of_answer(session, prediction_id=row.prediction_id, stage=Stage.CODING)


def why_fixed(session: Session, access: Access, row: StoredTask, now: datetime) -> str | None:
    """Return why codes can no longer be corrected, or None.

    A senior has settled them, or the coder has seen the other coders' codes. The senior who settles may still change
    their mind.
    """
    if row.stage is Stage.ARBITRATION or row.prediction_id is None:
        return None
    decided = queries.latest_of_answer(session, prediction_id=row.prediction_id, stage=Stage.ARBITRATION)
    return _(SETTLED) if decided else answer_steps.why_fixed(session, access, row, now)
