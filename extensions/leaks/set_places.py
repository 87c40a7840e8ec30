"""Leaks in where the right options of a set stand: always first, always last, or more often in one place."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from exporters.release_keys import KeyItem
from extensions.leaks.rows import Signal
from extensions.leaks.sets import Places
from extensions.leaks.stats import more_than


def of_set_places(where: str, items: Sequence[tuple[KeyItem, Places]]) -> Iterator[tuple[str, Signal]]:
    """Yield each figure as a sentence, with its test, of items whose options are in an order of their own.

    Sets of all options and of none say nothing and are left out. The chance of each item follows from the number of its
    options and right options. The tail of the binomial at the mean chance is an upper bound of the true tail.
    """
    by_number: dict[int, list[Places]] = {}
    for item, places in items:
        if 0 < len(places) < len(item.asked.options):
            by_number.setdefault(len(item.asked.options), []).append(places)
    for number, sets in sorted(by_number.items()):
        yield from _of_each_place(where, number, sets)
        yield from _of_ends(where, number, sets)


def _of_each_place(where: str, number: int, sets: Sequence[Places]) -> Iterator[tuple[str, Signal]]:
    about = f"of {len(sets):,} items with several right options of {number}"
    counts = [sum(place in each for each in sets) for place in range(number)]
    shares = ", ".join(f"{chr(65 + at)} is right in {n / len(sets):.0%}" for at, n in enumerate(counts))
    chance = sum(map(len, sets)) / number / len(sets)
    most, least = max(range(number), key=counts.__getitem__), min(range(number), key=counts.__getitem__)
    right = more_than(counts[most], len(sets), chance, times=number)
    wrong = more_than(len(sets) - counts[least], len(sets), 1 - chance, times=number)
    yield (
        f"{where}: {about} {shares}.",
        Signal("places", where, f"{about} {chr(65 + most)} is right in {right.share:.0%}", right),
    )
    what = f"{about} {chr(65 + least)} is wrong in {wrong.share:.0%}"
    yield f"{where}: {what}; by chance {wrong.expected:.0%}.", Signal("places", where, what, wrong)


def _of_ends(where: str, number: int, sets: Sequence[Places]) -> Iterator[tuple[str, Signal]]:
    chance = sum(1 / math.comb(number, len(each)) for each in sets) / len(sets)
    for end in ("first", "last"):
        hits = sum(
            each == tuple(range(len(each)) if end == "first" else range(number - len(each), number)) for each in sets
        )
        what = f"the right options stand {end} in {hits:,} of {len(sets):,} items with {number} options"
        tried = more_than(hits, len(sets), chance)
        yield f"{where}: {what}; by chance in {chance:.0%}.", Signal("places", where, what, tried)
