"""Opening the slots of refinement: models' answers shown beside a revision of their items."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from db import tasks
from db.engine import Session
from domain.states import Stage
from workflow.projects import Access


def feed(session: Session, *, access: Access, answers: Iterable[tuple[int, int, int, str]], now: datetime) -> int:
    """Open one slot for each answer (prediction id, item id, revision, dimension); the number of new slots.

    Feeding twice opens once.
    """
    if access.schema.stages.refinement is None:
        return 0
    slots = []
    for prediction_id, item_id, revision, dimension in answers:
        unit = tasks.unit_of_refinement(prediction_id=prediction_id, revision=revision)
        slots.append(
            {
                "project_id": access.project_id,
                "stage": Stage.REFINEMENT,
                "unit": unit,
                "slot": 0,
                "item_id": item_id,
                "revision": revision,
                "prediction_id": prediction_id,
                "dimension": dimension,
                "shuffle": tasks.shuffle_key(seed=access.seed, unit=unit, slot=0),
                "created_at": now,
            }
        )
    there = tasks.fed_units(session, project_id=access.project_id) if slots else set()
    new = [slot for slot in slots if slot["unit"] not in there]
    tasks.add_slots(session, slots=new)
    return len(new)
