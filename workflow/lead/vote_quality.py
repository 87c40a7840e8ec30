"""Count the items on which votes agree or differ."""

from __future__ import annotations

from dataclasses import dataclass

from db import item_list
from db.engine import Store
from db.item_list import ListScope
from domain.item_filter import ItemFilter, Range
from domain.records import Person
from workflow.access.projects import require_lead

COMPARED = ItemFilter(votes=Range(low=2))
"""Items on which at least two votes count."""
DIFFERENT = ItemFilter(votes=Range(low=2), differ=True)
"""Those of them on which votes of one stage differ."""


@dataclass(frozen=True)
class VoteQuality:
    """Counts of items by their votes."""

    compared: int
    different: int


def vote_quality(store: Store, *, by: Person | None, project: str) -> VoteQuality:
    """Return how many items have votes to compare, and how many of these have different ones, for leads."""
    with store.read() as session:
        scope = ListScope(project_id=require_lead(session, by=by, project=project).project_id)
        counts = (item_list.page(session, within=scope, wanted=wanted, limit=0)[1] for wanted in (COMPARED, DIFFERENT))
        return VoteQuality(*counts)
