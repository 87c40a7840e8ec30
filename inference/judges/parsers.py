"""Parsers of judges' replies: pure functions of the text, so that an old reply can be read again.

A parser never guesses. It looks for the requested form in the judge's own words (``standing``). A verdict that is
quoted, denied, hypothetical, an example, left open or taken back does not count. Any other reply is a failure, with a
reason and its place in the text. Reasoning blocks and chat tokens are separated first (``domain.reading.text``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from domain.judging import ReplyOutcome, ReplyReading, Value
from domain.reading.text import Reasoning, visible
from inference.judges.aspect_scores import ASPECTS, six_lines
from inference.judges.better_outputs import better_output
from inference.judges.bracket_verdicts import double_brackets
from inference.judges.echoes import is_empty_text, is_placeholder, is_text_key, placeholder, repeated_key
from inference.judges.found_values import SCORE, of_part
from inference.judges.json_objects import find_objects, flat_pairs, key_words
from inference.judges.json_scores import assessment_json
from inference.judges.last_lines import last_line
from inference.judges.refused_judgements import DECLINES, DECLINES_WITHIN
from inference.judges.remarks import PlainText, contradicts, explain_away
from inference.judges.standing import ReplyText

Read = Callable[[str, Sequence[Value]], ReplyReading]
"""A function of (reply, allowed values) that returns a reading."""


@dataclass(frozen=True)
class Parser:
    """A way of reading, with a version that changes whenever the same text could be read otherwise."""

    name: str
    version: int
    read: Read
    parts: tuple[str, ...] = (SCORE,)
    """The values that a reply holds."""


CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
"""Reasons for an end that mean: the longest length that was allowed."""

FILTERED = frozenset({"content_filter", "refusal", "safety", "recitation", "blocklist", "prohibited_content", "spii"})
"""Finish reasons of a filtered reply."""


def read_reply(
    parser: Parser, text: str, allowed: Sequence[Value], *, finish_reason: str | None = None
) -> ReplyReading:
    """Return the reading of a reply. The reason for its end is checked first, because a truncated reply is
    uncertain.
    """
    ended = (finish_reason or "").lower()
    if ended in FILTERED:
        return ReplyReading(ReplyOutcome.REFUSED, why="The endpoint filtered the reply.")
    if not text.strip():
        return ReplyReading(ReplyOutcome.EMPTY, why="The reply is empty.")
    if ended in CUT_OFF:
        return ReplyReading(ReplyOutcome.TRUNCATED, why="The reply reached the maximum length and was cut off.")
    return parser.read(text, allowed)


@lru_cache(maxsize=8)
def _reply(text: str, allowed: tuple[Value, ...]) -> tuple[ReplyText, PlainText]:
    seen = visible(text)
    plain = explain_away(seen.text, allowed)
    return ReplyText(replace(seen, text=plain.text)), plain


def _in_original(read: Callable[[ReplyText, Sequence[Value]], ReplyReading]) -> Read:
    """Return a parser of the original text, from a parser of its relevant part.

    The new parser has the failures that all parsers share, and places in the original text.
    """

    def reading(text: str, allowed: Sequence[Value]) -> ReplyReading:
        reply, plain = _reply(text, tuple(allowed))
        if reply.seen.reasoning is Reasoning.OPEN:
            return ReplyReading(
                ReplyOutcome.TRUNCATED, why="The reply consists of unfinished reasoning and has no verdict."
            )
        if not reply.text.strip():
            if reply.seen.reasoning is Reasoning.CLOSED:
                return ReplyReading(ReplyOutcome.EMPTY, why="The reply has no text after its reasoning.")
            return ReplyReading(ReplyOutcome.EMPTY, why="The reply is empty.")
        declined = DECLINES.search(reply.text[:DECLINES_WITHIN])
        if declined is not None:
            span = reply.seen.span(*declined.span())
            return ReplyReading(
                ReplyOutcome.REFUSED, spans={SCORE: span}, why="The judge says that it cannot give a verdict."
            )
        verdict = read(reply, allowed)
        if verdict.scored:
            verdict = _checked(verdict, reply, plain, allowed)
        return replace(verdict, spans={name: reply.seen.span(*span) for name, span in verdict.spans.items()})

    return reading


def _checked(found: ReplyReading, reply: ReplyText, plain: PlainText, allowed: Sequence[Value]) -> ReplyReading:
    """Return the reading, or a failure if words next to a score contradict it, or if the reply echoes a template."""
    for name, (start, end) in found.spans.items():
        if any(first < end and start < last for first, last in plain.conflicts):
            why = f"The words next to the score{of_part(name)} contradict the score."
            return ReplyReading(ReplyOutcome.CONTRADICTORY, spans={name: (start, end)}, why=why)
    echoed = placeholder(reply.text)
    if echoed is not None:
        return ReplyReading(
            ReplyOutcome.UNPARSEABLE,
            spans={SCORE: echoed},
            why="The reply repeats a template and still has a placeholder.",
        )
    for start, end, pairs in find_objects(reply.text, reply.marks):
        if not any(start <= at < end for at, _ in found.spans.values()):
            continue
        flat = list(flat_pairs(pairs))
        texts = [value for key, value, _ in flat if is_text_key(key_words(key)) and isinstance(value, str)]
        if any(is_placeholder(value) for _, value, _ in flat) or any(map(is_empty_text, texts)):
            why = "The reply repeats a template: its JSON object still has a placeholder."
            return ReplyReading(ReplyOutcome.UNPARSEABLE, spans={SCORE: (start, end)}, why=why)
        key = repeated_key(pairs)
        if key is not None:
            why = f"The JSON object has the key “{key}” twice with different values."
            return ReplyReading(ReplyOutcome.CONTRADICTORY, spans={SCORE: (start, end)}, why=why)
        score = found.values.get(SCORE)
        if isinstance(score, int | float) and contradicts(texts, score, allowed):
            why = "The words of the assessment contradict the score."
            return ReplyReading(ReplyOutcome.CONTRADICTORY, spans=found.spans, why=why)
    return found


PARSERS: Mapping[str, Parser] = {
    parser.name: parser
    for parser in (
        Parser("double_brackets", 10, _in_original(double_brackets)),
        Parser("six_lines", 10, _in_original(six_lines), ASPECTS),
        Parser("assessment_json", 10, _in_original(assessment_json)),
        Parser("last_line", 10, _in_original(last_line)),
        Parser("better_output", 10, _in_original(better_output)),
    )
}
"""The rows of the registry of parsers, by name."""
