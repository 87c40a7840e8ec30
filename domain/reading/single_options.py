"""Read which one option an answer states."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

from domain.reading import statements, words
from domain.reading.answer_text import CONNECTOR, HEADS, NOT_THAT, TAIL
from domain.reading.answer_types import Claim
from domain.reading.option_sets import OptionSetReader
from domain.reading.options import Ref
from domain.reading.statements import TextPlace
from domain.reading.text import fold
from domain.reading.words import REASONS

_PREDICATE_ENDS = re.compile(
    r"[\s\"')\]]*(?:[.!](?=\s|\Z)|\n|\Z|,? (?:because|since|as)\b|(?: in colou?r)(?=[.,!]|\Z))"
)

_COMMAND = re.compile(
    r"(?!(?:in|on|at|to|by|of|from|with|under|over|behind|beside|near|between|inside|outside|above|below|through|into|onto|all|both|half|\w+ing)\b)"
    r"\w+(?: (?:up|down|on|off|out|in|away|together))? (?:the|a|an|his|her|its|their|my|your|this|that|some)\b"
)
"""An option that is a command. "The person has cut the carrot" states a past action, and does not choose the option."""

_FURTHER_SENTENCE = re.compile(r"[.!?;\n][\s\"')\]]*[^\W_]")

_AND_ANOTHER = re.compile(
    r"[\"')\]]?\s?(?:和|与|與|及|、|と|와|과|또는|और|या|或|[/&+]|(?:and|or|und|oder|et|ou|y)\s)\s?(?:option )?[(\[\"']?(A(?!\s[a-z])|[B-Z])(?![A-Za-z'])"
)

_BARE = frozenset(("whole", "opening", "last line", "last sentence"))

_COUNTED = re.compile(r"\b(?:option|choice) \d|(?:first|second|third|fourth|fifth|last|other) (?:option|choice|one)\b")

_SOFTLY = re.compile(
    r"[\s\"'(*]*(?:(?:(?:most |very |quite )?(?:probably|likely)|definitely|certainly|clearly|surely|obviously|i think|i believe|i'd say|i would say|i guess"
    r"|wahrscheinlich|vermutlich|probablement|probablemente|sans doute|可能是|应该是|おそらく|아마)[,:]?\s{0,3}){1,2}"
)


class OptionReader(OptionSetReader):
    """Reads which one option an answer states."""

    def _option(self, place: TextPlace) -> Claim | None:
        if self.asked.none and (none := self._all_or_none(place)) is not None and not none.places:
            last = len(self.asked.options) - 1
            return replace(none, value=self.choices.options[last], places=(last,))
        lead = _SOFTLY.match(self.low, place.start, place.end) if place.rule in _BARE else None
        start = lead.end() if lead else place.start
        refs, behind, alternative = self._chain(start, place.end, CONNECTOR, 12)
        if not refs:
            return None
        first = refs[0]
        if place.rule == "it is" and first.by == "text" and " " not in self.text[first.start : first.end]:
            return None
        if place.rule == "opening" and first.by == "text" and self._others(first):
            return None
        if place.rule == "opening" and first.text == () and first.by == "number" and _COUNTED.search(self.low, behind):
            return None
        if place.rule == "predicate" and not self._is_predicate(place, first, behind):
            return None
        contrasted = self._contrasted(behind, first)
        if not contrasted and (statements.denied_after(self.text, behind) or statements.unsaid(self.text, behind)):
            return None
        if place.rule == "label" and self._heads_a_list(place, first):
            return None
        one = len({ref.places for ref in refs}) == 1 and not alternative and first.by != "conflict"
        one = one and not self._goes_on_with_another(behind, first)
        if place.closed and not self._shut(behind, place.end):
            return None
        if not one and place.rule == "sentence" and len(refs) > 1 and not alternative and self._goes_on(behind):
            return None
        value = self.choices.options[first.places[0]] if one else None
        if one and not contrasted and self._hedged(behind, first):
            return None
        if place.rule in ("sentence", "so", "is right") and self._is_put_in_order(behind, first):
            return None
        if place.rule == "opening" and not contrasted and self._is_a_subject(behind):
            return None
        if one and first.by == "letter" and self._numbered_otherwise(first):
            return None
        return Claim(
            place.rule, place.declared, first.start, refs[-1].end, value, first.places if one else (), behind, first.by
        )

    def _goes_on_with_another(self, behind: int, first: Ref) -> bool:
        """Tell whether another letter is joined to the option: "B and C work", "B和C都正确"."""
        other = _AND_ANOTHER.match(self.text, behind)
        place = self.choices.place_of(other[1]) if other else None
        return place is not None and place not in first.places

    def _is_predicate(self, place: TextPlace, first: Ref, behind: int) -> bool:
        """Return whether a sentence only states that a thing is this option, and the text names no other option."""
        return (
            first.by == "text"
            and len(first.text) == 1
            and _COMMAND.match(fold(self.choices.options[first.places[0]]).lower()) is None
            and _PREDICATE_ENDS.match(self.low, behind) is not None
            and _FURTHER_SENTENCE.search(self.low, behind) is None
            and not self._others(replace(first, end=0))
        )

    def _option_values(self) -> list[Fraction]:
        """Return the numbers that the options are; empty if an option is not a number or two are equal."""
        folded = [fold(text).strip() for text in self.asked.options]
        if not all(text.isdecimal() and len(text) < 20 for text in folded) or len(set(folded)) < len(folded):
            return []
        return [Fraction(text) for text in folded]

    def _contrasted(self, behind: int, first: Ref) -> bool:
        """Return whether another option is denied after the stated one: "B, not A"."""
        denied = NOT_THAT.match(self.text, behind)
        if denied is None:
            return False
        letter = self.text[denied.end() : denied.end() + 1]
        place = self.choices.place_of(letter) if letter.isupper() else None
        if place is not None and place not in first.places and TAIL.match(self.text, denied.end() + 1):
            return True  # "A" is a letter here, not an article
        other = self.choices.ref_at(self.text, denied.end(), len(self.text))
        return (
            other is not None
            and other.by != "conflict"
            and not set(other.places) & set(first.places)
            and TAIL.match(self.text, other.end) is not None
        )

    def _heads_a_list(self, place: TextPlace, first: Ref) -> bool:
        """Return whether a label only leads to a list of options on lines of their own: "Let's look at each
        option:".
        """
        if "\n" not in self.text[place.declared : first.start + 1]:
            return False
        line = self.text.find("\n", first.end)
        following = HEADS.search(self.text, line) if line >= 0 else None
        return following is not None and self.choices.place_of(following[1]) not in (None, *first.places)

    def _is_put_in_order(self, behind: int, first: Ref) -> bool:
        """Return whether another option is ordered before or after the first one, or ranked with it.

        Examples are "I would take D after B" and "D to B but C to D".
        """
        step = re.compile(
            r"[\s\"')\],]*(?:(?:to|over) [^.!?\n]{1,80}? but (?=[^.!?\n]{1,80} (?:to|over)\b)|(?:and )?(?:only )?(?:after|before|once|until|following|then|next|afterwards|followed by|finally),?\s+)(?:doing |action |option )?"
        ).match(self.low, behind)
        other = self.choices.ref_at(self.text, step.end(), len(self.text)) if step else None
        return other is not None and not set(other.places) & set(first.places)

    def _is_a_subject(self, behind: int) -> bool:
        """Return whether a verb follows. "A is tempting" is a statement about A, and does not choose it."""
        word = re.compile(r"[)\]\"']?[ \t]+([A-Za-zÀ-ɏͰ-ԯ]+)").match(self.text, behind)
        return word is not None and not words.follows(REASONS, word[1].lower(), self.text[word.end() : word.end() + 20])

    def _hedged(self, behind: int, first: Ref) -> bool:
        if not statements.hedged_after(self.text, behind):
            return False
        denied = re.compile(r"[\s\"')\].]*,? (?:and )?(?:not|nicht|pas|non|no|não|niet|nie|не) ").match(
            self.text, behind
        )
        if denied:
            other = self.choices.ref_at(self.text, denied.end(), len(self.text))
            return (
                other is None
                or bool(set(other.places) & set(first.places))
                or not self._shut(other.end, len(self.text))
            )
        return True

    def _numbered_otherwise(self, first: Ref) -> bool:
        """Return whether another option follows a letter in words: "B. four" if B is 3."""
        raise NotImplementedError
