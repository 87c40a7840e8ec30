"""Lists in rating files: values that are JSON lists of labels are compared as sets of labels."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from agreement.columns import Column
from domain.english import with_noun
from domain.spelling import normal
from extensions.rating_files.rating_values import comparable_label


def merge_lists(criterion: Column, value: Column) -> tuple[Column, list[str]]:
    """Return the values with one label for each set of labels, and a sentence for each criterion that has lists.

    The entries of a list lose their order, and repeated entries count once. In a criterion with lists, a single label
    is a list of one. If all lists of a criterion have the same entries, the lists are rankings and keep their order.
    Other JSON, such as spans and boxes, only loses differences in how it is written.
    """
    lists = [labels_of(name) for name in value.names]
    names: dict[tuple[type, Any], int] = {}
    rewritten = np.array([names.setdefault(_rewritten(name), len(names)) for name in value.names], dtype=np.int32)
    places, notes = value.places.copy(), []
    for at, name in enumerate(criterion.names):
        rows = np.flatnonzero((criterion.places == at) & value.there)
        counter = Counter(value.places[rows].tolist())
        new = rewritten.copy()
        if any(lists[place] for place in counter):
            listed = {place: labels for place in counter if (labels := lists[place]) is not None}
            n, is_ranking = sum(counter[place] for place in listed), _are_rankings(listed.values())
            notes.append(_sentence(name, n, is_ranking=is_ranking))
            if not is_ranking:
                texts = [place for place in counter if place not in listed and isinstance(value.names[place], str)]
                listed |= {place: (normal(value.names[place]),) for place in texts}
            for place, labels in listed.items():
                label = (str, _text(labels if is_ranking else _as_set(labels)))
                new[place] = names.setdefault(label, len(names))
        elif n := _in_other_order([value.names[place] for place in counter]):
            notes.append(
                f"{name}: {n:,} lists of numbers differ only in their order and count as different values. If the "
                "order has no meaning, sort each list."
            )
        places[rows] = new[value.places[rows]]
    return Column(tuple(label for _, label in names), places).of(np.arange(len(places))), notes


def _in_other_order(cells: Iterable[Any]) -> int:
    """Return how many distinct lists of numbers have the entries of another one in another order."""
    lists = [parsed for cell in cells if isinstance(parsed := _parsed(cell), list)]
    orders = {tuple(ranking) for ranking in lists if all(isinstance(entry, int | float) for entry in ranking)}
    return sum(count for count in Counter(tuple(sorted(order)) for order in orders).values() if count > 1)


def labels_of(cell: Any) -> tuple[str, ...] | None:
    """Return the labels of a cell that is a JSON list of texts, in NFC; None for any other cell.

    >>> labels_of('["b", "a"]'), labels_of("[0.5, 2]"), labels_of("b, a")
    (('b', 'a'), None, None)
    """
    parsed = _parsed(cell)
    if not isinstance(parsed, list) or not all(isinstance(label, str) for label in parsed):
        return None
    return tuple(map(normal, parsed))


def _parsed(cell: Any) -> Any:
    if not isinstance(cell, str) or cell.lstrip()[:1] not in ("[", "{", '"'):
        return None
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return None


def _rewritten(cell: Any) -> tuple[type, Any]:
    """Return a cell as JSON is written here, if the cell is JSON: the text of a text, and sorted keys."""
    parsed = _parsed(cell)
    if parsed is None:
        return (type(cell), cell)
    return (str, normal(parsed) if isinstance(parsed, str) else _text(parsed))


def _as_set(labels: Sequence[str]) -> list[str]:
    """Return each label once, in the order of the alphabet; spellings that are compared as equal are one label."""
    return sorted({comparable_label(label): label for label in labels}.values(), key=comparable_label)


def _text(parsed: Any) -> str:
    return normal(json.dumps(parsed, ensure_ascii=False, sort_keys=True))


def _are_rankings(lists: Iterable[Sequence[str]]) -> bool:
    """Return whether all lists have the same entries, each once, and more than one order."""
    orders = {tuple(map(comparable_label, ranking)) for ranking in lists}
    entries = {tuple(sorted(order)) for order in orders}
    return len(entries) == 1 < len(orders) and all(len(set(entry)) == len(entry) for entry in entries)


def _sentence(name: str, n: int, *, is_ranking: bool) -> str:
    if is_ranking:
        return (
            f"{name}: {with_noun(n, 'value is a list', 'values are lists')} with the same entries, so Touchstone "
            "compares the lists as rankings. If the order has no meaning, sort each list."
        )
    return (
        f"{name}: {with_noun(n, 'value is a list', 'values are lists')}, so Touchstone compares the values as sets. "
        "Touchstone ignores order and repeated entries, and treats a single label as a set with one label. If the "
        "order matters, write each list as text, such as a > b."
    )
