"""A preview of an import of answers, ratings or judges' replies. Nothing is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from agreement.losses import Losses
from annotation_schemas import registry
from annotation_schemas.formats import FORMATS, Format, RatingsReader, Takes
from db.engine import Store
from domain import extensions
from domain.errors import InvalidFileError, NotAvailableError
from domain.judging import JudgePlan
from domain.records import BadRow, Person
from domain.replies import WARNING
from domain.runs import ANSWERS
from importers.answer_files import told_of_unread
from importers.readers import reader_of
from workflow.access.projects import Access, require_lead
from workflow.annotate import answer_readings
from workflow.files.import_answers import (
    answered_rows,
    answers_to_read,
    losses_ahead,
    texts_instead,
    words_of_texts_instead,
)
from workflow.files.one_import import Import, Progress
from workflow.files.read_losses import read_sentences
from workflow.results.ratings_from_files import missing_in, sorted_out

if TYPE_CHECKING:
    from inference.spec import ModelSpec
    from media.store import MediaStore

LOOKED_AT = (Takes.ANSWERS, Takes.RATINGS, Takes.REPLIES)
FIRST = 8
"""The number of rows that the preview shows."""


@dataclass(frozen=True)
class RowsLook:
    """The result of a preview."""

    format: Format
    what: str
    """The name of a row's result: an answer, a rating, a reply."""
    new: int
    equal: int
    """Rows that are there word for word."""
    changed: Sequence[BadRow]
    """Rows that contradict stored data, which stays. An import refuses these rows, or leaves them out."""
    bad: Sequence[BadRow]
    """Invalid rows."""
    heads: Sequence[str]
    first: Sequence[Sequence[str]]
    """The first new rows, as they will be."""
    by: Mapping[str, int]
    """The new rows by the model, rater or judge that they are of."""
    notes: Sequence[str] = field(default=())
    warnings: Sequence[str] = field(default=())
    """Warnings about the rows that the import would add, in sentences."""
    refused: str | None = None
    """Why an import would be refused, even if bad rows are skipped."""

    @property
    def left(self) -> list[BadRow]:
        """Return all rows that would not be imported and are not yet stored, in order."""
        return sorted([*self.bad, *self.changed], key=lambda bad: (bad.path, bad.row))

    def comes(self, *, skip_bad: bool) -> bool:
        """Return whether an import would succeed."""
        return self.refused is None and (skip_bad or not self.left)


def look_at_rows(
    store: Store,
    media: MediaStore,
    *,
    by: Person | None,
    project: str,
    format: str,
    path: Path,
    dimension: str | None = None,
    model: str | None = None,
    spec: ModelSpec | None = None,
    plan: JudgePlan | None = None,
    missing: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> RowsLook:
    """Preview an import of these files by the import's own rules.

    Parameters
    ----------
    model, spec
        For answers: the model, as for ``import_files``.
    plan
        For judges' replies: the plan that reads them.
    missing
        For ratings: the words for a missing rating. None for the usual words.

    Raises
    ------
    InvalidFileError
        The files cannot be read.
    """
    registry.require_row("format", format)
    row = FORMATS[format]
    if not row.reads and (away := extensions.missing("readers", format)) is not None:
        raise NotAvailableError(away)
    if row.takes not in LOOKED_AT or not row.reads:
        raise InvalidFileError(
            f"A dry run is only for items, answers, ratings and replies. Import {format} without a dry run."
        )
    on = progress or (lambda what, done, total: None)
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
    on("reading", 0, 1)
    if row.takes is Takes.REPLIES:
        if plan is None:
            raise InvalidFileError("Choose the template that reads these replies.")
        assert row.replies is not None
        seen: RowsLook = row.replies.look(store, by=by, project=project, path=path, plan=plan, format=format)
        return seen
    bring = Import(store, media, access, by, project, path, dimension, False, on)
    if row.takes is Takes.ANSWERS:
        return _answers(bring, row, model, spec)
    return _ratings(bring, row, missing)


def _answers(bring: Import, row: Format, model: str | None, spec: ModelSpec | None) -> RowsLook:
    read = reader_of(row)(
        bring.path,
        schema=bring.access.schema,
        dimension=bring.dimension,
        model=spec.name if spec else model,
        project=bring.project,
    )
    bad = list(read.bad)
    bring.on("comparing", 0, 1)
    with bring.store.read() as session:
        new, equal, changed, used = answered_rows(bring, session, read.rows, bad)
    wanted = answers_to_read(new)
    readings = answer_readings.readings_ahead(bring.store, project_id=bring.access.project_id, wanted=wanted)
    with bring.store.read() as session:
        losses = losses_ahead(bring, session, new, readings)
    titles = {dimension.id: dimension.title for dimension in bring.access.schema.dimensions}
    unanswered = Counter(
        new_answer.answer.outcome for new_answer in new.values() if new_answer.answer.outcome not in ANSWERS
    )
    sentences, warnings = losses_told(losses, new=len(new), repeated=equal, noun="answers")
    unread, ignored = told_of_unread(read, used)
    notes = [*sentences, *unread]
    if unanswered:
        why = ", ".join(f"{outcome.value.replace('_', ' ')} {n}" for outcome, n in sorted(unanswered.items()))
        notes.append(f"New rows without an answer: {unanswered.total():,} ({why}).")
    if instead := texts_instead(new.values()):
        notes.append(f"Touchstone does not count failed requests as answers: {words_of_texts_instead(instead)}.")
    first = [
        (
            new_answer.answer.item or new_answer.here.item or f"row {new_answer.here.row}",
            titles.get(new_answer.dimension, new_answer.dimension),
            new_answer.answer.model,
            new_answer.answer.text
            if new_answer.answer.outcome in ANSWERS
            else new_answer.answer.outcome.value.replace("_", " "),
        )
        for new_answer in list(new.values())[:FIRST]
    ]
    by = Counter(new_answer.answer.model for new_answer in new.values())
    heads = ("Item", "Dimension", "Model", "Answer")
    return RowsLook(row, "answer", len(new), equal, changed, bad, heads, first, by, notes, [*warnings, *ignored])


def losses_told(losses: Sequence[Losses], *, new: int, repeated: int, noun: str) -> tuple[list[str], list[str]]:
    """Return sentences about the rows that an import could not read, and separately its warnings."""
    sentences = read_sentences(losses, new=new, repeated=repeated, noun=noun)
    warned = [sentence for sentence in sentences if sentence.startswith(WARNING)]
    return [sentence for sentence in sentences if sentence not in warned], [
        warning.removeprefix(WARNING) for warning in warned
    ]


def _ratings(bring: Import, row: Format, missing: Sequence[str] | None) -> RowsLook:
    reader: RatingsReader = reader_of(row)
    read = reader(bring.path, missing=missing_in(bring.access.schema, reader, missing))
    bad, changed = list(read.bad), list[BadRow]()
    bring.on("comparing", 0, 1)
    with bring.store.read() as session:
        access: Access = require_lead(session, by=bring.by, project=bring.project)
        new, _, equal = sorted_out(session, access, read.rows, bad, changed)
    first = [
        (
            new_rating.rating.unit,
            access.schema.stages.title_of(new_rating.stage.value),
            new_rating.rating.rater,
            new_rating.rating.criterion,
            str(new_rating.rating.value),
        )
        for new_rating in new[:FIRST]
    ]
    by = Counter(new_rating.rating.rater for new_rating in new)
    heads = ("Unit", "Stage", "Rater", "Criterion", "Value")
    return RowsLook(row, "rating", len(new), equal, changed, bad, heads, first, by, read.notes, read.warnings)
