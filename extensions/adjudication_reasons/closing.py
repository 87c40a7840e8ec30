"""Reasons that need no new guideline: a lead says why it stays as it is."""

from __future__ import annotations

from db import guidelines, projects
from db.engine import Store
from domain.errors import InvalidInputError, Problem
from domain.records import Person
from workflow.access.event_log import log
from workflow.access.guidelines import LONGEST_WHY, close_decisions
from workflow.access.projects import require_lead


def answer(store: Store, *, by: Person | None, project: str, reason: str, dimension: str, why: str) -> int:
    """Record why the open decisions with a reason in a dimension need no new guideline; return their number."""
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        if not why.strip() or len(why) > LONGEST_WHY:
            raise InvalidInputError([Problem("why", "Say in a sentence why the guideline stays as it is.")])
        now = store.now()
        projects.lock(session, id=access.project_id)
        current = guidelines.by_hash(session, project_id=access.project_id, hash=access.loaded.guideline_hash)
        n = close_decisions(
            session, access, (current.id if current else 0) or 0, [(reason, dimension)], by=by, why=why.strip(), now=now
        )
        data = {"cause": reason, "dimension": dimension, "why": why.strip(), "decisions": n}
        log(session, "cause.answered", by=by, project=access, now=now, data=data)
        return n
