"""Queries for results: models' answers, the outcomes of missing answers, and the texts of chosen answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func
from sqlalchemy import select as plain_select
from sqlmodel import Session, col, select

from db import readings, reworded
from db.attributes import DESCRIBED, LABELLED
from db.file_raters import MARKED
from db.records import StoredImportedRating, StoredRun
from db.tables import (
    AnnotationRow,
    AttemptRow,
    EventRow,
    ImportedRatingRow,
    ItemRow,
    JudgementRow,
    PersonRow,
    PredictionRow,
    RunChunkRow,
    RunRow,
    SchemaChangeRow,
)
from db.withdrawn_runs import TAKEN_BACK, WITHDRAWN, of_counting_runs
from domain.run_kinds import RunKind
from domain.runs import Outcome, chunked
from domain.states import Purpose, Stage

OF_ANSWERS = (Stage.GRADING, Stage.COMPARISON, Stage.CODING, Stage.ARBITRATION)
"""The stages in which people judge models' answers without changing the item."""

ANSWERING = tuple(kind for kind in RunKind if kind.answers)
"""Kinds of runs whose attempts are answers to items."""

CODING_OPENED = "coding.opened"
CODING_EXTENDED = "coding.extended"
"""Kinds of events: answers were sent to coding, or a lead asks for more coded answers than the schema does."""
COMPARISON_OPENED = "comparison.opened"
COMPARISON_RENEWED = "comparison.renewed"
"""Kinds of events: pairs of answers were opened for comparison, or a pair was replaced by newer answers."""

_SAMPLES = ("grading.drawn", "grading.extended", "grading.sample_opened")
_SENT = (*_SAMPLES, COMPARISON_OPENED, COMPARISON_RENEWED, CODING_OPENED, CODING_EXTENDED)
_SAID = (MARKED, DESCRIBED, LABELLED)
_CHANGING = ("item.revised", "item.state", "answers.read", *_SENT, *_SAID, WITHDRAWN, TAKEN_BACK)
"""Kinds of events that can change results."""


def mark(session: Session, *, project_id: int) -> tuple[int, ...]:
    """Return numbers that change whenever something that results are made of changes."""
    of_project = select(RunRow.id).where(RunRow.project_id == project_id)
    wanted: list[Any] = [
        select(func.max(col(PredictionRow.id))).where(PredictionRow.project_id == project_id),
        select(func.max(col(AnnotationRow.id))).where(
            AnnotationRow.project_id == project_id, col(AnnotationRow.stage).in_(OF_ANSWERS)
        ),
        select(func.max(col(ImportedRatingRow.id))).where(
            ImportedRatingRow.project_id == project_id, ImportedRatingRow.stage == Stage.GRADING
        ),
        select(func.max(col(AttemptRow.id))).where(col(AttemptRow.run_id).in_(of_project)),
        select(func.max(col(JudgementRow.id))).where(col(JudgementRow.run_id).in_(of_project)),
        select(func.max(col(RunRow.id))).where(RunRow.project_id == project_id),
        select(func.max(col(EventRow.id))).where(EventRow.project_id == project_id, col(EventRow.kind).in_(_CHANGING)),
        select(func.max(col(ItemRow.id))).where(ItemRow.project_id == project_id),
        select(func.max(col(SchemaChangeRow.number))).where(SchemaChangeRow.project_id == project_id),
    ]
    newest_ids = session.connection().execute(plain_select(*(query.scalar_subquery() for query in wanted))).one()
    return (*(newest_id or 0 for newest_id in newest_ids), readings.newest(session, project_id=project_id))


def count(session: Session, *, project_id: int) -> int:
    """Count a project's answers of models, including superseded and withdrawn answers."""
    wanted = select(func.count()).where(PredictionRow.project_id == project_id)
    return session.exec(wanted).one()


def any_asked(session: Session, *, project_id: int) -> bool:
    """Tell whether a project has an answer, or a run of a model or of imported answers that is not withdrawn."""
    asked = select(RunRow.id).where(
        RunRow.project_id == project_id, col(RunRow.kind).in_(ANSWERING), col(RunRow.withdrawn_at).is_(None)
    )
    answered = select(PredictionRow.id).where(PredictionRow.project_id == project_id)
    return any(session.exec(query.limit(1)).first() is not None for query in (asked, answered))


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """A model's answer."""

    id: int
    item_id: int
    run_id: int
    model: str
    text: str
    created_at: datetime


def answers(
    session: Session, *, project_id: int, item_id: int | None = None, item_ids: Sequence[int] | None = None
) -> list[AnswerPart]:
    """Return the models' answers in a project, or to the given items, oldest first."""
    wanted = plain_select(
        col(PredictionRow.id),
        col(PredictionRow.item_id),
        col(PredictionRow.run_id),
        col(PredictionRow.model),
        col(PredictionRow.text),
        col(PredictionRow.created_at),
    ).where(col(PredictionRow.project_id) == project_id, of_counting_runs())
    if item_id is not None:
        wanted = wanted.where(col(PredictionRow.item_id) == item_id)
    if item_ids is not None:
        wanted = wanted.where(col(PredictionRow.item_id).in_(item_ids))
    rows = session.connection().execute(wanted.order_by(col(PredictionRow.id)))
    return [
        AnswerPart(id, item_id, run_id, model, text, created_at)
        for id, item_id, run_id, model, text, created_at in rows
    ]


def last(session: Session, *, project_id: int) -> dict[int, int]:
    """Return every model's last answer to each item: the item's id by the answer's id."""
    wanted = (
        plain_select(func.max(col(PredictionRow.id)), col(PredictionRow.item_id))
        .where(col(PredictionRow.project_id) == project_id, of_counting_runs())
        .group_by(col(PredictionRow.item_id), col(PredictionRow.model))
    )
    return {id: item_id for id, item_id in session.connection().execute(wanted)}


def last_of_models(session: Session, *, project_id: int) -> dict[tuple[int, str], int]:
    """Return the id of every model's last answer to each item, by item id and model. Withdrawn runs do not count."""
    wanted = (
        plain_select(col(PredictionRow.item_id), col(PredictionRow.model), func.max(col(PredictionRow.id)))
        .where(col(PredictionRow.project_id) == project_id, of_counting_runs())
        .group_by(col(PredictionRow.item_id), col(PredictionRow.model))
    )
    return {(item_id, model): id for item_id, model, id in session.connection().execute(wanted)}


def texts(session: Session, *, ids: Sequence[int]) -> dict[int, str]:
    """Return the texts of answers, by the answer's id."""
    by_id: dict[int, str] = {}
    for lot in chunked(ids):
        wanted = select(PredictionRow.id, PredictionRow.text).where(col(PredictionRow.id).in_(lot))
        by_id |= {id: text for id, text in session.exec(wanted)}
    return by_id


def runs(session: Session, *, project_id: int) -> Sequence[StoredRun]:
    """Return a project's runs of models and of imported answers that are not withdrawn, oldest first."""
    wanted = select(RunRow).where(RunRow.project_id == project_id, col(RunRow.kind).in_(ANSWERING))
    wanted = wanted.where(col(RunRow.withdrawn_at).is_(None))
    return session.exec(wanted.order_by(col(RunRow.id))).all()


def asked_items(session: Session, *, run_ids: Iterable[int]) -> dict[int, list[int]]:
    """Return the items that each run asks about, by the run's id."""
    wanted = (
        select(RunChunkRow.run_id, RunChunkRow.unit_ids)
        .where(col(RunChunkRow.run_id).in_(sorted(set(run_ids))))
        .order_by(col(RunChunkRow.run_id), col(RunChunkRow.number))
    )
    by_run: dict[int, list[int]] = {}
    for run_id, ids in session.exec(wanted):
        by_run.setdefault(run_id, []).extend(ids)
    return by_run


def outcomes(session: Session, *, run_ids: Iterable[int]) -> dict[tuple[int, int], Outcome]:
    """Return the outcome of the last attempt at each item, by run id and item id."""
    wanted = (
        plain_select(col(AttemptRow.run_id), col(AttemptRow.item_id), col(AttemptRow.outcome))
        .where(col(AttemptRow.run_id).in_(sorted(set(run_ids))))
        .order_by(col(AttemptRow.run_id), col(AttemptRow.unit_id), col(AttemptRow.number))
    )
    return {(run_id, item_id): Outcome(outcome) for run_id, item_id, outcome in session.connection().execute(wanted)}


def details(session: Session, *, run_ids: Iterable[int]) -> Iterable[tuple[int, int, dict[str, Any]]]:
    """Yield the run, the item and the stored details of every attempt that ended with an answer, oldest first."""
    wanted = (
        plain_select(col(AttemptRow.run_id), col(AttemptRow.item_id), col(AttemptRow.detail))
        .where(
            col(AttemptRow.run_id).in_(sorted(set(run_ids))),
            col(AttemptRow.outcome).in_([Outcome.ANSWERED, Outcome.TRUNCATED]),
        )
        .order_by(col(AttemptRow.id))
    )
    for run_id, item_id, detail in session.connection().execute(wanted):
        yield run_id, item_id, dict(detail)


def all_grades(
    session: Session, *, project_id: int, schema_version_id: int | None = None
) -> list[tuple[int, str, dict[str, Any]]]:
    """Return people's current grades of all answers: the answer, the person's login, and the grades by criterion.

    ``schema_version_id``: only the grades given under this version of the schema.
    """
    newer = select(AnnotationRow.supersedes_id).where(
        col(AnnotationRow.supersedes_id).is_not(None),
        AnnotationRow.project_id == project_id,
        AnnotationRow.stage == Stage.GRADING,
    )
    wanted = (
        plain_select(
            col(AnnotationRow.prediction_id),
            col(PersonRow.login),
            col(AnnotationRow.answers),
            col(AnnotationRow.schema_version_id),
        )
        .join(PersonRow, col(PersonRow.id) == col(AnnotationRow.person_id))
        .where(
            col(AnnotationRow.project_id) == project_id,
            col(AnnotationRow.stage) == Stage.GRADING,
            col(AnnotationRow.purpose) == Purpose.LIVE,
            col(AnnotationRow.prediction_id).is_not(None),
            col(AnnotationRow.id).not_in(newer),
        )
        .order_by(col(AnnotationRow.id))
    )
    if schema_version_id is not None:
        wanted = wanted.where(col(AnnotationRow.schema_version_id) == schema_version_id)
    about: dict[str, Any] = {"project_id": project_id, "stage": Stage.GRADING}
    return [
        (id, login, reworded.answers(session, **about, version=version, given=given))
        for id, login, given, version in session.connection().execute(wanted)
    ]


def all_ratings(session: Session, *, project_id: int) -> list[tuple[str, str, str, Any, datetime]]:
    """Return all imported grades: the graded unit, the rater, the criterion, the value, and the time of import."""
    wanted = (
        plain_select(
            col(ImportedRatingRow.unit),
            col(ImportedRatingRow.rater),
            col(ImportedRatingRow.criterion),
            col(ImportedRatingRow.value),
            col(ImportedRatingRow.created_at),
            col(ImportedRatingRow.schema_version_id),
        )
        .where(col(ImportedRatingRow.project_id) == project_id, col(ImportedRatingRow.stage) == Stage.GRADING)
        .order_by(col(ImportedRatingRow.id))
    )
    return [
        (
            unit,
            rater,
            *reworded.rating(session, project_id=project_id, version=version, criterion=criterion, value=value),
            at,
        )
        for unit, rater, criterion, value, at, version in session.connection().execute(wanted).all()
    ]


def ratings(session: Session, *, project_id: int, units: Sequence[str]) -> Sequence[StoredImportedRating]:
    """Return the imported grades of the given units."""
    wanted = select(ImportedRatingRow).where(
        ImportedRatingRow.project_id == project_id,
        ImportedRatingRow.stage == Stage.GRADING,
        col(ImportedRatingRow.unit).in_(list(units)),
    )
    return reworded.query(session, wanted.order_by(col(ImportedRatingRow.id)))
