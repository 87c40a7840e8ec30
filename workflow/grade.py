"""Grading: people grade models' answers without knowing the models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from annotation_schemas import kinds, registry
from annotation_schemas.answers import PREDICTION
from db import items, tasks
from db.engine import Session
from db.tables import TaskRow
from domain.errors import Problem
from domain.records import Person, Submission
from domain.states import ItemState, Stage
from workflow.projects import Access


def open_grading(
    session: Session, *, access: Access, predictions: Iterable[tuple[int, int, str]], now: datetime
) -> int:
    """Open the slots for grading new predictions (prediction id, item id, dimension); the number of slots.

    Dimensions that the schema does not let people grade get none. Opening twice opens once.
    """
    stage = access.schema.stages.grading
    if stage is None:
        return 0
    slots = []
    predictions = list(predictions)
    by_priority = stage.order == "priority"
    priorities = items.priorities(session, item_ids=[id for _, id, _ in predictions]) if by_priority else {}
    for prediction_id, item_id, dimension in predictions:
        if stage.dimensions is not None and dimension not in stage.dimensions:
            continue
        unit = tasks.unit_of_prediction(prediction_id=prediction_id)
        slots += [
            {
                "project_id": access.project_id,
                "stage": Stage.GRADING,
                "unit": unit,
                "slot": slot,
                "item_id": item_id,
                "prediction_id": prediction_id,
                "dimension": dimension,
                "rank": tasks.rank_of(stage.order, slot=slot, item_id=item_id, priority=priorities.get(item_id, 0)),
                "shuffle": tasks.shuffle_key(seed=access.seed, unit=unit, slot=slot),
                "created_at": now,
            }
            for slot in range(stage.raters)
        ]
    return tasks.add_slots(session, slots=slots)


# ---- the step of submit ----------------------------------------------------------------------------------------------


def check(session: Session, access: Access, row: TaskRow, given: Submission) -> Sequence[Problem]:
    """What is wrong with a grade."""
    stage = access.schema.stages.grading
    if stage is None or row.item_id is None:
        return [Problem("stage", "This project has no grading.")]
    item = items.by_id(session, id=row.item_id)
    fields = items.content(session, item_id=row.item_id, revision=item.current_revision)
    if row.prediction_id is not None:
        fields[PREDICTION] = items.prediction(session, id=row.prediction_id).text
    return kinds.check_answers(
        registry.criteria_of(access.schema, "grading", row.dimension), given.values, given.reasons, fields
    )


def place(
    session: Session, access: Access, row: TaskRow, given: Submission, person: Person, now: datetime
) -> tuple[int, int]:
    """The item that the answer is about, as it stands."""
    item = items.by_id(session, id=row.item_id or 0)
    return item.id or 0, item.current_revision


def after(
    session: Session, access: Access, row: TaskRow, given: Submission, person: Person, now: datetime
) -> ItemState | None:
    """Grades say nothing about the item itself."""
    return items.by_id(session, id=row.item_id or 0).state


def why_fixed(session: Session, access: Access, row: TaskRow, now: datetime) -> str | None:
    """A grade can always be corrected: no verdict hangs on it."""
    return None
