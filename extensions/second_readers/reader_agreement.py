"""The agreement of answer readers with people: a sample is exported, filled in by people, and compared."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from agreement.chance import percent_agreement
from agreement.kappa import cohen_kappa
from agreement.ratings import Ratings, Scale
from agreement.statistic import Statistic
from annotation_schemas.expected_answers import asked_of
from db import readings
from db.engine import Session, Store
from db.readings import AttemptEnd, UnreadAnswer
from domain import json_text
from domain.errors import InvalidFileError
from domain.reading.answers import AnswerKind, ExpectedAnswer, ReadOutcome, read_answer
from domain.reading.spans import in_words
from domain.records import AnswerReading, Person, Rating
from domain.states import Items
from extensions.second_readers import queries
from workflow.access.counted_items import counting as items_counting
from workflow.access.projects import Access, require_lead
from workflow.annotate.answer_readings import counting, fill_up, that_count
from workflow.annotate.answer_readings import readers as readers_of
from workflow.annotate.reading_rows import as_shown, shown_places, state_at

NONE = "none"
"""The value for an answer that states nothing, states several things, or refuses."""


@dataclass(frozen=True)
class ReaderAgreement:
    """The agreement of a reader with people about the values of answers."""

    reader: str
    n: int
    same: Statistic
    """The share of answers about which both say the same."""
    kappa: Statistic
    """Cohen's, over the letters of options (or yes, no, numbers) and none."""
    wrong: int
    """The number of answers that the reader read as a wrong value. Without people, such errors stay hidden."""
    lost: int
    """The number of answers without a value from the reader, although people read a value."""


@dataclass(frozen=True)
class ReaderComparison:
    """A sample that came back."""

    readers: Sequence[ReaderAgreement]
    n: int
    empty: int
    """The number of lines without a value."""


def sample(
    store: Store,
    *,
    by: Person | None,
    project: str,
    n: int,
    seed: int = 0,
    unread: bool = False,
    items: Items | str | None = None,
) -> list[dict[str, Any]]:
    """Return random answers for people to read, shuffled and without models' names or keys.

    The sample has only answers that count: each model's last answer to an item that counts (``items``, see
    ``workflow.access.counted_items``), from runs that were not withdrawn. ``unread`` draws only answers that the rules
    cannot read. People fill in ``value``: a letter, several with commas, yes or no, a number, or ``none``.
    """
    fill_up(store, project=project)
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        there = that_count(session, access=access, counted=items_counting(session, access=access, items_=items))
        by_answer = readings.counting(session, project_id=access.project_id)
        ids = sorted(
            id
            for id, read in by_answer.items()
            if id in there
            and read.kind is not AnswerKind.TEXT
            and (not unread or read.outcome is ReadOutcome.UNREADABLE)
        )
        drawn = random.Random(seed).sample(ids, min(n, len(ids)))
        answers = {answer.id: answer for answer in readings.answers(session, ids=drawn)}
        names = queries.public_ids(session, ids=drawn)
        asked = _asked(session, access, list(answers.values()))
    return [
        {
            "id": names[id],
            "question": asked[id][1],
            "asked": asked[id][0].kind.value,
            "unit": asked[id][0].unit,
            "options": [
                f"{letter}. {text}" for letter, text in zip(ascii_uppercase, asked[id][0].options, strict=False)
            ],
            "answer": answers[id].text,
            "value": None,
        }
        for id in drawn
    ]


def _asked(
    session: Session, access: Access, answers: Sequence[UnreadAnswer]
) -> dict[int, tuple[ExpectedAnswer, str, AttemptEnd | None]]:
    """Return the question of each answer with its options as shown, the item's question, and the outcome of the
    request.
    """
    states = readings.revisions(session, item_ids=[answer.item_id for answer in answers])
    ended = readings.ended(session, answers=answers)
    by_answer = {}
    for answer in answers:
        _, content = state_at(states.get(answer.item_id, []), answer.created_at)
        how = ended.get((answer.run_id, answer.item_id))
        by_answer[answer.id] = as_shown(asked_of(access.schema, content), how), str(content.get("question") or ""), how
    return by_answer


def values_of(path: Path) -> dict[str, Any]:
    """Return people's values by the answer's id, from JSON lines or a CSV file with ``id`` and ``value``.

    Raises
    ------
    InvalidFileError
        The file cannot be read, a line has no id, or an id is a duplicate.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidFileError(
            f"Touchstone cannot read {path} as UTF-8 text: {error}. Check the path and the encoding."
        ) from error
    rows: list[tuple[int, Any]] = []
    try:
        if text.lstrip().startswith("{"):
            rows = [(at, json_text.loaded(line)) for at, line in enumerate(text.splitlines(), 1) if line.strip()]
        else:
            rows = list(enumerate(csv.DictReader(io.StringIO(text)), 2))
    except (ValueError, csv.Error, RecursionError) as error:
        raise InvalidFileError(f"{path} must contain JSON lines or a table: {error}.") from error
    values: dict[str, Any] = {}
    for at, row in rows:
        if not isinstance(row, Mapping) or not isinstance(row.get("id"), str) or "value" not in row:
            raise InvalidFileError(f"{path}, line {at}: the line needs an id and a value.")
        if row["id"] in values:
            raise InvalidFileError(
                f"{path}, line {at}: the id {row['id']!r} is repeated. Keep only one line for this id."
            )
        values[row["id"]] = row["value"]
    return values


def compare(store: Store, *, by: Person | None, project: str, values: Mapping[str, Any]) -> ReaderComparison:
    """Return the agreement of the rules, and of the rules with each second reader, with people.

    Raises
    ------
    InvalidFileError
        An id is unknown, or a value does not fit the question.
    """
    fill_up(store, project=project)
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        everything = list(readings.counting(session, project_id=access.project_id))
        ids = {public: id for id, public in queries.public_ids(session, ids=everything).items() if public in values}
        for public in values:
            if public not in ids:
                raise InvalidFileError(
                    f"{access.title} has no answer {public!r}. Use a sample that was drawn from this project."
                )
        asked = _asked(session, access, readings.answers(session, ids=list(ids.values())))
        people_values = {
            id: _category(public, values[public], asked[id][0])
            for public, id in ids.items()
            if values[public] is not None and str(values[public]).strip()
        }
        lines = []
        for name in readers_of(session, project_id=access.project_id):
            read = counting(session, project_id=access.project_id, reader=name, ids=list(people_values))
            lines.append(
                _agreed(
                    name, people_values, {id: _of(read.get(id), asked[id][0], asked[id][2]) for id in people_values}
                )
            )
    return ReaderComparison(lines, len(people_values), len(values) - len(people_values))


def _category(public: str, value: Any, asked: ExpectedAnswer) -> str:
    """Return a person's value in the form in which readings are compared."""
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value).strip()
    if text.casefold() == NONE:
        return NONE
    letters = [letter.strip().upper() for letter in text.split(",")]
    if asked.options and all(
        len(letter) == 1 and letter in ascii_uppercase[: len(asked.options)] for letter in letters
    ):
        return _letters([ascii_uppercase.index(letter) for letter in letters], asked)
    read = read_answer(text, asked)
    if read.outcome is not ReadOutcome.READ:
        raise InvalidFileError(
            f"The value {text[:60]!r} of {public} is not a valid reading ({asked.kind.value}). Write a letter, "
            "several letters separated by commas, yes, no, a number, a span of time such as 2 to 3.5, or none."
        )
    return _in_words(read.value, list(read.places), asked)


def _of(read: AnswerReading | None, asked: ExpectedAnswer, ended: AttemptEnd | None) -> str:
    if read is None or read.outcome is not ReadOutcome.READ:
        return NONE
    return _in_words(read.value, shown_places(read.places, asked, ended), asked)


def _in_words(value: Any, places: Sequence[int], asked: ExpectedAnswer) -> str:
    if asked.options:
        return _letters(places, asked)
    if asked.kind is AnswerKind.SPANS:
        return in_words(value)
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def _letters(places: Sequence[int], asked: ExpectedAnswer) -> str:
    """Return the letters of options. Options with equal wording get the first letter, and a set has the options'
    order.
    """
    first = [asked.options.index(asked.options[place]) for place in places]
    if asked.kind is AnswerKind.OPTION:
        first = first[:1]
    elif asked.kind is AnswerKind.MULTI:
        first = sorted(set(first))
    return ",".join(ascii_uppercase[place] for place in first)


def _agreed(name: str, people: Mapping[int, str], reader: Mapping[int, str]) -> ReaderAgreement:
    rows = [
        rating
        for id, value in people.items()
        for rating in (Rating(str(id), "people", "read", value), Rating(str(id), name, "read", reader[id]))
    ]
    table = Ratings.from_rows(rows, scale=Scale("nominal", tuple(sorted({*people.values(), *reader.values()}))))
    return ReaderAgreement(
        name,
        len(people),
        percent_agreement(table),
        cohen_kappa(table),
        sum(reader[id] not in (value, NONE) for id, value in people.items()),
        sum(reader[id] == NONE and value != NONE for id, value in people.items()),
    )
