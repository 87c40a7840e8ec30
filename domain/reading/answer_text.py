"""One answer with the data that all its readers share: its plain text, its places and options, and chains of
options.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from domain.reading import statements, words
from domain.reading.answer_types import AnswerKind, ExpectedAnswer
from domain.reading.numbers import Numbers
from domain.reading.options import Choices, Ref
from domain.reading.spans import SECONDS, spans
from domain.reading.statements import TextPlace
from domain.reading.text import Visible
from domain.reading.verdicts import verdicts

CONNECTOR = re.compile(
    r"(?P<sign>[\s\"')\]}]*(?:[,;+&|、，；]|·|\n)?[\s\"'(\[{]*)(?P<word>(?:(?:(?:and|und|et|y|e|en|i|plus|as well as|along with|together with)(?![A-Za-z])|и|和|与|與|及|以及|と|および|과|와|및|그리고|و|और)\s*)?)(?:,\s*)?(?:also |both )?"
)

_OR = re.compile(
    r"[\s\"')\]},]*(?:\b(?:or|oder|ou|(?-i:o)|of|lub|или|vs|versus)\b\.?|/|或者?|还是|または|또는|أو|या|और/या)[\s\"'(\[]*",
    re.IGNORECASE,
)

TAIL = re.compile(
    r"[\s\"')\]}.!*;,:。！।]*(?:\Z|\n|(?<=[.!;。！])\s|\(|[-–—]\s|\b(?:because|since|as|for|weil|da|denn|parce|porque|perché|omdat|ponieważ|потому|因为|なので|です|입니다|है|wählen|nehmen|auswählen)\b|(?:。|，因为|です|입니다|है))",
    re.IGNORECASE,
)

_SHUT = re.compile(r"[\s\"')\]}>.,;:!*|。、！…।=-]*")

OPEN_SENTENCE = re.compile(
    r"\b(?:not|never|either|neither|if|whether|maybe|perhaps|possibly|except|unless|but|however|although|though|or|no|only if|another|other|also|previous(?:ly)?|wrong|incorrect)\b|n't\b|\?"
)

NOT_THAT = re.compile(
    r"[\s\"')\]]*,? \(?(?:(?:and |but )?(?:definitely |certainly |clearly )?(?:not|nicht|pas|non|não|niet|nie|не|no)|rather than|instead of)\s+(?:with |to |for )?",
    re.IGNORECASE,
)

HEADS = re.compile(r"(?:^|\n)[ \t]{0,8}(?:option |choice )?[(\[]?([A-Ja-j])[)\].:=](?=\s)", re.IGNORECASE)

EMPTY_LIST = re.compile(r"[\s\"'`*]*(?:\[\s*\]|∅|\\?emptyset|\\?varnothing)[\s\"'`*.]*")

NONE_OF = re.compile(
    r"\b(?:none|neither|nor|not (?:one|any|all|both|even)|no one|(?:no|any) (?:single |correct |right )?(?:options?|answers?|choices?|one)|which of|whether|incorrect|wrong)\b|\b(?:between|among) (?:options? )?[(\[]?[a-j]\b"
    r"|\b(?:nicht|kein\w{0,2}|weder|aucune?|ninguna?)\b|都不|没有一个|どれも"
)
"""Before options that are called right: none of them is, or it is only asked."""

HEDGES = re.compile(r"\b(?:maybe|perhaps|possibly|not|either|vielleicht|peut-être|nicht|pas)\s*\Z", re.IGNORECASE)

words_for_yes_and_no = frozenset(word for row in (*words.YES.values(), *words.NO.values()) for word in row.split("|"))


class AnswerText:
    """One answer, with the data that all its readers share."""

    def __init__(self, seen: Visible, asked: ExpectedAnswer, finish_reason: str | None) -> None:
        self.seen = seen
        self.asked = asked
        self.finish_reason = finish_reason
        text = statements.plain(seen.text)
        self.end = statements.own_turn(statements.lowered(text))
        self.text = text[: statements.farewell(statements.lowered(text[: self.end]))]
        self.low = statements.lowered(self.text)
        self.found = list(statements.places(self.text, self.low))
        self.choices = Choices(asked.options, numbered=asked.kind is AnswerKind.ORDER)
        self.numbers = Numbers(self.text, asked.unit) if asked.kind is AnswerKind.NUMBER else None
        self.spans = spans(self.text, asked.unit or SECONDS) if asked.kind is AnswerKind.SPANS else []
        self.why_no_span = ""
        self.items = self.choices.items(self.text) if asked.options else []
        chosen = asked.kind in (AnswerKind.OPTION, AnswerKind.MULTI)
        self.judged = verdicts(self.text, self.choices) if chosen else []
        self.repeated = self.choices.enumerations(self.text, self.items) if asked.options else []
        own_words = words_for_yes_and_no if asked.kind is AnswerKind.YES_NO else frozenset()
        self.corrected = [
            at
            for at, word in statements.corrections(self.low)
            if word.strip(" ,.;:!、。") not in own_words and not (own_words and word.startswith("that"))
        ]

    def _is_all(self, span: tuple[int, int]) -> bool:
        return len({item.label for item in self.items if span[0] <= item.start < span[1]}) == len(self.asked.options)

    def _heads(self) -> Iterator[str]:
        """Yield the letters at the start of lines, and those next to an option's text. Two such letters are a list, not
        an answer.
        """
        yield from (match[1].upper() for match in HEADS.finditer(self.text))
        yield from ("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[item.label or 0] for item in self.items)

    def _ends_in_option(self, start: int, end: int) -> bool:
        """Tell whether the text before a comma is a letter, so that a second letter makes a list: "A, B and C"."""
        match = re.compile(r"(?:\A|[\s,(\[\"'，、])[(\[\"']?([A-Z])[)\]\"']?\s?\Z").search(
            self.text, max(start, end - 6), end
        )
        return match is not None and self.choices.place_of(match[1]) is not None

    def _void(self, behind: int) -> bool:
        return (
            statements.denied_after(self.text, behind)
            or statements.hedged_after(self.text, behind)
            or statements.unsaid(self.text, behind)
        )

    def _shut(self, at: int, end: int) -> bool:
        match = _SHUT.match(self.text, at, end)
        return (match.end() if match else at) >= end

    def _goes_on(self, behind: int) -> bool:
        return bool(re.match(r"\s+[^\W\d_]", self.text[behind : behind + 5]))

    def _chain(self, start: int, end: int, connector: re.Pattern[str], many: int) -> tuple[list[Ref], int, bool]:
        """Return the options in a row, the place after them, and whether "or" is between them."""
        refs: list[Ref] = []
        first = self.choices.ref_at(self.text, start, end)
        if first is None:
            return refs, start, False
        refs.append(first)
        behind, alternative = first.end, False
        while len(refs) < many:
            either = _OR.match(self.text, behind, end)
            step = either or connector.match(self.text, behind, end)
            if step is None or step.end() == behind:
                break
            ref = self.choices.ref_at(self.text, step.end(), end, after=refs[-1])
            if ref is None and step[0].endswith("both "):  # as in "neither hand, both hands"
                ref = self.choices.ref_at(self.text, step.end() - len("both "), end)
            if ref is None or (
                connector is CONNECTOR and ref.end < end and "\n" in step[0] and not self._line_ends(ref.end, end)
            ):
                break
            if (
                ref.by == "letter"
                and not step[0].strip()
                and "\n" not in step[0]
                and self.asked.kind is AnswerKind.OPTION
                and self.text[ref.start] in "AI"
            ):
                break
            refs.append(ref)
            is_slash = self.asked.kind is AnswerKind.MULTI and either is not None and either[0].strip() == "/"
            behind, alternative = ref.end, alternative or (either is not None and not is_slash)
        return refs, behind, alternative

    def _line_ends(self, at: int, end: int) -> bool:
        return re.compile(r"[\s\"')\]}>.,;:!*|。]*(?:\n|\Z)|[ \t\"')\]}.,;]*\n").match(
            self.text, at, end
        ) is not None or self._shut(at, end)

    def _ends(self, place: TextPlace, behind: int) -> bool:
        if place.closed:
            return self._shut(behind, place.end)
        return TAIL.match(self.text, behind) is not None
