"""Imports of ratings: a check of each rating against the schema, its stage, and the kind of its rater."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from annotation_schemas import kinds
from annotation_schemas.formats import RatingsReader
from annotation_schemas.model import Criterion, Schema
from db import files, item_revisions
from db.engine import Session, Store
from domain.comparison import same, spelled
from domain.errors import InvalidFileError
from domain.rated_units import BETWEEN
from domain.records import BadRow, Person, Rating
from domain.spelling import normal, spelling
from domain.states import VERIFICATIONS, RatersAre, Stage
from importers.readers import ratings_reader
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead
from workflow.results import file_raters
from workflow.results.file_raters import FileRater
from workflow.results.ratings import criteria_of

FROM_FILES = (*VERIFICATIONS, Stage.GRADING)
"""The stages whose ratings may come from files. Codes are settled here, among people who do not know each other's."""


@dataclass(frozen=True)
class NewRating:
    """A rating that is not there yet, and the stage that it belongs to."""

    stage: Stage
    rating: Rating


class ImportedRatings(NamedTuple):
    """The result of an import of ratings."""

    new: int
    repeated: int
    """The number of ratings that were already stored with the same value."""
    bad: Sequence[BadRow]
    """Left out."""
    raters: Sequence[FileRater]
    """The raters of the file, with their present marks."""
    notes: Sequence[str] = ()
    """Sentences about missing ratings, the reading of cells, and ignored columns of the file."""
    warnings: Sequence[str] = ()
    """The ignored columns that may matter."""


def import_ratings(
    store: Store,
    *,
    by: Person | None,
    project: str,
    path: Path,
    refuse: Callable[[Sequence[BadRow]], None],
    raters: RatersAre | None = None,
    reader: RatingsReader | None = None,
    missing: Sequence[str] | None = None,
) -> ImportedRatings:
    """Store the ratings of a file, and mark its raters. ``raters`` None keeps known marks, and others are machines.

    ``refuse`` receives the bad rows, and raises an error if they may not be left out. ``reader`` None reads the format
    ``ratings``. ``missing`` are the words for a missing rating, or None for the usual words. A word that a criterion of
    the schema lists as a value is a value.

    Raises
    ------
    NotAvailableError
        No extension reads the format ``ratings``.
    """
    reader = reader or ratings_reader()
    with store.read() as session:
        schema = require_lead(session, by=by, project=project).schema
    try:
        read = reader(path, missing=missing_in(schema, reader, missing))
    except InvalidFileError as error:
        raise InvalidFileError(f"{error} Nothing was imported.") from error
    refuse(read.bad)
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        bad = list(read.bad)
        taken = take_ratings(
            session, store, access, by=by, rows=read.rows, bad=bad, refuse=refuse, file=path.name, raters=raters
        )
    return taken._replace(notes=read.notes, warnings=read.warnings)


def missing_in(schema: Schema, reader: RatingsReader, words: Sequence[str] | None) -> tuple[str, ...]:
    """Return the words for a missing rating in this schema: those that no criterion lists as a value. ``words`` None
    stands for the reader's usual words.
    """
    words = reader.missing_words(None) if words is None else words
    declared = {
        spelling(value)
        for stage in FROM_FILES
        for criterion in criteria_of(schema, stage)
        for value in kinds.of_criterion(criterion).listed(criterion)
    }
    return tuple(word for word in words if spelling(word) not in declared)


def take_ratings(
    session: Session,
    store: Store,
    access: Access,
    *,
    by: Person | None,
    rows: Sequence[tuple[Rating, BadRow]],
    bad: list[BadRow],
    refuse: Callable[[Sequence[BadRow]], None],
    file: str,
    raters: RatersAre | None = None,
    human: Collection[str] = (),
) -> ImportedRatings:
    """Store the new ratings, and mark their raters. Bad rows are appended to ``bad``.

    ``human`` are the raters whom the file itself declares people (``file_raters.keep_raters``).
    """
    contradict: list[BadRow] = []
    new, names, repeated = sorted_out(session, access, rows, bad, contradict)
    bad += contradict
    refuse(bad)
    now = store.now()
    files.add_ratings(session, rows=list(_rows(access, new, now)))
    if new:
        log(session, "ratings.imported", by=by, project=access, now=now, data={"ratings": len(new), "file": file})
    known_now = file_raters.keep_raters(session, store, access, by=by, names=names, are=raters, human=human)
    return ImportedRatings(len(new), repeated, bad, known_now)


def sorted_out(
    session: Session,
    access: Access,
    rows: Sequence[tuple[Rating, BadRow]],
    bad: list[BadRow],
    contradict: list[BadRow],
) -> tuple[list[NewRating], set[str], int]:
    """Return the new ratings, the raters of all valid ones, and the number of stored ones. Nothing is stored.

    Invalid rows are appended to ``bad``, and rows that contradict a stored rating to ``contradict``.
    """
    known = {
        (row.stage, row.unit, row.rater, row.criterion): row.value
        for row in files.ratings(session, project_id=access.project_id)
    }
    there = set(known)
    named = files.item_ids(session, project_id=access.project_id)
    dimensions = {name: part for _, name, part in named}
    contents: Callable[[], Mapping[str, Mapping[str, Any]]] = cache(partial(_contents, session, access, named))
    stored = {normal(name): name for name in dimensions if normal(name) != name}  # ids that are not in NFC
    new: list[NewRating] = []
    names: set[str] = set()
    repeated = 0
    for rating, here in rows:
        outcome = _checked(access.schema, rating)
        if isinstance(outcome, str):
            bad.append(replace(here, reason=outcome))
            continue
        stage, rating = outcome
        item, mark, rest = rating.unit.partition(BETWEEN)
        item = stored.get(item, item)
        rating = replace(rating, unit=f"{item}{mark}{rest}")
        criterion = next(
            criterion for criterion in criteria_of(access.schema, stage) if criterion.name == rating.criterion
        )
        if criterion.field is not None and item in dimensions:
            fitting = _as_offered(criterion, rating, contents()[item])
            if isinstance(fitting, str):
                bad.append(replace(here, reason=fitting))
                continue
            rating = fitting
        key = (stage, rating.unit, rating.rater, rating.criterion)
        if key in known:
            if same(known[key], rating.value):
                names.add(rating.rater)
                repeated += 1
            else:
                reason = f"{rating.rater} has already rated {rating.criterion} of {rating.unit} as {known[key]}"
                (contradict if key in there else bad).append(replace(here, reason=reason))
            continue
        known[key] = rating.value
        names.add(rating.rater)
        item = rating.unit.split(BETWEEN)[0]
        new.append(NewRating(stage, replace(rating, dimension=rating.dimension or dimensions.get(item))))
    return new, names, repeated


def _rows(access: Access, new: Iterable[NewRating], now: Any) -> Iterable[dict[str, Any]]:
    for row in new:
        yield {
            "project_id": access.project_id,
            "stage": row.stage,
            "unit": row.rating.unit,
            "rater": row.rating.rater,
            "criterion": row.rating.criterion,
            "value": row.rating.value,
            "dimension": row.rating.dimension,
            "schema_version_id": access.schema_version_id,
            "created_at": now,
        }


def _checked(schema: Schema, rating: Rating) -> tuple[Stage, Rating] | str:
    """Return the stage of a rating, and the rating with its value in the schema's form; or the reason if it is
    invalid.
    """
    known = [(stage, criterion) for stage in FROM_FILES for criterion in criteria_of(schema, stage)]
    matching = [(stage, criterion) for stage, criterion in known if criterion.name == rating.criterion]
    if not matching:
        names = ", ".join(criterion.name for _, criterion in known) or "none"
        return f"{schema.title} has no criterion {rating.criterion!r}; its criteria: {names}"
    about_answers = BETWEEN in rating.unit
    stage, criterion = next((pair for pair in matching if (pair[0] is Stage.GRADING) == about_answers), matching[0])
    row = kinds.of_criterion(criterion)
    if row.as_json:
        return _of_kind(stage, criterion, rating)
    values = row.listed(criterion)
    if not values:
        return stage, replace(rating, value=str(rating.value)) if not isinstance(rating.value, str) else rating
    for value in values:
        if same(value, rating.value) or str(value) == str(rating.value):
            return stage, replace(rating, value=value)
    spelled = [value for value in values if spelling(value) == spelling(rating.value)]
    if len(spelled) == 1:
        return stage, replace(rating, value=spelled[0])
    return f"{rating.criterion} is {rating.value!r}, not one of {', '.join(str(value) for value in values)}"


def _contents(
    session: Session, access: Access, named: Sequence[tuple[int, str, str]]
) -> Mapping[str, Mapping[str, Any]]:
    """Return the current fields of all items, by external id."""
    contents = item_revisions.current_content(session, project_id=access.project_id)
    return {name: contents[id] for id, name, _ in named}


def _as_offered(criterion: Criterion, rating: Rating, fields: Mapping[str, Any]) -> Rating | str:
    """Return a rating with its value in the spelling and order of the item's options; or the reason if it is
    invalid.
    """
    offered = [option.value for option in kinds.options_of(criterion, fields)]
    alike = {spelling(value): value for value in offered}

    def written(entry: Any) -> Any:
        word = spelled(entry, offered)
        return alike.get(spelling(word), word) if isinstance(word, str) and word not in offered else word

    value = rating.value
    entries = value if isinstance(value, list) else [value]
    strange = [entry for entry in entries if isinstance(entry, str) and written(entry) not in offered]
    if strange and offered:
        listed = ", ".join(map(str, offered))
        whose = "the item's options" if criterion.field is not None else "the options"
        return f"{rating.criterion} is {strange[0]!r}, not one of {whose}: {listed}"
    if isinstance(value, list):
        value = [written(entry) for entry in value]
        if kinds.of_criterion(criterion).is_set:
            value = [entry for at, entry in enumerate(value) if entry not in value[:at]]
        return replace(rating, value=kinds.in_order([criterion], {criterion.name: value}, fields)[criterion.name])
    return replace(rating, value=written(value))


def _of_kind(stage: Stage, criterion: Criterion, rating: Rating) -> tuple[Stage, Rating] | str:
    """Return the stage and the rating with its value read from JSON; or the reason if it is invalid.

    A value that depends on the item is not checked here.
    """
    try:
        value = json.loads(rating.value) if isinstance(rating.value, str) else rating.value
    except ValueError as error:
        return f"{rating.criterion} is not valid JSON: {error}"
    row = kinds.of_criterion(criterion)
    if criterion.field is not None or row.of_the_item:
        problem = None if isinstance(value, list) else "the value must be a list"
        return f"{rating.criterion}: {problem}" if problem else (stage, replace(rating, value=value))
    rating = replace(rating, value=value)
    fitting = _as_offered(criterion, rating, {}) if row.is_set and isinstance(value, list) else rating
    if isinstance(fitting, str):
        return fitting
    value = kinds.in_order([criterion], {criterion.name: fitting.value}, {})[criterion.name]
    problem = row.check(criterion, value, None, kinds.options_of(criterion, {}), {})
    return f"{rating.criterion}: {problem}" if problem else (stage, replace(rating, value=value))
