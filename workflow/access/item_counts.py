"""Count a project's items as ``domain.item_counts`` defines it. Every page, forecast and release asks here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from db import items, task_counts
from db.engine import Session
from domain.item_counts import ItemCounts
from domain.states import ItemState
from workflow.access.projects import Access


def count_by_dimension(session: Session, *, access: Access) -> Mapping[str, ItemCounts]:
    """Return the counts of a project's dimensions, in the order of the schema."""
    states: dict[str, dict[ItemState, int]] = defaultdict(dict)
    for (dimension, state), n in items.count_by_state(session, project_id=access.project_id).items():
        states[dimension][state] = n
    begun = task_counts.begun_items(session, project_id=access.project_id)
    return {
        dimension.id: ItemCounts.of_dimension(
            states[dimension.id], wanted=dimension.wanted, in_progress=begun.get(dimension.id, 0)
        )
        for dimension in access.schema.dimensions
    }


def count_project(session: Session, *, access: Access) -> ItemCounts:
    """Return the counts of a whole project."""
    return ItemCounts.total(count_by_dimension(session, access=access).values())
