"""Reasons are closed by a new version of the guideline, or by a lead who explains why it stays unchanged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from db import guidelines, projects
from db.engine import Session, Store
from domain.errors import InvalidInputError, Problem
from domain.records import Person, ProjectView
from extensions.adjudication_reasons import queries
from extensions.adjudication_reasons.reasons import reasons, title_of
from workflow.access.event_log import log
from workflow.access.guidelines import LONGEST_WHY
from workflow.access.projects import Access, require_lead


def answer(store: Store, *, by: Person | None, project: str, reason: str, dimension: str, why: str) -> int:
    """Record why the open decisions with a reason in a dimension need no new guideline; return their number."""
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        if not why.strip() or len(why) > LONGEST_WHY:
            raise InvalidInputError([Problem("why", "Explain in one sentence why the guideline stays unchanged.")])
        now = store.now()
        projects.lock(session, id=access.project_id)
        current = guidelines.by_hash(session, project_id=access.project_id, hash=access.loaded.guideline_hash)
        n = close(
            session, access, (current.id if current else 0) or 0, [(reason, dimension)], by=by, why=why.strip(), now=now
        )
        data = {"cause": reason, "dimension": dimension, "why": why.strip(), "decisions": n}
        log(session, "cause.answered", by=by, project=access, now=now, data=data)
        return n


def waiting(store: Store, *, by: Person, view: ProjectView) -> dict[tuple[str, str], str]:
    """Return the title of each reason with open decisions, by the reason and its dimension."""
    lines = reasons(store, by=by, project=view.name)
    return {(line.reason, line.dimension): title_of(view, line) for line in lines if line.open}


def close(
    session: Session,
    access: Access,
    version_id: int,
    answers: Sequence[tuple[str, str]],
    *,
    by: Person | None,
    why: str,
    now: datetime,
) -> int:
    """Record that a version answers all open decisions with these reasons and return their number.

    Reasons come with their dimensions. The caller must hold the lock on the project.
    """
    open_: dict[tuple[str, str], list[int]] = defaultdict(list)
    for decision in queries.decisions(session, project_id=access.project_id):
        if decision.version_id is None:
            open_[decision.cause, decision.dimension].append(decision.id)
    for reason, dimension in answers:
        if (reason, dimension) not in open_:
            raise InvalidInputError(
                [
                    Problem(
                        "answers",
                        f"No open decision in {dimension} has the reason {reason!r}. Reload the page and "
                        "choose another reason.",
                    )
                ]
            )
    ids = [id for key in dict.fromkeys(answers) for id in open_[key]]
    note = {"guideline_version_id": version_id, "why": why, "by_id": by.id if by else None, "created_at": now}
    queries.add_answers(session, rows=[{"annotation_id": id, **note} for id in ids])
    return len(ids)
