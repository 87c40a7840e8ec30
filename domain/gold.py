"""Gold checks: which of a person's tasks have a known answer, and what their answers to those come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Any

from domain.order import shuffled
from domain.overlap import Apart
from domain.policies import Target

BLOCK = 100
"""Of so many tasks of a person in a row, the share that a schema asks for is gold: exactly, at shuffled places."""


class GoldStanding(StrEnum):
    """What a person's answers to gold checks come to."""

    FEW = "few"
    """Too few to say."""
    GOOD = "good"
    LOW = "low"
    """Below what the schema warns of."""
    STOPPED = "stopped"
    """Below what the schema stops at: they get no more work in the stage until a lead lets them."""


def is_turn(n: int, *, rate: float, seed: int, parts: Sequence[object]) -> bool:
    """Whether the task that follows ``n`` others of a person is to be a gold check.

    It follows from the project's seed and ``parts`` (stage and person), so it is the same however often it is asked.
    """
    return n % BLOCK in _places(rate, seed, tuple(parts), n // BLOCK)


def to_come(n: int, *, live: int, rate: float, seed: int, parts: Sequence[object]) -> int:
    """How many gold checks come before a person who had ``n`` tasks gets the last of ``live`` others."""
    gold, at = 0, n
    while live > 0:
        block, place = divmod(at, BLOCK)
        places = _places(rate, seed, tuple(parts), block)
        if place == 0 and live > BLOCK:
            whole = (live - 1) // (BLOCK - len(places))  # as many blocks as certainly end before the last one
            gold, live, at = gold + whole * len(places), live - whole * (BLOCK - len(places)), at + whole * BLOCK
            continue
        if place in places:
            gold += 1
        else:
            live -= 1
        at += 1
    return gold


@lru_cache(maxsize=4096)
def _places(rate: float, seed: int, parts: tuple[object, ...], block: int) -> frozenset[int]:
    many = min(max(round(rate * BLOCK), 0), BLOCK - 1)
    return frozenset(shuffled(range(BLOCK), seed=seed, parts=("gold", *parts, block))[:many])


def is_right(
    answers: Mapping[str, Any], expected: Mapping[str, Any], tolerances: Mapping[str, Apart] | None = None
) -> bool | None:
    """Whether answers are those that are known to be right, within the tolerance of their criterion; None
    for a skip, which is neither."""
    given = {name: answers.get(name) for name in expected}
    if any(value is None for value in given.values()):
        return None
    return all(
        Target(name, value=value, tolerance=(tolerances or {}).get(name)).met_by(given[name])
        for name, value in expected.items()
    )


def standing(*, right: int, n: int, after: int, warn_below: float | None, stop_below: float | None) -> GoldStanding:
    """What ``right`` of ``n`` answers come to, once there are ``after`` of them."""
    if n < max(after, 1):
        return GoldStanding.FEW
    if stop_below is not None and right < stop_below * n - 1e-9:
        return GoldStanding.STOPPED
    if warn_below is not None and right < warn_below * n - 1e-9:
        return GoldStanding.LOW
    return GoldStanding.GOOD
