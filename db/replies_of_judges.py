"""Queries for reading judges' replies: with their scores, filtered by outcome and subject, and compared by run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, String, Subquery, cast, func
from sqlalchemy import select as sa_select
from sqlmodel import Session, col, select

from db import reworded
from db.records import StoredAnnotation, StoredAttempt, StoredItem, StoredJudgement, StoredJudgeUnit, StoredPerson
from db.tables import AnnotationRow, AttemptRow, ItemRow, JudgementRow, JudgeUnitRow, PersonRow, PredictionRow, RunRow
from domain.judging import ReplyFilter, ReplyOutcome
from domain.runs import chunked
from domain.states import Purpose, Stage


def _newest(run_id: int) -> Subquery:
    """Return the subquery for a run's current scores.

    For each unit and criterion the last attempt counts, as the newest parser version reads it.
    """
    place = func.row_number().over(
        partition_by=(col(JudgementRow.unit_id), col(JudgementRow.criterion)),
        order_by=(
            col(JudgementRow.attempt_id).desc(),
            col(JudgementRow.parser_version).desc(),
            col(JudgementRow.id).desc(),
        ),
    )
    ranked = (
        sa_select(
            col(JudgementRow.id),
            col(JudgementRow.unit_id),
            col(JudgementRow.attempt_id),
            col(JudgementRow.criterion),
            col(JudgementRow.verdict),
            col(JudgementRow.value),
            col(JudgementRow.why),
            col(JudgementRow.parser_version),
            place.label("place"),
        )
        .where(col(JudgementRow.run_id) == run_id)
        .subquery()
    )
    return sa_select(ranked).where(ranked.c.place == 1).subquery()


def attempts(session: Session, *, run_id: int, wanted: ReplyFilter, limit: int) -> list[int]:
    """Return the current attempts that match, newest first."""
    newest = _newest(run_id)
    if wanted.criterion is not None:  # the stored name is the one that the run used
        named = session.connection().scalars(sa_select(newest.c.criterion).distinct()).all()
        fitting = (criterion for criterion in named if _now(session, run_id, criterion) == wanted.criterion)
        wanted = replace(wanted, criterion=next(fitting, wanted.criterion))
    query = (
        sa_select(newest.c.attempt_id)
        .join(JudgeUnitRow, col(JudgeUnitRow.id) == newest.c.unit_id)
        .join(ItemRow, col(ItemRow.id) == col(JudgeUnitRow.item_id))
        .join(PredictionRow, col(PredictionRow.id) == col(JudgeUnitRow.prediction_id), isouter=True)
        .where(*_fitting(newest, wanted))
        .distinct()
        .order_by(newest.c.attempt_id.desc())
        .limit(limit)
    )
    return [id for (id,) in session.connection().execute(query)]


def _now(session: Session, run_id: int, criterion: str) -> str:
    """Return the present name of a criterion that a run used."""
    return reworded.judged(session, run_id=run_id, criterion=criterion)[0]


def _fitting(newest: Subquery, wanted: ReplyFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.verdicts is not None:
        conditions.append(newest.c.verdict.in_([str(verdict) for verdict in wanted.verdicts]))
    if wanted.criterion is not None:
        conditions.append(newest.c.criterion == wanted.criterion)
    if wanted.dimension is not None:
        conditions.append(col(ItemRow.dimension) == wanted.dimension)
    if wanted.model is not None:
        conditions.append(col(PredictionRow.model) == wanted.model)
    if wanted.attack is not None:
        conditions.append(col(JudgeUnitRow.attack) == wanted.attack)
    if wanted.unit_ids is not None:
        conditions.append(newest.c.unit_id.in_(list(wanted.unit_ids)))
    if wanted.before is not None:
        conditions.append(newest.c.attempt_id < wanted.before)
    return conditions


@dataclass(frozen=True)
class AttemptContext:
    """An attempt with its unit and item."""

    attempt: StoredAttempt
    unit: StoredJudgeUnit
    item: StoredItem


def contexts(session: Session, *, attempt_ids: Sequence[int]) -> dict[int, AttemptContext]:
    """Return attempts with their units and items, by id."""
    attempt_contexts: dict[int, AttemptContext] = {}
    for some in chunked(attempt_ids):
        wanted = (
            select(AttemptRow, JudgeUnitRow, ItemRow)
            .join(JudgeUnitRow, col(JudgeUnitRow.id) == AttemptRow.unit_id)
            .join(ItemRow, col(ItemRow.id) == JudgeUnitRow.item_id)
            .where(col(AttemptRow.id).in_(some))
        )
        attempt_contexts |= {
            attempt.id: AttemptContext(attempt, unit, item) for attempt, unit, item in session.exec(wanted)
        }
    return attempt_contexts


def readings(session: Session, *, attempt_ids: Sequence[int]) -> dict[int, list[StoredJudgement]]:
    """Return all scores of attempts, by attempt, the newest parser version first."""
    stored_judgements: dict[int, list[StoredJudgement]] = {}
    for some in chunked(attempt_ids):
        wanted = (
            select(JudgementRow)
            .where(col(JudgementRow.attempt_id).in_(some))
            .order_by(col(JudgementRow.parser_version).desc(), col(JudgementRow.id))
        )
        for row in reworded.query(session, wanted):
            stored_judgements.setdefault(row.attempt_id, []).append(row)
    return stored_judgements


def grades(session: Session, *, prediction_ids: Sequence[int]) -> list[tuple[StoredAnnotation, StoredPerson]]:
    """Return people's current grades of these answers, with the graders."""
    pairs: list[tuple[StoredAnnotation, StoredPerson]] = []
    for some in chunked(prediction_ids):
        newer = select(AnnotationRow.supersedes_id).where(
            col(AnnotationRow.supersedes_id).is_not(None), col(AnnotationRow.prediction_id).in_(some)
        )
        wanted = (
            select(AnnotationRow, PersonRow)
            .join(PersonRow, col(PersonRow.id) == AnnotationRow.person_id)
            .where(
                col(AnnotationRow.prediction_id).in_(some),
                AnnotationRow.stage == Stage.GRADING,
                AnnotationRow.purpose == Purpose.LIVE,
                col(AnnotationRow.id).not_in(newer),
            )
            .order_by(col(AnnotationRow.id))
        )
        pairs += reworded.query(session, wanted)
    return pairs


def reasons(session: Session, *, run_id: int, limit: int = 30) -> list[tuple[ReplyOutcome, str, int]]:
    """Return why scores are missing: verdict, reason and number of replies, most frequent first."""
    newest = _newest(run_id)
    wanted = (
        sa_select(newest.c.verdict, newest.c.why, func.count().label("n"))
        .where(newest.c.verdict != str(ReplyOutcome.SCORED))
        .group_by(newest.c.verdict, newest.c.why)
        .order_by(func.count().desc(), newest.c.verdict, newest.c.why)
        .limit(limit)
    )
    return [(ReplyOutcome(verdict), why, n) for verdict, why, n in session.connection().execute(wanted)]


def counts(session: Session, *, run_id: int) -> list[tuple[str, ReplyOutcome, Any, bool, int]]:
    """Count a run's results: criterion, verdict, value, whether the order was swapped, and the count."""
    newest = _newest(run_id)
    value = cast(newest.c.value, String)
    wanted = (
        sa_select(newest.c.criterion, newest.c.verdict, value, col(JudgeUnitRow.swapped), func.count())
        .join(JudgeUnitRow, col(JudgeUnitRow.id) == newest.c.unit_id)
        .group_by(newest.c.criterion, newest.c.verdict, value, col(JudgeUnitRow.swapped))
        .order_by(newest.c.criterion, newest.c.verdict, value, col(JudgeUnitRow.swapped))
    )
    return [
        (
            *_line(
                session,
                run_id,
                criterion,
                ReplyOutcome(verdict),
                None if value_text is None else json.loads(value_text),
            ),
            bool(swapped),
            n,
        )
        for criterion, verdict, value_text, swapped, n in session.connection().execute(wanted).all()
    ]


def _line(
    session: Session, run_id: int, criterion: str, verdict: ReplyOutcome, value: Any
) -> tuple[str, ReplyOutcome, Any]:
    """Return a row of ``counts`` in the words of the current schema."""
    criterion, value = reworded.judged(session, run_id=run_id, criterion=criterion, value=value)
    return criterion, verdict, value


def read_before(session: Session, *, run_id: int, version: int) -> int:
    """Count the current attempts that only an earlier parser version has read."""
    newest = _newest(run_id)
    wanted = sa_select(func.count(newest.c.attempt_id.distinct())).where(newest.c.parser_version < version)
    return session.connection().execute(wanted).scalar_one()


def newest_readings(session: Session, *, project_id: int) -> dict[str, int]:
    """Return the id of the newest score of each judge's run that has scores, by the run's public id."""
    wanted = (
        sa_select(col(RunRow.public_id), func.max(col(JudgementRow.id)))
        .join(JudgementRow, col(JudgementRow.run_id) == col(RunRow.id))
        .where(col(RunRow.project_id) == project_id)
        .group_by(col(RunRow.public_id))
    )
    return {run: id for run, id in session.connection().execute(wanted)}


def models(session: Session, *, run_id: int) -> list[str]:
    """Return the models whose answers a run judges."""
    wanted = (
        select(PredictionRow.model)
        .join(JudgeUnitRow, col(JudgeUnitRow.prediction_id) == PredictionRow.id)
        .where(JudgeUnitRow.run_id == run_id)
        .distinct()
        .order_by(PredictionRow.model)
    )
    return list(session.exec(wanted))
