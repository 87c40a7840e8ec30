"""The types of reading: the question, the reading, and the rules by which an answer is read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from domain.decimals import Tolerance
from domain.reading.spans import Span

READER_VERSION = 12
"""The version of the reader. Increase it whenever a rule reads an answer differently; readings store their version."""


class AnswerKind(StrEnum):
    """The kind of answer that is asked for."""

    OPTION = "option"
    MULTI = "multi"
    ORDER = "order"
    YES_NO = "yes_no"
    NUMBER = "number"
    SPANS = "time_span"
    TEXT = "text"


class ReadOutcome(StrEnum):
    """The outcome of reading an answer. Each has words for a table."""

    words: str

    def __new__(cls, value: str, words: str) -> ReadOutcome:
        made = str.__new__(cls, value)
        made._value_ = value
        made.words = words
        return made

    READ = "read", "read"
    EMPTY = "empty", "empty"
    REFUSED = "refused", "refused to answer"
    TRUNCATED = "truncated", "cut off before the answer"
    UNREADABLE = "unreadable", "format violation: no answer, or several answers"


Value = str | tuple[str, ...] | float | tuple[Span, ...]


@dataclass(frozen=True)
class ExpectedAnswer:
    """The question, as far as reading an answer needs it."""

    kind: AnswerKind
    options: tuple[str, ...] = ()
    """Their texts, lettered A, B, C … by place; in an order also numbered from 1."""
    unit: str | None = None
    """The unit of a number, or ``seconds`` or ``frames`` of spans; None without a unit."""
    several: bool = False
    """Several spans are allowed."""
    judged: bool = False
    """The reading is not compared with the key, because people or a judge decide whether the meaning is the same."""
    none: bool = False
    """The last option is "none of the others", in whatever words an answer states it."""
    drawn: bool = False
    """The key is drawn in a field of its own, so that none of its text is missing."""
    decimal: bool = False
    """The key is a decimal number as text, and only its exact digits are right."""
    tolerance: Tolerance | None = None
    """The allowed difference of a number from the key; None for no difference."""
    literal: bool = False
    """The key of a free text is a word that means "no answer" elsewhere, such as "N/A"."""


@dataclass(frozen=True)
class Reading:
    """The statement of an answer, with the words that it was read from."""

    outcome: ReadOutcome
    value: Value | None = None
    """The option's text; of several options, or an order, their texts; "yes" or "no"; the number; spans in the order of
    time; the text."""
    places: tuple[int, ...] = ()
    """The options chosen, counted from 0: in the stated order, of an option all that have its wording."""
    spans: tuple[tuple[int, int], ...] = ()
    """The places in the original text of the words that state the answer, or that refuse to answer."""
    rule: str = ""
    """The row of ``RULES`` that read it."""
    why: str = ""
    """The reason why the answer was not read, as a sentence."""


@dataclass(frozen=True)
class ReadingRule:
    """A way in which an answer is stated."""

    name: str
    meaning: str


RULES = (
    ReadingRule("tag", "Between <answer> and </answer>, or between similar tags."),
    ReadingRule("boxed", "In LaTeX's \\boxed{…}."),
    ReadingRule("json", 'The value of a key such as "answer" in JSON: {"answer": "B"}.'),
    ReadingRule("label", "After a label or a heading: “Answer: B”, “Final answer”, “答案：B”."),
    ReadingRule(
        "sentence", "In a sentence that states the answer: “The best action is B”, “I would choose B”, “答案是B”."
    ),
    ReadingRule("so", "After a concluding word: “So B.”"),
    ReadingRule("it is", "“It is B.”"),
    ReadingRule("is right", "Before words that confirm the answer: “B is correct”."),
    ReadingRule("verdicts", "In a list that judges the options one by one: “- A: incorrect”, “- B: correct”."),
    ReadingRule("equation", "A number after the last equals sign, or before “in total”."),
    ReadingRule(
        "whole",
        "The whole text is the answer, in a usual form: B, (b), B., Option B, **B**, the option's text, 5 cups, yes.",
    ),
    ReadingRule(
        "opening", "The text begins with the answer, followed by a reason or other text: “B. The pot is …”, “Yes, …”."
    ),
    ReadingRule("last line", "The last line has only the answer."),
    ReadingRule("last sentence", "The last sentence has only the answer: “… The drawer is open. C”."),
    ReadingRule(
        "predicate",
        "One sentence states the answer, and no other option occurs: “The car is black.”, “There are 4 cups.”",
    ),
    ReadingRule("only number", "The text has exactly one number, and this number is a count or a measurement."),
    ReadingRule("only span", "The text has exactly one time span: “from 2.0 to 3.5 s”, “00:12 - 00:15”."),
    ReadingRule("text", "The whole text is the answer if the question asks for free text."),
)
"""The ways in which answers are stated. All of them are searched, and their readings must agree. If a correction is in
between, the last one counts. An option or a number that is denied, hypothetical, hedged, or one of several is not read.
"""

STRONG = frozenset(("tag", "boxed", "json", "label", "sentence", "so", "it is", "is right", "verdicts", "equation"))
"""Rules by which something is declared to be the answer, which a refusal in the same text does not always undo."""


@dataclass(frozen=True)
class Claim:
    """The answer that one place in the text states."""

    rule: str
    declared: int
    start: int
    end: int
    value: Value | None
    """The stated answer; None if a place for the answer states none or several."""
    places: tuple[int, ...] = ()
    behind: int = 0
    """Where the text about the claim continues."""
    by: str = ""
