"""Spans of time in a text, in seconds or in frames: from … to …, between … and …, clocks, pairs, JSON."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

Span = tuple[float, float]
"""Beginning and end in seconds, or the first and the last frame."""

SECONDS, FRAMES = "seconds", "frames"

MANY = 1_000
"""With more spans than this, only the first and the last ones are read. No real answer states this many."""

BACKWARDS = "The text states a time span that ends before it begins."
NEGATIVE = "The text states a time before the clip begins. Seconds count from 0, and frames count from 1."
OTHER_UNIT = "The text states a time span in {other}, but the question asks for {asked}."
NO_CLOCK = "The text states an invalid clock time."
PARTS = "The text states a time span as a percentage of the clip, but not the length of the clip."


@dataclass(frozen=True)
class StatedSpan:
    """A span that is stated in a text."""

    start: int
    end: int
    value: Span | None
    why: str = ""
    """Why the span is not of the kind that was asked for, as a sentence."""


_UNITS = {
    "ms": Fraction(1, 1000),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "sekunde", "sekunden", "秒"), Fraction(1)),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes", "minuten"), Fraction(60)),
    **dict.fromkeys(("h", "hour", "hours"), Fraction(3600)),
}
_IN_FRAMES = frozenset({"frame", "frames", "f"})
_WORD = r"ms|seconds?|secs?|sekunden?|秒|s|minutes?|minuten|mins?|m|hours?|h|frames?|f|%|percent"
_NUMBER = r"\d{1,9}(?:\.\d{1,20})?"
"""A computed number has up to 17 digits after the point: 23.299999999999997."""
_AROUND = r"(?:(?:about|around|approximately|roughly|exactly|seconds?|frames?|time|t\s?=|at|the)\s{0,2}){0,3}"


def _moment(n: int) -> str:
    """Return the pattern for one end of a span. Its groups end in a number."""
    clock = rf"(?P<clock{n}>(?:\d{{1,2}}:)?\d{{1,3}}:\d{{2}}(?:[.,]\d{{1,3}})?)"
    more = rf"(?:\s?(?:and\s)?(?P<more{n}>{_NUMBER})\s?(?P<sub{n}>seconds?|secs?|s))?"
    plain = rf"(?P<number{n}>{_NUMBER})(?:\s?(?P<unit{n}>{_WORD})(?![A-Za-z]){more})?"
    sign = rf"(?P<sign{n}>(?<![\w)\]])-)?"
    return rf"(?P<lead{n}>{_AROUND}){sign}(?<![\d.,:])(?<!\de)(?:{clock}|{plain})(?!\d|[.,:]\d|e[+-]?\d)(?P<unit_after{n}>\s?(?:th|st|nd|rd)?\s?frames?(?![A-Za-z]))?"


_ONE, _TWO = _moment(1), _moment(2)
_OPENS, _SHUTS = r"[\"']?(?:start|begin|first|from)", r"[\"']?(?:end|stop|last|finish|to|until)"
_NAMED = r"(?:ning|ing|s)?(?:[ _]?(?:time|frame|second|sec|s|timestamp))?[\"']?\s{0,2}[:=]\s{0,2}[\"']?"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![A-Za-z]){_OPENS}{_NAMED}{_ONE}[\"']?\s{{0,2}}[,;\n]?\s{{0,8}}(?:and\s)?{_SHUTS}{_NAMED}{_TWO}[\"']?",
        rf"[\[(<]\s?[\"']?{_ONE}[\"']?\s?(?:,|;|-|–|—|~|to)\s?[\"']?{_TWO}[\"']?\s?[\])>]",
        rf"\bbetween\s{_ONE}\s?(?:and|-|–)\s?{_TWO}",
        rf"\b(?:starts?|begins?|starting|beginning)\b[^.\d\n]{{0,40}}?\s{_ONE}[^.\d\n]{{0,40}}?\b(?:ends?|ending|stops?|finishes|until|till)\b[^.\d\n]{{0,24}}?\s{_TWO}",
        rf"(?:\bfrom\s|\bfor\s|\bvon\s)?{_ONE}\s?(?:-{{1,2}}>?|–|—|~|→|\bto\b|\buntil\b|\btill\b|\bthrough\b|\bbis\b|\.{{2,3}}|…)\s?{_TWO}",
    )
)
_ALONE = re.compile(rf"{_ONE}\s?[,;]\s?{_TWO}", re.IGNORECASE)
_COUNTS = re.compile(
    r"\s{1,2}(?!(?:in|of|on|when|where|as|because|since|during|the|a|an|and|while|for|is|are|was|or|but|if|so|he|she|it|they|at|with|within|inside|mark|marks|into)\b)[A-Za-z]{2,}"
)
"""A word that a pair of bare numbers counts: "2 to 3 people" is no time."""

_COUNTED = re.compile(
    r"\b(?:pages?|steps?|chapters?|sections?|figures?|tables?|parts?|questions?|options?|answers?|episodes?|levels?"
    r"|items?|lines?|rows?|versions?|v|ages?|aged)\s{0,2}$",
    re.IGNORECASE,
)
"""Words before a pair of bare numbers that show that they are no times: "pages 3 to 9"."""


def spans(text: str, unit: str) -> list[StatedSpan]:
    """Return all spans in a text in order, in the unit that is asked for. A bare number has this unit.

    >>> [each.value for each in spans("from 00:12 to 00:15, then [20, 21.5]", "seconds")]
    [(12.0, 15.0), (20.0, 21.5)]
    """
    stated_spans: list[StatedSpan] = []
    taken = bytearray(len(text))
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span()
            if not any(taken[start:end]) and not (_bare(match) and _counts(text, start, end)):
                taken[start:end] = b"x" * (end - start)
                stated_spans.append(_said(match, unit))
    stated_spans.sort(key=lambda each: each.start)
    return stated_spans if len(stated_spans) <= MANY else [*stated_spans[: MANY // 2], *stated_spans[-MANY // 2 :]]


def _counts(text: str, start: int, end: int) -> bool:
    """Return whether the numbers count different things, by the words around them."""
    return bool(_COUNTS.match(text, end) or _COUNTED.search(text, max(0, start - 16), start))


def alone(text: str, unit: str) -> StatedSpan | None:
    """Return the span if the text consists only of it. Here two numbers with a comma in between are also a span."""
    match = _ALONE.fullmatch(text.strip().strip("."))
    if match is None:
        return None
    at, stated = text.index(match[0]), _said(match, unit)
    return StatedSpan(at, at + len(match[0]), stated.value, stated.why)


def _bare(match: re.Match[str]) -> bool:
    """Return whether no unit, clock, bracket or name shows that the numbers are times."""
    given = match.groupdict()
    parts = ("clock1", "clock2", "unit1", "unit2", "unit_after1", "unit_after2")
    return not any(given[part] for part in parts) and match[0][:1].isdigit()


def _said(match: re.Match[str], asked: str) -> StatedSpan:
    given = match.groupdict()
    units = [(given[f"unit{n}"] or "").lower() for n in (1, 2)]
    framed = [
        units[n - 1] in _IN_FRAMES or bool(given[f"unit_after{n}"]) or "frame" in (given[f"lead{n}"] or "").lower()
        for n in (1, 2)
    ]
    framed_by_name = "frame" in match[0].lower()
    timed = [bool(given[f"clock{n}"]) or units[n - 1] in _UNITS for n in (1, 2)]

    def refused(why: str) -> StatedSpan:
        return StatedSpan(*match.span(), None, why)

    if any(unit in ("%", "percent") for unit in units):
        return refused(PARTS)
    if any(timed) and asked == FRAMES:
        return refused(OTHER_UNIT.format(other=SECONDS, asked=FRAMES))
    if (any(framed) or framed_by_name) and asked != FRAMES:
        return refused(OTHER_UNIT.format(other=FRAMES, asked=SECONDS))
    ends = [_value(given, n, units[n - 1] or units[2 - n]) for n in (1, 2)]
    begins, ending = ends
    if begins is None or ending is None:
        return refused(NO_CLOCK)
    if given["sign1"] or given["sign2"] or (asked == FRAMES and (begins < 1 or ending < 1)):
        return refused(NEGATIVE)
    if asked == FRAMES and (begins.denominator > 1 or ending.denominator > 1):
        return refused("The text states a fraction of a frame.")
    if ending < begins:
        return refused(BACKWARDS)
    return StatedSpan(*match.span(), (float(begins), float(ending)))


def _value(given: dict[str, str | None], n: int, unit: str) -> Fraction | None:
    """Return one end of a span as a number; None for an invalid clock time."""
    clock = given[f"clock{n}"]
    if clock is not None:
        *hours, minutes, seconds = clock.replace(",", ".").split(":")
        if Fraction(seconds) >= 60 or (hours and int(minutes) >= 60):
            return None
        return int(hours[0] if hours else 0) * 3600 + int(minutes) * 60 + Fraction(seconds)
    scale = _UNITS.get(unit, Fraction(1))
    return Fraction(str(given[f"number{n}"])) * scale + Fraction(given[f"more{n}"] or 0)


def in_words(value: object) -> str:
    """Return spans as text: ``2 to 3.5; 7 to 9``."""
    pairs = [pair for pair in value if isinstance(pair, list | tuple)] if isinstance(value, list | tuple) else []
    return "; ".join(f"{begins:g} to {ends:g}" for begins, ends in pairs)
