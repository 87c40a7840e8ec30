"""Queries on readings: what models' answers state. Rows are only added, and the newest version counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func
from sqlalchemy import select as plain_select
from sqlmodel import Session, col, select

from db import reworded
from db.many_rows import insert_or_ignore
from db.tables import AttemptRow, PredictionRow, ReadingRow, RevisionRow, RunRow
from domain.reading.answers import AnswerKind, ReadOutcome
from domain.records import RULES, AnswerReading
from domain.runs import ANSWERS, Outcome, chunked

_OUTCOMES = {outcome.value: outcome for outcome in ReadOutcome}
_LAST = 500


@dataclass(frozen=True, slots=True)
class UnreadAnswer:
    """An answer that a reader has to read."""

    id: int
    item_id: int
    run_id: int
    text: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class AttemptEnd:
    """The end of the attempt that produced an answer."""

    finish_reason: str | None
    outcome: Outcome
    order: tuple[int, ...] = ()
    """The positions of the item's options in the order shown. Empty: the item's own order."""


def add_answers(session: Session, *, rows: Sequence[Mapping[str, Any]]) -> dict[tuple[int, int, str], int]:
    """Add models' answers. An answer that a run has already given to an item stays unchanged.

    Return the ids of all of them, by run, item and model.
    """
    insert_or_ignore(session, PredictionRow, rows)
    by_run: dict[int, list[int]] = {}
    for row in rows:
        by_run.setdefault(row["run_id"], []).append(row["item_id"])
    ids: dict[tuple[int, int, str], int] = {}
    for run_id, items in by_run.items():
        for some in chunked(sorted(set(items))):
            wanted = select(PredictionRow.id, PredictionRow.item_id, PredictionRow.model).where(
                PredictionRow.run_id == run_id, col(PredictionRow.item_id).in_(some)
            )
            ids |= {(run_id, item_id, model): id for id, item_id, model in session.exec(wanted)}
    return ids


def _of_rules(version: int) -> Any:
    """Return the condition that this version of the rules, or a newer one, has read an answer."""
    there = select(ReadingRow.id).where(
        col(ReadingRow.prediction_id) == col(PredictionRow.id),
        col(ReadingRow.reader) == RULES,
        col(ReadingRow.version) >= version,
    )
    return there.exists()


def unread(
    session: Session,
    *,
    project_id: int,
    version: int,
    item_id: int | None = None,
    after: int = 0,
    everything: bool = False,
    limit: int,
) -> list[UnreadAnswer]:
    """Return answers that this version of the rules has not read, in order of id.

    ``everything``: also the answers that it has read. ``after``: only answers after this id. ``item_id``: only answers
    to this item.
    """
    wanted = plain_select(
        col(PredictionRow.id),
        col(PredictionRow.item_id),
        col(PredictionRow.run_id),
        col(PredictionRow.text),
        col(PredictionRow.created_at),
    ).where(col(PredictionRow.project_id) == project_id, col(PredictionRow.id) > after)
    if not everything:
        wanted = wanted.where(~_of_rules(version))
    if item_id is not None:
        wanted = wanted.where(col(PredictionRow.item_id) == item_id)
    rows = session.connection().execute(wanted.order_by(col(PredictionRow.id)).limit(limit))
    return [UnreadAnswer(id, item, run, text, at) for id, item, run, text, at in rows]


def any_unread(session: Session, *, project_id: int, version: int) -> bool:
    """Tell whether a project has an answer that this version of the rules has not read."""
    wanted = select(PredictionRow.id).where(PredictionRow.project_id == project_id, ~_of_rules(version))
    return session.exec(wanted.limit(1)).first() is not None


def unread_of(session: Session, *, ids: Sequence[int], version: int) -> list[UnreadAnswer]:
    """Return those of these answers that this version of the rules has not read, in order of id."""
    unread_answers: list[UnreadAnswer] = []
    for some in chunked(sorted(set(ids))):
        wanted = select(PredictionRow).where(col(PredictionRow.id).in_(some), ~_of_rules(version))
        for row in session.exec(wanted.order_by(col(PredictionRow.id))):
            unread_answers.append(UnreadAnswer(row.id, row.item_id, row.run_id, row.text, row.created_at))
    return unread_answers


def answers(session: Session, *, ids: Sequence[int], models: Sequence[str] | None = None) -> list[UnreadAnswer]:
    """Return answers, of these models or of all, in order of id."""
    unread_answers: list[UnreadAnswer] = []
    for some in chunked(sorted(set(ids))):
        wanted = select(PredictionRow).where(col(PredictionRow.id).in_(some)).order_by(col(PredictionRow.id))
        for row in session.exec(wanted):
            if models is None or row.model in models:
                unread_answers.append(UnreadAnswer(row.id, row.item_id, row.run_id, row.text, row.created_at))
    return unread_answers


def known_questions(session: Session, *, ids: Sequence[int], reader: str, version: int) -> set[tuple[int, str]]:
    """Return the questions that a version of a reader was asked: the answer's id and the question's hash."""
    questions: set[tuple[int, str]] = set()
    for some in chunked(sorted(set(ids))):
        wanted = select(ReadingRow.prediction_id, ReadingRow.asked).where(
            col(ReadingRow.prediction_id).in_(some), ReadingRow.reader == reader, ReadingRow.version == version
        )
        questions |= {(id, asked) for id, asked in session.exec(wanted)}
    return questions


def ended(session: Session, *, answers: Iterable[UnreadAnswer]) -> dict[tuple[int, int], AttemptEnd]:
    """Return how the attempts that produced these answers ended, by run and item."""
    by_run: dict[int, set[int]] = {}
    for answer in answers:
        by_run.setdefault(answer.run_id, set()).add(answer.item_id)
    ends: dict[tuple[int, int], AttemptEnd] = {}
    for run_id, ids in by_run.items():
        for some in chunked(sorted(set(ids))):
            wanted = (
                plain_select(
                    col(AttemptRow.unit_id),
                    col(AttemptRow.finish_reason),
                    col(AttemptRow.outcome),
                    col(AttemptRow.detail),
                )
                .where(
                    col(AttemptRow.run_id) == run_id,
                    col(AttemptRow.unit_id).in_(some),
                    col(AttemptRow.final).is_(True),
                    col(AttemptRow.outcome).in_(tuple(ANSWERS)),
                )
                .order_by(col(AttemptRow.number).desc())
            )
            for unit, reason, outcome, detail in session.connection().execute(wanted):
                order = tuple((detail or {}).get("order") or ())
                ends[run_id, unit] = AttemptEnd(reason, Outcome(outcome), order)  # the first answer is the stored one
    return ends


def plans(session: Session, *, run_ids: Iterable[int]) -> dict[int, Mapping[str, Any]]:
    """Return the plans of runs, by id. Imported runs have an empty plan."""
    wanted = select(RunRow.id, RunRow.params).where(col(RunRow.id).in_(sorted(set(run_ids))))
    return {id: dict(params.get("plan") or {}) for id, params in session.exec(wanted)}


def revisions(session: Session, *, item_ids: Iterable[int]) -> dict[int, list[tuple[int, datetime, Mapping[str, Any]]]]:
    """Return number, moment and content of every revision of items, oldest first, by item."""
    by_item: dict[int, list[tuple[int, datetime, Mapping[str, Any]]]] = {}
    for some in chunked(sorted(set(item_ids))):
        wanted = (
            plain_select(
                col(RevisionRow.item_id),
                col(RevisionRow.number),
                col(RevisionRow.created_at),
                col(RevisionRow.content),
                col(RevisionRow.schema_version_id),
            )
            .where(col(RevisionRow.item_id).in_(some))
            .order_by(col(RevisionRow.item_id), col(RevisionRow.number))
        )
        for item_id, number, at, fields, version in session.connection().execute(wanted).all():
            content = reworded.content(session, version=version, given=fields, item_id=item_id)
            by_item.setdefault(item_id, []).append((number, at, content))
    return by_item


def add(session: Session, *, rows: Sequence[Mapping[str, Any]]) -> int:
    """Store readings. Readings that another process has stored stay unchanged. Return the number of new ones."""
    return insert_or_ignore(session, ReadingRow, rows)


def counting(
    session: Session,
    *,
    project_id: int,
    reader: str = RULES,
    run_id: int | None = None,
    ids: Sequence[int] | None = None,
) -> dict[int, AnswerReading]:
    """Return a reader's current readings, by answer, of a project, of a run, or of these answers.

    The newest version counts, and its last reading.
    """
    wanted = (
        plain_select(
            col(ReadingRow.prediction_id),
            col(ReadingRow.reader),
            col(ReadingRow.version),
            col(ReadingRow.revision),
            col(ReadingRow.kind),
            col(ReadingRow.outcome),
            col(ReadingRow.value),
            col(ReadingRow.places),
            col(ReadingRow.spans),
            col(ReadingRow.rule),
            col(ReadingRow.why),
        )
        .join(PredictionRow, col(PredictionRow.id) == col(ReadingRow.prediction_id))
        .where(col(PredictionRow.project_id) == project_id, col(ReadingRow.reader) == reader)
        .order_by(col(ReadingRow.version), col(ReadingRow.id))
    )
    if run_id is not None:
        wanted = wanted.where(col(PredictionRow.run_id) == run_id)
    lots = (
        [wanted]
        if ids is None
        else [wanted.where(col(ReadingRow.prediction_id).in_(some)) for some in chunked(sorted(set(ids)))]
    )
    answer_readings: dict[int, AnswerReading] = {}
    for lot in lots:
        for id, name, version, revision, kind, outcome, value, *rest in session.connection().execute(lot):
            answer_readings[id] = AnswerReading(
                id, name, version, revision, AnswerKind(kind), _OUTCOMES[outcome], value, *rest
            )
    return answer_readings


def readers(session: Session, *, project_id: int) -> list[str]:
    """Return the names of readers, other than the rules, that have read answers of a project."""
    wanted = (
        select(ReadingRow.reader)
        .join(PredictionRow, col(PredictionRow.id) == ReadingRow.prediction_id)
        .where(PredictionRow.project_id == project_id, ReadingRow.reader != RULES)
        .distinct()
    )
    return sorted(session.exec(wanted))


def newest(session: Session, *, project_id: int) -> int:
    """Return the id of the last reading of a project, or 0."""
    # Pages call this at every click. The id is usually among the last ones, so a scan of the project is rare.
    last = (
        plain_select(col(ReadingRow.id), col(ReadingRow.prediction_id)).order_by(col(ReadingRow.id).desc()).limit(_LAST)
    ).subquery()
    for whole in (last, ReadingRow.__table__):  # type: ignore[attr-defined]
        wanted = (
            plain_select(func.max(whole.c.id))
            .join(PredictionRow, col(PredictionRow.id) == whole.c.prediction_id)
            .where(col(PredictionRow.project_id) == project_id)
        )
        if newest_id := session.connection().execute(wanted).scalar():
            return int(newest_id)
    return 0
