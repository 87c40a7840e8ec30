"""From a model's free text to what it states: an option, several, an order, yes or no, a number, or the text itself.

Read is what the answer states, never what would be right, and nothing is guessed: where two readings are possible, it
is unreadable. What was read is kept with the places of the words in the original text that it was read from.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from string import ascii_uppercase

from domain.reading.text import Reasoning, Visible, is_empty, refusal, visible

READER_VERSION = 1
"""Counts up whenever a rule reads anything else than before: what was read says by which version."""


class AnswerKind(StrEnum):
    """What is asked for."""

    OPTION = "option"
    MULTI = "multi"
    ORDER = "order"
    YES_NO = "yes_no"
    NUMBER = "number"
    TEXT = "text"


class ReadOutcome(StrEnum):
    """What became of reading an answer. Each has words for a table."""

    words: str

    def __new__(cls, value: str, words: str) -> ReadOutcome:
        made = str.__new__(cls, value)
        made._value_ = value
        made.words = words
        return made

    READ = "read", "read"
    EMPTY = "empty", "empty"
    REFUSED = "refused", "refused to answer"
    TRUNCATED = "truncated", "cut off before it answered"
    UNREADABLE = "unreadable", "format violation: states none, or not one"


@dataclass(frozen=True)
class Asked:
    """What was asked, as far as reading an answer needs it."""

    kind: AnswerKind
    options: tuple[str, ...] = ()
    """Their texts, lettered A, B, C … by place; in an order also numbered from 1."""
    unit: str | None = None
    """What a number is asked in; None: none."""


@dataclass(frozen=True)
class Reading:
    """What an answer states, and the words that it was read from."""

    outcome: ReadOutcome
    value: str | tuple[str, ...] | float | None = None
    """The option's text; of several options, or an order, their texts; "yes" or "no"; the number; the text."""
    places: tuple[int, ...] = ()
    """The options chosen, counted from 0: in the stated order, of an option all that have its wording."""
    spans: tuple[tuple[int, int], ...] = ()
    """Where in the original text the words stand that it was read from, or that say that it is refused."""
    rule: str = ""
    """The row of ``RULES`` that read it."""
    why: str = ""
    """A sentence that says why it was not read."""


@dataclass(frozen=True)
class Rule:
    """A way in which an answer is stated."""

    name: str
    meaning: str


RULES = (
    Rule("exact", "The whole answer is an option's text, a number, yes or no, and nothing more."),
    Rule("letter", "The whole answer is an option's letter in its usual dresses: B, (b), B., Option B, **B**."),
)


def read_answer(text: str, asked: Asked, *, finish_reason: str | None = None) -> Reading:
    """What an answer states.

    ``finish_reason`` is what an endpoint reported: after ``length`` only what was surely said before the cut counts.

    >>> read_answer("B", Asked(AnswerKind.OPTION, ("cup", "plate"))).value
    'plate'
    """
    seen = visible(text)
    if seen.reasoning is Reasoning.OPEN:
        return Reading(ReadOutcome.TRUNCATED, why="The reasoning block never ends, so nothing was answered.")
    if is_empty(seen.text):
        return Reading(ReadOutcome.EMPTY, why="There is no word in it.")
    refused = refusal(seen.text)
    if refused:
        why = "It says that it does not or cannot answer."
        return Reading(ReadOutcome.REFUSED, spans=(seen.span(*refused),), why=why)
    if asked.kind is AnswerKind.TEXT:
        start = len(seen.text) - len(seen.text.lstrip())
        end = len(seen.text.rstrip())
        return Reading(ReadOutcome.READ, " ".join(seen.text.split()), (), (seen.span(start, end),), "exact")
    return _exact(seen, asked) or Reading(ReadOutcome.UNREADABLE, why="It states none of what was asked for.")


def _exact(seen: Visible, asked: Asked) -> Reading | None:
    found = re.fullmatch(r"[\s(\"'*]*(.*?)[\s.)\"'*]*", seen.text, re.DOTALL)
    assert found is not None
    core = " ".join(found[1].casefold().split())
    span = (seen.span(*found.span(1)),)
    if asked.kind is AnswerKind.YES_NO and core in ("yes", "no"):
        return Reading(ReadOutcome.READ, core, (), span, "exact")
    if asked.kind is AnswerKind.NUMBER and re.fullmatch(r"-?\d{1,15}(\.\d{1,15})?", core):
        return Reading(ReadOutcome.READ, float(core), (), span, "exact")
    if asked.kind is AnswerKind.OPTION:
        places = [n for n, text in enumerate(asked.options) if " ".join(text.casefold().split()).strip(" .") == core]
        rule = "exact"
        if not places and len(core) == 1 and core.upper() in ascii_uppercase[: len(asked.options)]:
            wording = asked.options[ascii_uppercase.index(core.upper())]
            places, rule = [n for n, text in enumerate(asked.options) if text == wording], "letter"
        if places and len({asked.options[n] for n in places}) == 1:
            return Reading(ReadOutcome.READ, asked.options[places[0]], tuple(places), span, rule)
    return None
