"""Queries on judges: their template versions, the answers that they rate, and the scores read from their replies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol, TypeVar

from sqlalchemy import func, insert, or_
from sqlalchemy import select as sa_select
from sqlmodel import Session, col, select

from db import reworded
from db.many_rows import insert_or_ignore
from db.records import StoredAttempt, StoredJudgeTemplate, StoredJudgeUnit, StoredPrediction
from db.tables import (
    AnnotationRow,
    AttemptRow,
    ItemRow,
    JudgementRow,
    JudgeTemplateRow,
    JudgeUnitRow,
    PredictionRow,
    RunRow,
)
from db.withdrawn_runs import of_counting_runs
from domain.judging import ReplyOutcome
from domain.run_kinds import RunKind
from domain.runs import Outcome, chunked
from domain.states import Purpose, Stage

REPLIED = tuple(outcome for outcome in Outcome if outcome.replied)
"""Outcomes with a reply, whatever the reply says."""


# ---- templates ------------------------------------------------------------------------------------------------------


def templates(session: Session, *, project_id: int) -> Sequence[StoredJudgeTemplate]:
    """Return all versions of a project's templates, by name, newest first."""
    wanted = select(JudgeTemplateRow).where(JudgeTemplateRow.project_id == project_id)
    return session.exec(wanted.order_by(col(JudgeTemplateRow.name), col(JudgeTemplateRow.version).desc())).all()


def newest_version(session: Session, *, project_id: int, name: str) -> int:
    """Return the newest version of a template in a project, or 0."""
    wanted = select(func.max(JudgeTemplateRow.version)).where(
        JudgeTemplateRow.project_id == project_id, JudgeTemplateRow.name == name
    )
    return session.exec(wanted).one() or 0


def add_template(
    session: Session,
    *,
    project_id: int,
    name: str,
    version: int,
    hash: str,
    text: str,
    origin: str,
    by_id: int | None,
    now: datetime,
) -> StoredJudgeTemplate:
    """Add a version of a template. ``hash`` is the SHA-256 of its text."""
    row = JudgeTemplateRow(
        project_id=project_id,
        name=name,
        version=version,
        hash=hash,
        text=text,
        origin=origin,
        by_id=by_id,
        created_at=now,
    )
    session.add(row)
    session.flush()
    return row


# ---- answers --------------------------------------------------------------------------------------------------------


def answers(session: Session, *, project_id: int) -> list[tuple[int, int, str, str]]:
    """Return id, item id, dimension and model of all answers of a project, oldest first."""
    wanted = (
        select(PredictionRow.id, PredictionRow.item_id, ItemRow.dimension, PredictionRow.model)
        .join(ItemRow, col(ItemRow.id) == PredictionRow.item_id)
        .where(PredictionRow.project_id == project_id, of_counting_runs())
        .order_by(col(PredictionRow.id))
    )
    return [(id, item_id, dimension, model) for id, item_id, dimension, model in session.exec(wanted)]


def graded(session: Session, *, project_id: int) -> set[int]:
    """Return the answers (ids) that a person has graded."""
    wanted = select(AnnotationRow.prediction_id).where(
        AnnotationRow.project_id == project_id,
        AnnotationRow.stage == Stage.GRADING,
        AnnotationRow.purpose == Purpose.LIVE,
        col(AnnotationRow.prediction_id).is_not(None),
    )
    return {id for id in session.exec(wanted.distinct()) if id is not None}


def predictions(session: Session, *, ids: Sequence[int]) -> dict[int, StoredPrediction]:
    """Return answers by id."""
    stored_predictions: dict[int, StoredPrediction] = {}
    for lot in chunked(ids):
        some = select(PredictionRow).where(col(PredictionRow.id).in_(lot))
        stored_predictions |= {row.id: row for row in session.exec(some)}
    return stored_predictions


def of_model(session: Session, *, item_ids: Sequence[int], model: str) -> dict[int, StoredPrediction]:
    """Return a model's newest answer to each of the items, by item id."""
    stored_predictions: dict[int, StoredPrediction] = {}
    for lot in chunked(item_ids):
        some = (
            select(PredictionRow)
            .where(
                PredictionRow.model == model,
                col(PredictionRow.item_id).in_(lot),
                of_counting_runs(),
            )
            .order_by(col(PredictionRow.id))
        )
        stored_predictions |= {row.item_id: row for row in session.exec(some)}
    return stored_predictions


def add_units(session: Session, *, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Add the units of a run. Return their ids in the order of the rows."""
    if not rows:
        return []
    statement = insert(JudgeUnitRow).returning(col(JudgeUnitRow.id), sort_by_parameter_order=True)
    return [row[0] or 0 for row in session.connection().execute(statement, [dict(row) for row in rows])]


def units(session: Session, *, ids: Sequence[int]) -> dict[int, StoredJudgeUnit]:
    """Return units of a run, by id."""
    stored_judge_units: dict[int, StoredJudgeUnit] = {}
    for lot in chunked(ids):
        some = select(JudgeUnitRow).where(col(JudgeUnitRow.id).in_(lot))
        stored_judge_units |= {row.id: row for row in session.exec(some)}
    return stored_judge_units


# ---- scores ---------------------------------------------------------------------------------------------------------


def add(session: Session, *, rows: Sequence[Mapping[str, Any]]) -> int:
    """Add scores read from replies. Scores that this parser version has read before stay unchanged. Return how many are
    new.
    """
    return insert_or_ignore(session, JudgementRow, rows)


def attempts_to_read(session: Session, *, run_id: int, after: int = 0, limit: int = 500) -> Sequence[StoredAttempt]:
    """Return the final attempts of a run, in order of id, for a parser to read again."""
    wanted = (
        select(AttemptRow)
        .where(AttemptRow.run_id == run_id, col(AttemptRow.final), col(AttemptRow.id) > after)
        .order_by(col(AttemptRow.id))
        .limit(limit)
    )
    return session.exec(wanted).all()


class OneReading(Protocol):
    """The score that a reply gives on one criterion."""

    @property
    def sample(self) -> int:
        """The number of the sample, for repeated questions."""

    @property
    def criterion(self) -> str:
        """The rated criterion."""

    @property
    def verdict(self) -> ReplyOutcome:
        """The verdict of the parser."""


_S = TypeVar("_S", bound=OneReading)


@dataclass(frozen=True)
class Score:
    """The score that a judge's reply gives one answer, without the reply's text."""

    run: str
    """The name of the run, which is the name of the judge."""
    item_id: int
    prediction_id: int | None
    """The answer's id. None: the judge rated the item itself."""
    swapped: bool
    """Whether the other answer of a comparison came first."""
    sample: int
    criterion: str
    verdict: ReplyOutcome
    value: Any
    metric: bool = False
    """Whether the value is a reference metric's number, on its own scale from 0 to 1."""


def scores(session: Session, *, project_id: int) -> list[Score]:
    """Return the current scores of judges and metrics about answers or items, in the order of units.

    Attack answers are left out. If several runs of one judge asked about the same answer, the newest score counts.
    """
    wanted = (
        sa_select(
            col(JudgementRow.unit_id),
            col(JudgementRow.run_id),
            col(JudgementRow.criterion),
            col(JudgementRow.verdict),
            col(JudgementRow.value),
            col(JudgeUnitRow.item_id),
            col(JudgeUnitRow.prediction_id),
            col(JudgeUnitRow.swapped),
            col(JudgeUnitRow.sample),
            col(RunRow.name),
            col(RunRow.kind),
        )
        .join(JudgeUnitRow, col(JudgeUnitRow.id) == col(JudgementRow.unit_id))
        .join(RunRow, col(RunRow.id) == col(JudgementRow.run_id))
        .where(
            col(RunRow.project_id) == project_id,
            col(RunRow.kind).in_([kind for kind in RunKind if kind.rates]),
            col(RunRow.withdrawn_at).is_(None),
            or_(
                col(JudgeUnitRow.prediction_id).is_(None),
                col(JudgeUnitRow.prediction_id).not_in(sa_select(col(PredictionRow.id)).where(~of_counting_runs())),
            ),
            col(JudgeUnitRow.attack).is_(None),
        )
        .order_by(col(JudgementRow.unit_id), col(JudgementRow.attempt_id), col(JudgementRow.parser_version))
    )
    newest: dict[tuple[int, str], Score] = {}
    rows = session.connection().execute(wanted).all()
    for unit_id, run_id, criterion, verdict, value, item_id, prediction_id, swapped, sample, run, kind in rows:
        if not kind.own_scale:
            criterion, value = reworded.judged(session, run_id=run_id, criterion=criterion, value=value)
        newest[unit_id, criterion] = Score(
            run, item_id, prediction_id, swapped, sample, criterion, ReplyOutcome(verdict), value, kind.own_scale
        )
    return latest_of_each(newest.values(), lambda each: (each.run, each.item_id, each.prediction_id, each.swapped))


def latest_of_each(found: Iterable[_S], about: Callable[[_S], Hashable]) -> list[_S]:
    """Return one result for each subject, sample and criterion: the newest with a score, or the newest of all."""
    counting: dict[Hashable, _S] = {}
    for score in found:
        key = (about(score), score.sample, score.criterion)
        before = counting.get(key)
        if before is None or score.verdict.scored or not before.verdict.scored:
            counting.pop(key, None)
            counting[key] = score
    return list(counting.values())


def repeated(session: Session, *, run_ids: Sequence[int]) -> int:
    """Count the replies of a judge's runs that do not count because another of these runs asked the same question."""
    wanted = sa_select(
        col(JudgeUnitRow.item_id),
        col(JudgeUnitRow.prediction_id),
        col(JudgeUnitRow.swapped),
        col(JudgeUnitRow.attack),
        col(JudgeUnitRow.sample),
    ).where(
        col(JudgeUnitRow.run_id).in_(list(run_ids)),
        col(JudgeUnitRow.id).in_(
            sa_select(col(JudgementRow.unit_id)).where(col(JudgementRow.run_id).in_(list(run_ids)))
        ),
    )
    asked = Counter(tuple(row) for row in session.connection().execute(wanted))
    return asked.total() - len(asked)


@dataclass(frozen=True)
class UnitResult:
    """The current result on one criterion of a unit, attack answers included."""

    run_id: int
    item_id: int
    prediction_id: int | None
    other_id: int | None
    swapped: bool
    attack: str | None
    sample: int
    criterion: str
    verdict: ReplyOutcome
    value: Any
    why: str
    attempt_id: int


def results_of_runs(session: Session, *, run_ids: Sequence[int], attacks: bool | None = None) -> list[UnitResult]:
    """Return the current results of runs, in the order of their units.

    The last attempt at each unit counts, as read by the newest version of its parser. ``attacks`` True: only attack
    answers; False: all other answers.
    """
    wanted = (
        sa_select(
            col(JudgementRow.unit_id),
            col(JudgementRow.run_id),
            col(JudgeUnitRow.item_id),
            col(JudgeUnitRow.prediction_id),
            col(JudgeUnitRow.other_id),
            col(JudgeUnitRow.swapped),
            col(JudgeUnitRow.attack),
            col(JudgeUnitRow.sample),
            col(JudgementRow.criterion),
            col(JudgementRow.verdict),
            col(JudgementRow.value),
            col(JudgementRow.why),
            col(JudgementRow.attempt_id),
        )
        .join(JudgeUnitRow, col(JudgeUnitRow.id) == col(JudgementRow.unit_id))
        .where(col(JudgementRow.run_id).in_(list(run_ids)))
        .order_by(
            col(JudgementRow.unit_id),
            col(JudgementRow.attempt_id),
            col(JudgementRow.parser_version),
            col(JudgementRow.id),
        )
    )
    if attacks is not None:
        attacked = col(JudgeUnitRow.attack)
        wanted = wanted.where(attacked.is_not(None) if attacks else attacked.is_(None))
    newest: dict[tuple[int, str], UnitResult] = {}
    for unit_id, *columns in session.connection().execute(wanted).all():
        unit_result = UnitResult(*columns)
        criterion, value = reworded.judged(
            session, run_id=unit_result.run_id, criterion=unit_result.criterion, value=unit_result.value
        )
        newest[unit_id, criterion] = replace(
            unit_result, verdict=ReplyOutcome(unit_result.verdict), criterion=criterion, value=value
        )
    return list(newest.values())


def newest(session: Session, *, project_id: int) -> int:
    """Return the id of the newest judgement in a project, or 0."""
    wanted = select(func.max(JudgementRow.id)).join(RunRow, col(RunRow.id) == JudgementRow.run_id)
    return session.exec(wanted.where(RunRow.project_id == project_id)).one() or 0


def parser_versions(session: Session, *, run_id: int) -> list[int]:
    """Return the parser versions that have read a run's replies."""
    return list(session.exec(select(JudgementRow.parser_version).where(JudgementRow.run_id == run_id).distinct()))


def failed_attempts(session: Session, *, run_id: int) -> int:
    """Count the attempts of a run without a reply: neither a text nor a reported refusal."""
    wanted = (
        select(func.count())
        .select_from(AttemptRow)
        .where(AttemptRow.run_id == run_id, col(AttemptRow.outcome).not_in(REPLIED))
    )
    return session.exec(wanted).one()


def counts(session: Session, *, run_id: int) -> list[tuple[str, ReplyOutcome, int]]:
    """Count a run's units by criterion and verdict. The last attempt counts, as read by the newest parser version."""
    wanted = (
        sa_select(col(JudgementRow.unit_id), col(JudgementRow.criterion), col(JudgementRow.verdict))
        .where(col(JudgementRow.run_id) == run_id)
        .order_by(col(JudgementRow.attempt_id), col(JudgementRow.parser_version))
    )
    newest: dict[tuple[int, str], str] = {}
    for unit_id, criterion, verdict in session.connection().execute(wanted):
        newest[unit_id, criterion] = verdict
    counter = Counter(
        (reworded.judged(session, run_id=run_id, criterion=criterion)[0], ReplyOutcome(verdict))
        for (_, criterion), verdict in newest.items()
    )
    return [(criterion, verdict, n) for (criterion, verdict), n in sorted(counter.items())]


def texts(session: Session, *, run_id: int) -> dict[tuple[int, int | None, bool, int], str]:
    """Return the texts of a run's replies, by item, answer, order and sample. The last attempt at each unit counts."""
    wanted = (
        sa_select(
            col(JudgeUnitRow.item_id),
            col(JudgeUnitRow.prediction_id),
            col(JudgeUnitRow.swapped),
            col(JudgeUnitRow.sample),
            col(AttemptRow.text),
        )
        .join(AttemptRow, col(AttemptRow.unit_id) == col(JudgeUnitRow.id))
        .where(col(JudgeUnitRow.run_id) == run_id, col(AttemptRow.run_id) == run_id)
        .order_by(col(AttemptRow.id))
    )
    return {
        (item, answer, swapped, sample): text
        for item, answer, swapped, sample, text in session.connection().execute(wanted)
    }


# ---- metrics --------------------------------------------------------------------------------------------------------
