"""Shuffled orders that can be made again: from a recorded seed and what the order is for, nothing else."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")

ORDERS: Mapping[str, str] = {
    "random": "each person in an order of their own, which follows from the project's recorded seed; in grading,"
    " answers that someone has graded come before untouched ones, so that majorities form early",
    "fewest_votes": "an item's first vote before any item's second, and so on",
    "oldest": "the item that came first, all of its votes, then the next",
    "priority": "the items with the highest priority, which leads set; equals as in a shuffled pack",
}
"""In which order a stage hands out its items."""


def shuffled(items: Sequence[T], *, seed: int, parts: Sequence[object]) -> list[T]:
    """``items`` in an order that follows from ``seed`` and ``parts`` (such as a person, an item, a criterion).

    Every order is equally likely over the seeds. It depends on the positions of the items, not on what they are, and
    stays the same in every version of Python: each position is ranked by its SHA-256 with the seed and the parts.
    """
    about = "/".join([str(seed), *(str(part) for part in parts)])

    def rank(position: int) -> bytes:
        return hashlib.sha256(f"{about}/{position}".encode()).digest()

    return [items[position] for position in sorted(range(len(items)), key=rank)]


def evenly(items: Sequence[T], n: int, *, seed: int, of: Callable[[T], str]) -> list[T]:
    """``n`` of ``items`` (all, if there are no more), as evenly as can be over what ``of`` says they belong to; which
    ones follows from ``seed``."""
    groups: dict[str, list[T]] = {}
    for item in shuffled(items, seed=seed, parts=("draw",)):
        groups.setdefault(of(item), []).append(item)
    chosen: list[T] = []
    while len(chosen) < n and any(groups.values()):
        for name in sorted(groups):
            if groups[name] and len(chosen) < n:
                chosen.append(groups[name].pop(0))
    return chosen


def spread(
    items: Sequence[T],
    n: int,
    *,
    seed: int,
    of: Callable[[T], tuple[str, str]],
    already: Sequence[tuple[str, str]] = (),
) -> list[T]:
    """``n`` of ``items`` (all, if there are no more), as evenly as can be over the first of what they belong to, and
    within it over the second.

    ``already`` are places that are taken before: they count in what is even, and not in ``n``. Which ones are drawn
    follows from ``seed``, and those of a smaller ``n`` are among those of a larger one.
    """
    left: dict[str, dict[str, list[T]]] = {}
    for item in reversed(shuffled(items, seed=seed, parts=("spread",))):
        first, second = of(item)
        left.setdefault(first, {}).setdefault(second, []).append(item)
    taken: Counter[str | tuple[str, str]] = Counter()
    for place in already:
        taken.update((place[0], place))
    names = sorted(left)
    order = {name: at for at, name in enumerate(shuffled(names, seed=seed, parts=("spread", "first")))}
    inner = sorted({second for lot in left.values() for second in lot})
    rank = {name: at for at, name in enumerate(shuffled(inner, seed=seed, parts=("spread", "second")))}
    chosen: list[T] = []
    while left and len(chosen) < n:
        first = min(left, key=lambda name: (taken[name], order[name]))
        lots = left[first]
        second = min(lots, key=lambda name: (taken[first, name], rank[name]))
        chosen.append(lots[second].pop())
        taken.update((first, (first, second)))
        if not lots[second]:
            del lots[second]
        if not lots:
            del left[first]
    return chosen
