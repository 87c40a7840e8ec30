"""A search for the item that an imported answer is about.

An item can be named by its id, by its place in a dimension, by another harness's index (which counts from 0 or from 1),
or by the content of a log.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from annotation_schemas.expected_answers import asked_of, own_texts, plain
from annotation_schemas.keys import options_field
from annotation_schemas.model import Schema
from db import files, item_revisions, readings
from db.engine import Session
from db.readings import AttemptEnd
from domain.english import with_noun
from domain.no_answer import is_suspect, settled_for
from domain.reading.answers import AnswerKind, ExpectedAnswer, ReadOutcome
from domain.records import BadRow, PredictionRecord
from domain.runs import ANSWERS
from importers.shown_options import OptionsDiffer, option_columns, shown_order
from workflow.annotate.reading_rows import read_one
from workflow.files.question_match import QuestionMatch


@dataclass(frozen=True)
class ItemAnswer:
    """An answer out of a file, with the item it is about."""

    item_id: int
    dimension: str
    answer: PredictionRecord
    here: BadRow
    """The answer's place in its file."""
    order: tuple[int, ...] = ()
    """The places of the item's options in the order in which the model was shown them; empty: in the item's own."""
    columns: tuple[str, ...] = ()
    """The names of the columns in which the file has the item's options, such as ``op1``."""


def items_answered(
    session: Session,
    project_id: int,
    rows: Sequence[tuple[PredictionRecord, BadRow]],
    bad: list[BadRow],
    *,
    schema: Schema,
) -> Iterator[ItemAnswer]:
    """Yield the answers with their items. Answers without an item are appended to ``bad``.

    Answers to another question, and answers to options that the item does not have, are bad too, because their letters
    would be misread.
    """
    everything = files.item_ids(session, project_id=project_id)
    by_name = {external_id: (id, dimension) for id, external_id, dimension in everything}
    dimension_of = {id: dimension for id, _, dimension in everything}
    by_place = _places(session, project_id)
    by_index = _by_index(session, project_id, rows, everything, by_place)
    compared = any(
        _of_log(answer)
        or answer.prompt
        or answer.question
        or answer.options
        or answer.columns
        or is_suspect(answer.text)
        for answer, _ in rows
    )
    content = item_revisions.current_content(session, project_id=project_id) if compared else {}
    names = {name: id for id, name, _ in everything}
    match = QuestionMatch(names, _asked(content), dimension_of, partial(_earlier_questions, session))
    order = _OrderOfOptions(schema, content)
    for answer, here in rows:
        if answer.item is not None:
            item = by_name.get(answer.item)
            reason = f"there is no item {answer.item!r} in this project"
        elif answer.index is not None:
            item_id, reason = by_index(answer, here)
            item = (item_id, dimension_of[item_id]) if item_id is not None else None
        elif _of_log(answer):
            item_id, reason = match(answer)
            item = (item_id, dimension_of[item_id]) if item_id is not None else None
        else:
            places, place = by_place[answer.dimension or ""], answer.position or 0
            id = places.get(place)
            item = (id, answer.dimension or "") if id is not None else None
            reason = f"{answer.dimension} has {len(places)} items, but none at position {place} (counted from 0)"
        if item is not None and (why := match.contradiction(item[0], answer)):
            item, reason = None, why
        if item is None:
            bad.append(replace(here, reason=reason))
            continue
        settled = _settled(schema, answer, content.get(item[0], {}))
        if settled.outcome not in ANSWERS:
            yield ItemAnswer(*item, settled, here, (), order.columns(item[0], answer))
            continue
        try:
            yield ItemAnswer(*item, settled, here, order(item[0], answer), order.columns(item[0], answer))
        except OptionsDiffer as error:
            bad.append(replace(here, reason=f"{error}; a letter in the answer would therefore mean another option"))


def _settled(schema: Schema, answer: PredictionRecord, fields: Mapping[str, Any]) -> PredictionRecord:
    """Return a failed attempt if the text is a program's placeholder for a missing answer to this item."""
    if not is_suspect(answer.text):
        return answer
    asked = asked_of(schema, fields)
    may_be_none = asked.none or asked.kind is AnswerKind.MULTI
    return settled_for(answer, own_texts(schema, fields), may_be_none=may_be_none)


def _of_log(answer: PredictionRecord) -> bool:
    return answer.item is None and answer.index is None and answer.position is None


def _earlier_questions(session: Session, item_id: int) -> Iterator[str]:
    """Yield the earlier questions of an item, from before its edits."""
    for _, _, content in readings.revisions(session, item_ids=[item_id]).get(item_id, ()):
        if isinstance(text := content.get("question"), str):
            yield text


READ_BY_PEOPLE = ("grading", "comparison", "coding", "refinement")
"""The stages in which people or judges read models' answers next to the item's options."""


class _OrderOfOptions:
    """Finds the order in which an item's options were shown."""

    def __init__(self, schema: Schema, content: Mapping[int, Mapping[str, Any]]) -> None:
        self._schema, self._content = schema, content
        self._options = options_field(schema)
        self._shown_to = [stage for stage in READ_BY_PEOPLE if getattr(schema.stages, stage) is not None]

    def _own(self, item_id: int) -> tuple[ExpectedAnswer, tuple[str, ...]]:
        """Return the question of an item for its reader, and its options without "none of these"."""
        asked = asked_of(self._schema, self._content.get(item_id, {}))
        return asked, asked.options[:-1] if asked.none else asked.options

    def columns(self, item_id: int, answer: PredictionRecord) -> tuple[str, ...]:
        """Return the names of the columns that hold the item's options."""
        own = self._own(item_id)[1] if answer.columns else ()
        held = option_columns(own, answer.columns) if len(own) > 1 else None
        return held.names if held is not None else ()

    def __call__(self, item_id: int, answer: PredictionRecord) -> tuple[int, ...]:
        """Return the places of the item's options in the shown order; empty for the item's order or an unknown order.

        Raises ``OptionsDiffer`` if the options are not the item's, or if people would read letters by another order.
        """
        if not answer.options and not answer.columns and not answer.prompt:
            return ()
        asked, own = self._own(item_id)
        shown = answer.options
        if asked.none and shown and plain(shown[-1]) == plain(asked.options[-1]):
            shown = shown[:-1]
        try:
            places = shown_order(own, shown, answer.prompt, answer.columns)
        except OptionsDiffer:
            if self._content.get(item_id, {}).get(self._options or "") == list(own):
                raise
            return ()  # the schema's own values, or those of a form, which a prompt may show in other words
        if places and self._shown_to and not _means_the_same(answer, asked, places):
            raise OptionsDiffer(
                f"the model saw the options in another order, but people or judges in the stage {self._shown_to[0]} "
                "see the item's order"
            )
        return places


def _means_the_same(answer: PredictionRecord, asked: ExpectedAnswer, order: tuple[int, ...]) -> bool:
    """Tell whether an answer states the same by the shown order of the options as by the item's own order.

    "The tap" does, and "B" does not. An answer that no rule reads may mean either.
    """
    ended = AttemptEnd(None, answer.outcome, order)
    by_own = read_one(answer.text, asked, replace(ended, order=()))
    by_shown = read_one(answer.text, asked, ended)
    if ReadOutcome.UNREADABLE in (by_own.outcome, by_shown.outcome):
        return False
    return (by_own.outcome, by_own.value) == (by_shown.outcome, by_shown.value)


def _by_index(
    session: Session,
    project_id: int,
    rows: Sequence[tuple[PredictionRecord, BadRow]],
    everything: Sequence[tuple[int, str, str]],
    by_place: Mapping[str, Mapping[int, int]],
) -> Callable[[PredictionRecord, BadRow], tuple[int | None, str]]:
    """Return a function that finds the item of another harness's index, or the reason if no item fits.

    Each file is treated separately. If one index of a file is an item's external id, all indices are ids. Otherwise
    they are positions: in the dimension if the file is about one, or in the project. The questions in the file, or an
    index of 0, show where positions begin.
    """
    by_name = {external_id: id for id, external_id, _ in everything}
    in_project = {place: id for place, (id, _, _) in enumerate(everything)}
    groups: dict[tuple[str, str | None], list[PredictionRecord]] = defaultdict(list)
    for answer, here in rows:
        if answer.index is not None:
            groups[here.path, answer.dimension].append(answer)
    named = {group for group, answers in groups.items() if any(answer.index in by_name for answer in answers)}
    by_position = [answer for group, answers in groups.items() if group not in named for answer in answers]
    asked = _questions(session, project_id) if any(answer.question for answer in by_position) else {}
    starts = {
        group: _first_index(answers, by_place[group[1]] if group[1] else in_project, asked)
        for group, answers in groups.items()
        if group not in named
    }

    def find(answer: PredictionRecord, here: BadRow) -> tuple[int | None, str]:
        group = (here.path, answer.dimension)
        if group in named:
            return by_name.get(answer.index or ""), f"there is no item {answer.index!r} in this project"
        places = by_place[answer.dimension] if answer.dimension else in_project
        start = starts[group]
        if start is None:
            return None, (
                "the file does not show whether the index counts from 0 or from 1; add a column "
                "`question`, or a column `item` with item ids"
            )
        number = _position(answer.index)
        id = places.get(number - start) if number is not None else None
        if id is None:
            where = answer.dimension or "this project"
            return None, (
                f"this project has no item {answer.index!r}, and {where} has {with_noun(len(places), 'item')}, but "
                f"none at that position (counted from {start})"
            )
        if answer.question and id in asked and not _same_question(asked[id], answer.question):
            return None, (
                f"the question differs from the question of the item at position {answer.index} (counted "
                f"from {start}): {asked[id][:100]!r}; add a column `item` with item ids"
            )
        return id, ""

    return find


def _questions(session: Session, project_id: int) -> dict[int, str]:
    """Return the question of every item that has one."""
    return _asked(item_revisions.current_content(session, project_id=project_id))


def _asked(content: Mapping[int, Mapping[str, Any]]) -> dict[int, str]:
    return {id: text for id, fields in content.items() if isinstance(text := fields.get("question"), str) and text}


def _places(session: Session, project_id: int) -> dict[str, dict[int, int]]:
    """Return the ids of each dimension's items by position: file after file, then items written here.

    Records left out of a file keep their position if the whole file is about one dimension.
    """
    rows = files.item_places(session, project_id=project_id)
    dimensions: dict[int | None, set[str]] = defaultdict(set)
    for row in rows:
        dimensions[row.file_id].add(row.dimension)
    by_dimension: dict[str, dict[int, int]] = defaultdict(dict)
    start: dict[tuple[str, int | None], int] = {}
    for row in rows:
        places = by_dimension[row.dimension]
        after = max(places, default=-1) + 1
        first = start.setdefault((row.dimension, row.file_id), after)
        own = row.file_id is not None and row.position is not None and len(dimensions[row.file_id]) == 1
        places[first + (row.position or 0) if own else after] = row.id
    return by_dimension


def _first_index(
    answers: Sequence[PredictionRecord], places: Mapping[int, int], asked: Mapping[int, str]
) -> int | None:
    """Return whether a file's indices count from 0 or from 1; None if neither can be shown."""
    numbers = [(number, answer) for answer in answers if (number := _position(answer.index)) is not None]
    if any(number == 0 for number, _ in numbers):
        return 0
    fitting = {
        start: sum(
            1
            for number, answer in numbers
            if answer.question and _same_question(asked.get(places.get(number - start, -1), ""), answer.question)
        )
        for start in (0, 1)
    }
    if fitting[0] != fitting[1]:
        return max(fitting, key=lambda start: fitting[start])
    whole = {number for number, _ in numbers} == set(range(1, len(places) + 1))
    return 1 if whole or any(number == len(places) for number, _ in numbers) else None


def _position(index: str | None) -> int | None:
    return int(index) if index and index.isascii() and index.isdigit() and len(index) < 10 else None


def _same_question(ours: str, theirs: str) -> bool:
    """Return whether two questions are equal, or one contains the other, such as within a prompt."""
    ours, theirs = (" ".join(text.split()).casefold() for text in (ours, theirs))
    return bool(ours) and (ours in theirs or theirs in ours)
