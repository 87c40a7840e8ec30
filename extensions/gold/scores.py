"""Gold check results for leads: people's scores, who is stopped, and how to reinstate them."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from db import people
from db.engine import Session, Store
from domain import csv_text
from domain.errors import ConflictError, NotFoundError
from domain.records import Person
from domain.states import Stage
from extensions.gold import queries
from extensions.gold.check_rules import GoldStanding
from extensions.gold.checks import (
    STAGES,
    asked_or_refuse,
    checked_reason,
    policy,
    scored_answers,
    standing_of,
)
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead


@dataclass(frozen=True)
class GoldScore:
    """A person's answers to gold checks in a stage, with Wilson's 95 % limits (None without answers)."""

    person: str
    name: str
    right: int
    n: int
    skipped: int
    standing: GoldStanding
    low: float | None
    high: float | None
    since: datetime | None
    """Time of the person's last reinstatement; only later answers decide their standing."""


def scores(store: Store, *, by: Person | None, project: str, stage: Stage) -> list[GoldScore]:
    """Return the scores of everyone who has answered gold checks in a stage, by login; leads only."""
    from agreement.limits import wilson  # imports numpy, which would slow down claims

    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        asked = policy(access, stage)
        if asked is None:
            return []
        given: dict[int, list[bool | None]] = defaultdict(list)
        for answer, right in scored_answers(session, access, stage):
            given[answer.person_id].append(right)
        pardoned = queries.pardons(session, project_id=access.project_id, stage=stage)
        gold_scores = []
        for row in people.all_people(session):
            if row.id not in given:
                continue
            outcomes = given[row.id]
            n, n_right = sum(outcome is not None for outcome in outcomes), sum(outcome is True for outcome in outcomes)
            limits = wilson(n_right / n, n) if n else None
            gold_scores.append(
                GoldScore(
                    person=row.login,
                    name=row.name,
                    right=n_right,
                    n=n,
                    skipped=len(outcomes) - n,
                    standing=standing_of(session, access, stage, asked, row.id),
                    low=limits.low if limits else None,
                    high=limits.high if limits else None,
                    since=pardoned.get(row.id),
                )
            )
        return sorted(gold_scores, key=lambda score: score.person)


def stopped(session: Session, *, access: Access) -> list[tuple[Stage, str]]:
    """Return the stages in which gold answers have stopped people, with the people's names."""
    stops = []
    for stage in STAGES:
        asked = policy(access, stage)
        if asked is None or asked.stop_below is None:
            continue
        answered = {answer.person_id for answer, _ in scored_answers(session, access, stage)}
        for person_id, name in sorted(people.names(session, ids=answered).items()):
            if standing_of(session, access, stage, asked, person_id) is GoldStanding.STOPPED:
                stops.append((stage, name))
    return stops


def reinstate(store: Store, *, by: Person | None, project: str, login: str, stage: Stage, why: str) -> None:
    """Reinstate a person whom gold answers have stopped; only later answers count from now on."""
    why = checked_reason(why, "Give the reason for reinstating this person. Touchstone stores the reason.")
    with store.write() as session:
        access, now = require_lead(session, by=by, project=project), store.now()
        asked = asked_or_refuse(access, stage)
        row = people.by_login(session, login=login.strip().casefold())
        if row is None:
            raise NotFoundError(f"Unknown login: {login!r}.")
        if standing_of(session, access, stage, asked, row.id) is not GoldStanding.STOPPED:
            raise ConflictError(
                f"Gold checks have not stopped {row.name} in the {access.schema.stages.in_a_sentence(stage.value)}. "
                "Choose another person."
            )
        queries.pardon(
            session,
            project_id=access.project_id,
            stage=stage,
            person_id=row.id,
            by_id=by.id if by else None,
            why=why,
            now=now,
        )
        data = {"stage": stage.value, "login": row.login, "why": why}
        log(session, "gold.let_go_on", by=by, project=access, now=now, data=data)


def as_csv(found: Iterable[GoldScore]) -> str:
    """Return the scores as CSV text."""
    out = io.StringIO(newline="")
    writer = csv_text.Writer(out)
    writer.writerow(["person", "name", "right", "n", "share", "low", "high", "skipped", "standing"])
    for score in found:
        limits = () if score.low is None or score.high is None else (score.right / score.n, score.low, score.high)
        share: list[object] = [round(value, 4) for value in limits] or ["", "", ""]
        writer.writerow([score.person, score.name, score.right, score.n, *share, score.skipped, score.standing.value])
    return out.getvalue()
