"""Models' answers in from files: a run for each model, read by the rules, passed on to grading."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agreement.losses import Losses
from annotation_schemas.expected_answers import asked_of
from annotation_schemas.formats import Format, ReadPredictions
from db import files, item_revisions, run_chunks, runs
from db.engine import Session
from db.readings import AttemptEnd
from domain.reading.answers import Reading
from domain.records import BadRow, PredictionRecord
from domain.run_kinds import RunKind
from domain.runs import ANSWERS, Outcome, RunState
from importers.answer_files import told_of_unread
from importers.readers import reader_of
from workflow.access.event_log import log
from workflow.annotate import answer_readings, reading_rows
from workflow.annotate.answer_readings import NewAnswer
from workflow.files.answered_items import ItemAnswer, items_answered
from workflow.files.grading_intake import NewPrediction, open_new_answers
from workflow.files.one_import import Import, ImportSummary
from workflow.files.question_match import several
from workflow.files.read_losses import ImportedAnswer, losses_of_answers, losses_of_readings

if TYPE_CHECKING:
    from inference.spec import ModelSpec

_OTHERWISE = "{} already has a different answer to this item"


def import_answers(bring: Import, row: Format, *, model: str | None, spec: ModelSpec | None) -> ImportSummary:
    """Import models' answers. ``model`` or ``spec`` replaces the models that the files name."""
    read: ReadPredictions = reader_of(row)(
        bring.path,
        schema=bring.access.schema,
        dimension=bring.dimension,
        model=spec.name if spec else model,
        project=bring.project,
    )
    bring.refuse(read.bad)
    known, used = read_ahead(bring, read.rows)
    with bring.store.write() as session:
        done = take_answers(bring, session, read.rows, read.hashes, list(read.bad), known, spec=spec)
    notes, warnings = told_of_unread(read, used)
    return replace(done, note=_joined(done.note, *notes), warnings=tuple(warnings))


def read_ahead(
    bring: Import, rows: Sequence[tuple[PredictionRecord, BadRow]]
) -> tuple[reading_rows.Ahead, frozenset[str]]:
    """Read the answers of a file before the transaction that stores them, in which others would have to wait.

    The second value names the columns in which the file has items' options.
    """
    with bring.store.read() as session:
        answers = list(answers_of_rows(bring, session, rows, []))
        there = {(row.item_id, row.model) for row in files.predictions(session, project_id=bring.access.project_id)}
    wanted = [
        (row.item_id, row.answer.text, AttemptEnd(None, row.answer.outcome, row.order))
        for row in answers
        if row.answer.outcome in ANSWERS and (row.item_id, row.answer.model) not in there
    ]
    return answer_readings.ahead(bring.store, project_id=bring.access.project_id, wanted=wanted), columns_of(answers)


def columns_of(rows: Iterable[ItemAnswer]) -> frozenset[str]:
    """Return the names of the columns in which a file has items' options."""
    return frozenset(name for row in rows for name in row.columns)


def take_answers(
    bring: Import,
    session: Session,
    rows: Sequence[tuple[PredictionRecord, BadRow]],
    hashes: Mapping[str, str],
    bad: list[BadRow],
    known: reading_rows.Ahead | None = None,
    *,
    spec: ModelSpec | None = None,
    entry: Mapping[str, str] | None = None,
) -> ImportSummary:
    """Store the new answers, in a run for each model. Bad rows are appended to ``bad``.

    ``entry`` is stored with the run: the team that submitted it, and the team's name for its model.
    """
    now, project_id = bring.store.now(), bring.access.project_id
    item_answers = list(answers_of_rows(bring, session, rows, bad))
    note = several(bad)
    bring.refuse(bad, note)
    new, repeated = _new_answers(bring, session, item_answers, bad)
    bring.refuse(bad)
    answers = {key: row for key, row in new.items() if row.answer.outcome in ANSWERS}
    run_of = _runs(bring, session, new, hashes, spec, entry)
    files.add_attempts(
        session,
        rows=[
            {
                "run_id": run_of[model][0],
                "worker_id": run_of[model][1],
                "unit_id": item_id,
                "item_id": item_id,
                "number": 1,
                "outcome": row.answer.outcome,
                "final": True,
                "text": row.answer.text,
                "waited": 0.0,
                "error": row.answer.error,
                "prompt_hash": "",
                "image_hashes": [],
                "detail": {
                    "file": row.here.path,
                    "row": row.here.row,
                    **({"order": list(row.order)} if row.order else {}),
                },
                "created_at": now,
            }
            for (item_id, model), row in new.items()
        ],
    )
    ids = answer_readings.keep(
        session,
        project_id=project_id,
        answers=[
            NewAnswer(item_id, run_of[model][0], model, row.answer.text) for (item_id, model), row in answers.items()
        ],
        now=now,
        known=known,
    )
    stored = [
        NewPrediction(id, item_id, row.dimension, model)
        for id, ((item_id, model), row) in zip(ids, answers.items(), strict=True)
    ]
    waits = open_new_answers(session, access=bring.access, new=stored, now=now)
    bring.on("saving", len(ids), len(ids))
    unanswered = Counter(row.answer.outcome for row in new.values() if row.answer.outcome not in ANSWERS)
    losses = _losses(session, bring, new, dict(zip(answers, ids, strict=True)))
    if new:
        data = {
            "predictions": len(ids),
            "models": sorted(run_of),
            **({"unanswered": unanswered.total()} if unanswered else {}),
        }
        log(session, "predictions.imported", by=bring.by_id, project=project_id, now=now, data=data)
    came: dict[str, Any] = {"unanswered": dict(unanswered), "note": _joined(note, waits), "losses": losses}
    instead = texts_instead(new.values())
    return ImportSummary(predictions=len(ids), repeated=repeated, bad=tuple(bad), instead=instead, **came)


def _losses(
    session: Session, bring: Import, new: Mapping[tuple[int, str], ItemAnswer], ids: Mapping[tuple[int, str], int]
) -> Sequence[Losses]:
    """Return the unreadable ones among the new answers. ``ids`` are those of the stored answers."""
    return losses_of_answers(
        session,
        bring.access,
        [(id, item, model, new[item, model].dimension) for (item, model), id in ids.items()],
        _unanswered(new),
    )


def losses_ahead(
    bring: Import, session: Session, new: Mapping[tuple[int, str], ItemAnswer], readings: Sequence[Reading]
) -> Sequence[Losses]:
    """Return the new answers that an import could not read. ``readings`` are those of ``answers_to_read``."""
    schema = bring.access.schema
    content = item_revisions.current_content(session, project_id=bring.access.project_id)
    answers = [(item, model, row) for (item, model), row in new.items() if row.answer.outcome in ANSWERS]
    return losses_of_readings(
        session,
        bring.access,
        [
            ImportedAnswer(
                item, model, row.dimension, asked_of(schema, content.get(item, {})).kind, read.outcome, read.value
            )
            for (item, model, row), read in zip(answers, readings, strict=True)
        ],
        _unanswered(new),
    )


def answers_to_read(new: Mapping[tuple[int, str], ItemAnswer]) -> list[tuple[int, str, AttemptEnd]]:
    """Return the item, text and end of each new answer."""
    return [
        (row.item_id, row.answer.text, AttemptEnd(None, row.answer.outcome, row.order))
        for row in new.values()
        if row.answer.outcome in ANSWERS
    ]


def _unanswered(new: Mapping[tuple[int, str], ItemAnswer]) -> list[tuple[int, str, str, Outcome]]:
    return [
        (item, model, row.dimension, row.answer.outcome)
        for (item, model), row in new.items()
        if row.answer.outcome not in ANSWERS
    ]


def _joined(*sentences: str | None) -> str | None:
    return " ".join(filter(None, sentences)) or None


def texts_instead(rows: Iterable[ItemAnswer]) -> dict[str, int]:
    """Return the texts in place of answers, such as "nan", with their counts, the most frequent first."""
    counter = Counter(
        " ".join(row.answer.text.split())[:60]
        for row in rows
        if row.answer.outcome is Outcome.TRANSPORT_ERROR and row.answer.text.strip()
    )
    return dict(counter.most_common())


def words_of_texts_instead(texts: Mapping[str, int], *, most: int = 5) -> str:
    """Return the texts in place of answers in words, for a sentence about failed requests.

    >>> words_of_texts_instead({"nan": 2, "429": 1}, most=1)
    "'nan' (2), 1 with other texts"
    """
    named = [f"{text!r} ({n:,})" for text, n in list(texts.items())[:most]]
    if rest := sum(list(texts.values())[most:]):
        named.append(f"{rest:,} with other texts")
    return ", ".join(named)


def answers_of_rows(
    bring: Import, session: Session, rows: Sequence[tuple[PredictionRecord, BadRow]], bad: list[BadRow]
) -> Iterator[ItemAnswer]:
    """Yield the answers with their items. A program's placeholder for a missing answer is a failed attempt."""
    return items_answered(session, bring.access.project_id, rows, bad, schema=bring.access.schema)


def answered_rows(
    bring: Import, session: Session, rows: Sequence[tuple[PredictionRecord, BadRow]], bad: list[BadRow]
) -> tuple[dict[tuple[int, str], ItemAnswer], int, list[BadRow], frozenset[str]]:
    """Return the rows that an import would take, the number of stored ones, contradicting rows, and the option columns.

    Rows without an item, or contradicting another row, are appended to ``bad``. Nothing is stored.
    """
    answers = list(answers_of_rows(bring, session, rows, bad))
    contradict: list[BadRow] = []
    new, repeated = _new_answers(bring, session, answers, bad, contradict)
    return new, repeated, contradict, columns_of(answers)


def _new_answers(
    bring: Import,
    session: Session,
    found: Sequence[ItemAnswer],
    bad: list[BadRow],
    contradict: list[BadRow] | None = None,
) -> tuple[dict[tuple[int, str], ItemAnswer], int]:
    """Return the new rows by item and model, and the number of stored ones.

    A row that contradicts another row of the file is appended to ``bad``. A row that contradicts a stored answer is
    appended to ``contradict``; None appends it to ``bad`` too.
    """
    differ = bad if contradict is None else contradict
    project_id = bring.access.project_id
    known = {(row.item_id, row.model): row.text for row in files.predictions(session, project_id=project_id)}
    failed = files.imported_failures(session, project_id=project_id, kind=RunKind.IMPORT)
    new: dict[tuple[int, str], ItemAnswer] = {}
    repeated = 0
    for row in found:
        answer = row.answer
        key = (row.item_id, answer.model)
        if key in new:
            earlier = new[key].answer
            if (earlier.text, earlier.outcome) == (answer.text, answer.outcome):
                repeated += 1
            else:
                bad.append(
                    replace(row.here, reason=f"an earlier row has a different answer by {answer.model} to this item")
                )
        elif answer.outcome not in ANSWERS:
            if (*key, answer.outcome, answer.text) in failed:
                repeated += 1
            else:
                new[key] = row
        elif (before := known.get(key)) is None:
            new[key] = row
        elif before == answer.text:
            repeated += 1
        else:
            differ.append(replace(row.here, reason=_OTHERWISE.format(answer.model)))
    return new, repeated


def _runs(
    bring: Import,
    session: Session,
    new: Mapping[tuple[int, str], ItemAnswer],
    hashes: Mapping[str, str],
    spec: ModelSpec | None,
    entry: Mapping[str, str] | None,
) -> dict[str, tuple[int, int]]:
    """Return a run for each model, with the id of the files' hashes that took part."""
    now = bring.store.now()
    rows: dict[str, list[ItemAnswer]] = defaultdict(list)
    for (_, model), row in new.items():
        rows[model].append(row)
    by_model: dict[str, tuple[int, int]] = {}
    for model, answers in rows.items():
        came = {path: hashes[path] for path in sorted({row.here.path for row in answers})}
        about: dict[str, Any] = {"files": [{"path": path, "sha256": sha256} for path, sha256 in came.items()]}
        kept = {**({"spec": spec.dump()} if spec else {}), **({"entry": dict(entry)} if entry else {})}
        run = runs.add(
            session,
            project_id=bring.access.project_id,
            kind=RunKind.IMPORT,
            name=model,
            params={"file": bring.path.name, **about, **kept},
            state=RunState.DONE,
            spec_hash=spec.hash if spec else "",
            wanted=len(answers),
            by_id=bring.by_id,
            now=now,
        )
        worker_id = run_chunks.add_worker(session, run_id=run.id, name="import", about=about, now=now)
        run_chunks.end_worker(session, worker_id=worker_id, now=now)
        by_model[model] = (run.id, worker_id)
    return by_model
