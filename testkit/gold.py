"""Gold checks for tests that do not need the extension that makes them: the rows as its functions store them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlmodel import col, select

from db import items, reworded
from db.engine import Store
from db.tables import GoldRow
from db.task_slots import Slot, open_for_person
from domain.records import Person
from domain.states import Purpose, Stage
from workflow.access.projects import access_to


def make_gold(store: Store, item: str, answers: Mapping[str, Any], *, stage: Stage = Stage.VERIFICATION) -> int:
    """Make a gold check of an item of the project ``p`` and return its id."""
    with store.write() as session:
        access = access_to(session, person=None, project="p")
        row = items.by_external_id(session, project_id=access.project_id, external_id=item)
        assert row is not None
        gold = GoldRow(
            project_id=access.project_id,
            stage=stage.value,
            item_id=row.id,
            revision=row.current_revision,
            dimension=row.dimension,
            answers=dict(answers),
            schema_version_id=access.schema_version_id,
            created_at=store.now(),
        )
        session.add(gold)
        session.flush()
        return gold.id


def assign_gold(store: Store, gold: int, person: Person) -> str:
    """Assign a gold check to a person and return the task's public id."""
    with store.write() as session:
        row = session.get_one(GoldRow, gold)
        slot = Slot(
            project_id=row.project_id,
            stage=Stage(row.stage),
            purpose=Purpose.GOLD,
            unit=f"{Purpose.GOLD.value}/{gold}",
            slot=person.id,
            item_id=row.item_id,
            revision=row.revision,
            dimension=row.dimension,
            person_id=person.id,
            shuffle=0,
            at=store.now(),
        )
        task = open_for_person(session, slot=slot)
        assert task is not None
        return task.public_id


def answers_of_gold(store: Store, *, stage: Stage = Stage.VERIFICATION) -> list[dict[str, Any]]:
    """Return the right answers of all gold checks of the project ``p``, oldest first, in the words of today."""
    with store.read() as session:
        access = access_to(session, person=None, project="p")
        wanted = select(GoldRow).where(GoldRow.project_id == access.project_id, GoldRow.stage == stage.value)
        return [dict(row.answers) for row in reworded.query(session, wanted.order_by(col(GoldRow.id)))]
