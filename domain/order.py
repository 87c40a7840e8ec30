"""Reproducible shuffled orders, which depend only on a recorded seed and the purpose of the order."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

ORDERS: Mapping[str, str] = {
    "random": "each person gets a different random order from the project's seed; in grading, answers with grades "
    "come first, so majorities form early",
    "fewest_votes": "every item gets its first vote before any item gets a second vote, and so on",
    "oldest": "the oldest item gets all of its votes first, then the next oldest item",
    "priority": "items with the highest priority come first, and items of equal priority come in random order; "
    "leads set "
    "the priorities",
}
"""The orders in which a stage may hand out its items."""


def shuffled(items: Sequence[T], *, seed: int, parts: Sequence[object]) -> list[T]:
    """Return ``items`` in an order that follows from ``seed`` and ``parts`` (such as a person, an item, a criterion).

    Over all seeds, every order is equally likely. The order depends on the positions of the items, not on their
    values. It is the same in every version of Python: each position is ranked by its SHA-256 with the seed and the
    parts.
    """
    about = "/".join([str(seed), *(str(part) for part in parts)])

    def rank(position: int) -> bytes:
        return hashlib.sha256(f"{about}/{position}".encode()).digest()

    return [items[position] for position in sorted(range(len(items)), key=rank)]


def evenly(items: Sequence[T], n: int, *, seed: int, of: Callable[[T], str]) -> list[T]:
    """Return ``n`` of ``items`` (or all, if there are fewer), spread as evenly as possible over the groups of ``of``.

    The choice follows from ``seed``.
    """
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
    """Return ``n`` of ``items`` (or all, if there are fewer), spread evenly over outer and inner groups.

    ``of`` returns an item's outer and inner group. ``already`` lists the groups of items taken before: they count for
    evenness, and not in ``n``. The choice follows from ``seed``, and a smaller ``n`` gives a subset of a larger one.
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
    """Return bytes for sorting, which follow from the seed and the parts alone."""
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
    """Return a stratified sample: ``n`` of ``items`` (or all, if there are fewer).

    The sample is as even as possible over the first stratum of an item, within it over the second, and so on. Within
    a stratum, items are ordered by a hash of the seed and their names. If several strata may give the next item, a
    hash orders them too. So the choice depends on the seed and the set of items, never on their order, and all items
    of a stratum are equally likely. A smaller ``n`` gives a subset of a larger one.

    ``name`` returns an item's unique name. ``already`` lists the strata of items taken before, as in ``spread``. If
    these items are part of the sample, passing the other ``items`` gives the rest of the sample.
    """
    left: dict[str, Any] = {}
    for item in sorted(items, key=lambda each: hash_rank(seed, *name(each)), reverse=True):
        *outer, inner = ("", *strata(item))
        lots = left
        for stratum in outer:
            lots = lots.setdefault(stratum, {})
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
    """Take ``n`` entries out of nested groups, at every level from the group with the fewest taken entries.

    ``before`` breaks ties. The function removes entries from the ends of the lists and deletes empty groups.
    """
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
