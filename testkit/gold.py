"""Gold checks for tests that do not need the extension that makes them: the rows as its functions store them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from db import gold_items, items
from db.engine import Store
from domain.records import Person
from domain.states import Stage
from workflow.access.projects import access_to


def make_gold(store: Store, item: str, answers: Mapping[str, Any], *, stage: Stage = Stage.VERIFICATION) -> int:
    """Make a gold check of an item of the project ``p`` and return its id."""
    with store.write() as session:
        access = access_to(session, person=None, project="p")
        row = items.by_external_id(session, project_id=access.project_id, external_id=item)
        assert row is not None
        made = gold_items.make(
            session,
            project_id=access.project_id,
            stage=stage,
            item=row,
            prediction=None,
            answers=answers,
            schema_version_id=access.schema_version_id,
            by_id=None,
            now=store.now(),
        )
        return made.id


def assign_gold(store: Store, gold: int, person: Person) -> str:
    """Assign a gold check to a person and return the task's public id."""
    with store.write() as session:
        task = gold_items.assign(session, gold_id=gold, person_id=person.id, now=store.now(), shuffle=0)
        assert task is not None
        return task.public_id


def answers_of_gold(store: Store, *, stage: Stage = Stage.VERIFICATION) -> list[dict[str, Any]]:
    """Return the right answers of all gold checks of the project ``p``, oldest first, in the words of today."""
    with store.read() as session:
        access = access_to(session, person=None, project="p")
        return [dict(row.answers) for row, *_ in gold_items.named(session, project_id=access.project_id, stage=stage)]
