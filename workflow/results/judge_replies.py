"""Judge replies for leads: raw texts with their readings, people's grades of the same answers, and two runs side by
side.

Blind graders never see any of this content.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from db import answers, items, judging, replies_of_judges
from db.engine import Session, Store
from db.records import StoredAttempt, StoredJudgement, StoredRun
from domain.attacks import ATTACKS
from domain.display_names import distinct_names
from domain.errors import NotFoundError
from domain.judging import JudgePlan, ReplyFilter, ReplyOutcome
from domain.rated_units import unit_of
from domain.records import Person
from domain.runs import Outcome
from inference.judges.parsers import PARSERS
from workflow.access.projects import Access, require_lead
from workflow.annotate.item_titles import titles_of
from workflow.results import file_raters
from workflow.results.counting_answers import answer_of
from workflow.runs import stored_runs


@dataclass(frozen=True)
class ReadingView:
    """A reply as a version of a parser reads it for one criterion."""

    criterion: str
    verdict: ReplyOutcome
    value: Any
    span: tuple[int, int] | None
    """The position of the value in the reply, or of the text that does not fit."""
    why: str
    parser: str
    version: int


@dataclass(frozen=True)
class GradeView:
    """The grades of a person for the same answer."""

    person: str
    values: Mapping[str, Any]
    note: str
    name: str = ""
    """The display name of a person with an account."""


@dataclass(frozen=True)
class ReplyView:
    """A judge's reply with its readings and its subject."""

    id: int
    """The attempt's; grows, so that ``ReplyFilter.before`` takes it."""
    unit_id: int
    item: str
    """External id."""
    title: str
    """The question, or the first text of the item."""
    dimension: str
    model: str | None
    """The model of the answer; None for an attack answer or the item itself."""
    answer: str | None
    other_model: str | None
    """The model of the compared answer, in a comparison."""
    other: str | None
    swapped: bool
    """The compared answer was shown first, in a comparison."""
    attack: str | None
    sample: int
    outcome: Outcome
    text: str
    """The raw reply."""
    error: str
    finish_reason: str | None
    tokens_in: int | None
    tokens_out: int | None
    seconds: float | None
    cost: float | None
    at: datetime
    readings: tuple[ReadingView, ...]
    """The readings that count, one for each criterion."""
    earlier: tuple[ReadingView, ...] = ()
    """The readings by earlier versions of the parser."""
    grades: tuple[GradeView, ...] = ()

    @property
    def scored(self) -> bool:
        """Whether every criterion has a value."""
        return bool(self.readings) and all(reading.verdict.scored for reading in self.readings)


def replies_of(
    store: Store, *, by: Person | None, run: str, wanted: ReplyFilter | None = None, limit: int = 20
) -> list[ReplyView]:
    """Return the replies of a run that count and match, newest first."""
    with store.read() as session:
        row, access = _judge(session, by, run)
        attempts = replies_of_judges.attempts(session, run_id=row.id, wanted=wanted or ReplyFilter(), limit=limit)
        return _replies(session, access, attempts)


def reply(store: Store, *, by: Person | None, run: str, attempt: int) -> ReplyView:
    """Return one reply of a run, even if a later reply has replaced it."""
    with store.read() as session:
        row, access = _judge(session, by, run)
        there = replies_of_judges.contexts(session, attempt_ids=[attempt]).get(attempt)
        if there is None or there.attempt.run_id != row.id:
            raise NotFoundError("This reply is not part of this run. Choose another reply.")
        return _replies(session, access, [attempt])[0]


def models_of(store: Store, *, by: Person | None, run: str) -> list[str]:
    """Return the models whose answers a run judges."""
    with store.read() as session:
        row, _ = _judge(session, by, run)
        return replies_of_judges.models(session, run_id=row.id)


def reasons_of(store: Store, *, by: Person | None, run: str) -> list[tuple[ReplyOutcome, str, int]]:
    """Return the reasons for missing scores, the most frequent first."""
    with store.read() as session:
        row, _ = _judge(session, by, run)
        return replies_of_judges.reasons(session, run_id=row.id)


def unread(store: Store, *, by: Person | None, run: str) -> int:
    """Return how many replies were read by an older version of the parser."""
    with store.read() as session:
        row, _ = _judge(session, by, run)
        plan = stored_runs.plan_of_run(row)
        parser = PARSERS.get(plan.parser) if isinstance(plan, JudgePlan) else None
        return replies_of_judges.read_before(session, run_id=row.id, version=parser.version) if parser else 0


def marks(store: Store, *, by: Person | None, project: str) -> dict[str, int]:
    """Return a number for each judge run that changes with every new reading. Results cached under it stay valid."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return replies_of_judges.newest_readings(session, project_id=access.project_id)


def _judge(session: Session, by: Person | None, run: str) -> tuple[StoredRun, Access]:
    row, access = stored_runs.run_and_access(session, by, run)
    if row.kind.plan is not JudgePlan:
        raise NotFoundError(f"The run {run} is not a run of a judge. Choose a run of a judge.")
    return row, access


def _replies(session: Session, access: Access, attempt_ids: Sequence[int]) -> list[ReplyView]:
    contexts = replies_of_judges.contexts(session, attempt_ids=attempt_ids)
    read = replies_of_judges.readings(session, attempt_ids=attempt_ids)
    units = [context.unit for context in contexts.values()]
    texts = judging.predictions(
        session, ids=sorted({id for unit in units for id in (unit.prediction_id, unit.other_id) if id is not None})
    )
    given: dict[int, list[GradeView]] = {}
    graded = sorted({unit.prediction_id for unit in units if unit.prediction_id is not None and unit.other_id is None})
    for vote, person in replies_of_judges.grades(session, prediction_ids=graded):
        given.setdefault(vote.prediction_id or 0, []).append(
            GradeView(person.login, vote.answers, vote.note, person.name)
        )
    for answer_id, grade in _in_files(session, access, contexts.values(), given):
        given.setdefault(answer_id, []).append(grade)
    graders = {grade.person: grade.name for grades in given.values() for grade in grades if grade.name}
    called = distinct_names(graders, {grade.person for grades in given.values() for grade in grades if not grade.name})
    given = {
        id: [replace(grade, name=called[grade.person] if grade.name else grade.person) for grade in grades]
        for id, grades in given.items()
    }
    titles = titles_of(session, access, [context.item.id for context in contexts.values()])
    views = []
    for id in attempt_ids:
        attempt, unit, item = contexts[id].attempt, contexts[id].unit, contexts[id].item
        answer = texts.get(unit.prediction_id or 0)
        other = texts.get(unit.other_id or 0)
        counting, earlier = _parted(read.get(id, []))
        views.append(
            ReplyView(
                id=id,
                unit_id=unit.id,
                item=item.external_id,
                title=titles[item.id],
                dimension=item.dimension,
                model=answer.model if answer else None,
                answer=ATTACKS.get(unit.attack, "") if unit.attack else answer.text if answer else None,
                other_model=other.model if other else None,
                other=other.text if other else None,
                swapped=unit.swapped,
                attack=unit.attack,
                sample=unit.sample,
                **_of_attempt(attempt),
                readings=counting,
                earlier=earlier,
                grades=tuple(given.get(unit.prediction_id or 0, ())),
            )
        )
    return views


def _in_files(
    session: Session,
    access: Access,
    found: Iterable[replies_of_judges.AttemptContext],
    given: Mapping[int, Sequence[GradeView]],
) -> list[tuple[int, GradeView]]:
    """Return the imported grades of people for these answers, without people who have graded them here."""
    people = file_raters.people(session, project_id=access.project_id)
    if not people:
        return []
    about = {context.item.id: context.item.external_id for context in found if context.unit.prediction_id is not None}
    parts = [part for id in about for part in answers.answers(session, project_id=access.project_id, item_id=id)]
    by_unit: dict[str, list[answers.AnswerPart]] = {}
    for part in parts:
        by_unit.setdefault(unit_of(about[part.item_id], part.model), []).append(part)
    values: dict[tuple[int, str], dict[str, Any]] = {}
    for rating in answers.ratings(session, project_id=access.project_id, units=list(by_unit)):
        answer = answer_of(by_unit[rating.unit], rating.created_at)
        if rating.rater in people and answer is not None:
            values.setdefault((answer.id, rating.rater), {})[rating.criterion] = rating.value
    return [
        (id, GradeView(rater, grades, ""))
        for (id, rater), grades in values.items()
        if rater not in {grade.person for grade in given.get(id, ())}
    ]


def _of_attempt(row: StoredAttempt) -> dict[str, Any]:
    names = ("outcome", "text", "error", "finish_reason", "tokens_in", "tokens_out", "seconds", "cost")
    return {name: getattr(row, name) for name in names} | {"at": row.created_at}


def _parted(rows: Sequence[StoredJudgement]) -> tuple[tuple[ReadingView, ...], tuple[ReadingView, ...]]:
    """Return the readings that count, and those of earlier versions."""
    newest: dict[str, ReadingView] = {}
    earlier = []
    for row in rows:
        span = (row.start, row.end) if row.start is not None and row.end is not None else None
        view = ReadingView(row.criterion, row.verdict, row.value, span, row.why, row.parser, row.parser_version)
        if row.criterion in newest:
            earlier.append(view)
        else:
            newest[row.criterion] = view
    return tuple(newest.values()), tuple(earlier)


def replies(store: Store, *, by: Person | None, run: str, attempts: Sequence[int]) -> dict[int, ReplyView]:
    """Return some replies of a run, by id."""
    with store.read() as session:
        row, access = _judge(session, by, run)
        there = replies_of_judges.contexts(session, attempt_ids=attempts)
        mine = [id for id in attempts if id in there and there[id].attempt.run_id == row.id]
        return {view.id: view for view in _replies(session, access, mine)}


def answered_by(store: Store, *, by: Person | None, project: str) -> list[str]:
    """Return the models with answers in a project."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return list(items.models(session, project_id=access.project_id))


@dataclass(frozen=True)
class ReplyTally:
    """The counts of a run's replies on one criterion."""

    criterion: str
    verdicts: Mapping[ReplyOutcome, int]
    values: Mapping[tuple[Any, bool], int]
    """The count of each scored value, separately for comparisons in swapped order."""

    @property
    def n(self) -> int:
        """Return the number of finished replies."""
        return sum(self.verdicts.values())

    @property
    def scored(self) -> int:
        """Return the number of replies with a value."""
        return self.verdicts.get(ReplyOutcome.SCORED, 0)

    @property
    def mean(self) -> float | None:
        """Return the mean of the scored values; None without values or if a value is not a number."""
        numbers = [(value, n) for (value, _), n in self.values.items() if _number(value)]
        if not numbers or len(numbers) < len(self.values):
            return None
        return float(sum(value * n for value, n in numbers) / sum(n for _, n in numbers))

    def bounds(self, allowed: Sequence[Any]) -> tuple[float, float] | None:
        """Return the mean if all unscored replies had the lowest allowed value, and if they had the highest."""
        mean, numbers = self.mean, [value for value in allowed if _number(value)]
        if mean is None or not numbers:
            return None
        rest = self.n - self.scored
        low, high = ((mean * self.scored + end * rest) / self.n for end in (min(numbers), max(numbers)))
        return low, high


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def tallies(store: Store, *, by: Person | None, run: str) -> list[ReplyTally]:
    """Return the present counts of a run's replies, by criterion."""
    with store.read() as session:
        row, _ = _judge(session, by, run)
        verdicts: dict[str, Counter[ReplyOutcome]] = {}
        values: dict[str, Counter[tuple[Any, bool]]] = {}
        for criterion, verdict, value, swapped, n in replies_of_judges.counts(session, run_id=row.id):
            verdicts.setdefault(criterion, Counter())[verdict] += n
            if verdict.scored:
                values.setdefault(criterion, Counter())[value, swapped] += n
    return [ReplyTally(criterion, counts, values.get(criterion, {})) for criterion, counts in verdicts.items()]
