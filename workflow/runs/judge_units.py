"""The units of a judge run: answers, pairs of answers in both orders, items, or attack answers."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from db import files, items, judging, runs
from db.engine import Session
from domain.attacks import ATTACKS
from domain.errors import InvalidInputError, Problem
from domain.judging import COMPARED, JudgePlan
from domain.states import Stage
from workflow.access.counted_items import Counting, counting
from workflow.access.projects import Access
from workflow.annotate import stage_kinds
from workflow.runs.judge_plans import of_answers


def units_of(session: Session, access: Access, plan: JudgePlan) -> list[dict[str, Any]]:
    """Return the units of a plan as rows of ``judge_unit`` without their run.

    Raises
    ------
    InvalidInputError
        The plan selects no unit.
    """
    _check_names(session, access, plan)
    if plan.attacks:
        return _attacks(session, access, plan)
    if not of_answers(plan):
        return _items(session, access, plan)
    if plan.chosen == COMPARED:
        return _compared(session, access, plan)
    counted = counted_in(session, access, plan)
    answers = [
        answer
        for answer in judging.answers(session, project_id=access.project_id)
        if counted.counts(answer[1])
        and (plan.dimensions is None or answer[2] in plan.dimensions)
        and (plan.models is None or answer[3] in plan.models)
        and answer[3] != plan.baseline
    ]
    if plan.chosen == "graded":
        graded = judging.graded(session, project_id=access.project_id)
        answers = [answer for answer in answers if answer[0] in graded]
    answers = _drawn(answers, plan)
    if not answers:
        raise InvalidInputError(
            [
                Problem(
                    "answers",
                    f"No items to judge: {access.title} has no matching answers{_of(counted)}. Choose other models or "
                    "dimensions, or import answers.",
                )
            ]
        )
    others = {}
    if plan.baseline is not None:
        others = judging.of_model(session, item_ids=[answer[1] for answer in answers], model=plan.baseline)
    return [
        {
            "item_id": item_id,
            "prediction_id": id,
            "other_id": others[item_id].id if plan.baseline is not None else None,
            "swapped": swapped,
            "attack": None,
            "sample": sample,
        }
        for id, item_id, _, _ in answers
        if plan.baseline is None or item_id in others
        for sample in range(plan.samples)
        for swapped in ((False, True) if plan.swap else (False,))
    ]


def _compared(session: Session, access: Access, plan: JudgePlan) -> list[dict[str, Any]]:
    """Return the pairs of answers that people compare, whether already open or not, in both orders."""
    if access.schema.stages.comparison is None:
        message = (
            f"The schema {access.schema.name} has no comparison stage, so there are no pairs that people compare. "
            "Choose another sample."
        )
        raise InvalidInputError([Problem("chosen", message)])
    counted = counted_in(session, access, plan)
    every = stage_kinds.of(Stage.COMPARISON).units(session, access=access, counted=counted) or ()
    pairs = [pair for pair in every if plan.dimensions is None or pair.dimension in plan.dimensions]
    random.Random(plan.seed).shuffle(pairs)
    if not pairs:
        message = (
            f"No items to judge: {access.title} has no pairs of answers to compare{_of(counted)}. Choose other "
            "dimensions, or import answers."
        )
        raise InvalidInputError([Problem("answers", message)])
    return [
        {
            "item_id": pair.item_id,
            "prediction_id": pair.answers[0],
            "other_id": pair.answers[1],
            "swapped": swapped,
            "attack": None,
            "sample": sample,
        }
        for pair in pairs[: plan.limit]
        for sample in range(plan.samples)
        for swapped in (False, True)
    ]


def counted_in(session: Session, access: Access, plan: JudgePlan) -> Counting:
    """Return which items count in a judge run.

    A judge of items is compared with voters, who saw all items, so the rule of verification holds.
    """
    stage = Stage.GRADING if plan.attacks or of_answers(plan) else Stage.VERIFICATION
    return counting(session, access=access, items_=plan.items, stage=stage)


def _of(counted: Counting) -> str:
    return "" if counted.ids is None else f" to items that count ({counted.sentence.rstrip('.')})"


def _check_names(session: Session, access: Access, plan: JudgePlan) -> None:
    there = items.models(session, project_id=access.project_id)
    wanted = [*(plan.models or ()), *([plan.baseline] if plan.baseline is not None else [])]
    problems = [
        Problem("models", (f"There are no answers from {name!r}. Models with answers: {', '.join(there) or 'none'}."))
        for name in wanted
        if name not in there
    ]
    known = [dimension.id for dimension in access.schema.dimensions]
    problems += [
        Problem("dimensions", f"The schema has no dimension {name!r}. Its dimensions: {', '.join(known)}.")
        for name in plan.dimensions or ()
        if name not in known
    ]
    if problems:
        raise InvalidInputError(problems)


def _drawn(answers: Sequence[tuple[int, int, str, str]], plan: JudgePlan) -> list[tuple[int, int, str, str]]:
    """Return the answers to judge, in an order that depends only on the plan's seed."""
    order = sorted(answers)
    random.Random(plan.seed).shuffle(order)
    if plan.chosen == "stratified":
        left: dict[str, int] = defaultdict(lambda: plan.per_dimension or 0)
        drawn = []
        for answer in order:
            if left[answer[2]] > 0:
                left[answer[2]] -= 1
                drawn.append(answer)
        order = drawn
    return order[: plan.limit]


def _items(session: Session, access: Access, plan: JudgePlan) -> list[dict[str, Any]]:
    """Return the items to judge, for a judge that sees items and not answers."""
    counted = counted_in(session, access, plan)
    units = [
        (id, id, dimension, "")
        for id, _, dimension in files.item_ids(session, project_id=access.project_id)
        if counted.counts(id) and (plan.dimensions is None or dimension in plan.dimensions)
    ]
    drawn = _drawn(units, plan)
    if not drawn:
        raise InvalidInputError(
            [Problem("items", f"No items to judge: {access.title} has no matching items. Choose other items.")]
        )
    return [
        {"item_id": id, "prediction_id": None, "other_id": None, "swapped": False, "attack": None, "sample": sample}
        for id, *_ in drawn
        for sample in range(plan.samples)
    ]


def _attacks(session: Session, access: Access, plan: JudgePlan) -> list[dict[str, Any]]:
    """Return one attack answer of each kind for every item, or for the number of items that the plan allows."""
    counted = counted_in(session, access, plan)
    every = runs.items_of(session, project_id=access.project_id, dimensions=plan.dimensions, states=None)
    item_ids = [id for id in every if counted.counts(id)]
    if not item_ids:
        raise InvalidInputError(
            [Problem("items", f"No items to judge: {access.title} has no matching items. Choose other items.")]
        )
    order = sorted(item_ids)
    random.Random(plan.seed).shuffle(order)
    return [
        {
            "item_id": item_id,
            "prediction_id": None,
            "other_id": None,
            "swapped": False,
            "attack": name,
            "sample": sample,
        }
        for item_id in order[: plan.limit]
        for sample in range(plan.samples)
        for name in ATTACKS
    ]


def store_units(session: Session, run_id: int, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Store the units of a run. Return their ids in the order of the rows."""
    return judging.add_units(session, rows=[{"run_id": run_id, **row} for row in rows])


def items_of(session: Session, ids: Sequence[int]) -> dict[int, int]:
    """Return the item of each stored unit."""
    return {id: row.item_id for id, row in judging.units(session, ids=ids).items()}
