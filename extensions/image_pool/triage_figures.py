"""The schema's triage, the number of candidates that wait, and checks of the counts of sources."""

from __future__ import annotations

import time

from annotation_schemas.model import Triage
from db.engine import Session
from domain.english import with_noun
from domain.errors import NotAllowedError
from extensions.image_pool import queries
from workflow.access.projects import Access


def waiting(session: Session, *, access: Access) -> int:
    """Return how many candidates may still be kept.

    From ``MANY`` on they are counted so rarely that counting takes at most 1/``RECOUNT_COST`` of the time.
    """
    place = (str(session.get_bind().engine.url), access.project_id)
    value, until = _counted_last.get(place, (0, 0.0))
    began = time.monotonic()
    if began < until:
        return value
    value = queries.count_open(session, project_id=access.project_id, per_source=triage_of(access).per_source)
    took = time.monotonic() - began
    _counted_last[place] = (value, began + took * RECOUNT_COST if value >= MANY else 0.0)
    return value


RECOUNT_COST = 100

MANY = 1000

_counted_last: dict[tuple[str, int], tuple[int, float]] = {}
"""Last count and its expiry time, by database and project."""


def broken_rules(session: Session, *, access: Access) -> list[str]:
    """Return sentences on sources with more kept images than the schema allows, or with a wrong count."""
    part = access.schema.stages.triage
    if part is None:
        return []
    problems = []
    for name, kept, counted in queries.kept_by_source(session, project_id=access.project_id):
        if part.per_source is not None and kept > part.per_source:
            problems.append(
                f"source {name} has {with_noun(kept, 'kept frame')}, but the schema allows {part.per_source}."
            )
        if kept != counted:
            problems.append(f"source {name} is recorded with {with_noun(counted, 'kept frame')}, but has {kept}.")
    return problems


def triage_of(access: Access) -> Triage:
    """Return the schema's triage; raise ``NotAllowedError`` if the schema has no triage."""
    part = access.schema.stages.triage
    if part is None:
        raise NotAllowedError("This project has no triage stage. See the project's stages on My work.")
    return part
