"""Entries: another team's file of answers, checked as a whole and scored against the key like any model's answers.

An entry is a run of imported answers that stores the team and the model. A newer entry of the same team and model
replaces the earlier one, which is withdrawn with that reason and stays listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from annotation_schemas.formats import FORMATS, ReadPredictions
from db import files, projects, runs
from db.engine import Session, Store
from db.readings import AttemptEnd
from db.records import StoredRun
from domain.english import with_noun
from domain.errors import AlreadyTakenError, InvalidFileError, InvalidInputError, Problem
from domain.reading.answers import ReadOutcome
from domain.records import BadRow, Person, PredictionRecord
from domain.run_kinds import RunKind
from domain.runs import ANSWERS, Outcome
from extensions.leaderboard import entry_budget
from importers.readers import reader_of
from workflow.access.counted_items import counting
from workflow.access.event_log import log
from workflow.access.projects import require_lead
from workflow.annotate import answer_readings
from workflow.files.answered_items import ItemAnswer
from workflow.files.import_answers import answers_of_rows, take_answers
from workflow.files.one_import import Import
from workflow.results.leaderboard import sliced_scores
from workflow.results.leaderboard_lines import LeaderboardLine
from workflow.results.project_answers import read_project
from workflow.results.score_choices import Scores, scores_of
from workflow.runs import run_control

if TYPE_CHECKING:
    from media.store import MediaStore

FORMAT = "predictions"
"""The import format, which detects the file type."""
LONGEST = 80
"""Longest name of a team or a model, in characters."""
_SHOWN = 5
_MISSING = "The entry has no answer to this item."
_NEWER = "A newer entry from {} replaced this entry."


@dataclass(frozen=True)
class Entry:
    """One entry of a team."""

    run: str
    """The public id of its run."""
    team: str
    model: str
    name: str
    """The name in results."""
    at: datetime
    sha256: str
    withdrawn: str
    """Why the entry does not count. Empty: it counts."""


@dataclass(frozen=True)
class AcceptedEntry:
    """The result of accepting an entry."""

    entry: Entry
    answers: int
    unanswered: int
    """Number of items without an answer. They count like unreadable answers."""
    replaced: Entry | None
    """The earlier entry of the same team and model, which no longer counts."""


def name_of(team: str, model: str) -> str:
    """Return the name of an entry in results.

    >>> name_of("Team A", "Video-LLaMA")
    'Team A: Video-LLaMA'
    """
    return f"{team}: {model}"


def take(
    store: Store,
    media: MediaStore,
    *,
    by: Person | None,
    project: str,
    path: Path,
    team: str,
    model: str,
    anyway: bool = False,
) -> AcceptedEntry:
    """Accept a team's file of answers to all counted items.

    Parameters
    ----------
    by
        A lead; None is the command on the machine itself.
    anyway
        Accept the file even if answers are missing, or name none of an item's options. Both count like unreadable
        answers.

    Raises
    ------
    InvalidInputError
        The team or the model has no name, or a name that is too long.
    InvalidFileError
        The file is truncated, has unknown items or duplicates, or lacks items. Nothing was accepted.
    NotAllowedError
        The team has used up its budget for now.
    AlreadyTakenError
        The same file is already there, or the name belongs to another team or to answers that are not an entry.
    """
    team, model = _named("team", team), _named("model", model)
    name = name_of(team, model)
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
    bring = Import(store, media, access, by, project, path, None, False, lambda what, done, total: None)
    predictions: ReadPredictions = reader_of(FORMATS[FORMAT])(path, schema=access.schema, model=name, project=project)
    rows, missing = _looked_at(bring, predictions, anyway=anyway)
    (sha256,) = set(predictions.hashes.values()) if len(predictions.hashes) == 1 else ("",)
    absent = [_absent(name, path, item) for item in missing]
    with store.write() as session:
        projects.lock(session, id=access.project_id)
        earlier = _earlier(session, access.project_id, name)
        there = _entry(earlier) if earlier is not None else None
        if there is not None and (there.team, there.model) != (team, model):
            raise AlreadyTakenError(
                f"The name {name} already belongs to the model {there.model} of {there.team}. Choose another "
                "name for the team or the model."
            )
        if there is not None and sha256 and there.sha256 == sha256:
            raise AlreadyTakenError(f"{name} has already sent this file. Nothing changed. Choose another file.")
        ours = any(row.name == name for row in _rows(session, access.project_id))
        if not ours and name in runs.names(session, project_id=access.project_id):
            raise AlreadyTakenError(
                f"The project already has a model named {name}. Choose another name for the team or the model."
            )
        entry_budget.must_have_one_left(
            session, project_id=access.project_id, team=team, rows=_rows(session, access.project_id), now=store.now()
        )
        if earlier is not None:
            run_control.withdraw_now(
                session, access=access, row=earlier, why=_NEWER.format(name), by=by, now=store.now()
            )
        about = {"team": team, "model": model, "sha256": sha256}
        done = take_answers(bring, session, [*rows, *absent], predictions.hashes, [], entry=about)
        row = _earlier(session, access.project_id, name)
        assert row is not None, "an empty file is refused when it is read"
        data = {"team": team, "replaces": earlier.public_id if earlier else None, "unanswered": len(missing)}
        log(session, "entry.taken", by=by, run=row, now=store.now(), data=data)
        return AcceptedEntry(_entry(row), done.predictions, len(missing), _entry(earlier) if earlier else None)


def sentence(done: AcceptedEntry) -> str:
    """Return the result of accepting an entry in one line."""
    sentence = f"{done.entry.name}: {with_noun(done.answers, 'answer')} accepted"
    if done.unanswered:
        sentence += f", {with_noun(done.unanswered, 'item')} without an answer"
    if done.replaced is None:
        return f"{sentence}."
    return f"{sentence}. The entry of {done.replaced.at:%d %B %Y, %H:%M} UTC is kept but no longer counts."


def entries(store: Store, *, by: Person | None, project: str) -> list[Entry]:
    """Return all entries of a project, the newest first, withdrawn ones included."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return [_entry(row) for row in _rows(session, access.project_id)]


def score_of(store: Store, *, by: Person | None, project: str, entry: Entry) -> LeaderboardLine | None:
    """Return an entry's accuracy against the key. None for a project without a key."""
    answers = read_project(store, person=by, project=project)
    if Scores("key") not in scores_of(answers):
        return None
    return sliced_scores(answers, Scores("key")).whole[entry.name]


# ---- content of a file ----------------------------------------------------------------------------------------------


def _looked_at(
    bring: Import, found: ReadPredictions, *, anyway: bool
) -> tuple[list[tuple[PredictionRecord, BadRow]], list[str]]:
    """Return the rows of a file, and the items without an answer.

    ``InvalidFileError`` has a sentence for each problem.
    """
    strange: list[BadRow] = []
    with bring.store.read() as session:
        project_id = bring.access.project_id
        rows = list(answers_of_rows(bring, session, found.rows, strange))
        counts = counting(session, access=bring.access)
        wanted = {id: name for id, name, _ in files.item_ids(session, project_id=project_id) if counts.counts(id)}
    times = Counter(row.item_id for row in rows)
    twice = [row.here for row in {row.item_id: row for row in rows if times[row.item_id] > 1}.values()]
    given = {row.item_id for row in rows if row.answer.outcome in ANSWERS}
    said_none = {row.item_id for row in rows} - given
    missing = [name for id, name in wanted.items() if id not in given]
    sentences = [
        _problem(found.bad, "row cannot be read", "rows cannot be read"),
        _problem(strange, "row matches no item of this project", "rows match no item of this project"),
        _problem(twice, "item is answered more than once", "items are answered more than once"),
    ]
    if not anyway:
        none = _none(bring, rows)
        sentences.append(
            _problem(none, "answer matches no option of its item", "answers match no option of their items")
        )
        if missing:
            n = f"{len(missing):,} of {len(wanted):,}"
            sentences.append(f"Items without an answer: {n}. The first of these items is {missing[0]}.")
    if problems := [sentence for sentence in sentences if sentence]:
        can = " Or use --anyway to accept the entry with missing answers." if not any(sentences[:3]) else ""
        raise InvalidFileError(f"{' '.join(problems)} Touchstone did not accept the entry. Correct the file.{can}")
    return [(row.answer, row.here) for row in rows if row.item_id not in said_none], missing


def _problem(rows: Sequence[BadRow], one: str, many: str) -> str:
    """Return how many rows have a problem, and the positions of the first ones. Empty if there are none."""
    if not rows:
        return ""
    where = ", ".join(f"row {row.row}" for row in rows[:_SHOWN])
    more = f" and {len(rows) - _SHOWN:,} more" if len(rows) > _SHOWN else ""
    why = f" ({rows[0].reason})" if rows[0].reason else ""
    return f"{len(rows):,} {one if len(rows) == 1 else many}: {where}{more}{why}."


def _none(bring: Import, rows: Sequence[ItemAnswer]) -> list[BadRow]:
    """Return the rows whose answers cannot be read as an option."""
    answers = [row for row in rows if row.answer.outcome in ANSWERS]
    wanted = [(row.item_id, row.answer.text, AttemptEnd(None, row.answer.outcome, row.order)) for row in answers]
    read_ = answer_readings.readings_ahead(bring.store, project_id=bring.access.project_id, wanted=wanted)
    return [
        replace(row.here, reason=f"{row.answer.text[:40]!r}")
        for row, reading in zip(answers, read_, strict=True)
        if reading.outcome is not ReadOutcome.READ
    ]


def _absent(name: str, path: Path, item: str) -> tuple[PredictionRecord, BadRow]:
    record = PredictionRecord(name, "", item=item, outcome=Outcome.EMPTY, error=_MISSING)
    return record, BadRow(path.name, 0, "", "")


def _named(what: str, name: str) -> str:
    one_line = " ".join(name.split())
    if not one_line or len(one_line) > LONGEST or not one_line.isprintable():
        raise InvalidInputError([Problem(what, f"Give the {what} a name of at most {LONGEST} characters.")])
    return one_line


# ---- stored entries -------------------------------------------------------------------------------------------------


def _rows(session: Session, project_id: int) -> list[StoredRun]:
    imports = runs.of_project(session, project_id=project_id, kind=RunKind.IMPORT)
    return [row for row in imports if "entry" in row.params]


def _earlier(session: Session, project_id: int, name: str) -> StoredRun | None:
    """Return the entry of this name that counts."""
    rows = _rows(session, project_id)
    return next((row for row in rows if row.name == name and row.withdrawn_at is None), None)


def _entry(row: StoredRun) -> Entry:
    about = row.params["entry"]
    withdrawn = row.withdrawn_why if row.withdrawn_at is not None else ""
    return Entry(row.public_id, about["team"], about["model"], row.name, row.created_at, about["sha256"], withdrawn)
