"""The results of models for the page Shortcuts. They are computed at once, so choices on the page need no new run."""

from __future__ import annotations

from dataclasses import dataclass, replace

from db import items as stored_items
from db.engine import Store
from domain.records import Person
from domain.run_kinds import RunKind
from domain.states import Items
from extensions.shortcuts import queries
from extensions.shortcuts.model_files import as_csv
from extensions.shortcuts.model_shortcuts import ModelShortcuts, measure_models
from workflow.access.projects import require_lead
from workflow.releases import set_items
from workflow.results import leaderboard_page


@dataclass(frozen=True)
class ModelPage:
    """The results that the page shows."""

    found: ModelShortcuts
    """The results without the replies, which are many."""
    file: str
    """The replies as CSV."""


def measure_for_page(store: Store, *, project: str, items: Items | None = None) -> ModelPage:
    """Return the results for the items that count in a project. The caller checks that the person may see them."""
    results = measure_models(store, by=None, project=project, items_=items)
    return ModelPage(replace(results, said=()), as_csv(results, second=False))


def mark(store: Store, *, by: Person | None, project: str) -> tuple[int | str, ...]:
    """Return a value that changes whenever the results may change."""
    answered = leaderboard_page.mark(store, person=by, project=project)
    return (*set_items.mark(store, by=by, project=project), *answered)


def size(store: Store, *, by: Person | None, project: str) -> int:
    """Return the number of items and of attempts in runs that look for shortcuts."""
    with store.read() as session:
        id = require_lead(session, by=by, project=project).project_id
        asked = queries.count(session, project_id=id, kind=RunKind.SHORTCUT)
        return stored_items.count(session, project_id=id) + asked
