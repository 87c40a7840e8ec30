"""Read which of several options an answer states: “A and C”, “ACD”, “all of the above”."""

from __future__ import annotations

import re
from dataclasses import replace

from domain.reading import words
from domain.reading.answer_text import CONNECTOR, EMPTY_LIST, NONE_OF, AnswerText
from domain.reading.answer_types import AnswerKind, Claim
from domain.reading.options import Ref
from domain.reading.statements import TextPlace
from domain.reading.text import fold

COMPACT = re.compile(r"[\s\"'(\[*]*([A-Ja-j]{2,10}|\d{2,10})(?![0-9A-Za-zÀ-ɏ'])")

SPELLED = frozenset(
    "bad bade bed bead dab dad dace cab cad café cafe cage ace aced add age aged aid aide bag be bead bee beg beige big bide bid cabbage chad cede dead deaf deed die edge egg face fade fad fed fee fig gab gag had hag he hid hide hi i ice iced idea if jab jade jig abide acid ad abed bach head each ha hade hae".split()
)

_MORE = re.compile(
    r"\b(?:also|additionally|plus|moreover|as well|too|another|furthermore|auch|aussi|también|anche|também|ook|też|также)\b|还有|也|も",
    re.IGNORECASE,
)

_OPEN_LIST = re.compile(r"[\s\"')\]]*(?:\.\.|…|[,;&+/]\s*[A-Z](?![\w'])|,? etc\b)")
"""Text that leaves a list of options open, or continues it with a letter that is not an option."""

_FIRST_SENTENCE = re.compile(r"[\s\"'*(]*([^.!?;:\n。！？]{3,80})(?:[.!]\s|[。！]|\n)")

_NAMES_MORE = re.compile(
    r"(?<![A-Za-z])(?-i:[A-J])(?![A-Za-z'])|\b(?:but|however|except|although|though|unless|if|or|maybe|only|answer|option)\b|\?|但|しかし|aber|mais|pero",
    re.IGNORECASE,
)
"""A single option or a limit after a sentence about all options."""

_CALLS_WRONG = re.compile(
    r"\b(?:not|incorrect|wrong|false|eliminat\w+|exclud\w+|ruled? out|discard\w*|reject\w*)\b|n't\b|falsch|faux|错|不"
)


class OptionSetReader(AnswerText):
    """Reads which of several options an answer states."""

    def _multi(self, place: TextPlace) -> Claim | None:
        if place.rule in ("so", "it is", "last line") and place.rule != "last line":
            return None
        if place.rule == "last sentence":
            return None
        whole = self._all_or_none(place)
        if whole is not None:
            return whole
        if place.rule == "last line":
            place = self._with_lines_above(place)
        compact = COMPACT.match(self.text, place.start, place.end)
        if (
            compact
            and compact[1].isalpha()
            and self._is_compact(compact[1])
            and self._ends(place, compact.end(1))
            and not self._void(compact.end(1))
        ):
            chosen = tuple(sorted(self._letters(compact[1])))
            return self._several(place, compact.start(1), compact.end(1), chosen)
        refs, behind, alternative = self._chain(place.start, place.end, CONNECTOR, 2 * len(self.asked.options) + 2)
        if not refs:
            return None
        if (
            alternative
            or any(ref.by == "conflict" for ref in refs)
            or not self._ends(place, behind)
            or self._void(behind)
            or NONE_OF.search(self.low, max(place.declared - 40, 0), refs[0].start)
        ):
            bad = place.rule in ("label", "tag", "boxed", "json")
            return Claim(place.rule, place.declared, refs[0].start, behind, None, (), behind) if bad else None
        chosen_places = [ref.label if ref.label is not None else ref.places[0] for ref in refs]
        if any(ref.label is None and len(ref.places) > 1 for ref in refs):
            return None
        if (
            place.rule in ("whole", "opening")
            and self.repeated
            and self._is_all((refs[0].start - 3, behind))
            and all(ref.by == "both" for ref in refs)
        ):
            return None
        further = self.choices.ref_at(self.text, re.compile(r"[\s.]*").match(self.text, behind).end(), place.end)  # type: ignore[union-attr]
        if (
            place.rule == "opening"
            and further is not None
            and set(further.places) - set(chosen_places)
            and "\n\n" not in self.text[behind : further.start]
        ):
            return None
        if _OPEN_LIST.match(self.text, behind):
            return None
        if place.rule == "opening" and (_MORE.search(self.text, behind) or (len(refs) == 1 and self._others(refs[0]))):
            return None
        return self._several(place, refs[0].start, behind, tuple(sorted(set(chosen_places))))

    def _with_lines_above(self, place: TextPlace) -> TextPlace:
        """Return the last line extended by the options on the lines above, as one list."""
        start = place.start
        while True:
            end = len(self.text[:start].rstrip())
            above = max(self.text.rfind("\n", 0, end) + 1, end - 2000)
            ref = self.choices.ref_at(self.text, above, end) if end else None
            if ref is None or not self._shut(ref.end, end):
                break
            start = above
        heading = self.low[max(self.text.rfind("\n", 0, end) + 1, end - 300) : end]
        if start < place.start and _CALLS_WRONG.search(heading):
            return replace(place, start=place.end, declared=place.end)
        return replace(place, start=start, declared=start)

    def _several(self, place: TextPlace, start: int, end: int, chosen: tuple[int, ...]) -> Claim:
        return Claim(
            place.rule, place.declared, start, end, tuple(self.choices.options[n] for n in chosen), chosen, end
        )

    def _is_compact(self, letters: str) -> bool:
        places = self._letters(letters)
        if not letters.isupper() or max(places) >= len(self.asked.options) or len(set(places)) < len(places):
            return False
        return letters.lower() not in SPELLED or places == sorted(places)

    def _letters(self, letters: str) -> list[int]:
        return ["ABCDEFGHIJ".index(letter) for letter in letters.upper()]

    def _all_or_none(self, place: TextPlace) -> Claim | None:
        if place.rule == "opening":
            return self._all_or_none_first(place)
        if place.rule not in ("whole", "label", "tag", "boxed", "json", "last line"):
            return None
        end = place.end if place.closed else (self.text + "\n").index("\n", place.start)
        core = self.text[place.start : end].strip(" \n\t.!\"'()[]{}*。,").lower()
        core = re.sub(r"^(?:the (?:correct |right )?answer is:? |so,? |therefore,? |i think )", "", core)
        start = (
            place.start + len(self.text[place.start : end]) - len(self.text[place.start : end].lstrip(" \n\t\"'([{*"))
        )
        folded = [fold(option).lower().strip(" .") for option in self.asked.options]
        if core in folded:
            return None  # the phrase is an option's own text
        if core in words.ALL or words.ALL_RIGHT.fullmatch(core):
            return self._several(place, start, start + len(core), tuple(range(len(folded))))
        if core in words.NONE or words.NONE_RIGHT.fullmatch(core) or self._is_empty_list(place):
            none = [n for n, option in enumerate(folded) if option in words.NONE or words.NONE_RIGHT.fullmatch(option)]
            chosen = tuple(none) if self.asked.kind is AnswerKind.MULTI else ()
            return self._several(place, start, start + len(core), chosen)
        return None

    def _all_or_none_first(self, place: TextPlace) -> Claim | None:
        """Return the options in a first sentence about all options, if the following text names no option and no
        limit.
        """
        first = _FIRST_SENTENCE.match(self.low)
        if first is None or self.asked.kind is not AnswerKind.MULTI or _NAMES_MORE.search(self.text, first.end()):
            return None
        is_all = words.ALL_RIGHT.fullmatch(first[1]) is not None
        if not is_all and words.NONE_RIGHT.fullmatch(first[1]) is None:
            return None
        claim = self._all_or_none(TextPlace("whole", first.start(1), *first.span(1), closed=True))
        return replace(claim, rule=place.rule) if claim else None

    def _is_empty_list(self, place: TextPlace) -> bool:
        """Tell whether a place holds only an empty list: []."""
        return EMPTY_LIST.fullmatch(self.text, place.start, place.end) is not None

    def _others(self, first: Ref) -> bool:
        """Return whether the text of another option follows an option that was named by its text alone."""
        at = first.end
        while (match := re.compile(r"(?<![^\W_])[^\W_]").search(self.text, at)) is not None:
            ref = self.choices.text_at(self.text, match.start(), len(self.text))
            if ref is not None and not set(ref.places) & set(first.places):
                return True
            word = re.compile(r"[^\W_]+").match(self.text, match.start())
            at = word.end() if word else match.end()
        return False
