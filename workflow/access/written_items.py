"""Counts of items that are written, in progress and left to write, the same for every page and forecast.

*Written* are all existing items, including rejected ones. *Left to write* is the number wanted, less the written
items that are not rejected, and never below zero. *In progress* are items that authors have started but not
submitted; they are part of those left to write.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from db import items, task_counts
from db.engine import Session
from domain.states import ItemState
from workflow.access.projects import Access


@dataclass(frozen=True)
class WrittenItems:
    """The counts of a dimension."""

    wanted: int | None
    """Number of items wanted; None means that the schema sets no number, so no item is left to write."""
    written: int
    rejected: int
    in_progress: int

    @property
    def left(self) -> int:
        """Number of items left to write.

        >>> WrittenItems(wanted=10, written=7, rejected=2, in_progress=1).left
        5
        """
        return 0 if self.wanted is None else max(self.wanted - (self.written - self.rejected), 0)

    @property
    def to_begin(self) -> int:
        """Number of items left to write that no author has started.

        >>> WrittenItems(wanted=10, written=7, rejected=2, in_progress=1).to_begin
        4
        """
        return max(self.left - self.in_progress, 0)


def count_written(session: Session, *, access: Access) -> Mapping[str, WrittenItems]:
    """Count the items of a project by dimension, in the order of the schema."""
    states = items.count_by_state(session, project_id=access.project_id)
    begun = task_counts.begun_items(session, project_id=access.project_id)
    return {
        dimension.id: WrittenItems(
            wanted=dimension.wanted,
            written=sum(n for (where, _), n in states.items() if where == dimension.id),
            rejected=states.get((dimension.id, ItemState.REJECTED), 0),
            in_progress=begun.get(dimension.id, 0),
        )
        for dimension in access.schema.dimensions
    }


def left_to_write(session: Session, *, access: Access) -> int:
    """Count the items left to write in all dimensions."""
    return sum(written.left for written in count_written(session, access=access).values())
