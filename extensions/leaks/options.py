"""Leaks in the options alone, without the questions: the place and the length of the right option."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from domain.reading.answers import AnswerKind
from exporters.release_keys import KeyItem
from extensions.leaks.keys import IndexedKeys
from extensions.leaks.rows import Signal
from extensions.leaks.set_places import of_set_places
from extensions.leaks.sets import Places
from extensions.leaks.stats import limits, more_than


def told_by_options(one: IndexedKeys) -> Iterator[tuple[str, Signal]]:
    """Yield each figure as a sentence, with its test.

    The tests ask whether a place, or the longest option, is right more often than by chance, and by more than a tenth
    of all items.
    """
    where = f"the split {one.keys.head.split}"
    items = [
        (item, one.codes[item.id])
        for item in one.keys.items.values()
        if item.asked.kind is AnswerKind.OPTION and item.id in one.codes
    ]
    sets = [(item, one.places[id]) for id, item in one.keys.items.items() if id in one.places and one.is_place(item)]
    by_number: dict[int, list[int]] = {}
    for item, place in items:
        by_number.setdefault(len(item.asked.options), []).append(place)
    for number, places in sorted(by_number.items()):
        if number > 1:
            yield _of_places(where, number, places)
    yield from of_set_places(where, sets)
    for words in ("longest", "shortest"):
        yield from _of_lengths(where, words, [*((item, (place,)) for item, place in items), *sets])
    yield from _of_orders(where, one)


def _of_places(where: str, number: int, places: Sequence[int]) -> tuple[str, Signal]:
    counts = np.bincount(places, minlength=number).tolist()
    most = max(range(number), key=lambda at: counts[at])
    tried = more_than(counts[most], len(places), 1 / number, times=number)
    shares = ", ".join(f"{chr(65 + at)} in {n / len(places):.0%}" for at, n in enumerate(counts))
    about = f"of {len(places):,} items with {number} options"
    what = f"{about} {chr(65 + most)} is right in {tried.share:.0%}"
    return f"{where}: {about} the right one is {shares}.", Signal("places", where, what, tried)


def _of_lengths(where: str, words: str, items: Sequence[tuple[KeyItem, Places]]) -> Iterator[tuple[str, Signal]]:
    best = max if words == "longest" else min
    hits, chance, n = 0, 0.0, 0
    for item, places in items:
        sizes = [len(each) for each in item.asked.options]
        if len(sizes) > 1 and sizes.count(best(sizes)) == 1:
            n += 1
            hits += sizes.index(best(sizes)) in places
            chance += len(places) / len(sizes)
    if n:
        found = limits(hits, n)
        right = "a right option" if any(len(places) != 1 for _, places in items) else "the right option"
        what = (
            f"{right} is the {words} in {hits:,} of {n:,} items ({found.low:.0%} to {found.high:.0%}), and "
            f"{chance / n:.0%} would be chance"
        )
        yield f"{where}: {what}.", Signal("lengths", where, what, more_than(hits, n, chance / n))


def _of_orders(where: str, one: IndexedKeys) -> Iterator[tuple[str, Signal]]:
    """Yield how often the right order is the order in which the options are listed."""
    orders = [
        item
        for item in one.keys.items.values()
        if item.asked.kind is AnswerKind.ORDER and isinstance(item.key, list) and len(item.asked.options) > 2
    ]
    if orders:
        hits = sum([str(each) for each in item.key] == list(item.asked.options) for item in orders)
        tried = more_than(hits, len(orders), 1 / 6)
        what = f"options are listed in the right order in {hits:,} of {len(orders):,} items"
        yield f"{where}: {what}.", Signal("places", where, what, tried)
