"""Shuffled orders that can be made again: from a recorded seed and what the order is for, nothing else."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

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
    left: dict[str, Any] = {}
    for item in reversed(shuffled(items, seed=seed, parts=("spread",))):
        first, second = of(item)
        left.setdefault(first, {}).setdefault(second, []).append(item)
    names = sorted(left)
    order = {name: at for at, name in enumerate(shuffled(names, seed=seed, parts=("spread", "first")))}
    inner = sorted({second for lot in left.values() for second in lot})
    rank = {name: at for at, name in enumerate(shuffled(inner, seed=seed, parts=("spread", "second")))}

    def before(path: tuple[str, ...], name: str) -> int:
        return rank[name] if path else order[name]

    return _in_turn(left, n, already=already, before=before)


def hash_rank(seed: int, *parts: str) -> bytes:
    """A number as bytes that can be compared, which follows from the seed and the parts alone."""
    return hashlib.sha256(json.dumps([seed, *parts]).encode()).digest()


def stratified_sample(
    items: Iterable[T],
    n: int,
    *,
    seed: int,
    name: Callable[[T], tuple[str, ...]],
    strata: Callable[[T], tuple[str, ...]],
    already: Iterable[tuple[str, ...]] = (),
) -> list[T]:
    """A stratified sample: ``n`` of ``items`` (all, if there are no more), as even as can be over the first of the
    strata that an item belongs to, within it over the second, and so on.

    Within a stratum the items stand in the order of a hash of the seed and their names, and strata of which one more
    could be drawn are in the order of such a hash, too. So which ones are drawn hangs on the seed and on what is there,
    never on the order in which it came, and over the seeds all items of a stratum are equally likely. What is drawn
    with a smaller ``n`` is drawn with a larger one, too.

    ``name`` says what an item is called, of which no two are the same. ``already`` are strata of what was taken before,
    as in ``spread``: where that is a part of the sample, ``items`` without it give the rest of the sample.
    """
    left: dict[str, Any] = {}
    for item in sorted(items, key=lambda each: hash_rank(seed, *name(each)), reverse=True):
        *outer, inner = ("", *strata(item))
        lots = left
        for each in outer:
            lots = lots.setdefault(each, {})
        lots.setdefault(inner, []).append(item)
    ranks: dict[tuple[str, ...], bytes] = {}

    def before(path: tuple[str, ...], name: str) -> bytes:
        key = (*path, name)
        if key not in ranks:
            ranks[key] = hash_rank(seed, "stratum", *key)
        return ranks[key]

    return _in_turn(left, n, already=[("", *path) for path in already], before=before)


def _in_turn(
    left: dict[str, Any],
    n: int,
    *,
    already: Iterable[tuple[str, ...]],
    before: Callable[[tuple[str, ...], str], Any],
) -> list[Any]:
    """``n`` entries out of nested lots, each time from that of which the fewest were taken, at every level; ``before``
    decides between equals. It empties the lots, and takes from the ends of their lists."""
    taken = Counter(path[:to] for path in already for to in range(1, len(path) + 1))
    chosen: list[Any] = []
    while left and len(chosen) < n:
        path: tuple[str, ...] = ()
        lots: Any = left
        way = []
        while isinstance(lots, dict):
            name = min(lots, key=lambda each: (taken[*path, each], before(path, each)))
            way.append((lots, name))
            path, lots = (*path, name), lots[name]
            taken[path] += 1
        chosen.append(lots.pop())
        for outer, name in reversed(way):
            if outer[name]:
                break
            del outer[name]
    return chosen
