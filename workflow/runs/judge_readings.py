"""The readings of judges' replies by a parser. Every reply is stored unchanged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from db import judging
from db.engine import Session, Store
from db.records import StoredAttempt, StoredRun
from domain.errors import ConflictError
from domain.judging import JudgePlan, ReplyOutcome, ReplyReading
from domain.records import Person
from domain.runs import Attempt, Outcome
from inference.judges.parsers import PARSERS, read_reply
from workflow.runs import stored_runs


def verdicts_of(store: Store, *, by: Person | None, run: str) -> dict[str, Counter[ReplyOutcome]]:
    """Return the number of replies with each verdict in a run, by criterion."""
    with store.read() as session:
        row, _ = stored_runs.run_and_access(session, by, run)
        by_criterion: dict[str, Counter[ReplyOutcome]] = {}
        for criterion, verdict, n in judging.counts(session, run_id=row.id):
            by_criterion.setdefault(criterion, Counter())[verdict] += n
    return by_criterion


def read_replies_again(store: Store, *, by: Person | None, run: str) -> int:
    """Read all replies of a run with the present version of its parser, without new questions. Return the number of new
    readings.
    """
    with store.read() as session:
        row, _ = stored_runs.run_and_access(session, by, run)
        plan = stored_runs.plan_of_run(row)
    if not isinstance(plan, JudgePlan):
        raise ConflictError("This run belongs to a model, not to a judge. Choose a run of a judge.")
    return read_again(store, run_id=row.id, plan=plan)


def parsers() -> tuple[str, ...]:
    """Return the names of the parsers."""
    return tuple(PARSERS)


def read_as(parser: str, reply: str, values: Sequence[Any], *, finish_reason: str | None = None) -> ReplyReading:
    """Return the reading of a reply by a parser, outside any run. Parts have the parser's own names."""
    return read_reply(PARSERS[parser], reply, values, finish_reason=finish_reason)


def reading_of(plan: JudgePlan, *, outcome: Outcome, text: str, finish_reason: str | None, error: str) -> ReplyReading:
    """Return the reading of an attempt by the plan's parser."""
    if outcome is Outcome.ANSWERED:
        return read_reply(PARSERS[plan.parser], text, plan.values, finish_reason=finish_reason)
    return ReplyReading(
        ReplyOutcome.of_asking(outcome), why=error or f"The attempt ended as {outcome.value.replace('_', ' ')}."
    )


def rows_of(
    plan: JudgePlan, attempt: Attempt | StoredAttempt, *, attempt_id: int, run_id: int, now: datetime
) -> list[dict[str, Any]]:
    """Return the rows of ``judgement`` for a final attempt, one for each criterion."""
    reading = reading_of(
        plan, outcome=attempt.outcome, text=attempt.text, finish_reason=attempt.finish_reason, error=attempt.error
    )
    parser = PARSERS[plan.parser]
    return [
        row_of(reading, part, criterion, attempt, by=(parser.name, parser.version), ids=(run_id, attempt_id), now=now)
        for part, criterion in plan.criteria.items()
    ]


def row_of(
    found: ReplyReading,
    part: str,
    criterion: str,
    attempt: Attempt | StoredAttempt,
    *,
    by: tuple[str, int],
    ids: tuple[int, int],
    now: datetime,
) -> dict[str, Any]:
    """Return a part of a reading as a row of ``judgement`` about a criterion.

    ``by`` is the name and the version of the reader. ``ids`` are the run's and the attempt's.
    """
    span = found.spans.get(part)
    return {
        "run_id": ids[0],
        "unit_id": attempt.unit_id,
        "attempt_id": ids[1],
        "criterion": criterion,
        "verdict": found.verdict,
        "value": found.values.get(part),
        "start": span[0] if span else None,
        "end": span[1] if span else None,
        "why": found.why,
        "parser": by[0],
        "parser_version": by[1],
        "created_at": now,
    }


def read_again(store: Store, *, run_id: int, plan: JudgePlan) -> int:
    """Read all replies of a run with the present version of its parser, without new questions. Return the number of new
    readings.
    """
    after, new = 0, 0
    while True:
        with store.write() as session:
            some = judging.attempts_to_read(session, run_id=run_id, after=after)
            if not some:
                return new
            now = store.now()
            rows = [
                row for attempt in some for row in rows_of(plan, attempt, attempt_id=attempt.id, run_id=run_id, now=now)
            ]
            new += judging.add(session, rows=rows)
            after = some[-1].id


class KeepReadings:
    """The keeper that stores readings of a judge's replies."""

    def __init__(self, plan: JudgePlan) -> None:
        self.plan = plan

    def prepare(self, store: Store, row: StoredRun, attempts: Sequence[Attempt]) -> None:
        """Do nothing, because reading a reply takes only a moment."""

    def __call__(self, session: Session, row: StoredRun, written: Sequence[tuple[int, Attempt]], now: datetime) -> None:
        judging.add(
            session,
            rows=[
                reading
                for id, attempt in written
                if attempt.final
                for reading in rows_of(self.plan, attempt, attempt_id=id, run_id=row.id, now=now)
            ],
        )
