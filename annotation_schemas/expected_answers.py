"""The expected form of a model's answer to an item, and the comparison of an answer with the key."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from annotation_schemas import kinds
from annotation_schemas.answer_forms import places_in_order, places_of
from annotation_schemas.keys import key_field, options_field
from annotation_schemas.model import ItemField, Schema
from domain.decimals import Tolerance, exact
from domain.overlap import time_iou
from domain.reading.answers import AnswerKind, ExpectedAnswer, ReadOutcome, read_answer
from domain.reading.spans import FRAMES
from domain.reading.text import PLACEHOLDERS, bare_words

_READ_AS = {"yes_no": AnswerKind.YES_NO, "number": AnswerKind.NUMBER, "text": AnswerKind.TEXT}
_YES_NO = frozenset({"yes", "no"})
_LETTER = re.compile(r"\s*\(?([A-Za-z])[.):]{0,2}\s*")

_ENDS = (("start", "end"), ("first", "last"))
"""The names of a span's ends, in seconds and in frames."""

_DECIMALS = 9
"""The number of decimal places of an IoU, which removes rounding errors: half of a key is 0.5."""

NO_KEY = "the item has no key"
STRANGE_KEY = "the item's key is not one of its options"
JUDGED = "people or a judge compare the answer's text or drawing with the key"
KEYLESS = (NO_KEY, STRANGE_KEY, JUDGED)
"""Reasons why answers to an item cannot be compared with its key."""
GONE = "the chosen option is no longer in the item"
"""The reason why an answer that was read is neither right nor wrong."""


def asked_of(schema: Schema, fields: Mapping[str, Any]) -> ExpectedAnswer:
    """Return the expected answer of an item with these fields, from the kind of its key and its own options.

    Without a key, or if the options of a key are missing, it is free text. Then only empty answers, refusals and
    truncated answers are recognized.
    """
    name = key_field(schema)
    field = next((item_field for item_field in schema.item.fields if item_field.name == name), None)
    if field is None:
        return ExpectedAnswer(AnswerKind.TEXT)
    asked = _asked(schema, field, fields)
    key = fields.get(field.name)
    literal = asked.kind is AnswerKind.TEXT and isinstance(key, str) and bare_words(key) in PLACEHOLDERS
    return replace(asked, literal=True) if literal else asked


def own_texts(schema: Schema, fields: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the texts that may answer an item: its options and its key."""
    name = key_field(schema)
    key = fields.get(name) if name else None
    keys = key if isinstance(key, list | tuple) else [key]
    return (*asked_of(schema, fields).options, *(key for key in keys if isinstance(key, str)))


def _asked(schema: Schema, field: ItemField, fields: Mapping[str, Any]) -> ExpectedAnswer:
    """Return the question for an item whose key is ``field``."""
    row = kinds.of_field(field)
    if row.away:
        return ExpectedAnswer(AnswerKind.TEXT, judged=True)
    if row.chosen and row.answer is not None:
        options = _texts(row.offered(field, fields))
        if options and field.none is not None:
            return ExpectedAnswer(row.answer, (*options, field.none), none=True)
        return ExpectedAnswer(row.answer, options) if options else ExpectedAnswer(AnswerKind.TEXT)
    if row.of_options:
        values = tuple(str(option.value) for option in field.options)
        yes_no = {value.casefold() for value in values} == _YES_NO
        return ExpectedAnswer(AnswerKind.YES_NO) if yes_no else ExpectedAnswer(AnswerKind.OPTION, values)
    if field.read_as == "form":
        return _of_form(field, fields)
    if row.drawn:
        return ExpectedAnswer(AnswerKind.TEXT, judged=True, drawn=bool(fields.get(field.name)))
    if row.answer is AnswerKind.SPANS:
        return ExpectedAnswer(AnswerKind.SPANS, unit=row.unit_of(field), several=(field.max_length or 1) > 1)
    if field.read_as is not None:
        return replace(_number_of(field), kind=_READ_AS[field.read_as])
    if row.answer is not None:
        return replace(_number_of(field), kind=row.answer)
    return _of_text(schema, field, fields)


def _number_of(field: ItemField) -> ExpectedAnswer:
    """Return the expected answer for a key that is a number."""
    tolerance = field.tolerance.of(field.unit) if field.tolerance else None
    decimal = kinds.of_field(field).holds == "decimal"
    return ExpectedAnswer(AnswerKind.NUMBER, unit=field.unit, decimal=decimal, tolerance=tolerance)


def _of_form(field: ItemField, fields: Mapping[str, Any]) -> ExpectedAnswer:
    """Return the expected answer for a text that is read by its item's form, or as free text without a form or
    choices.
    """
    form = kinds.form_of(field, fields)
    if form is None:
        return ExpectedAnswer(AnswerKind.TEXT, judged=True)
    if form.is_drawn:
        return ExpectedAnswer(AnswerKind.TEXT, judged=True, drawn=bool(fields.get(field.drawn or "")))
    offered = _texts(kinds.of_field(field).offered(field, fields))
    words = tuple(str(option.value) for option in field.options)
    entries = tuple(form.entries(str(fields.get(field.name) or ""), offered, words))
    return ExpectedAnswer(form.reads, entries) if entries else ExpectedAnswer(AnswerKind.TEXT, judged=True)


def _of_text(schema: Schema, field: ItemField, fields: Mapping[str, Any]) -> ExpectedAnswer:
    """Return the expected answer for a key that is a text: one of the item's options if it lists any.

    The key need not be an option at the moment, because a typing error in it must not change how answers are read.
    """
    listed = options_field(schema)
    options = _texts(fields.get(listed)) if listed and kinds.of_field(field).written else ()
    return ExpectedAnswer(AnswerKind.OPTION, options) if options else ExpectedAnswer(AnswerKind.TEXT)


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, list | tuple) else ()


def held_against(value: Any, asked: ExpectedAnswer, key: Any) -> tuple[float, str]:
    """Return the score of an answer against the key: 1 if equal, otherwise 0, or nan with a reason if undefined.

    An option is compared by its whole text, several options as a set, and an order as a sequence. Numbers are
    compared within the key's tolerance. Time spans get their temporal IoU with the key (0 to 1). A key that is a
    letter means the option at that position, unless the options are letters themselves. Texts are compared without
    case, white space and a final full stop.

    Parameters
    ----------
    value
        A value as in ``Reading.value``, or as JSON returns it.
    asked
        The item's current expected answer. The options may have changed since the answer was read.
    """
    known, problem = (None, JUDGED) if asked.judged and (key or asked.drawn) else _key(key, asked)
    if known is None:
        return math.nan, problem
    if asked.kind is AnswerKind.NUMBER:
        return (float(_is_near(value, known, asked.tolerance)), "") if _number(value) else (math.nan, GONE)
    if asked.kind is AnswerKind.SPANS:
        spans = _spans(value, asked)
        return (round(time_iou(spans, known), _DECIMALS), "") if spans else (math.nan, GONE)
    if asked.kind in (AnswerKind.TEXT, AnswerKind.YES_NO):
        return (float(plain(value) == plain(known)), "") if isinstance(value, str) else (math.nan, GONE)
    several = isinstance(value, list | tuple)
    chosen = list(value) if several else [value] if isinstance(value, str) else []
    there = [_meant(option, asked.options) for option in chosen]
    none_of_them = several and asked.kind is AnswerKind.MULTI  # an empty list says something there, elsewhere nothing
    if None in there or (not there and not none_of_them):
        return math.nan, GONE
    if asked.kind is AnswerKind.MULTI:
        return float(set(there) == set(known)), ""
    return float(there == known), ""


def key_of(key: Any, asked: ExpectedAnswer) -> tuple[Any, str]:
    """Return a key in the form of read answers: texts of options, a number, or the compared value.

    If the item has no usable key, the result is None with the reason.
    """
    return _key(key, asked)


def _key(key: Any, asked: ExpectedAnswer) -> tuple[Any, str]:
    """Return the key in the form of read answers, or None and the reason."""
    if asked.kind is AnswerKind.MULTI and isinstance(key, list | tuple) and not key:
        return [], ""  # none of the options is right
    if key is None or key in ("", [], ()) or (isinstance(key, str) and not key.strip()):
        return None, NO_KEY
    if asked.kind is AnswerKind.NUMBER:
        if asked.decimal:
            number = exact(key)
            return (None, NO_KEY) if number is None else (float(number), "")
        if _number(key):
            return float(key), ""
        read = read_answer(str(key), asked)
        return (read.value, "") if read.outcome is ReadOutcome.READ else (None, NO_KEY)
    if asked.kind is AnswerKind.YES_NO:
        key_value = {True: "yes", False: "no"}.get(key, key) if isinstance(key, bool) else key
        read = read_answer(str(key_value), asked)
        return (read.value, "") if read.outcome is ReadOutcome.READ else (None, NO_KEY)
    if asked.kind is AnswerKind.SPANS:
        names = _ENDS[asked.unit == FRAMES]
        spans = key if isinstance(key, list | tuple) else [None]
        fit = all(isinstance(span, Mapping) and all(_number(span.get(name)) for name in names) for span in spans)
        return (key, "") if fit else (None, NO_KEY)
    if asked.kind is AnswerKind.TEXT:
        return (key, "") if isinstance(key, str) else (None, NO_KEY)
    if asked.none and key == kinds.NONE_OF_THESE:
        return [asked.options[-1]], ""
    several = list(key) if isinstance(key, list | tuple) else _listed(str(key), asked)
    there = [_meant(str(option), asked.options) for option in several]
    if asked.kind is AnswerKind.OPTION and there == [None]:
        there = [_lettered(str(several[0]), asked.options)]
    return (None, STRANGE_KEY) if None in there else (there, "")


def _spans(value: Any, asked: ExpectedAnswer) -> list[dict[str, float]]:
    """Return spans as a field holds them; empty if the value holds no spans."""
    names = _ENDS[asked.unit == FRAMES]
    pairs = value if isinstance(value, list | tuple) else ()
    fit = all(isinstance(pair, list | tuple) and len(pair) == len(names) and all(map(_number, pair)) for pair in pairs)
    return [dict(zip(names, pair, strict=True)) for pair in pairs] if fit else []


def _listed(key: str, asked: ExpectedAnswer) -> list[str]:
    """Return the entries of a key that is a text with commas between several entries."""
    find = {AnswerKind.MULTI: places_of, AnswerKind.ORDER: places_in_order}.get(asked.kind)
    places = find(key, asked.options) if find else None
    return [key] if places is None else [asked.options[place] for place in places]


def _meant(text: str, options: Sequence[str]) -> str | None:
    """Return the option with exactly this text, or else the only one that differs in case, white space
    or a full stop.
    """
    if text in options:
        return text
    alike = {option for option in options if plain(option) == plain(text)}
    return alike.pop() if len(alike) == 1 else None


def _lettered(text: str, options: Sequence[str]) -> str | None:
    """Return the option that a single letter names by position; None if the options are letters themselves."""
    letter = _LETTER.fullmatch(text)
    if letter is None or any(_LETTER.fullmatch(option) for option in options):
        return None
    place = ord(letter[1].upper()) - ord("A")
    return options[place] if place < len(options) else None


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_near(value: float, key: float, tolerance: Tolerance | None) -> bool:
    """Whether a number equals the key within the schema's tolerance."""
    one, right = exact(value), exact(key)
    if tolerance is None or one is None or right is None:
        return _close(value, key)
    return tolerance.holds(one, right, right=right) or _close(value, key)


def _close(one: float, other: float) -> bool:
    """Whether two numbers are equal apart from rounding errors."""
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


@lru_cache(maxsize=100_000)
def plain(text: str) -> str:
    """Return a text without case, extra white space and a final full stop."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split()).rstrip(".").rstrip()
