"""The case page: an item, the models' answers, and all grades of each answer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from annotation_schemas.keys import key_field
from db import answers as stored
from db import comment_threads, events, guidelines, item_revisions, items
from db.engine import Session, Store
from db.records import StoredAttempt, StoredItem
from domain.errors import NotFoundError
from domain.exposure import Disclosure, Fact, Route
from domain.option_scores import Ranking
from domain.rated_units import unit_of
from domain.records import RULES, AnswerReading, AssetView, Fields, Person
from domain.runs import ANSWERS, Outcome
from domain.states import ItemState, Stage
from extensions.cases import queries
from workflow.access import exposure
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead
from workflow.access.visibility import look_into
from workflow.annotate import answer_readings
from workflow.annotate.task_views import asset_view
from workflow.results import file_raters
from workflow.results.counting_answers import answer_of
from workflow.results.criterion_values import combined, is_right, named_criteria, scored_criteria, value_of
from workflow.results.ratings import repeat_name


@dataclass(frozen=True)
class Grade:
    """The grades or error codes that a person, a judge or a metric gave to an answer."""

    who: str
    values: Mapping[str, Any]
    """The values by criterion."""
    note: str = ""
    guideline: int | None = None
    person: bool = True
    from_file: bool = False
    settles: bool = False
    """The arbitration that settles codes on which the coders differed."""


@dataclass(frozen=True)
class CaseAnswer:
    """A model's answer with all of its grades."""

    model: str
    text: str
    at: datetime
    right: float
    why: str
    """Why the answer is neither right nor wrong."""
    latest: bool
    """The answer counts. False if the model has answered again."""
    grades: Sequence[Grade] = ()
    combined: Mapping[str, float | str | None] = field(default_factory=dict)
    """The combined grade of people by criterion, or the option if values are names; None without a majority."""
    ranked: Ranking | None = None
    """The likelihood of each option, if the model ranked options."""
    finish_reason: str | None = None
    truncated: bool = False
    key: str | None = None
    """The key of the item."""
    reading: AnswerReading | None = None
    """The reading of the answer by the rules, or by the selected reader if the rules cannot read it."""


@dataclass(frozen=True)
class CaseFailure:
    """A model was asked and there is no answer."""

    model: str
    outcome: str
    error: str
    at: datetime
    attempts: int


@dataclass(frozen=True)
class Case:
    """An item with everything that models, people and judges made of it."""

    item: str
    name: str
    dimension: str
    state: ItemState
    fields: Fields
    key: str | None
    """The name of the field that holds the key."""
    assets: Sequence[AssetView]
    answers: Sequence[CaseAnswer]
    failures: Sequence[CaseFailure]


def case(store: Store, *, person: Person, project: str, item: str, reader: str = RULES) -> Case:
    """Return one case, by the id on pages or in files. Raises ``NotAllowedError`` for a person who has the item open
    blind.

    The view of a person who might still be asked is recorded. That person is then no longer asked about the item blind.
    """
    with store.write(archived_too=True) as session:
        access = require_lead(session, by=person, project=project)
        row = items.by_public_id(session, project_id=access.project_id, public_id=item) or items.by_external_id(
            session, project_id=access.project_id, external_id=item
        )
        if row is None:
            raise NotFoundError(f"{access.title} has no item {item!r}. Choose an item from the list.")
        known = comment_threads.has_insight(session, item_id=row.id, person_id=person.id)
        now = store.now()
        if look_into(session, access=access, person=person, item=row, now=now).open and not known:
            log(session, events.LOOKED, by=person, project=access, item=row, now=now)
        answer_readings.fill(session, access=access, item_id=row.id, now=now)
        record = _case(session, access, row, reader)
        exposure.record_look(
            session,
            access=access,
            person=person,
            item_ids=[row.id],
            route=Route.CASES,
            record=record,
            told=told_by(record.answers, record.fields, person),
            now=now,
        )
        return record


def told_by(answers: Iterable[CaseAnswer], fields: Fields, person: Person) -> Disclosure:
    """Return the facts about an item that these answers and fields show to a person."""
    shown = list(answers)
    grades = [grade for answer in shown for grade in answer.grades if grade.who != person.login]
    facts = [Fact.VERDICT]
    facts += [Fact.MODEL, Fact.ANSWER] if shown else []
    facts += [Fact.VOTES] if any(grade.person for grade in grades) else []
    facts += [Fact.JUDGE] if any(not grade.person for grade in grades) else []
    stages = (Stage.GRADING, Stage.COMPARISON, Stage.CODING, Stage.ARBITRATION) if Fact.VOTES in facts else ()
    return Disclosure(tuple(name for name, value in fields.items() if value), tuple(facts), stages)


def _case(session: Session, access: Access, row: StoredItem, reader: str) -> Case:
    item_id = row.id
    fields = item_revisions.content(session, item_id=item_id, revision=row.current_revision)
    attempts = queries.attempts(session, item_id=item_id)
    return Case(
        item=row.public_id,
        name=row.external_id,
        dimension=row.dimension,
        state=row.state,
        fields=fields,
        key=key_field(access.schema),
        assets=[asset_view(asset, media, link.role) for link, asset, media in items.assets(session, item_id=item_id)],
        answers=answers_of(session, access, [row], {item_id: fields}, reader, attempts=[each for each, _ in attempts])[
            item_id
        ],
        failures=_failures(attempts),
    )


def answers_of(
    session: Session,
    access: Access,
    rows: Sequence[StoredItem],
    fields: Mapping[int, Fields],
    reader: str,
    *,
    attempts: Sequence[StoredAttempt] = (),
) -> dict[int, list[CaseAnswer]]:
    """Return the models' answers to these items with all grades, by item id.

    ``fields`` has the items' contents. ``attempts`` add how options were ranked and whether an answer was cut off.
    """
    every = stored.answers(session, project_id=access.project_id, item_ids=[row.id for row in rows])
    last = {(answer.item_id, answer.model): answer.id for answer in every}
    key = key_field(access.schema)
    read = answer_readings.counting(
        session, project_id=access.project_id, reader=reader, ids=[answer.id for answer in every]
    )
    made = {(attempt.run_id, attempt.item_id): attempt for attempt in attempts if attempt.outcome in ANSWERS}
    given = _grades(session, access, rows, every)
    by_item: dict[int, list[CaseAnswer]] = {row.id: [] for row in rows}
    for answer in sorted(every, key=lambda one: (one.model, -one.id)):
        content = fields[answer.item_id]
        right, why = is_right(access.schema, content, read.get(answer.id))
        attempt = made.get((answer.run_id, answer.item_id))
        mine = given.get(answer.id, ())
        by_item[answer.item_id].append(
            CaseAnswer(
                model=answer.model,
                text=answer.text,
                at=answer.created_at,
                right=right,
                why=why,
                latest=last[answer.item_id, answer.model] == answer.id,
                grades=mine,
                combined=_combined(access, mine),
                ranked=ranked_options(attempt.detail) if attempt else None,
                finish_reason=attempt.finish_reason if attempt else None,
                truncated=attempt is not None and attempt.outcome is Outcome.TRUNCATED,
                key=in_words(content.get(key or "")),
                reading=read.get(answer.id),
            )
        )
    return by_item


def _combined(access: Access, grades: Sequence[Grade]) -> dict[str, float | str | None]:
    """Return the combined grade of people by criterion."""
    grading = access.schema.stages.grading
    if grading is None:
        return {}
    together: dict[str, float | str | None] = {}
    for criterion in named_criteria(access.schema):
        named = [value_of(criterion, grade.values.get(criterion.name)) for grade in grades if grade.person]
        places = [place for place in named if not math.isnan(place)]
        if places:
            place = combined(places, "majority", grading.raters)
            together[criterion.name] = None if place is None else str(criterion.options[int(place)].value)
    for criterion in scored_criteria(access.schema):
        values = [grade.values.get(criterion.name) for grade in grades if grade.person]
        numbers = [float(v) for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
        if numbers:
            together[criterion.name] = combined(numbers, grading.combine, grading.raters)
    return together


def in_words(key: Any) -> str | None:
    """Return a key as text, or None if there is no key."""
    return "; ".join(map(str, key)) if isinstance(key, list | tuple) else None if key is None else str(key)


def _grades(
    session: Session, access: Access, rows: Sequence[StoredItem], found: Sequence[stored.AnswerPart]
) -> dict[int, list[Grade]]:
    """Return all grades of people and judges, by answer."""
    versions = guidelines.numbers(session, project_id=access.project_id)
    given: dict[int, list[Grade]] = {}
    people = file_raters.people(session, project_id=access.project_id)
    own: set[tuple[int, str, str]] = set()
    for vote, person in queries.grades(session, item_ids=[row.id for row in rows]):
        if vote.prediction_id is not None:
            version, settles = versions.get(vote.guideline_hash), vote.stage is Stage.ARBITRATION
            grade = Grade(person.login, vote.answers, vote.note, version, settles=settles)
            given.setdefault(vote.prediction_id, []).append(grade)
            own |= {
                (vote.prediction_id, person.login, name) for name, value in vote.answers.items() if value is not None
            }
    named = {row.id: row.external_id for row in rows}
    units: dict[str, list[stored.AnswerPart]] = {}
    for answer in found:
        units.setdefault(unit_of(named[answer.item_id], answer.model), []).append(answer)
    of_files: dict[tuple[int, str], dict[str, Any]] = {}
    for rating in stored.ratings(session, project_id=access.project_id, units=list(units)):
        about = answer_of(units[rating.unit], rating.created_at)
        twice = about is not None and (about.id, rating.rater, rating.criterion) in own and rating.rater in people
        if about is not None and not twice:  # a person's own submission replaces an imported grade
            of_files.setdefault((about.id, rating.rater), {})[rating.criterion] = rating.value
    for (id, rater), values in of_files.items():
        given.setdefault(id, []).append(Grade(rater, values, person=rater in people, from_file=True))
    of_runs: dict[tuple[int, str], list[queries.JudgeScore]] = {}
    for score in queries.judge_scores(session, answer_ids=[answer.id for answer in found]):
        of_runs.setdefault((score.answer_id, repeat_name(score.judge, score.sample)), []).append(score)
    for (id, judge), parts in of_runs.items():
        values = {part.criterion: part.value if part.verdict.scored else part.verdict.words for part in parts}
        note = " ".join(dict.fromkeys(part.why for part in parts if part.why))
        given.setdefault(id, []).append(Grade(judge, values, note, person=False))
    return given


def ranked_options(detail: Mapping[str, Any]) -> Ranking | None:
    """Return the ranking that an attempt stored; None if the attempt ranked no options."""
    try:
        return Ranking.read(detail)
    except (KeyError, TypeError, ValueError):
        return None


def _failures(attempts: Sequence[tuple[StoredAttempt, Any]]) -> list[CaseFailure]:
    """Return the last failure of every run that ended without an answer."""
    last: dict[int, tuple[StoredAttempt, Any]] = {}
    counts: dict[int, int] = {}
    for attempt, run in attempts:
        last[attempt.run_id] = (attempt, run)
        counts[attempt.run_id] = counts.get(attempt.run_id, 0) + 1
    return [
        CaseFailure(
            run.name,
            attempt.outcome.why_none or str(attempt.outcome),
            attempt.error,
            attempt.created_at,
            counts[attempt.run_id],
        )
        for attempt, run in last.values()
        if attempt.outcome not in ANSWERS
    ]
