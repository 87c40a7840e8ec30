"""Telling whether two phrases name the same action.

A phrase is a verb with its objects. Case, articles, plurals, the order of listed objects and the place of a particle
(turn on tap, turn tap on) make no difference. What is put into what makes a difference. If a data set has classes of
verbs and nouns, two actions with the same classes are also the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from domain.english import ARTICLES, PARTICLES, singular
from extensions.narrations.rules.narration import Narration
from extensions.narrations.rules.plain_verbs import plain_verb

Key = tuple[object, ...]

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*|[,&]")
_ARTICLES = ARTICLES | frozenset({"some", "his", "her", "their", "my", "this", "that", "of"})
_AND = frozenset({"and", ",", "&"})
_PLACES = PARTICLES | {"into", "onto", "inside", "from", "to", "with", "using", "under", "at", "around", "through"}
_PLACES |= {"between", "behind", "for", "against", "across", "along", "near", "by"}
_ONE = {"into": "in", "inside": "in", "onto": "on", "using": "with"}


def phrase_key(text: str) -> Key:
    """Return a key that is equal for phrases of the same action.

    >>> phrase_key("Put the knives and a fork into sink") == phrase_key("put fork and knife in the sink")
    True
    >>> phrase_key("turn tap on") == phrase_key("Turn on the tap")
    True
    >>> phrase_key("put lid on pan") == phrase_key("put pan on lid")
    False
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = [word for word in _WORD.findall(folded) if word not in _ARTICLES]
    if not words:
        return (folded.strip(),)
    verb, rest = plain_verb(words[0]), words[1:]
    if rest and rest[0] in PARTICLES:
        verb, rest = f"{verb} {rest[0]}", rest[1:]
    elif len(rest) > 1 and rest[-1] in PARTICLES:
        verb, rest = f"{verb} {rest[-1]}", rest[:-1]
    parts: list[tuple[str, list[list[str]]]] = [("", [[]])]
    for word in rest:
        if word in _PLACES:
            parts.append((_ONE.get(word, word), [[]]))
        elif word in _AND:
            parts[-1][1].append([])
        else:
            parts[-1][1][-1].append(singular(word))
    places = [
        (place, frozenset(tuple(sorted(words)) for words in objects if words))
        for place, objects in parts
        if place or any(objects)
    ]
    first = [place for place in places if not place[0]]
    return (verb, *first, *sorted((place for place in places if place[0]), key=_in_order))


def _in_order(part: tuple[str, frozenset[tuple[str, ...]]]) -> tuple[str, list[tuple[str, ...]]]:
    return part[0], sorted(part[1])


@dataclass(frozen=True)
class Classes:
    """Classes of verbs and nouns, by every word of a class (``put-down``, ``bottle:water``)."""

    verbs: Mapping[str, int]
    nouns: Mapping[str, int]

    def key(self, action: Narration) -> Key | None:
        """Return the classes of an action: those of its row, or else those of its words."""
        verb = action.verb_class if action.verb_class is not None else self._verb(action)
        nouns: Sequence[int | None] = action.noun_classes or self._nouns(action)
        if verb is None or not nouns or any(noun is None for noun in nouns):
            return None
        return (verb, frozenset(nouns))

    def _verb(self, action: Narration) -> int | None:
        if action.verb:
            return self.verbs.get(action.verb)
        words = _WORD.findall(action.text.casefold())
        if not words:
            return None
        verb = plain_verb(words[0])
        long = f"{verb}-{words[1]}" if len(words) > 1 else verb
        return self.verbs.get(long, self.verbs.get(verb))

    def _nouns(self, action: Narration) -> list[int | None]:
        if action.nouns:
            return [self.nouns.get(noun) for noun in action.nouns]
        return [self._noun(words) for words in _objects(action.text)]

    def _noun(self, words: Sequence[str]) -> int | None:
        """Return the class of a noun with several words; EPIC-KITCHENS writes a water bottle as ``bottle:water``."""
        compound = ":".join(reversed(words))
        return self.nouns.get(compound, self.nouns.get(words[-1]))


def _objects(text: str) -> list[list[str]]:
    """Return the words of each object of a phrase, in the singular."""
    words = [word for word in _WORD.findall(text.casefold()) if word not in _ARTICLES][1:]
    objects: list[list[str]] = [[]]
    for word in words:
        if word in _PLACES or word in _AND:
            objects.append([])
        else:
            objects[-1].append(singular(word))
    return [words for words in objects if words]


@dataclass
class Sameness:
    """Sorts actions into groups of the same action, and caches their keys."""

    classes: Classes | None = None
    _keys: dict[str, Key] = field(default_factory=dict)

    def keys(self, action: Narration) -> list[Key]:
        """Return the keys of an action; two actions that share a key are the same."""
        known = self._keys.get(action.text)
        if known is None:
            known = self._keys[action.text] = phrase_key(action.text)
        of_class = self.classes.key(action) if self.classes else None
        return [("words", known)] if of_class is None else [("words", known), ("classes", of_class)]

    def groups(self, actions: Iterable[Narration]) -> list[list[Narration]]:
        """Return groups of the same action, in the order of their first member."""
        group_of: dict[Key, int] = {}
        groups: list[list[Narration]] = []
        for action in actions:
            keys = self.keys(action)
            met = sorted({group_of[key] for key in keys if key in group_of})
            if met:
                home = met[0]
                for other in met[1:]:
                    groups[home] += groups[other]
                    groups[other] = []
                    group_of = {key: home if at == other else at for key, at in group_of.items()}
                groups[home].append(action)
            else:
                home = len(groups)
                groups.append([action])
            group_of.update(dict.fromkeys(keys, home))
        return [group for group in groups if group]
