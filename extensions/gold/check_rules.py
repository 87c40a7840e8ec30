"""Gold checks: the choice of tasks with a known answer, and the rating of people's answers to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Any

from domain.order import shuffled
from domain.overlap import Apart
from domain.policies import Target

BLOCK = 100
"""The number of consecutive tasks of a person that contain exactly the schema's share of gold, at
shuffled positions.
"""


class GoldStanding(StrEnum):
    """The result of a person's gold checks."""

    FEW = "few"
    """Too few answers for a result."""
    GOOD = "good"
    LOW = "low"
    """Below the schema's warning limit."""
    STOPPED = "stopped"
    """Below the schema's stop limit: the person gets no more work in the stage until a lead allows it."""


def is_turn(n: int, *, rate: float, seed: int, parts: Sequence[object]) -> bool:
    """Whether the task after a person's first ``n`` tasks is a gold check.

    The result follows from the project's seed and ``parts`` (stage and person), so it is the same on every call.
    """
    return n % BLOCK in _places(rate, seed, tuple(parts), n // BLOCK)


def to_come(n: int, *, live: int, rate: float, seed: int, parts: Sequence[object]) -> int:
    """Return the number of gold checks before a person with ``n`` tasks gets the last of ``live`` other tasks."""
    gold, at = 0, n
    while live > 0:
        block, place = divmod(at, BLOCK)
        places = _places(rate, seed, tuple(parts), block)
        if place == 0 and live > BLOCK:
            whole = (live - 1) // (
                BLOCK - len(places)
            )  # the number of blocks that certainly end before the last live task
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
    """Whether answers equal the known ones, within the tolerance of their criterion. None for a skip."""
    given = {name: answers.get(name) for name in expected}
    if any(value is None for value in given.values()):
        return None
    return all(
        Target(name, value=value, tolerance=(tolerances or {}).get(name)).met_by(given[name])
        for name, value in expected.items()
    )


def standing(*, right: int, n: int, after: int, warn_below: float | None, stop_below: float | None) -> GoldStanding:
    """Return the result of ``right`` out of ``n`` answers. It needs at least ``after`` answers."""
    if n < max(after, 1):
        return GoldStanding.FEW
    if stop_below is not None and right < stop_below * n - 1e-9:
        return GoldStanding.STOPPED
    if warn_below is not None and right < warn_below * n - 1e-9:
        return GoldStanding.LOW
    return GoldStanding.GOOD
