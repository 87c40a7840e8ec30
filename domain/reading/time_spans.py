"""Read which spans of time an answer states."""

from __future__ import annotations

import re
from dataclasses import replace

from domain.reading.answer_text import HEDGES, AnswerText
from domain.reading.answer_types import STRONG, Claim
from domain.reading.spans import SECONDS, StatedSpan, alone
from domain.reading.statements import TextPlace

_SPAN_SOON = 60
"""The number of characters after a declaration within which a span must begin: "The event happens in the video
from …".
"""


class SpanReader(AnswerText):
    """Reads which spans of time an answer states."""

    def _spans(self, place: TextPlace) -> Claim | None:
        """Return the span that a place states, or all spans if several are asked for."""
        if place.rule in ("opening", "last sentence"):
            return None
        if place.rule == "only span" and any(
            self._spans(strong_place) for strong_place in self.found if strong_place.rule in STRONG
        ):
            return None
        there = [span for span in self.spans if place.start <= span.start and span.end <= place.end]
        if place.rule in ("whole", "last line") or (place.closed and not there):
            there = self._span_alone(place, there)
        elif not place.closed and place.rule != "only span":
            there = self._span_soon(place, there)
        if not there:
            return None
        values = sorted({span.value for span in there if span.value is not None})
        why = next((span.why for span in there if span.value is None), "")
        if not why and len(values) > 1 and not self.asked.several:
            why = "The text states several time spans, but the question asks for one."
        if any(self._span_unsaid(span) for span in there):
            why = "The text denies or doubts a time span that it states."
        if why:
            self.why_no_span = why
        if why and place.rule == "only span":
            return None
        value = None if why else tuple(values)
        return Claim(place.rule, place.declared, there[0].start, there[-1].end, value, (), there[-1].end)

    def _span_alone(self, place: TextPlace, there: list[StatedSpan]) -> list[StatedSpan]:
        """Return the spans of a place that has no other content."""
        text = self.text[place.start : place.end]
        pair = alone(text, self.asked.unit or SECONDS)
        if pair is not None and not there:
            return [replace(pair, start=place.start + pair.start, end=place.start + pair.end)]
        at, rest = place.start, []
        for span in there:
            rest.append(self.text[at : span.start])
            at = span.end
        rest.append(self.text[at : place.end])
        return [] if any(re.search(r"[^\W_]", part) for part in rest) else there

    def _span_soon(self, place: TextPlace, there: list[StatedSpan]) -> list[StatedSpan]:
        """Return the spans on the line after a declaration, if the first one begins soon."""
        if not there or there[0].start - place.start > _SPAN_SOON or "\n\n" in self.text[place.start : there[0].start]:
            return []
        line = self.text.find("\n", there[0].end)
        return [span for span in there if line < 0 or span.end <= line]

    def _span_unsaid(self, said: StatedSpan) -> bool:
        return bool(HEDGES.search(self.text[max(0, said.start - 30) : said.start])) or self._void(said.end)
