"""The origin of a project's items: the items of each imported file, and the items that people wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from db import files
from db.engine import Store
from domain.records import Person
from domain.states import ItemState
from extensions.pipelines import queries
from workflow.access.projects import require_lead


@dataclass(frozen=True)
class ItemsOfFile:
    """The items of one file, or the items that people wrote."""

    file: str
    """Empty: people wrote the items."""
    format: str
    at: datetime | None
    states: Mapping[ItemState, int]

    @property
    def n(self) -> int:
        """Return how many items they are."""
        return sum(self.states.values())


def items_by_file(store: Store, *, by: Person, project: str) -> Sequence[ItemsOfFile]:
    """Return the items of each file by state, in order of import; leads only."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        there = {file.id: file for file in files.files(session, project_id=access.project_id)}
        states = queries.states_by_file(session, project_id=access.project_id)
    by_file = [
        ItemsOfFile(file.path, file.format, file.created_at, states[id]) for id, file in there.items() if id in states
    ]
    return [*by_file, *([ItemsOfFile("", "", None, states[None])] if None in states else [])]
