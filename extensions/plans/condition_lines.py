"""Read the lines that models write below the steps of a plan, under "Preconditions:" and "Postconditions:".

Only words that the schema lists are read. The reader never guesses: a clause with an unclear object is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from extensions.plans.conditions import ANY, Claim

PRE, POST = "Preconditions", "Postconditions"

_LABEL = re.compile(r"\b(?P<which>pre|post)[- ]?conditions?\b[\s*_`]*:[\s*_`]*", re.IGNORECASE)
_SENTENCES = re.compile(r"[.;](?=\s|$)|\n")
_PARTS = re.compile(r",|\b(?:and|but|while|then)\b", re.IGNORECASE)
_NO = re.compile(r"\b(?:not|no|never|no longer|without|cannot|nothing)\b|n't\b", re.IGNORECASE)
_NOTHING = re.compile(r"\b(?:nothing|no (?:other )?(?:objects?|items?|things?))\b", re.IGNORECASE)
_SUPPOSED = re.compile(
    r"\b(?:(?<!continues )(?<!continue )to|can|could|may|might|must|should|will|would)\s+(?:be\s+)?$", re.IGNORECASE
)
_ROBOT = re.compile(r"\b(?:robot|agent|humanoid)(?:'s)?\b", re.IGNORECASE)
_ARTICLE = re.compile(r"^\s*(?:the|a|an|its|some)\s+", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*(?:(?:the|a|an|its|some)\s+)?(?:[\w-]+\s+){0,2}", re.IGNORECASE)
_NOUN = re.compile(r"^[\w .'-]*")
_NO_PLACE = re.compile(
    r"\b(?:view|perspective|sight|front|position|state|order|hands?|grippers?|reach|distance|robot|agent|it|them|itself|there)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\.\d+$")
_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True)
class ConditionLine:
    """The preconditions or the postconditions of a step, as the model wrote them."""

    name: str
    """``Preconditions`` or ``Postconditions``."""
    text: str


@dataclass(frozen=True)
class ReadClaim:
    """A claim with the words that state it."""

    claim: Claim
    words: str


def lines_of(text: str) -> list[ConditionLine]:
    """Return the lines of conditions in a model's text from one action to the next.

    >>> [line.text for line in lines_of(" Preconditions: the cup is near. **Postconditions:** it is held.")]
    ['the cup is near.', 'it is held.']
    """
    labels = list(_LABEL.finditer(text))
    lines = []
    for at, label in enumerate(labels):
        end = labels[at + 1].start() if at + 1 < len(labels) else len(text)
        words = text[label.end() : end].strip(" \t\n*_`#-")
        words = re.split(r"\n\s*\n", words, maxsplit=1)[0]  # what follows an empty line is talk
        lines.append(ConditionLine(PRE if label["which"].lower() == "pre" else POST, words.strip()))
    return lines


class ClaimReader:
    """Reads claims in the words that a schema lists."""

    def __init__(self, says: Mapping[str, Sequence[str]], two: frozenset[str]) -> None:
        """Prepare a reader.

        ``says`` lists the words for each predicate or its opposite (``not open``, ``not holding *``); ``two`` are the
        predicates with two objects.
        """
        self._two = two
        phrases = [(phrase, key) for key, wordings in says.items() for phrase in wordings]
        self._phrases = [
            (re.compile(r"\b" + r"\s+".join(map(re.escape, phrase.split())) + r"\b", re.IGNORECASE), key)
            for phrase, key in sorted(phrases, key=lambda each: -len(each[0]))
        ]

    def claims(self, text: str, objects: Sequence[str]) -> list[ReadClaim]:
        """Return the claims of a line about these objects: the step's own first, then those of earlier steps."""
        claims: list[ReadClaim] = []
        for sentence in _SENTENCES.split(text.replace("\\_", "_")):
            about: str | None = None
            for part in _PARTS.split(sentence):
                seen = _Clause(part, objects)
                claims += self._read(seen, about)
                about = seen.goes_on(about)
        return claims

    def _read(self, part: _Clause, about: str | None) -> Iterator[ReadClaim]:
        taken: list[tuple[int, int]] = []
        for pattern, key in self._phrases:
            match = pattern.search(part.text)
            if match is None or any(start < match.end() and match.start() < end for start, end in taken):
                continue
            claim = self._claim(part, match, key, about)
            if claim is not None:
                taken.append(match.span())
                yield ReadClaim(claim, part.text.strip())

    def _claim(self, part: _Clause, match: re.Match[str], key: str, about: str | None) -> Claim | None:
        before = part.text[: match.start()]
        if _SUPPOSED.search(before):
            return None
        predicate, _, any_ = key.removeprefix("not ").partition(" ")
        holds = key.startswith("not ") == bool(_NO.search(before))
        if any_:
            return Claim(predicate, (ANY,), holds)
        if _NOTHING.search(part.text) and predicate not in self._two:
            return Claim(predicate, (ANY,), False)
        subject, behind = part.first_before(match.start()), part.right_after(match.end())
        where = behind or part.place_after(match.end())
        if part.robot_before(match.start()):  # "the robot next to the table holds the cup"
            subject = None if predicate in self._two else behind
        elif subject is None:
            subject = about if predicate in self._two else behind or about
        if predicate not in self._two:
            taken = where is not None and self._is_of_two(match[0])
            return Claim(predicate, (subject,), holds) if subject and not taken else None
        return Claim(predicate, (subject, where), holds) if subject and where and subject != where else None

    def _is_of_two(self, phrase: str) -> bool:
        """Whether a phrase may also have two objects: "the lamp is on", "the cup is on the table"."""
        return any(pattern.fullmatch(phrase) for pattern, key in self._phrases if key.removeprefix("not ") in self._two)


class _Clause:
    """A part of a sentence, with the objects that it names."""

    def __init__(self, text: str, objects: Sequence[str]) -> None:
        self.text = text
        self.named: list[tuple[int, int, str]] = []
        for name in sorted(dict.fromkeys(objects), key=len, reverse=True):
            for match in _spelled(name).finditer(text):
                if not any(start < match.end() and match.start() < end for start, end, _ in self.named):
                    self.named.append((match.start(), match.end(), name))
        self.named.sort()

    def first_before(self, place: int) -> str | None:
        return next((name for _, end, name in self.named if end <= place), None)

    def right_after(self, place: int) -> str | None:
        """Return the object at this position, after an article and at most two words: "inside the big fridge"."""
        neighbor = next(((start, name) for start, _, name in self.named if start >= place), None)
        return neighbor[1] if neighbor and _BETWEEN.fullmatch(self.text[place : neighbor[0]]) else None

    def robot_before(self, place: int) -> bool:
        return _ROBOT.search(self.text[:place]) is not None

    def place_after(self, place: int) -> str | None:
        """Return the words right after a position that name no object of a step: "on the kitchen counter"."""
        noun = _NOUN.match(_ARTICLE.sub("", self.text[place:]))
        place_words = noun[0].strip(" .'-") if noun else ""
        return place_words if place_words and not _NO_PLACE.search(place_words) else None

    def goes_on(self, about: str | None) -> str | None:
        """Return the object of the next clause, if that clause names none."""
        return self.named[0][2] if self.named else about


def _spelled(name: str) -> re.Pattern[str]:
    """Return a pattern for an object as texts write it: ``dining_table.1`` is also "dining table"."""
    words = [re.escape(word) for word in re.split(r"[_\s]+", _NUMBER.sub("", name)) if word]
    if not words:
        return _NEVER
    return re.compile(r"(?<!\w)" + r"[_\s]+".join(words) + r"(?:\.\d+)?(?!\w)", re.IGNORECASE)
