"""Conditions of actions, such as ``near 1``, ``inside 1 2`` or ``not holding *``, and the known facts in a plan."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_CONDITION = re.compile(r"(?P<no>not )?(?P<predicate>[a-z][a-z_]*) (?P<first>\d|\*)(?: (?P<second>\d|\*))?")

ANY = "*"
"""The sign for any object."""


@dataclass(frozen=True)
class Claim:
    """A statement that a predicate holds, or does not hold, for one or two objects."""

    predicate: str
    objects: tuple[str, ...]
    """The objects as written; ``*`` for any."""
    holds: bool = True

    @property
    def fact(self) -> tuple[str, ...]:
        """Return the predicate and objects, whether the claim is positive or negative. Case and underscores do not
        matter.
        """
        return (self.predicate, *(object_name.casefold().replace("_", " ") for object_name in self.objects))

    @property
    def words(self) -> str:
        """Return the claim in words: ``near cup``, ``pie not inside fridge``, ``holding nothing``."""
        predicate = self.predicate.replace("_", " ")
        if self.objects == (ANY,):
            return f"{predicate} {'something' if self.holds else 'nothing'}"
        first, *more = ("something" if object_name == ANY else object_name for object_name in self.objects)
        no = "" if self.holds else "not "
        return f"{first} {no}{predicate} {more[0]}" if more else f"{no}{predicate} {first}"

    def against(self, other: Claim) -> bool:
        """Whether two claims contradict each other. A predicate that holds for no object contradicts one for some
        object.
        """
        if self.holds is other.holds:
            return False
        never, somewhere = (other, self) if self.holds else (self, other)
        return covers(never.fact, somewhere.fact)

    def says(self, other: Claim) -> bool:
        """Whether another claim follows from this one: it is the same, for the same objects or for some object."""
        if self.holds is not other.holds:
            return False
        return covers(other.fact, self.fact) if self.holds else covers(self.fact, other.fact)


def covers(known: Sequence[str], asked: Sequence[str]) -> bool:
    """Whether a known fact covers another one."""
    return len(known) == len(asked) and all(one in (other, ANY) for one, other in zip(known, asked, strict=True))


def condition_problem(text: str, n_objects: int) -> str | None:
    """Return the problem of a condition in a schema, or None."""
    match = _CONDITION.fullmatch(text)
    if match is None:
        return (
            "a condition is a word and the numbers of one or two objects, such as `near 1`, `inside 1 2` or "
            "`not holding *`"
        )
    for place in (match["first"], match["second"] or ANY):
        if place != ANY and not 1 <= int(place) <= n_objects:
            return f"the action has no object {place}; use the number of an object in the action"
    return None


def n_places(text: str) -> tuple[str, int] | None:
    """Return the predicate of a condition and its number of objects, or None for an invalid condition."""
    match = _CONDITION.fullmatch(text)
    return None if match is None else (match["predicate"], 2 if match["second"] else 1)


def claim_of(condition: str, objects: Sequence[str]) -> Claim | None:
    """Return a condition with the objects of a step, or None for an invalid condition."""
    match = _CONDITION.fullmatch(condition)
    if match is None:
        return None
    places = [place for place in (match["first"], match["second"]) if place]
    named = tuple(ANY if place == ANY else objects[int(place) - 1] for place in places)
    return Claim(match["predicate"], named, not match["no"])


def claims_of(conditions: Sequence[str], objects: Sequence[str]) -> list[Claim]:
    """Return conditions with the objects of a step."""
    return [claim for condition in conditions if (claim := claim_of(condition, objects)) is not None]


@dataclass
class World:
    """The facts that follow from the steps so far. All other facts are unknown."""

    said: dict[tuple[str, ...], bool] = field(default_factory=dict)
    """Facts, the newest last. A fact about any object applies to all objects without a newer fact."""
    follows: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Predicates that a thing inherits from its location, each with the relations for which this holds."""

    def holds(self, claim: Claim) -> bool | None:
        """Whether a claim holds; None if it is unknown."""
        value = self._value(claim.fact, frozenset())
        return None if value is None else value is claim.holds

    def _value(self, asked: tuple[str, ...], seen: frozenset[str]) -> bool | None:
        statement = next(
            (
                (known, value)
                for known, value in reversed(self.said.items())
                if covers(known, asked) or (value and covers(asked, known))
            ),
            None,
        )
        if statement is not None and (statement[1] or statement[0] == asked):
            return statement[1]
        if len(asked) == 2 and asked[1] not in seen:  # "it is on the table, and that is near"
            predicate, thing = asked
            places = [
                known[2]
                for known, value in self.said.items()
                if value and len(known) == 3 and known[0] in self.follows.get(predicate, ()) and known[1] == thing
            ]
            if any(self._value((predicate, place), seen | {thing}) for place in places):
                return True
        return None if statement is None else statement[1]

    def become(self, claim: Claim) -> None:
        """Record a claim as true from here on."""
        fact = claim.fact
        self.said = {known: value for known, value in self.said.items() if not covers(fact, known)}
        self.said[fact] = claim.holds
