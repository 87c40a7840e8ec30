"""From a judge's reply to its values: pure functions of the text, so that an old reply can be read again.

A parser never guesses. It looks for the form that was asked for, in the place where it has to be; anything else is a
failure with a reason and the place in the text.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domain.judging import Reading, Value, Verdict

Span = tuple[int, int]
Read = Callable[[str, Sequence[Value]], Reading]
"""(reply, allowed values) -> what it comes to."""

SCORE = "score"
"""What the one value of a reply with one value is called."""


@dataclass(frozen=True)
class Parser:
    """A way of reading, with a version that changes whenever the same text could be read otherwise."""

    name: str
    version: int
    read: Read
    parts: tuple[str, ...] = (SCORE,)
    """The values that a reply holds."""


def read_reply(parser: Parser, text: str, allowed: Sequence[Value], *, finish_reason: str | None = None) -> Reading:
    """What a reply comes to. Why it ended is looked at first: a reply that was cut off says nothing certain."""
    if finish_reason == "content_filter":
        return Reading(Verdict.REFUSED, why="The endpoint filtered the reply.")
    if not text.strip():
        return Reading(Verdict.EMPTY, why="The reply is empty.")
    if finish_reason == "length":
        return Reading(Verdict.TRUNCATED, why="The reply was cut off at the longest length that was allowed.")
    return parser.read(text, allowed)


# ---- one verdict in brackets ----------------------------------------------------------------------------------------

_DOUBLE = re.compile(r"\[\[([^\[\]\n]{1,40})\]\]")
_RATING = re.compile(r"\brating\b[\s*_:\"'=-]*(?:is\b\s*)?[\s*_:\"']*(\[\[?)([^\[\]\n]{1,40})(\]\]?)", re.IGNORECASE)


def double_brackets(text: str, allowed: Sequence[Value]) -> Reading:
    """The last ``[[x]]`` of the reply; ``[x]`` counts only after the word rating, where templates ask for it.

    Verdicts that come before the last one are part of the explanation, unless they are given as a rating, too: then
    two that differ contradict each other.
    """
    rated = [_Found(match.group(2), match.span(2)) for match in _RATING.finditer(text)]
    found = [_Found(match.group(1), match.span(1)) for match in _DOUBLE.finditer(text)]
    last = max([*found, *rated], key=lambda each: each.span, default=None)
    if last is None:
        return Reading(Verdict.UNPARSEABLE, why="The reply has no verdict in double brackets.")
    said = {each.value(allowed) for each in rated}
    if len(said) > 1:
        spans = {f"{SCORE} {number}": each.span for number, each in enumerate(rated, 1)}
        return Reading(Verdict.CONTRADICTORY, spans=spans, why="The reply gives several ratings that differ.")
    return _one(last, allowed)


# ---- one of the values on the last line -----------------------------------------------------------------------------

_AROUND = " \t*_`\"'.()[]"


def last_line(text: str, allowed: Sequence[Value]) -> Reading:
    """One of the allowed values, alone on the last line that is not empty; emphasis, quotes and a full stop may stand
    around it."""
    end = len(text.rstrip())
    start = text.rfind("\n", 0, end) + 1
    line = text[start:end]
    inner = line.strip(_AROUND)
    at = start + line.find(inner)
    found = _Found(inner, (at, at + len(inner)))
    if found.value(allowed) is None and not _number(inner):
        return Reading(
            Verdict.UNPARSEABLE, spans={SCORE: found.span}, why="The last line is not one of the values alone."
        )
    return _one(found, allowed)


# ---- which of two outputs -------------------------------------------------------------------------------------------

_BETTER = re.compile(r"\boutput[ \t]*\(([a-z])\)[ \t]+is[ \t]+(?:the[ \t]+)?better\b", re.IGNORECASE)
_NAMED = re.compile(r"[\s*_`\"']*output[ \t]*\(([a-z])\)[\s*_`\"'.]*", re.IGNORECASE)


def better_output(text: str, allowed: Sequence[Value]) -> Reading:
    """The letter of ``Output (a) is better``, or of ``Output (a)`` where that is all that the reply says."""
    found = [_Found(match.group(1), match.span(1)) for match in _BETTER.finditer(text)]
    alone = _NAMED.fullmatch(text)
    if not found and alone is not None:
        found = [_Found(alone.group(1), alone.span(1))]
    if not found:
        return Reading(Verdict.UNPARSEABLE, why="The reply does not say which output is better.")
    return _parts({SCORE: found}, allowed)


# ---- three scores on labelled lines ---------------------------------------------------------------------------------

ASPECTS = ("perception", "cognition", "action")
_LINE = re.compile(
    r"^[ \t>#*_`\d.)-]*(perception|cognition|action)[ \t*_]+score[ \t*_`\"']*:[ \t*_`\"'(\[]*"
    r"([^ \t*_`\"'()\[\],;\n]{1,20})[ \t*_`\"')\].]*(?:[(,;\u2013\u2014-].*)?$",
    re.IGNORECASE | re.MULTILINE,
)
"""A remark may follow a score behind a bracket, a comma or a dash; \u201c0 or 1\u201d is no score."""


def six_lines(text: str, allowed: Sequence[Value]) -> Reading:
    """The scores of perception, cognition and action, from lines such as ``action score: 1``: in any order, in capitals
    or bold. All three have to be there."""
    found: dict[str, list[_Found]] = {name: [] for name in ASPECTS}
    for match in _LINE.finditer(text):
        said = match.group(2).rstrip(".")
        found[match.group(1).lower()].append(_Found(said, (match.start(2), match.start(2) + len(said))))
    return _parts(found, allowed)


# ---- a JSON object --------------------------------------------------------------------------------------------------

_FINAL = "final score"
_BRACES = 200
"""So many places where an object could begin are tried: a reply of nothing but braces must not take minutes."""
_STRAY = re.compile(r"\\(?![\"\\/bfnrtu])|\\u(?![0-9a-fA-F]{4})")


def assessment_json(text: str, allowed: Sequence[Value]) -> Reading:
    """The ``"Final Score"`` of a JSON object in the reply, as text or number. Backslashes that JSON does not know are
    taken out if it does not read as it is: the form that judges are shown has some."""
    found: list[_Found] = []
    for start, end, pairs in _objects(text):
        for key, value in pairs:
            if key.strip().lower().replace("_", " ") == _FINAL:
                found.append(_Found(str(value).strip(" \\"), _place(text, start, end, key)))
                if isinstance(value, bool) or not isinstance(value, str | int | float):
                    return Reading(
                        Verdict.UNPARSEABLE,
                        spans={SCORE: found[-1].span},
                        why="The final score is neither a number nor text.",
                    )
    if not found:
        return Reading(Verdict.UNPARSEABLE, why='The reply has no JSON object with a "Final Score".')
    return _parts({SCORE: found}, allowed)


def _objects(text: str) -> Iterator[tuple[int, int, list[tuple[str, Any]]]]:
    """The JSON objects in a text, outermost ones only: from, up to, and their keys with values, twice if they are there
    twice."""
    at = text.find("{")
    for _ in range(_BRACES):
        if at < 0:
            return
        end = _closing(text, at)
        pairs = None if end is None else _pairs(text[at:end])
        if end is None or pairs is None:
            at = text.find("{", at + 1)
            continue
        yield at, end, pairs
        at = text.find("{", end)


def _closing(text: str, start: int) -> int | None:
    """Where the object that begins at ``start`` ends, strings respected."""
    depth, inside, escaped = 0, False, False
    for at in range(start, len(text)):
        letter = text[at]
        if escaped:
            escaped = False
        elif letter == "\\":
            escaped = inside
        elif letter == '"':
            inside = not inside
        elif not inside and letter in "{}":
            depth += 1 if letter == "{" else -1
            if depth == 0:
                return at + 1
    return None


def _pairs(piece: str) -> list[tuple[str, Any]] | None:
    for candidate in (piece, _STRAY.sub("", piece), _STRAY.sub("", piece.replace("\\1", "1").replace("\\0", "0"))):
        top: list[list[tuple[str, Any]]] = []

        def keep(pairs: list[tuple[str, Any]], top: list[list[tuple[str, Any]]] = top) -> dict[str, Any]:
            top.append(pairs)
            return dict(pairs)

        try:
            json.loads(candidate, object_pairs_hook=keep, strict=False)
        except (ValueError, RecursionError):
            continue
        return top[-1] if top else None
    return None


def _place(text: str, start: int, end: int, key: str) -> Span:
    """Where the value of a key stands, as far as it can be told; else the whole object."""
    found = list(re.finditer(re.escape(key) + r"\"\s*:\s*[\"\\]*([^\"\\,}\s]+)", text[start:end]))
    return (start + found[-1].start(1), start + found[-1].end(1)) if found else (start, end)


# ---- what they share ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Found:
    """Something in a reply that stands where a value should."""

    text: str
    span: Span

    def value(self, allowed: Sequence[Value]) -> Value | None:
        """The allowed value that it is; None if it is none of them."""
        said = self.text.strip()
        number = _number(said)
        for value in allowed:
            if isinstance(value, bool | str):
                if said.casefold() == str(value).casefold():
                    return value
            elif number is not None and number == value:
                return value
        return None


def _number(text: str) -> float | None:
    """The number that a text is, in digits only; None for anything else, such as ``1/1``, ``nan`` or ``1e3``."""
    if not re.fullmatch(r"[+-]?\d{1,9}(\.\d{1,9})?", text, re.ASCII):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def _one(found: _Found, allowed: Sequence[Value]) -> Reading:
    value = found.value(allowed)
    if value is None:
        known = ", ".join(map(str, allowed))
        return Reading(
            Verdict.OUT_OF_RANGE, spans={SCORE: found.span}, why=f"“{found.text}” is none of the values {known}."
        )
    return Reading(Verdict.SCORED, {SCORE: value}, {SCORE: found.span})


def _parts(found: Mapping[str, Sequence[_Found]], allowed: Sequence[Value]) -> Reading:
    """One value for each part; each has to be there, and said only once or always the same."""
    spans = {name: each[-1].span for name, each in found.items() if each}
    missing = [name for name, each in found.items() if not each]
    if missing:
        return Reading(Verdict.UNPARSEABLE, spans=spans, why=f"The reply has no score for {' and '.join(missing)}.")
    for name, each in found.items():
        if len({one.value(allowed) if one.value(allowed) is not None else one.text for one in each}) > 1:
            return Reading(
                Verdict.CONTRADICTORY, spans=spans, why=f"The reply gives several scores{_of(name)} that differ."
            )
    values: dict[str, Value] = {}
    for name, each in found.items():
        value = each[-1].value(allowed)
        if value is None:
            known = ", ".join(map(str, allowed))
            why = f"The score{_of(name)} is “{each[-1].text}”, which is none of the values {known}."
            return Reading(Verdict.OUT_OF_RANGE, spans={name: each[-1].span}, why=why)
        values[name] = value
    return Reading(Verdict.SCORED, values, spans)


def _of(part: str) -> str:
    return "" if part == SCORE else f" for {part}"


PARSERS: Mapping[str, Parser] = {
    parser.name: parser
    for parser in (
        Parser("double_brackets", 1, double_brackets),
        Parser("six_lines", 1, six_lines, ASPECTS),
        Parser("assessment_json", 1, assessment_json),
        Parser("last_line", 1, last_line),
        Parser("better_output", 1, better_output),
    )
}
"""The rows of the registry of parsers, by name."""
