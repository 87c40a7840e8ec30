"""Leaks that need no public file: ids that tell the key, and the places and lengths of the right options."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from agreement.limits import exact_binomial
from domain.english import with_noun
from domain.reading.answers import AnswerKind
from exporters.release_keys import KeyItem
from extensions.leaks.keys import SecretKeys
from extensions.leaks.option_sets import Places, strongest_association
from extensions.leaks.signals import Signal
from extensions.leaks.stats import codes_of, excess_test
from extensions.leaks.table_check import IDS, TableCheck
from extensions.leaks.tables import Table

_BETWEEN = re.compile(r"[^0-9A-Za-z]+")
_MOST_CHARACTERS = 12
"""Characters of a longer part, such as a digest, are not tested one by one."""


# ---- ids -------------------------------------------------------------------------------------------------------------


def id_signals(keys: SecretKeys) -> Iterator[Signal]:
    """Yield tests of whether ids reveal the key: a part, a property such as a check digit, or the decoded id."""
    ids = list(keys.codes)
    parts = keys.parts(ids)
    for name, values in id_parts(ids):
        part, test = strongest_association(parts, codes_of(values))
        what = f"{part} is associated with {name} of the IDs (such as {ids[0]!r})"
        yield Signal("ids", IDS, what, test, column=name)
    table = TableCheck(Table(IDS, "", lambda: ()), keys)
    for id in ids:
        table.add_row({"id": id}, id)
    yield from (signal for signal in table.signals() if signal.kind == "ids")


def id_parts(ids: Sequence[str]) -> Iterator[tuple[str, list[str | None]]]:
    """Yield the parts of ids that may say something, with what each id has there (None: nothing).

    >>> dict(id_parts(["000-b", "001-a"]))["the last part"]
    ['b', 'a']
    """
    parts = [_BETWEEN.split(id) for id in ids]
    longest = max((len(split) for split in parts), default=0)
    if longest <= 1:
        yield from _characters("the whole", [split[0] for split in parts])
        return
    places = {"the last part": -1} | {f"part {at + 1}": at for at in range(min(longest - 1, 4))}
    for name, at in places.items():
        part = [split[at] if len(split) > at + 1 and len(split) > 1 else None for split in parts]
        yield name, part
        yield from _characters(name, part)


def _characters(name: str, texts: Sequence[str | None]) -> Iterator[tuple[str, list[str | None]]]:
    """Yield each character of a part that has the same length in all ids, as of bits or a code of several letters."""
    sizes = {len(text) for text in texts if text is not None}
    if len(sizes) == 1 and 1 < (size := sizes.pop()) <= _MOST_CHARACTERS:
        for at in range(size):
            yield f"character {at + 1} of {name}", [None if text is None else text[at] for text in texts]


# ---- options ---------------------------------------------------------------------------------------------------------


def option_signals(keys: SecretKeys) -> Iterator[tuple[str, Signal]]:
    """Yield each figure as a sentence, with its test.

    The tests ask whether a place, or the longest option, is right more often than by chance, and by more than a tenth
    of all items.
    """
    where = f"the split {keys.file.head.split}"
    items = list(keys.items.values())
    single = [
        (item, (keys.codes[item.id],))
        for item in items
        if item.asked.kind is AnswerKind.OPTION and item.id in keys.codes
    ]
    sets = [(item, keys.places[item.id]) for item in items if item.id in keys.places and keys.is_place(item)]
    for number, places in _by_number(single):
        yield _of_places(where, number, [place for (place,) in places])
    for number, places in _by_number(
        (item, places) for item, places in sets if 0 < len(places) < len(item.asked.options)
    ):
        yield from _of_set_places(where, number, places)
        yield from _of_ends(where, number, places)
    for words in ("longest", "shortest"):
        yield from _of_lengths(where, words, [*single, *sets])
    yield from _of_orders(where, items)


def _by_number(items: Iterable[tuple[KeyItem, Places]]) -> Iterator[tuple[int, list[Places]]]:
    """Yield the right places of items with two options, then with three, and so on."""
    by_number: dict[int, list[Places]] = {}
    for item, places in items:
        by_number.setdefault(len(item.asked.options), []).append(places)
    return ((number, by_number[number]) for number in sorted(by_number) if number > 1)


def _of_places(where: str, number: int, places: Sequence[int]) -> tuple[str, Signal]:
    counts = np.bincount(places, minlength=number).tolist()
    most = max(range(number), key=lambda at: counts[at])
    test = excess_test(counts[most], len(places), 1 / number, times=number)
    shares = ", ".join(f"{chr(65 + at)} in {n / len(places):.0%}" for at, n in enumerate(counts))
    about = f"of {with_noun(len(places), 'item')} with {number} options"
    what = f"{about}, {chr(65 + most)} is right in {test.share:.0%}"
    return f"{where}: {about}, the right option is {shares}.", Signal("places", where, what, test)


def _of_set_places(where: str, number: int, sets: Sequence[Places]) -> Iterator[tuple[str, Signal]]:
    """Yield the place that is right most often and the one that is wrong most often, of items with sets as keys.

    Sets of all options and of none say nothing. The chance of each item follows from the numbers of its options and of
    the right ones. The tail of the binomial at the mean chance is an upper bound of the true tail.
    """
    about = f"of {with_noun(len(sets), 'item')} with {number} options and several right options"
    counts = [sum(place in places for places in sets) for place in range(number)]
    shares = ", ".join(f"{chr(65 + at)} is right in {n / len(sets):.0%}" for at, n in enumerate(counts))
    chance = sum(map(len, sets)) / number / len(sets)
    most, least = max(range(number), key=counts.__getitem__), min(range(number), key=counts.__getitem__)
    right = excess_test(counts[most], len(sets), chance, times=number)
    wrong = excess_test(len(sets) - counts[least], len(sets), 1 - chance, times=number)
    what = f"{about}, {chr(65 + most)} is right in {right.share:.0%}"
    yield f"{where}: {about}, {shares}.", Signal("places", where, what, right)
    what = f"{about}, {chr(65 + least)} is wrong in {wrong.share:.0%}"
    yield f"{where}: {what} (by chance: {wrong.expected:.0%}).", Signal("places", where, what, wrong)


def _of_ends(where: str, number: int, sets: Sequence[Places]) -> Iterator[tuple[str, Signal]]:
    chance = sum(1 / math.comb(number, len(places)) for places in sets) / len(sets)
    for end in ("first", "last"):
        hits = sum(
            places == tuple(range(len(places)) if end == "first" else range(number - len(places), number))
            for places in sets
        )
        what = f"the right options come {end} in {hits:,} of {with_noun(len(sets), 'item')} with {number} options"
        test = excess_test(hits, len(sets), chance)
        yield f"{where}: {what} (by chance: {chance:.0%}).", Signal("places", where, what, test)


def _of_lengths(where: str, words: str, items: Sequence[tuple[KeyItem, Places]]) -> Iterator[tuple[str, Signal]]:
    best = max if words == "longest" else min
    hits, chance, n = 0, 0.0, 0
    for item, places in items:
        sizes = [len(option) for option in item.asked.options]
        if len(sizes) > 1 and sizes.count(best(sizes)) == 1:
            n += 1
            hits += sizes.index(best(sizes)) in places
            chance += len(places) / len(sizes)
    if n:
        limits = exact_binomial(hits, n)
        right = "a right option" if any(len(places) != 1 for _, places in items) else "the right option"
        what = (
            f"{right} is the {words} in {hits:,} of {with_noun(n, 'item')} ({limits.low:.0%} to {limits.high:.0%}), "
            f"compared with {chance / n:.0%} by chance"
        )
        yield f"{where}: {what}.", Signal("lengths", where, what, excess_test(hits, n, chance / n))


def _of_orders(where: str, items: Sequence[KeyItem]) -> Iterator[tuple[str, Signal]]:
    """Yield how often the right order is the order in which the options are listed."""
    orders = [
        item
        for item in items
        if item.asked.kind is AnswerKind.ORDER and isinstance(item.key, list) and len(item.asked.options) > 2
    ]
    if orders:
        hits = sum([str(value) for value in item.key] == list(item.asked.options) for item in orders)
        what = f"options are listed in the right order in {hits:,} of {with_noun(len(orders), 'item')}"
        yield f"{where}: {what}.", Signal("places", where, what, excess_test(hits, len(orders), 1 / 6))
