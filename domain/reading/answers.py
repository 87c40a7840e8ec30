"""Reading of a model's free text: an option, several, an order, yes or no, a number, spans, or the text itself.

The reader returns the stated answer, and never the right one. It does not guess: an answer with two possible readings
is unreadable. A reading is stored with the places of its words in the original text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from domain.reading import statements
from domain.reading.amounts import NumberReader
from domain.reading.answer_places import PlaceFinder
from domain.reading.answer_text import EMPTY_LIST, OPEN_SENTENCE
from domain.reading.answer_types import READER_VERSION as READER_VERSION
from domain.reading.answer_types import RULES as RULES
from domain.reading.answer_types import STRONG as STRONG
from domain.reading.answer_types import AnswerKind as AnswerKind
from domain.reading.answer_types import Claim as Claim
from domain.reading.answer_types import ExpectedAnswer as ExpectedAnswer
from domain.reading.answer_types import Reading as Reading
from domain.reading.answer_types import ReadingRule as ReadingRule
from domain.reading.answer_types import ReadOutcome as ReadOutcome
from domain.reading.answer_types import Value as Value
from domain.reading.option_orders import OrderReader
from domain.reading.options import Ref
from domain.reading.single_options import OptionReader
from domain.reading.statements import TextPlace
from domain.reading.text import Reasoning, Visible, bare_words, fold, is_empty, refusal, visible
from domain.reading.time_spans import SpanReader
from domain.reading.yes_no import YesNoReader


def read_answer(text: str, asked: ExpectedAnswer, *, finish_reason: str | None = None) -> Reading:
    """Return the reading of an answer.

    ``finish_reason`` is the endpoint's reason. After ``length``, only statements that were complete before the cut
    count. After ``content_filter``, no statement counts.

    >>> read_answer("The best action is B. Slow down.", ExpectedAnswer(AnswerKind.OPTION, ("Turn left", "Slow down"))).value
    'Slow down'
    >>> read_answer("B or C", ExpectedAnswer(AnswerKind.OPTION, ("cup", "plate", "spoon"))).outcome.words
    'format violation: no answer, or several answers'
    """
    seen = visible(text, escapes=True)
    if seen.reasoning is Reasoning.OPEN:
        return Reading(ReadOutcome.TRUNCATED, why="The reasoning block does not end, so the text has no answer.")
    if is_empty(seen.text) and not _is_own(seen.text, asked) and not _is_empty_set(seen.text, asked):
        return Reading(ReadOutcome.EMPTY, why="The answer has no words.")
    if asked.kind is AnswerKind.TEXT:
        return _text(seen, finish_reason)
    reader = _Reader(seen, asked, finish_reason)
    claim, why = reader.decided()
    refused = reader.refused(claim)
    if refused is not None:
        return Reading(
            ReadOutcome.REFUSED, spans=(seen.span(*refused),), why="The model says that it will not or cannot answer."
        )
    if finish_reason == "content_filter":
        return Reading(ReadOutcome.TRUNCATED, why="A content filter cut off the answer.")
    if claim is None:
        if finish_reason == "length":
            return Reading(ReadOutcome.TRUNCATED, why="The text was cut off before it clearly stated an answer.")
        return Reading(ReadOutcome.UNREADABLE, why=reader.why_no_span or why)
    return Reading(ReadOutcome.READ, claim.value, claim.places, (seen.span(claim.start, claim.end),), claim.rule)


def _is_own(text: str, asked: ExpectedAnswer) -> bool:
    """Tell whether a word for a missing value ("n/a") is an option of the item, or may be its key."""
    words = bare_words(text)
    return asked.literal or any(bare_words(fold(option)) == words for option in asked.options)


def _is_empty_set(text: str, asked: ExpectedAnswer) -> bool:
    """Tell whether an answer without words is the empty list, where several options are asked for."""
    return asked.kind is AnswerKind.MULTI and EMPTY_LIST.fullmatch(statements.plain(text)) is not None


REFUSES_EARLY = 200
"""The number of characters of a free text within which a refusal has to begin. A later refusal is a part of the
content.
"""


def _text(seen: Visible, finish_reason: str | None) -> Reading:
    refused = refusal(seen.text, unsure=False)
    if refused is not None and refused[0] < REFUSES_EARLY:
        return Reading(
            ReadOutcome.REFUSED, spans=(seen.span(*refused),), why="The model says that it will not or cannot answer."
        )
    if finish_reason in ("length", "content_filter"):
        return Reading(ReadOutcome.TRUNCATED, why="The answer was cut off.")
    end = len(seen.text.rstrip())
    start = len(seen.text) - len(seen.text.lstrip())
    return Reading(ReadOutcome.READ, " ".join(seen.text.split()), (), (seen.span(start, end),), "text")


_COUNTS = re.compile(r"\s{1,3}(?!(?:to|and|or|out|more|less|fewer|other|further|is|are|was|were)\b)[^\W\d_]{2,}")

_GUESS = re.compile(
    r"\b(?:guess|if i|were to|hypothetical|assuming|would have|random|without seeing|speculat)", re.IGNORECASE
)

_NEVERTHELESS = re.compile(
    r"\b(?:but|however|nevertheless|nonetheless|still|yet|although|though|aber|mais|pero|ma|mas|maar|ale|но)\b|但|でも|하지만",
    re.IGNORECASE,
)

_NEXT = re.compile(r"[.,;!]|\n")

_PART = re.compile(r"\W*(?:there|i (?:can )?(?:see|count|find)|we (?:can )?(?:see|count)|it (?:has|shows|contains))\b")

_SUM = re.compile(
    r"\b(?:total|sum|altogether|in all|overall|insgesamt|gesamt|summe|somme|suma|totale)\b|总|合计|總|合計"
)

_WEAK = frozenset(("last line", "last sentence", "only number", "label"))
"""Rules that take the end of a text, where a truncated answer also ends."""

_ABOUT_OPTIONS = r"(?:options?|choices?|alternatives?|answers?|candidates?|possibilit(?:y|ies)|statements?|one by one|each|选项|選択肢)"

_GOES = r"(?:let(?:'s| us| me)|i(?:'ll| will| need to| should| have to)|we(?:'ll| will| need to| should)|to answer|looking at|here (?:is|are))"

_LOOKS = r"(?:analy[sz]\w{1,4}|evaluat\w{1,3}|consider\w{0,3}|examin\w{1,3}|look\w{0,3}|go (?:through|over)|review|check|assess|break down|think|count|compare|discuss|walk through|work through|see)"

_GOES_THROUGH = re.compile(
    rf"\b{_GOES}\b[^.!?\n]{{0,80}}\b{_ABOUT_OPTIONS}\b[^\n]{{0,40}}\Z|逐一分析[^\n]{{0,20}}\Z|\A\W*(?:the )?(?:analysis|evaluation|options|choices)(?: of [^\n.]{{0,30}}| are)?:?\Z"
)
"""A line that leads to a discussion of the options."""

_ANNOUNCES = re.compile(
    rf"\b{_GOES}\b[^.!?\n]{{0,60}}\b{_LOOKS}\b|\b(?:first|firstly|to start|considering|consider|regarding)\b[,:]?\s*\Z"
)

_LAST_LETTER = re.compile(
    r"(?<![0-9A-Za-zÀ-ɏ'-])[(\[\"']?([B-J]|A)[)\]\"'.!]*(?: (?:actually|instead|then|after all|now|rather))?[)\]\"'.!\s]*\Z"
)

_BESIDE = re.compile(
    r"(?:\b(?:not|than|over|nor|except|from|with|to|like|of|for|unlike|before|after|vitamin|type|plan|grade|frame|image|beats|excludes?|isn't|nicht|als|pas|que|no|não|non|niet|nie|не|instead of|option|and|or|second[- ]best (?:is|would be))|不是|非)\s*[(\[\"']?\Z",
    re.IGNORECASE,
)


class _Reader(OptionReader, OrderReader, YesNoReader, NumberReader, SpanReader, PlaceFinder):
    """One answer, with all claims in it."""

    def decided(self) -> tuple[Claim | None, str]:
        """Return the one claim that counts, or None with a sentence that gives the reason."""
        if any(item.by == "conflict" for item in self.items) and self.asked.kind is not AnswerKind.NUMBER:
            return None, "The text combines a letter with the text of another option."
        claims = sorted(self._claims(), key=lambda claim: (claim.start, claim.declared))
        claims = [claim for claim in claims if self._given_before_the_cut(claim)]
        claims = [claim for claim in claims if not self._is_part(claim, claims)]
        claims = self._without_parts(claims)
        if not claims:
            counted_option = self._counted_option() if self.asked.kind is AnswerKind.OPTION else None
            if counted_option is not None and self._given_before_the_cut(counted_option):
                return counted_option, ""
            return None, "The text does not state an answer that Touchstone can read."
        last = max(claims, key=lambda claim: claim.end)
        since = max((at for at in self.corrected if at < last.start or at >= last.end), default=-1)
        if since >= last.end:
            return None, "The text withdraws the answer that it stated."
        counted = [claim for claim in claims if claim.start > since] if since >= 0 else claims
        if len({(claim.value, claim.places) for claim in counted}) > 1 or any(claim.value is None for claim in counted):
            return None, "The text states several answers, or no clear answer."
        if since >= 0 and len({claim.value for claim in claims}) > 1 and since < min(c.start for c in claims):
            return None, "The text withdraws the answer that it stated."
        if self.asked.kind is AnswerKind.OPTION and self._ends_with_another(last):
            return None, "The text ends with the letter of another option."
        if statements.taken_back(self.low, last.end, several=self.asked.kind is AnswerKind.MULTI):
            return None, "The text says that another answer may also be right."
        order = [rule.name for rule in RULES]
        return min(counted, key=lambda claim: order.index(claim.rule)), ""

    def _ends_with_another(self, claim: Claim) -> bool:
        """Return whether the very last word is the letter of another option: "A, then again B"."""
        match = _LAST_LETTER.search(self.text, max(claim.end, len(self.text) - 60))
        if match is None or _BESIDE.search(self.text[max(0, match.start() - 24) : match.start()]):
            return False
        place = self.choices.place_of(match[1])
        return place is not None and place not in claim.places

    def _is_part(self, claim: Claim, claims: list[Claim]) -> bool:
        """Return whether a claim is the end of a longer one, such as the last line of a list."""
        return claim.rule in ("last line", "last sentence") and any(
            other.start < claim.start and claim.end <= other.end for other in claims
        )

    def _without_parts(self, claims: list[Claim]) -> list[Claim]:
        """Return the claims without the numbers that a labeled total sums up: "3 in the first, 4 in the second. Total:
        7".
        """
        if self.asked.kind is not AnswerKind.NUMBER:
            return claims
        totals = [
            claim
            for claim in claims
            if claim.rule in ("label", "equation")
            and _SUM.search(self.low, max(0, claim.declared - 24), claim.start)
            and not _SUM.search(self.low[: max(0, claim.declared - 24)])
        ]
        if not totals:
            return claims
        return [
            claim
            for claim in claims
            if claim.rule not in ("whole", "opening", "last line", "last sentence", "only number", "sentence")
            or (claim.rule == "sentence" and not _PART.match(self.low[claim.declared : claim.start]))
            or claim.value in {total.value for total in totals}
        ]

    def refused(self, claim: Claim | None) -> tuple[int, int] | None:
        """Return where the answer refuses to answer, if it does."""
        span = refusal(self.text)
        if span is None or any(refusal(fold(option)) for option in self.asked.options):
            return None
        sure = refusal(self.text, unsure=False)
        if claim is None:
            return span
        if sure is None:
            return None
        stated = claim.rule in STRONG or self.asked.kind is AnswerKind.OPTION
        between = self.text[sure[0] : claim.start]
        if stated and claim.start > sure[1] and _NEVERTHELESS.search(between) and not _GUESS.search(self.text):
            return None
        return sure

    def _given_before_the_cut(self, claim: Claim) -> bool:
        if self.finish_reason not in ("length", "content_filter") or self.end < len(self.seen.text):
            return True
        return bool(
            re.match(
                r"[\"')\]}]*\s*(?:[.;:!?。]\s|\n|[)\]]|\s[-–—]\s|,? (?:because|since)\b)\s*\S",
                self.text[claim.behind : claim.behind + 40],
            )
        ) or (claim.rule in ("tag", "boxed"))

    def _claims(self) -> Iterator[Claim]:
        masked = list(self.repeated)
        if self.asked.kind in (AnswerKind.MULTI, AnswerKind.ORDER):
            masked = [span for span in masked if self._is_all(span)]
        hidden = list(self._next_to_json())
        chosen = self.asked.kind in (AnswerKind.OPTION, AnswerKind.MULTI)
        yield from self._verdicts()
        for place in self._places():
            if any(a <= place.start < b for a, b in hidden) and place.rule != "json":
                continue
            claim = self._claim(place)
            if claim is None or any(a <= claim.start < b for a, b in masked):
                continue
            if chosen and statements.answers_what_is_wrong(self.low, claim.start):
                continue
            yield claim

    def _claim(self, place: TextPlace) -> Claim | None:
        kind = self.asked.kind
        if place.rule in ("so", "it is") and kind is AnswerKind.ORDER:
            return None
        read = {
            AnswerKind.OPTION: self._option,
            AnswerKind.MULTI: self._multi,
            AnswerKind.ORDER: self._order,
            AnswerKind.YES_NO: self._yes_no,
            AnswerKind.NUMBER: self._number,
            AnswerKind.SPANS: self._spans,
        }[kind]
        claim = read(place)
        if claim is not None and place.rule in _WEAK and self._is_unfinished(place, claim):
            return None
        if claim is None:
            return Claim(place.rule, place.declared, place.start, place.start, None) if self._must(place) else None
        if place.rule in ("tag", "boxed") and self._unsaid_outside(place.end):
            return Claim(place.rule, place.declared, place.start, place.start, None)
        if place.rule not in ("whole", "opening", "last line", "last sentence", "only number") and statements.supposed(
            self.low, place.declared
        ):
            return None
        if (
            place.rule in ("opening", "whole", "last line", "last sentence", "so", "it is")
            and claim.value is None
            and place.rule != "whole"
        ):
            return None if place.rule != "opening" else claim
        return claim

    def _is_unfinished(self, place: TextPlace, claim: Claim) -> bool:
        """Tell whether a text ends where its discussion of the options breaks off: "Let me analyze each option. A:"."""
        rest = self.text[claim.end :].strip(" \n\t\"'*")
        before = self.text[: claim.start].rstrip(" \n\t\"'*([")
        if place.rule == "label" and re.search(r"[:=\n]|-\s|→", self.text[place.declared : place.start]):
            return False
        if not before or len(rest) > 2:
            return False
        if rest.endswith((":", "：")):
            return True
        if rest and not (rest in (".", ")", ").") and claim.end - claim.start == 1):
            return False
        line = self.low[max(self.text.rfind("\n", 0, len(before)) + 1, len(before) - 400) : len(before)]
        pattern = _GOES_THROUGH if "\n" in self.text[len(before) : claim.start] else _ANNOUNCES
        return pattern.search(line) is not None

    def _unsaid_outside(self, end: int) -> bool:
        """Return whether the text after a tag or a box denies or doubts its content."""
        mark = re.compile(r"[}$]+|<\s?/[^<>]{1,20}>|\[/[^\[\]]{1,20}\]").match(self.text, end)
        if mark is None:
            return False
        behind = self.text[mark.end() : mark.end() + 60].lstrip(" $*)")
        return behind[:1] == "?" or (behind[:1] != "\n" and self._void(mark.end()) and not _NEXT.match(behind))

    def _must(self, place: TextPlace) -> bool:
        """Return whether a place makes the answer unreadable if it cannot be read, because it was marked as the
        answer.
        """
        text = self.text[place.start : place.end]
        return place.rule in ("tag", "boxed") and bool(text.strip()) and "\\boxed" not in text

    def _numbered_otherwise(self, first: Ref) -> bool:
        """Return whether another option follows a letter in words: "B. four" if B is 3."""
        values = self._option_values()
        if not values:
            return False
        line = self.text[first.end : first.end + 40].partition("\n")[0].strip(" .:)(*-")
        number = read_answer(line, ExpectedAnswer(AnswerKind.NUMBER)).value if line else None
        return isinstance(number, float) and number in values and number != values[first.places[0]]

    def _counted_option(self) -> Claim | None:
        """Return the one option of only numbers that is the text's only number and counts a thing: "I see 4 cups"."""
        values = self._option_values()
        if not values or len(self.text) > 2000:
            return None
        reader = _Reader(self.seen, ExpectedAnswer(AnswerKind.NUMBER), self.finish_reason)
        assert reader.numbers is not None
        if (
            len(reader.numbers.found) != 1
            or reader.numbers.found[0].value not in values
            or OPEN_SENTENCE.search(self.low)
        ):
            return None
        claim, _ = reader.decided()
        if claim is None or not isinstance(claim.value, float):
            return None
        alone = self.text.strip(" .\n") == self.text[claim.start : claim.end]
        if not alone and not _COUNTS.match(self.text, claim.end):
            return None
        at = values.index(Fraction(claim.value))
        return replace(claim, rule="predicate", value=self.asked.options[at], places=(at,))
