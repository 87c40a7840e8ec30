"""Comparison: people choose the better of two models' answers to an item without knowing the models.

The unit of work is a pair of answers (``comparison_plan``). The side on which an answer is shown is computed from
the project's seed, the person, the item and the models. The side is stored with the submission, which says ``left``
or ``right``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from annotation_schemas import kinds, registry
from db import answers, items, submissions, task_claims, task_slots, tasks
from db.answers import COMPARISON_RENEWED
from db.engine import Session
from db.records import StoredAnnotation, StoredPrediction, StoredTask
from domain.language import _, marked
from domain.records import Person
from domain.states import ItemState, Stage, TaskState
from extensions.preferences import queries
from extensions.preferences.comparison_plan import AnswerPair, slots_of
from extensions.preferences.sides import FIRST, RIGHT, SECOND
from workflow.access.counted_items import counting
from workflow.access.event_log import log
from workflow.access.projects import Access
from workflow.annotate import answer_steps
from workflow.annotate.stage_kinds import Revision

Answers = tuple[StoredPrediction, StoredPrediction]

SHOWN_LEFT = "left"
"""Key in a submission's ``shown`` for the answer on the left: ``a`` or ``b`` of the pair."""


def answers_of(session: Session, row: StoredTask) -> Answers:
    """Return the two answers of a slot, ordered by model name."""
    ids = queries.pair_of(row.unit)
    predictions = items.predictions(session, ids=ids)
    return predictions[ids[0]], predictions[ids[1]]


def left_of(session: Session, *, access: Access, row: StoredTask, person: Person) -> str:
    """Return which answer of the pair a person sees on the left, ``a`` or ``b``.

    The side is always the same, also on another server to which the project was copied. A correction keeps the sides
    of the first submission.
    """
    if row.correcting:
        before = submissions.latest_of_task(session, task_id=row.id)
        if before is not None and before.shown:
            return str(before.shown[SHOWN_LEFT])
    first, second = answers_of(session, row)
    item = items.by_id(session, id=first.item_id)
    unit = "/".join((person.login, item.external_id, first.model, second.model))
    odd = task_slots.shuffle_key(seed=f"{access.seed}/sides", unit=unit, slot=0) % 2
    return SECOND if odd else FIRST


def sides(session: Session, *, access: Access, row: StoredTask, person: Person) -> dict[str, Any]:
    """Return how the answers are shown to a person, to be stored with a submission."""
    return {SHOWN_LEFT: left_of(session, access=access, row=row, person=person)}


def texts(session: Session, *, row: StoredTask, shown: Mapping[str, Any] | None) -> tuple[str, str]:
    """Return the two answers as a person sees them, the left one first."""
    first, second = answers_of(session, row)
    return (first.text, second.text) if (shown or {}).get(SHOWN_LEFT) == FIRST else (second.text, first.text)


def on_sides_of(*, access: Access, said: StoredAnnotation, by: StoredAnnotation) -> Mapping[str, Any] | None:
    """Return a person's preferences with the sides of another person's page, or None if the sides are the same."""
    if (said.shown or {}).get(SHOWN_LEFT) == (by.shown or {}).get(SHOWN_LEFT):
        return None
    criteria = registry.criteria_of(access.schema, Stage.COMPARISON.value, said.dimension)
    rows = {criterion.name: kinds.of_criterion(criterion) for criterion in criteria}
    return {name: rows[name].of_pair(value, RIGHT) if name in rows else value for name, value in said.answers.items()}


def models_shown(session: Session, said: StoredAnnotation) -> str:
    """Return the models whose answers a person compared, in words; only for people who may know them."""
    row = tasks.by_id(session, id=said.task_id)
    assert row is not None
    first, second = (answer.model for answer in answers_of(session, row))
    left, right = (first, second) if (said.shown or {}).get(SHOWN_LEFT) == FIRST else (second, first)
    return f"{left} on the left, {right} on the right"


# ---- pairs with an outdated answer -----------------------------------------------------------------------------------

REPLACED = marked(
    "One of the two models has answered this item again since you opened the pair. The answers that you compared no "
    "longer count. You get the pair with the newest answers instead."
)
FIXED = marked(
    "One of the two models has answered this item again. Your vote on the earlier answer stays stored, but no "
    "longer counts. The newest answers are a new pair."
)


def is_replaced(session: Session, *, row: StoredTask) -> bool:
    """Return whether a slot's pair contains an answer that no longer counts.

    An answer stops counting when its model answers again or its run is withdrawn.
    """
    return not _is_current(*_then_and_now(session, row))


def renew(session: Session, *, access: Access, row: StoredTask, now: datetime) -> bool:
    """Replace a pair that contains an outdated answer with the pair of both models' newest answers.

    The argument is a locked slot that a person asks to work on. Returns False and changes nothing if both answers
    still count. The lead has approved comparing these two models, so newer answers need no approval. A slot that
    another person holds is replaced when they continue with it. Submissions on the earlier answers are kept.
    """
    then, newest = _then_and_now(session, row)
    if _is_current(then, newest):
        return False
    if row.state is TaskState.DONE:
        task_claims.leave_as_submitted(session, row=row)
        return True
    if row.state is TaskState.WITHDRAWN:
        return True
    task_claims.call_off(session, row=row)
    queries.call_off_idle(session, unit=row.unit)
    stage, opened = access.schema.stages.comparison, 0
    if stage is not None and newest is not None and _is_asked(session, access, newest):
        slots = slots_of(newest, stage=stage, access=access, now=now, shuffle=row.shuffle)
        opened = task_slots.open_slots(session, slots=slots, needed=access.needed_roles)
        opened += task_slots.offer_units(session, units=[newest.unit], most=stage.raters)
    log(session, COMPARISON_RENEWED, task=row, now=now, data={"slots": opened})
    return True


def why_fixed(session: Session, access: Access, row: StoredTask, now: datetime) -> str | None:
    """Return why a preference can no longer be corrected, or None."""
    return _(FIXED) if is_replaced(session, row=row) else answer_steps.why_fixed(session, access, row, now)


def _then_and_now(session: Session, row: StoredTask) -> tuple[Answers, AnswerPair | None]:
    """Return a slot's answers and both models' newest answers that count, or None if a model has no such answer."""
    first, second = then = answers_of(session, row)
    given = answers.answers(session, project_id=row.project_id, item_id=first.item_id)
    newest = {answer.model: answer for answer in given}
    if first.model not in newest or second.model not in newest:
        return then, None
    return then, AnswerPair(newest[first.model], newest[second.model], row.dimension)


def _is_current(then: Answers, newest: AnswerPair | None) -> bool:
    return newest is not None and (newest.first.id, newest.second.id) == (then[0].id, then[1].id)


def _is_asked(session: Session, access: Access, pair: AnswerPair) -> bool:
    """Return whether people are still asked about these models' answers to this item."""
    stage = access.schema.stages.comparison
    if stage is None or pair.same or not (stage.dimensions is None or pair.dimension in stage.dimensions):
        return False
    if stage.models is not None and not {*pair.models} <= {*stage.models}:
        return False
    return counting(session, access=access, stage=Stage.COMPARISON).counts(pair.first.item_id)


# ---- answers that stop or start counting -----------------------------------------------------------------------------


def follow_state(
    session: Session, *, access: Access, revision: Revision, before: ItemState, state: ItemState, now: datetime
) -> None:
    """Open or close comparison of the answers to an item, as its new verdict requires; submissions stay."""
    if access.schema.stages.comparison is None or state is before:
        return
    item_id, _, _ = revision
    units = queries.units_in(session, project_id=access.project_id, stage=Stage.COMPARISON, item_id=item_id)
    if state is ItemState.KEPT:
        _offer_current(session, access, units, {item_id}, now)
    elif state is ItemState.REJECTED or before is ItemState.KEPT:
        task_slots.withdraw(session, units=units)


def follow_run(session: Session, *, access: Access, run_id: int, withdrawn: bool, now: datetime) -> None:
    """Withdraw the pairs of a withdrawn run, or offer them again; submissions stay."""
    if access.schema.stages.comparison is None:
        return
    given = queries.of_run(session, run_id=run_id)
    every = queries.units_in(session, project_id=access.project_id, stage=Stage.COMPARISON)
    units = [unit for unit in every if given.keys() & set(queries.pair_of(unit))]
    if withdrawn:
        task_slots.withdraw(session, units=units)
    else:
        counted = counting(session, access=access)
        _offer_current(session, access, units, {id for id in given.values() if counted.counts(id)}, now)


def _offer_current(
    session: Session, access: Access, units: Sequence[str], item_ids: Collection[int], now: datetime
) -> None:
    """Offer the withdrawn pairs again if both answers are the latest answers to these items."""
    stage = access.schema.stages.comparison
    last = answers.last(session, project_id=access.project_id)
    wanted = [unit for unit in units if all(last.get(id) in item_ids for id in queries.pair_of(unit))]
    task_slots.offer_units(session, units=wanted, most=stage.raters if stage else None)


# ---- checks ----------------------------------------------------------------------------------------------------------


def broken_rules(session: Session, *, access: Access) -> Iterator[str]:
    """Yield one sentence for each pair or submission that breaks the rules of this stage."""
    for unit, first, second in queries.strange_pairs(session, project_id=access.project_id):
        yield (
            f"{unit} must be two models' answers to the same item, sorted by model name, but has: {first}, {second}."
        )
    for public_id, shown in queries.shown_in(session, project_id=access.project_id, stage=Stage.COMPARISON):
        if not isinstance(shown, dict) or shown.get(SHOWN_LEFT) not in (FIRST, SECOND):
            yield f"comparison {public_id} does not record which answer was on the left."
