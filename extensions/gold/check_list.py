"""The gold checks of a stage, with how people answered them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from db import qualifications, withdrawn_runs
from db.engine import Store
from domain.exposure import Disclosure, Fact, Route
from domain.records import Person
from domain.states import Stage
from extensions.gold import queries
from extensions.gold.checks import scored_answers
from extensions.gold.making import GoldCandidate, is_usable, known_checks
from workflow.access import exposure
from workflow.access.projects import require_lead


@dataclass(frozen=True)
class GoldLine:
    """A gold check as leads see it."""

    id: str
    known: GoldCandidate
    right: int
    n: int
    """Number of people who answered; skips are left out."""
    skipped: int
    usable: bool
    """Whether the item has not changed since the check was made, so that people still get the check."""
    withdrawn: str | None
    """Why the check was withdrawn, or None."""


def lines(store: Store, *, by: Person | None, project: str, stage: Stage) -> list[GoldLine]:
    """Return all gold checks of a stage, with how often each was answered right; leads only.

    ``by`` may be None for the command on the machine. A lead who has seen the list knows the
    answers and is no longer asked about the items blind.
    """
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        given: dict[int, list[bool | None]] = defaultdict(list)
        for answer, right in scored_answers(session, access, stage):
            given[answer.gold_id].append(right)
        checks = queries.named(session, project_id=access.project_id, stage=stage)
        gone = withdrawn_runs.ids(session, project_id=access.project_id)
        if by is not None:
            known = sorted({item.id for _, item, _ in checks})
            qualifications.note_insights(session, item_ids=known, person_id=by.id, now=store.now())
        made = [
            GoldLine(
                id=row.public_id,
                known=known_checks(row, item, prediction),
                right=sum(right is True for right in given[row.id]),
                n=sum(right is not None for right in given[row.id]),
                skipped=sum(right is None for right in given[row.id]),
                usable=is_usable(row, item, gone),
                withdrawn=row.why if row.withdrawn_at is not None else None,
            )
            for row, item, prediction in checks
        ]
        if by is not None:
            exposure.record_look(
                session,
                access=access,
                person=by,
                item_ids=known,
                route=Route.GOLD,
                record=made,
                told=Disclosure((), (Fact.KEY, Fact.VOTES), (stage,)),
                now=store.now(),
            )
        return made
