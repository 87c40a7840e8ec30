"""Reference metrics over models' answers: numbers that are shown next to the grades of people and judges.

A metric is a run without a worker and without questions. Each answer is a unit, and each number is a reading of an
attempt. So all code that counts, compares or shows judges also works for metrics. An answer without a number has a
reason.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation_schemas import kinds
from annotation_schemas.keys import reference_field
from annotation_schemas.model import Criterion, Schema
from db import files, item_revisions, judging, run_attempts, run_chunks, runs
from db.engine import Session, Store
from db.records import StoredRun
from domain.errors import InvalidInputError, Problem
from domain.judging import ReplyOutcome, ReplyReading
from domain.records import Person
from domain.run_kinds import RunKind
from domain.runs import Attempt, Outcome, RunState
from domain.states import Items, Stage
from extensions.reference_metrics import queries
from extensions.reference_metrics.metrics import Metric, metric
from workflow.access.counted_items import Counting, counting
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead
from workflow.results.criterion_values import scored_criteria
from workflow.results.ratings import criteria_of
from workflow.runs.judge_readings import row_of
from workflow.runs.judge_units import store_units
from workflow.runs.prompt_texts import FieldTexts
from workflow.runs.run_start import free_name

NUMBER = "number"
"""The one part of a reading."""

NO_REFERENCE = "The item has no {field}."
_AT_ONCE = 2_000
"""The number of rows in one transaction."""


@dataclass(frozen=True)
class MetricResult:
    """The result of a measurement."""

    name: str
    """The rater name of the metric."""
    run: str
    criterion: str
    reference: str
    metric: Metric
    new: int
    """Numbers, and answers without one, that were not there before."""
    known: int
    """Answers whose texts have not changed since they were measured."""
    scored: int
    """The number of all measured answers with a number."""
    left_out: Mapping[str, int]
    """The number of answers without a number, by reason."""
    counted: Counting
    """Which items' answers were measured now."""


@dataclass(frozen=True)
class _Text:
    """An answer with its reference text."""

    prediction_id: int
    item_id: int
    answer: str
    reference: str | None

    @property
    def hash(self) -> str:
        text = json.dumps([self.reference, self.answer], ensure_ascii=False)
        return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def measure(
    store: Store,
    *,
    by: Person | None,
    project: str,
    name: str,
    reference: str | None = None,
    criterion: str | None = None,
    items: Items | str | None = None,
) -> MetricResult:
    """Measure all answers that a criterion is about. Answers that are already measured and unchanged are skipped.

    Parameters
    ----------
    by
        A lead; None is a command on the machine itself.
    name
        The name of the metric (``metrics.MEANINGS``).
    reference
        The item's field that answers are compared with; None for the one with the annotated answer.
    criterion
        The criterion of grading whose ratings the numbers are compared with; None for the only one with numbers as
        values.
    items
        Which items' answers are measured (``workflow.access.counted_items``).

    Raises
    ------
    InvalidInputError
        The metric, field or criterion is unknown or ambiguous.
    NotAvailableError
        The metric's library is not installed.
    """
    made = metric(name)
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        field, about = _chosen(access.schema, reference, criterion)
        settings = {**made.dump(), "reference": field, "criterion": about.name}
        counted = counting(session, access=access, items_=items)
        texts = _texts(session, access, field, about, counted)
        row = _existing(session, access, settings)
        known = _known(session, row)
    wanted = [text for text in texts if known.get(text.prediction_id) != text.hash]
    measured = [(text, _value(made, field, text)) for text in wanted]
    for start in range(0, max(len(measured), 1), _AT_ONCE):
        run_id, public_id, rater = _keep(
            store, by=by, project=project, told=settings, found=measured[start : start + _AT_ONCE]
        )
    with store.read() as session:
        counts = {verdict: n for _, verdict, n in judging.counts(session, run_id=run_id)}
        left_out = {why: n for _, why, n, _ in run_attempts.reasons(session, run_id=run_id)}
    return MetricResult(
        name=rater,
        run=public_id,
        criterion=about.name,
        reference=field,
        metric=made,
        new=len(wanted),
        known=len(texts) - len(wanted),
        scored=counts.get(ReplyOutcome.SCORED, 0),
        left_out=left_out,
        counted=counted,
    )


def _chosen(schema: Schema, reference: str | None, criterion: str | None) -> tuple[str, Criterion]:
    """Return the selected field and criterion."""
    fields = [field.name for field in schema.item.fields if kinds.of_field(field).comparable]
    problems = []
    field = reference or reference_field(schema)
    if field is None:
        problems.append(Problem("reference", f"Choose the reference for the answers: {_list(fields)}."))
    elif field not in fields:
        problems.append(Problem("reference", f"Items have no text field {field!r}. Choose one of {_list(fields)}."))
    there = {scored.name: scored for scored in scored_criteria(schema)}
    about = criterion or (next(iter(there)) if len(there) == 1 else None)
    if about is None:
        problems.append(Problem("criterion", f"Choose the criterion to compare the metric with: {_list(there)}."))
    elif about not in there:
        grading = [graded.name for graded in criteria_of(schema, Stage.GRADING)]
        why = "is not a numeric criterion" if about in grading else "is not a grading criterion"
        problems.append(Problem("criterion", f"{about!r} {why}. Choose one of {_list(there)}."))
    if problems or field is None or about is None:
        raise InvalidInputError(problems)
    return field, there[about]


def _list(names: Any) -> str:
    return ", ".join(names) or "none"


def _texts(session: Session, access: Access, field: str, about: Criterion, counted: Counting) -> list[_Text]:
    """Return every model's last answer to each counted item that the criterion is about, with the present reference."""
    contents = item_revisions.current_content(session, project_id=access.project_id)
    places = {id: dimension for id, _, dimension in files.item_ids(session, project_id=access.project_id)}
    known = access.schema.item.field(field)
    written = FieldTexts(access.schema)
    newest = {(row.item_id, row.model): row for row in files.predictions(session, project_id=access.project_id)}
    return [
        _Text(row.id, row.item_id, row.text, _reference(written, known, contents.get(row.item_id, {}).get(field)))
        for row in newest.values()
        if row.item_id in places
        and counted.counts(row.item_id)
        and (about.dimensions is None or places[row.item_id] in about.dimensions)
    ]


def _reference(written: FieldTexts, field: Any, value: Any) -> str | None:
    if isinstance(value, list | tuple) and all(isinstance(entry, str) for entry in value):
        value = ", ".join(value)  # without the letters that a prompt gives to options
    text = written.text(field, value) if value is not None else None
    return text if text and text.strip() else None


def _value(made: Metric, field: str, text: _Text) -> float | str:
    if text.reference is None:
        return NO_REFERENCE.format(field=field)
    return made.measure(text.reference, text.answer)


def _existing(session: Session, access: Access, told: Mapping[str, Any]) -> StoredRun | None:
    """Return the run that has measured with exactly these settings."""
    metric_runs = runs.of_project(session, project_id=access.project_id, kind=RunKind.METRIC)
    return next((row for row in metric_runs if row.params.get("metric") == told and row.withdrawn_at is None), None)


def _known(session: Session, row: StoredRun | None) -> dict[int, str]:
    """Return the hash of the texts of every answer that a run has measured, by the answer's id."""
    return {} if row is None else queries.text_hashes(session, run_id=row.id)


def _keep(
    store: Store,
    *,
    by: Person | None,
    project: str,
    told: Mapping[str, Any],
    found: Sequence[tuple[_Text, float | str]],
) -> tuple[int, str, str]:
    """Store the numbers that no other process has stored yet. Return the run's ids and name."""
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        now = store.now()
        row = _existing(session, access, told)
        if row is None:
            row = runs.add(
                session,
                project_id=access.project_id,
                kind=RunKind.METRIC,
                name=free_name(session, access, label_of(told)),
                params={"metric": dict(told)},
                state=RunState.DONE,
                spec_hash=hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest(),
                by_id=by.id if by else None,
                now=now,
            )
        run_id = row.id
        known = _known(session, row)
        fresh = [(text, value) for text, value in found if known.get(text.prediction_id) != text.hash]
        if fresh:
            units = queries.units_of_answers(session, run_id=run_id)
            new = [text for text, _ in fresh if text.prediction_id not in units]
            ids = store_units(session, run_id, [_unit(text) for text in new])
            units |= {text.prediction_id: id for text, id in zip(new, ids, strict=True)}
            _write(session, run_id=run_id, told=told, fresh=fresh, units=units, now=now)
            runs.extend_by(session, row=row, units=len(new), now=now)
            data = {"run": row.public_id, "metric": row.name, "answers": len(fresh)}
            log(session, "metric.measured", by=by, project=access, now=now, data=data)
        return run_id, row.public_id, row.name


def _unit(text: _Text) -> dict[str, Any]:
    return {
        "item_id": text.item_id,
        "prediction_id": text.prediction_id,
        "other_id": None,
        "swapped": False,
        "attack": None,
        "sample": 0,
    }


def _attempt(unit_id: int, text: _Text, value: float | str) -> Attempt:
    if isinstance(value, str):
        return Attempt(unit_id, Outcome.SKIPPED, error=value, prompt_hash=text.hash)
    return Attempt(unit_id, Outcome.ANSWERED, text=repr(value), prompt_hash=text.hash)


def _reading(value: float | str) -> ReplyReading:
    if isinstance(value, str):
        return ReplyReading(ReplyOutcome.SKIPPED, why=value)
    return ReplyReading(ReplyOutcome.SCORED, {NUMBER: value})


def _write(
    session: Session,
    *,
    run_id: int,
    told: Mapping[str, Any],
    fresh: Sequence[tuple[_Text, float | str]],
    units: Mapping[int, int],
    now: Any,
) -> None:
    worker_id = run_chunks.add_worker(session, run_id=run_id, name="metric", about=dict(told), now=now)
    written = run_attempts.add_attempts(
        session,
        run_id=run_id,
        worker_id=worker_id,
        attempts=[_attempt(units[text.prediction_id], text, value) for text, value in fresh],
        item_ids={units[text.prediction_id]: text.item_id for text, _ in fresh},
        now=now,
    )
    by = (told["name"], told["version"])
    judging.add(
        session,
        rows=[
            row_of(_reading(value), NUMBER, told["criterion"], attempt, by=by, ids=(run_id, attempt_id), now=now)
            for (attempt_id, attempt), (_, value) in zip(written, fresh, strict=True)
        ],
    )
    run_chunks.end_worker(session, worker_id=worker_id, now=now)


def label_of(told: Mapping[str, Any]) -> str:
    """Return the rater name of a metric.

    >>> label_of({"name": "rouge_l", "reference": "answer"})
    'rouge_l against answer'
    """
    return f"{told['name']} against {told['reference']}"
