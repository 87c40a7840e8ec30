"""Values found in a judge's reply, and readings made of them, shared by all parsers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from domain.judging import ReplyOutcome, ReplyReading, Value
from inference.judges.standing import TURN, ReplyText, Span
from inference.judges.standing_cues import CueStanding

SCORE = "score"
"""The name of the value in a reply with one value."""

MOST_VERDICTS = 100
"""A reply with more verdicts than that is no reply."""


@dataclass(frozen=True)
class FoundValue:
    """A possible value in a reply."""

    text: str
    span: Span
    outer: Span
    """The place of the value with its brackets."""
    level: int = 0
    """3: a final one by its label; 2: by its label, or on a line of its own; 1: somewhere in prose."""
    standing: CueStanding = CueStanding.OWN
    label_at: int | None = None

    def value(self, allowed: Sequence[Value]) -> Value | None:
        """Return the allowed value; None if the text is not an allowed value."""
        return allowed_value(self.text, allowed)

    def says(self, allowed: Sequence[Value]) -> object:
        """Return a key that is equal for equal verdicts."""
        value = self.value(allowed)
        return self.text.strip().casefold() if value is None else value


_WHY = {
    CueStanding.QUOTED: "The only verdict in the reply is a quotation.",
    CueStanding.DENIED: "The reply denies its only verdict.",
    CueStanding.SUPPOSED: "The only verdict in the reply is hypothetical.",
    CueStanding.EXAMPLE: "The only verdict in the reply is an example or explains the scale.",
    CueStanding.EARLIER: "The reply abandons its only verdict.",
    CueStanding.HEDGED: "The reply does not commit to a verdict.",
    CueStanding.EACH: "The reply gives separate verdicts for several answers, but no single verdict.",
    CueStanding.UNCLEAR: "The reply mentions a verdict, but does not clearly give this verdict.",
}


def none_own(found: Sequence[FoundValue]) -> ReplyReading:
    """Return the reading of a reply in which none of the verdicts is the judge's own."""
    last = next((value for value in reversed(found) if value.standing is CueStanding.HEDGED), found[-1])
    verdict = ReplyOutcome.CONTRADICTORY if last.standing is CueStanding.HEDGED else ReplyOutcome.UNPARSEABLE
    if len({value.standing for value in found}) > 1 and last.standing is not CueStanding.HEDGED:
        return ReplyReading(
            verdict, spans={SCORE: last.span}, why="None of the verdicts in the reply is the judge's own."
        )
    return ReplyReading(verdict, spans={SCORE: last.span}, why=_WHY[last.standing])


def next_turn(reply: ReplyText, ends: Sequence[int]) -> int | None:
    """Return where a reply continues with a turn of another speaker, after a verdict."""
    if not ends:
        return None
    turn = TURN.search(reply.text, min(ends))
    return turn.start() if turn else None


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.split("\n"):
        yield at, line
        at += len(line) + 1


_FRACTIONS = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3, "⅕": 0.2, "⅖": 0.4, "⅗": 0.6, "⅘": 0.8}

_EMPHASIS = " \t*_`\"'$"


def allowed_value(said: str, allowed: Sequence[Value]) -> Value | None:
    """Return the allowed value that a text states; None if it states no allowed value."""
    said = said.strip(_EMPHASIS)
    number = number_of(said)
    for value in allowed:
        if isinstance(value, bool | str):
            if said.casefold() == str(value).casefold():
                return value
        elif number is not None and number == value:
            return value
    numbers = [value for value in allowed if not isinstance(value, str | bool)]
    if number is None and numbers:
        part = _fraction(said, max(numbers))
        return next((value for value in numbers if part is not None and math.isclose(part, value)), None)
    return None


def is_lowest(found: FoundValue, allowed: Sequence[Value]) -> bool:
    """Return whether a value is the lowest of several allowed numbers."""
    numbers = [value for value in allowed if not isinstance(value, str | bool)]
    return len(numbers) > 1 and found.value(allowed) == min(numbers)


def number_of(text: str) -> float | None:
    """Return the number that a text is, in digits only, with or without a full stop.

    None for any other text, such as ``1/1``, ``nan`` or ``1e3``.

    >>> number_of("0,5"), number_of(".5"), number_of("1."), number_of("0.5."), number_of("1e0")
    (0.5, 0.5, 1.0, 0.5, None)
    """
    if not re.fullmatch(r"[+-]?(?:\d{1,9}(?:\.\d{1,9}|,\d{1,2})?|[.,]\d{1,9})\.?", text, re.ASCII):
        return None
    number = float(text.removesuffix(".").replace(",", "."))
    return number if math.isfinite(number) else None


def _fraction(text: str, top: float) -> float | None:
    """Return a number that is stated as a part of the scale's highest value, such as ``0.5/1``.

    If the highest value is 1, ``1/2``, ``½`` and ``50%`` are read too.
    """
    if text in _FRACTIONS:
        return _FRACTIONS[text]
    match = re.fullmatch(r"([\d.,]{1,8})\s?(?:/|out of|of)\s?([\d.,]{1,8})", text)
    if match is not None:
        part, whole = number_of(match[1]), number_of(match[2])
        if part is None or not whole or part > whole or whole == top or whole < 1:
            return None  # of the highest value: ``explain_away`` reads it, unless it may be a choice, as in “(0/1)”
        return part if whole == top else part / whole if top == 1 else None
    match = re.fullmatch(r"([\d.,]{1,8})\s?%", text)
    share = number_of(match[1]) if match else None
    return share / 100 if share is not None and top == 1 else None


def single_reading(found: FoundValue, allowed: Sequence[Value], *, off: str = "") -> ReplyReading:
    value = found.value(allowed)
    if value is None or off:
        known = ", ".join(map(str, allowed))
        return ReplyReading(
            ReplyOutcome.OUT_OF_RANGE,
            spans={SCORE: found.span},
            why=f"“{found.text}{off}” is not one of the values {known}.",
        )
    return ReplyReading(ReplyOutcome.SCORED, {SCORE: value}, {SCORE: found.span})


def reading_of_parts(found: Mapping[str, Sequence[FoundValue]], allowed: Sequence[Value]) -> ReplyReading:
    """Return a reading with one value for each part. Each part needs at least one value, and all its values must be
    equal.
    """
    spans = {name: scores[-1].span for name, scores in found.items() if scores}
    missing = [name for name, scores in found.items() if not scores]
    if missing:
        return ReplyReading(
            ReplyOutcome.UNPARSEABLE, spans=spans, why=f"The reply has no score for {' and '.join(missing)}."
        )
    for name, scores in found.items():
        if len({one.says(allowed) for one in scores}) > 1:
            return ReplyReading(
                ReplyOutcome.CONTRADICTORY,
                spans=spans,
                why=f"The reply gives several different scores{of_part(name)}.",
            )
    values: dict[str, Value] = {}
    for name, scores in found.items():
        value = scores[-1].value(allowed)
        if value is None:
            known = ", ".join(map(str, allowed))
            why = f"The score{of_part(name)} is “{scores[-1].text}”, which is not one of the values {known}."
            return ReplyReading(ReplyOutcome.OUT_OF_RANGE, spans={name: scores[-1].span}, why=why)
        values[name] = value
    return ReplyReading(ReplyOutcome.SCORED, values, spans)


def of_part(part: str) -> str:
    return "" if part == SCORE else f" for {part}"
