"""Read the final score of a JSON object."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from domain.judging import ReplyOutcome, ReplyReading, Value
from inference.judges.found_values import (
    SCORE,
    FoundValue,
    allowed_value,
    is_lowest,
    next_turn,
    none_own,
    reading_of_parts,
)
from inference.judges.json_objects import find_objects, flat_pairs, key_words, value_place
from inference.judges.retractions import CORRECTS, taken_back
from inference.judges.score_remarks import leaves_unchanged
from inference.judges.standing import ReplyText, Span
from inference.judges.standing_cues import CueStanding

_SCORE_KEY = "final score"

_MOST_OBJECTS = 50

_WRAPS = re.compile(
    r"(?:the |my |final |overall |your )*(?:evaluations?|assessments?|results?|judge?ments?|gradings?|ratings?|scores?|scoring|verdict|outputs?|response|reply|feedback|review|reviews|data|json|object|report|summary|conclusion|final)(?: (?:result|score|object|output|report|json|summary))?"
)
"""Keys around an object with the judge's own score. Any other key names another owner or purpose."""

_LOOSE = re.compile(
    r"\bfinal[ _]?score\b[\"'*_\s\\]{0,6}(?::|=|\bis\b|\bto\b|\bshould be\b)[\"'*_\s\\]{0,6}(\d{1,3}(?:\.\d{1,3})?)",
    re.IGNORECASE,
)


def assessment_json(reply: ReplyText, allowed: Sequence[Value]) -> ReplyReading:
    """Return the ``"Final Score"`` of a JSON object in the reply, as text or number.

    Invalid backslashes are removed if the object cannot be read, because the form that judges are shown has some.
    """
    text = reply.text
    scores: list[FoundValue] = []
    read: list[Span] = []
    ends: list[int] = []
    names: list[str] = []
    for start, end, pairs in find_objects(text, reply.marks):
        read.append((start, end))
        nested = [pair for pair in flat_pairs(pairs)]
        of_each = {within for key, _, within in nested if key_words(key) == _SCORE_KEY and within}
        for key, value, within in nested:
            if key_words(key) != _SCORE_KEY:
                continue
            place = value_place(text, start, end, key)
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                return ReplyReading(
                    ReplyOutcome.UNPARSEABLE, spans={SCORE: place}, why="The final score must be a number or text."
                )
            standing = _of_object(reply, start, end)
            if standing is CueStanding.OWN and len(of_each) > 1 and within:
                standing = CueStanding.EACH
            elif standing is CueStanding.OWN and any(not _WRAPS.fullmatch(key_words(name)) for name in within):
                standing = CueStanding.QUOTED
            names.append(_named(pairs))
            score_text = _without_remark(str(value).strip(" \\"), allowed)
            scores.append(FoundValue(score_text, place, (start, end), standing=standing))
            ends.append(end)
            if len(scores) > _MOST_OBJECTS:
                return ReplyReading(
                    ReplyOutcome.CONTRADICTORY, why=f"The reply has more than {_MOST_OBJECTS} final scores."
                )
    if len(set(names) - {""}) > 1:
        scores = [replace(score, standing=CueStanding.EACH) for score in scores]
    turn = next_turn(reply, ends[:1])
    if turn is not None:
        scores = [score for score in scores if score.outer[0] < turn]
        text = text[:turn]
    if not scores:
        return ReplyReading(ReplyOutcome.UNPARSEABLE, why='The reply has no JSON object with a "Final Score".')
    own = [score for score in scores if score.standing is CueStanding.OWN]
    if not own:
        return none_own(scores)
    last = own[-1]
    if len({score.says(allowed) for score in own}) > 1:
        other = next(score for score in reversed(own) if score.says(allowed) != last.says(allowed))
        between = text[other.outer[1] : last.outer[0]] if other.outer[1] <= last.outer[0] else ""
        if not CORRECTS.search(between):
            return reading_of_parts({SCORE: own}, allowed)
    for score in scores:
        if (
            score.outer[0] > last.outer[0]
            and score.standing is CueStanding.HEDGED
            and score.says(allowed) != last.says(allowed)
        ):
            return ReplyReading(
                ReplyOutcome.CONTRADICTORY, spans={SCORE: last.span}, why="A different score follows the final score."
            )
    if _broken_around(reply.text, last.outer, read):
        return ReplyReading(
            ReplyOutcome.UNPARSEABLE, spans={SCORE: last.span}, why="The JSON object with the score is incomplete."
        )
    for match in _LOOSE.finditer(text):
        if any(start <= match.start() < end for start, end in read):
            continue
        if allowed_value(match[1], allowed) != last.value(allowed) and reply.standing(*match.span()) in (
            CueStanding.OWN,
            CueStanding.HEDGED,
        ):
            spans = {f"{SCORE} 1": last.span, f"{SCORE} 2": match.span(1)}
            return ReplyReading(
                ReplyOutcome.CONTRADICTORY,
                spans=spans,
                why="The reply gives a second final score outside the JSON object.",
            )
    if taken_back(text, last.outer[1], lowest=is_lowest(last, allowed)):
        return ReplyReading(ReplyOutcome.CONTRADICTORY, spans={SCORE: last.span}, why="The reply withdraws its score.")
    return reading_of_parts({SCORE: [last]}, allowed)


_SCORE_FIRST = re.compile(r"[\s*_`\"'$(\[]*([+-]?\d{1,4}(?:[.,]\d{1,4})?)[\s*_`\"'$)\]]*")


def _without_remark(said: str, allowed: Sequence[Value]) -> str:
    """Return the score at the beginning of a text if only a remark follows it; otherwise the whole text."""
    first = _SCORE_FIRST.match(said)
    if first is None or any(isinstance(value, str) for value in allowed):
        return said
    score = FoundValue(first[1], first.span(1), first.span())
    return first[1] if leaves_unchanged(said[first.end(1) :].lstrip("*_`$\"')]"), score, allowed) else said


def _of_object(reply: ReplyText, start: int, end: int) -> CueStanding:
    """Return the standing of an object. In a list of its own or in code marks, it has the standing of these."""
    text = reply.text
    while start > 0 and text[start - 1] in "[`( " and end < len(text) and text[end] in "]`) ":
        start, end = start - 1, end + 1
    return reply.standing(start, end)


def _broken_around(text: str, inner: Span, read: Sequence[Span]) -> bool:
    """Return whether an unclosed brace precedes an object, so that the object may be part of a broken one."""
    if any(start < inner[0] and inner[1] <= end for start, end in read):
        return False
    before = text[: inner[0]]
    at = before.find("{")
    while at >= 0:
        inside = next((end for start, end in read if start <= at < end), None)
        if inside is not None:
            at = before.find("{", inside)
            continue
        if '"' in before[at + 1 : at + 40] and re.match(r"\{\s*[\"']\w", before[at : at + 20]):
            return True
        at = before.find("{", at + 1)
    return False


_NAMES_ONE = frozenset(
    ("answer", "assistant", "candidate", "response", "model", "output", "item", "id", "student", "name")
)


def _named(pairs: Sequence[tuple[str, Any]]) -> str:
    """Return the answer that an object names as its subject; empty if it names none."""
    names = (str(value) for key, value in pairs if key_words(key) in _NAMES_ONE and isinstance(value, str | int))
    return next((name.strip().casefold() for name in names if len(name) < 20), "")
