"""Queries on models' answers with their grades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import or_
from sqlalchemy import select as plain_select
from sqlmodel import Session, col, select

from db import reworded
from db.answers import ANSWERING, OF_ANSWERS
from db.judging import latest_of_each
from db.records import StoredAnnotation, StoredAttempt, StoredPerson, StoredRun
from db.tables import (
    AnnotationRow,
    AttemptRow,
    ItemRow,
    JudgementRow,
    JudgeUnitRow,
    PersonRow,
    PredictionRow,
    RevisionRow,
    RunRow,
    TaskRow,
)
from db.withdrawn_runs import of_counting_runs
from domain.judging import ReplyOutcome
from domain.states import Purpose, Stage


def attempts(session: Session, *, item_id: int) -> list[tuple[StoredAttempt, StoredRun]]:
    """Return every attempt of a model at an item, oldest first."""
    wanted = (
        select(AttemptRow, RunRow)
        .join(RunRow, col(RunRow.id) == AttemptRow.run_id)
        .where(AttemptRow.item_id == item_id, col(RunRow.kind).in_(ANSWERING))
        .order_by(col(AttemptRow.id))
    )
    return [(attempt, run) for attempt, run in session.exec(wanted)]


def grades(session: Session, *, item_ids: Sequence[int]) -> list[tuple[StoredAnnotation, StoredPerson]]:
    """Return people's current grades and codes of the answers to items. Superseded submissions are left out."""
    of_items = col(AnnotationRow.item_id).in_(list(item_ids))
    newer = select(AnnotationRow.supersedes_id).where(col(AnnotationRow.supersedes_id).is_not(None), of_items)
    wanted = (
        select(AnnotationRow, PersonRow)
        .join(PersonRow, col(PersonRow.id) == AnnotationRow.person_id)
        .where(
            of_items,
            col(AnnotationRow.stage).in_(OF_ANSWERS),
            AnnotationRow.purpose == Purpose.LIVE,
            col(AnnotationRow.id).not_in(newer),
        )
        .order_by(col(AnnotationRow.id))
    )
    return reworded.query(session, wanted)


@dataclass(frozen=True, slots=True)
class JudgeScore:
    """The score that a judge run in Touchstone gave an answer on one criterion."""

    answer_id: int
    judge: str
    """The name of its run."""
    sample: int
    criterion: str
    verdict: ReplyOutcome
    value: Any
    why: str


def judge_scores(session: Session, *, answer_ids: Sequence[int]) -> list[JudgeScore]:
    """Return the current scores of judges run in Touchstone for the given answers.

    The last attempt counts, as read by the newest version of its parser. Of several runs of one judge the newest score
    counts.
    """
    wanted = (
        plain_select(
            col(JudgementRow.unit_id),
            col(JudgementRow.run_id),
            col(JudgeUnitRow.prediction_id),
            col(RunRow.name),
            col(RunRow.kind),
            col(JudgeUnitRow.sample),
            col(JudgementRow.criterion),
            col(JudgementRow.verdict),
            col(JudgementRow.value),
            col(JudgementRow.why),
        )
        .join(JudgeUnitRow, col(JudgeUnitRow.id) == col(JudgementRow.unit_id))
        .join(RunRow, col(RunRow.id) == col(JudgementRow.run_id))
        .where(
            col(JudgeUnitRow.prediction_id).in_(list(answer_ids)),
            col(JudgeUnitRow.attack).is_(None),
            col(JudgeUnitRow.other_id).is_(None),
            col(RunRow.withdrawn_at).is_(None),
        )
        .order_by(col(JudgementRow.unit_id), col(JudgementRow.attempt_id), col(JudgementRow.parser_version))
    )
    newest: dict[tuple[int, str], JudgeScore] = {}
    rows = session.connection().execute(wanted).all()
    for unit_id, run_id, answer_id, judge, kind, sample, criterion, verdict, value, why in rows:
        if not kind.own_scale:
            criterion, value = reworded.judged(session, run_id=run_id, criterion=criterion, value=value)
        newest[unit_id, criterion] = JudgeScore(
            answer_id or 0, judge, sample, criterion, ReplyOutcome(verdict), value, why
        )
    return latest_of_each(newest.values(), lambda each: (each.judge, each.answer_id))


def with_text(session: Session, *, project_id: int, text: str) -> set[int]:
    """Return the items whose id, content or answers contain a text, ignoring case."""
    pattern = "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    in_answers = select(PredictionRow.item_id).where(
        PredictionRow.project_id == project_id, col(PredictionRow.text).ilike(pattern, escape="\\")
    )
    named = select(ItemRow.id).where(
        ItemRow.project_id == project_id,
        or_(col(ItemRow.external_id).ilike(pattern, escape="\\"), col(ItemRow.public_id) == text),
    )
    item_ids = {id for id in session.exec(named)} | set(session.exec(in_answers))
    wanted = text.casefold()
    contents = (
        plain_select(col(RevisionRow.item_id), col(RevisionRow.content), col(RevisionRow.schema_version_id))
        .join(ItemRow, col(ItemRow.id) == RevisionRow.item_id)
        .where(
            col(ItemRow.project_id) == project_id,
            col(RevisionRow.number) == col(ItemRow.current_revision),
        )
    )
    for item_id, given, version in session.connection().execute(contents):
        fields = reworded.content(session, version=version, given=given, item_id=item_id, project_id=project_id)
        if any(wanted in str(value).casefold() for value in fields.values()):
            item_ids.add(item_id)
    return item_ids


def answers_in(
    session: Session,
    *,
    project_id: int,
    stage: Stage,
    run_id: int | None = None,
    item_id: int | None = None,
    counting: bool = False,
) -> set[int]:
    """Return the models' answers (ids) with live slots in a stage, in any state.

    The arguments select the answers of a run, answers to an item, or answers without withdrawn runs.
    """
    wanted = select(TaskRow.prediction_id).where(
        TaskRow.project_id == project_id, TaskRow.stage == stage, TaskRow.purpose == Purpose.LIVE
    )
    if item_id is not None:
        wanted = wanted.where(TaskRow.item_id == item_id)
    if run_id is not None or counting:
        wanted = wanted.join(PredictionRow, col(PredictionRow.id) == TaskRow.prediction_id)
    if run_id is not None:
        wanted = wanted.where(PredictionRow.run_id == run_id)
    if counting:
        wanted = wanted.where(of_counting_runs())
    return {id for id in session.exec(wanted.distinct()) if id is not None}


def latest_of_answer(session: Session, *, prediction_id: int, stage: Stage) -> list[StoredAnnotation]:
    """Return the submissions that count about a model's answer in a stage, oldest first: live, not superseded."""
    newer = select(AnnotationRow.supersedes_id).where(
        col(AnnotationRow.supersedes_id).is_not(None), AnnotationRow.prediction_id == prediction_id
    )
    wanted = select(AnnotationRow).where(
        AnnotationRow.prediction_id == prediction_id,
        AnnotationRow.stage == stage,
        AnnotationRow.purpose == Purpose.LIVE,
        col(AnnotationRow.id).not_in(newer),
    )
    return reworded.query(session, wanted.order_by(col(AnnotationRow.id)))
