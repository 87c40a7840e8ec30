"""Reading EgoPlan's published questions, to compare narrations with them or to take goals from them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from annotation_schemas import kinds, shipped
from annotation_schemas.formats import ItemKeys, item_keys
from annotation_schemas.kinds.segments import SPANS
from annotation_schemas.loader import load_schema
from annotation_schemas.model import ItemField
from domain.errors import InvalidFileError
from domain.records import BadRow, ItemRecord
from extensions.narrations.rules.published_comparison import PublishedQuestion
from importers.items import read_items

FORMAT = "egoplan"


class PublishedFile(NamedTuple):
    """The questions of a file, and its invalid records."""

    questions: list[PublishedQuestion]
    bad: list[BadRow]
    """``row`` is the number of a record, from 1."""


def read_published(path: Path) -> PublishedFile:
    """Return the questions of a file in EgoPlan's format; records without key or observation are in ``bad``.

    Raises
    ------
    InvalidFileError
        The file has another format, or no question with a key and an observation.
    """
    schema = load_schema(shipped()[FORMAT]).schema_
    keys = item_keys(FORMAT)
    read = read_items(path, format=FORMAT, schema=schema)
    timed = next(field for field in schema.item.fields if kinds.of_field(field).timed)
    questions, bad = [], list(read.bad)
    for file in read.files:
        for item in file.items:
            seen = _question(item, keys, timed)
            if isinstance(seen, str):
                bad.append(BadRow(file.path, (item.position or 0) + 1, seen, "", item.external_id))
            else:
                questions.append(seen)
    if not questions:
        first = f"; row {bad[0].row}: {bad[0].reason}" if bad else ""
        raise InvalidFileError(f"{path.name} has no question with a key and an observation{first}. Correct the file.")
    return PublishedFile(questions, bad)


def _question(item: ItemRecord, keys: ItemKeys, timed: ItemField) -> PublishedQuestion | str:
    fields: Mapping[str, Any] = item.fields
    observed = keys.moments(fields).observed
    answer, video, goal = (fields.get(name or "") for name in (keys.chosen and keys.chosen[0], keys.video, keys.goal))
    if not isinstance(observed, int) or not isinstance(answer, str) or not video or not goal:
        return "the video, goal, answer or observation is missing"
    entries = fields.get(timed.name) or []
    words = kinds.of_field(timed).in_words(timed, entries)
    spans = [tuple(entry.get(key) for key in SPANS[1]) for entry in entries]
    if not all(isinstance(at, int) for span in spans for at in span):
        return "an action in the progress lacks its first or last frame"
    progress = tuple((text, first, last) for text, (first, last) in zip(words, spans, strict=True))
    options = tuple(fields.get(next(iter(keys.spread)), ()))
    return PublishedQuestion(item.external_id, video, goal, answer, options, observed, progress)
