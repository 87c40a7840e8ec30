"""What a run will do, before anything of it is done: which items, which prompts, and what cannot be asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from db import items
from db.engine import Store
from domain.records import Person
from domain.runs import RunPlan
from domain.settings import Settings
from inference.spec import ModelSpec
from workflow.access.projects import require_lead
from workflow.runs import model_runs
from workflow.runs.model_questions import Asker, Preview

if TYPE_CHECKING:
    from media.store import MediaStore

LOOKED_AT = 2_000
"""So many items are looked at, so that the page of a large project answers within a moment."""


@dataclass(frozen=True)
class Foreseen:
    """What a run will be like."""

    wanted: int
    """How many items it is about."""
    by_dimension: Mapping[str, int]
    """Of them, in the schema's order."""
    looked_at: int
    """For so many of them, the first ones, ``preview`` tells what can be asked."""
    preview: Preview


def foresee(
    store: Store,
    media: MediaStore,
    *,
    by: Person | None,
    project: str,
    spec: ModelSpec,
    plan: RunPlan,
    settings: Settings,
    first: int = 3,
    most: int = LOOKED_AT,
) -> Foreseen:
    """Look at what ``runs.start`` would ask; raises what it would raise."""
    model_runs.check_plan(spec, plan)
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        wanted = model_runs.wanted_items(session, access, plan)
        dimensions = Counter(
            row.dimension
            for start in range(0, len(wanted), _AT_ONCE)
            for row in items.by_ids(session, ids=wanted[start : start + _AT_ONCE]).values()
        )
    asker = Asker(store, media, schema=access.schema, plan=plan, spec=spec, cache=cache_of(settings))
    looked_at = wanted[:most]
    return Foreseen(
        wanted=len(wanted),
        by_dimension={each.id: dimensions[each.id] for each in access.schema.dimensions if dimensions[each.id]},
        looked_at=len(looked_at),
        preview=asker.describe(looked_at, first=first),
    )


_AT_ONCE = 500


def cache_of(settings: Settings) -> Path:
    """Where pictures lie as models get them."""
    return settings.home / "prepared"
