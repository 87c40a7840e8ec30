"""Read which number an answer states."""

from __future__ import annotations

import re
from fractions import Fraction

from domain.reading import statements
from domain.reading.answer_text import HEDGES, NOT_THAT, TAIL, AnswerText
from domain.reading.answer_types import Claim
from domain.reading.numbers import FUNCTION_WORDS, Number, hedged
from domain.reading.statements import TextPlace

_ENUMERATOR = re.compile(r"(?:^|\n)[ \t]{0,8}\(?(\d{1,2})[.):](?=\s)")

_SOON = re.compile(
    r"[\s\"'(\[{*:=]*(?:(?:about|approximately|approx\.?|around|roughly|circa|ca\.?|~|≈|exactly|precisely|only|just|there (?:is|are)|i (?:can )?(?:see|count)|ungefähr|etwa|environ|unos|unas|circa|cerca de|ongeveer|około|około|примерно|大约|约|約|大概|総計|共有?|有|一共|전체|총|लगभग|حوالي)\s*){0,3}[\s\"'(\[*$€£]*",
    re.IGNORECASE,
)

_NOUNS_COUNTED = re.compile(r"(?:\s+(?!(?:is|are|was|were|per|each|apiece)\b)[^\W\d_]+(?:-[^\W\d_]+)?){1,4}")

_UNSAID = re.compile(
    r"[\s\"')\]]*(?:\?|,? (?:is|are|was|were|would be|seems?|looks?)(?:n't| not)? (?:the )?(?:wrong|right|incorrect|correct|false|mistaken|impossible|unlikely)\b|\s(?:per\s\w|(?:each|apiece)(?=[\s\"').!]*(?:\n|\Z|[.,;]))))",
    re.IGNORECASE,
)
"""Words after a number and its noun that deny or doubt the number. "3 cups is not right" does; "3 cups are not full"
does not.
"""

_OF = re.compile(r"[\s\"')\]]*(?P<of>of)\b[^.;:!?\n]{0,80}", re.IGNORECASE)
"""The thing that a number counts or measures: "350 g of flour"."""

_WORD = re.compile(
    r"[\s\"')\]]*(?!(?:per|each|apiece|is|are|was|were|has|have|does|do|that|which|who)\b)[^\W\d_]+(?:-[^\W\d_]+)?"
)

_NOUNS = re.compile(
    r"(?:\s+of)?(?:\s+[^\W\d_]+(?:-[^\W\d_]+)?){0,3}[\s\"')\]}.!*;]*\Z|[个個只把杯支本张張条條块塊人件枚台つ][^\W\d_]{0,6}[\s。.！!]*\Z"
)

_TOTAL = re.compile(
    r"\s*(?:[^\W\d_]+\s+){0,2}(?:in total|altogether|in all|overall|total|insgesamt|au total|en total|in totale|no total|in totaal|łącznie|всего|合计|總共)\b",
    re.IGNORECASE,
)

_EQUALS = re.compile(
    r"=\s*\Z|\b(?:(?:total|sum|insgesamt|gesamt|summe|somme|suma|totale)(?: count| number)?(?: of| is|:|,)?|makes|equals|sums? (?:up )?to|adds? up to|(?:altogether|in all|together|overall)[:,]?)\s*(?:there are |is |of )?\Z",
    re.IGNORECASE,
)

_NOT_COUNTED = (
    r"(?:answers?|way|ideas?|clues?|information|info|data|details?|evidence|indications?|images?|pictures?|photos?"
    r"|comments?|thanks|responses?|objections?|matter|access|ability|visuals?|attachments?|input|files?"
    r"|videos?|frames?|numbers?|counts?|mentions?|questions?|options?|choices?|need|reasons?|doubt|context|problems?"
    r"|more|less|fewer|other|others|longer|such|one|clear|direct|reliable|exact|specific|definite)"
)
_NONE_SEEN = re.compile(
    r"[\s\"'(]*(?:(?:there (?:is|are|was|were)|(?:i|we) (?:can )?(?:see|count|find|detect)"
    r"|(?:the|this) (?:image|picture|photo|video|scene|frame) (?:shows|contains|has)|it (?:shows|contains|has)) )?"
    rf"(?:no|not a single) (?!{_NOT_COUNTED}\b)(?P<noun>[^\W\d_]+(?:[ -][^\W\d_]+){{0,9}})[\s\"').!]*"
    rf"|[\s\"'(]*(?:there (?:aren't|isn't|are not|is not|weren't)|(?:i|we) (?:don't|do not) (?:see|find)) any "
    rf"(?!{_NOT_COUNTED}\b)(?P<any>[^\W\d_]+(?:[ -][^\W\d_]+){{0,9}})[\s\"').!]*"
    r"|[\s\"'(]*none (?:at all|of (?:them|these|those))[\s\"').!]*",
    re.IGNORECASE,
)
"""A sentence that denies the existence: "There are no cups in the image." is 0, as "There are 3 cups in the image." is
3.
"""
_NOT_NONE = re.compile(
    r"\b(?:but|except|only|if|unless|or|nor|than|although|though|however|can't|cannot|could|may|might|tell|know|say)\b"
)

_IF = re.compile(r"\b(?:if|unless|suppose|supposing|assuming|wenn|falls|si)\b[^.!?\n]*\Z")

_LEADS = frozenset(
    "is are was were s re be equals equal of see count counted total gives get got has have shows show contains contain holds about around roughly approximately exactly only just precisely there say think believe "
    "probably likely answer number say says approx circa ca makes make me to the than but and so therefore estimate "
    "ist sind gibt sehe zähle insgesamt etwa ungefähr est sont a environ voit compte es son hay unos unas tiene è sono ci circa há é são tem er zijn zie ongeveer jest są widzę около всего есть вижу примерно".split()
)


class NumberReader(AnswerText):
    """Reads which number an answer states."""

    def _number(self, place: TextPlace) -> Claim | None:
        assert self.numbers is not None
        if place.rule == "only number":
            return self._only_number(place)
        if place.rule in ("it is", "so"):
            return None
        lead = _SOON.match(self.text, place.start, place.end)
        at = lead.end() if lead else place.start
        number = next(
            (
                number
                for number in self.numbers.found
                if place.start <= number.start <= at < number.end or number.start == at
            ),
            None,
        )
        if number is None:
            return self._none_seen(place)
        if number.end > place.end:
            return None
        stop = re.compile(r"[.!?](?=\s|\Z)|\n|\(|;|\b(?:because|since|as|where)\b|。").search(
            self.text, number.end, min(place.end, number.end + 2000)
        )
        until = stop.start() if stop else place.end
        others = [other for other in self.numbers.found if number.end <= other.start < until and not other.named]
        if number.named and number.value is not None and not self._named_alone(number, place):
            return None
        if place.closed or place.rule == "opening":
            line = self.text[number.end : place.end if place.closed else (self.text + "\n").index("\n", number.end)]
            if not (_NOUNS.match(line) or (self._shut(number.end, place.end))):
                same = [other for other in others if other.value == number.value]
                if not (len(same) == len(others) and others and _NOUNS.match(self.text[others[-1].end : until])):
                    return None
            if (
                place.rule == "opening"
                and re.match(r"[.):]\s", self.text[number.end : number.end + 2])
                and len(_ENUMERATOR.findall(self.text)) > 1
            ):
                return None
        denied = self._denied_beside(number)
        others = [other for other in others if other is not denied]
        if any(other.value != number.value for other in others):
            if place.rule in ("opening", "last line", "last sentence", "whole", "sentence"):
                return None
            return Claim(place.rule, place.declared, number.start, number.end, None, (), number.end)
        if number.value is None or HEDGES.search(self.text[max(0, number.start - 30) : number.start]):
            return Claim(place.rule, place.declared, number.start, number.end, None, (), number.end)
        if denied is None and self._unsaid(number):
            return Claim(place.rule, place.declared, number.start, number.end, None, (), number.end)
        return self._counted(place, number)

    def _none_seen(self, place: TextPlace) -> Claim | None:
        """Return 0 if a place denies that any of the counted things exist, and names no number."""
        assert self.numbers is not None
        if place.rule not in ("whole", "label", "json", "tag", "boxed") or self.asked.unit or self.numbers.found:
            return None
        end = place.end if place.closed else (self.text + "\n").index("\n", place.start)
        while place.closed and end > place.start and self.text[end - 1] in "\"'} \n":
            end -= 1
        match = _NONE_SEEN.fullmatch(self.text, place.start, end)
        if match is None or _NOT_NONE.search(self.low, place.start, end):
            return None
        return Claim(place.rule, place.declared, place.start, end, 0.0, (), end)

    def _denied_beside(self, number: Number) -> Number | None:
        """Return the number that is denied right after this one: "8, not 9"."""
        assert self.numbers is not None
        denied = NOT_THAT.match(self.text, number.end)
        if denied is None:
            return None
        other = next((following for following in self.numbers.found if following.start == denied.end()), None)
        return other if other is not None and TAIL.match(self.text, other.end) else None

    def _unsaid(self, number: Number) -> bool:
        """Return whether a number is denied or doubted by the text after it or after its nouns: "3 cups?"."""
        assert self.numbers is not None
        of = _OF.match(self.text, number.end)
        if of is not None:
            return any(of.start() <= other.start < of.end() for other in self.numbers.found) or self._unsaid_of(
                of.end("of")
            )
        if self._void(number.end):
            return True
        nouns = _NOUNS_COUNTED.match(self.text, number.end)
        return nouns is not None and _UNSAID.match(self.text, nouns.end()) is not None

    def _unsaid_of(self, behind: int) -> bool:
        """Return whether the text after "350 g of" denies or doubts the amount within a few words."""
        for _ in range(5):
            word = _WORD.match(self.text, behind)
            if word is None:
                return False
            behind = word.end()
            if _UNSAID.match(self.text, behind) or self._void(behind):
                return True
        return False

    def _is_a_name(self, number: Number) -> bool:
        """Return whether a number is a name after a word, without a counted noun after it: "camera 3", "May 3"."""
        before = re.search(r"([A-Za-zÀ-ɏͰ-ԯ]+)[\s\"'(*]*\Z", self.text[max(0, number.start - 24) : number.start])
        counts = re.match(r"\s{1,3}[^\W\d_]+", self.text[number.bare_end : number.bare_end + 30])
        counted = number.unit or (counts is not None and counts[0].strip().lower() not in FUNCTION_WORDS)
        return before is not None and not counted and before[1].lower() not in _LEADS

    def _named_alone(self, number: Number, place: TextPlace) -> bool:
        """Return whether an ambiguous number word ("one", "elf") stands alone or before its noun."""
        return not number.really_named and place.rule in (
            "whole",
            "label",
            "tag",
            "boxed",
            "json",
            "last line",
            "opening",
        )

    def _counted(self, place: TextPlace, number: Number) -> Claim:
        assert isinstance(number.value, Fraction)
        return Claim(place.rule, place.declared, number.start, number.end, float(number.value), (), number.end)

    def _only_number(self, place: TextPlace) -> Claim | None:
        assert self.numbers is not None
        listed = [match.span(1) for match in _ENUMERATOR.finditer(self.text)]
        listed = listed if len(listed) > 1 else []
        amounts = [
            number
            for number in self.numbers.found
            if not number.named and not any(a <= number.start < b for a, b in listed)
        ]
        for number in reversed(amounts):
            before, behind = self.text[max(0, number.start - 40) : number.start], self.text[number.end :]
            if (
                number.value is not None
                and (_EQUALS.search(before) or _TOTAL.match(behind))
                and not HEDGES.search(before)
                and number is amounts[-1]
                and not self._unsaid(number)
            ):
                return self._counted(TextPlace("equation", number.start, number.start, number.end, False), number)
        if (
            not amounts
            or hedged(self.text)
            or any(
                self._unsaid(amount)
                or statements.claimed(self.low, amount.start)
                or _IF.search(self.low, max(0, amount.start - 80), amount.start)
                for amount in amounts
            )
        ):
            return None
        if len({amount.value for amount in amounts}) != 1 or amounts[0].value is None:
            return None
        if any(claimed.value is None for claimed in amounts) or self._is_a_name(amounts[0]):
            return None
        return self._counted(place, amounts[0])
