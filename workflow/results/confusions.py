"""Confusion matrices: the values of two raters for the same unit, counted."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from agreement.ratings import Scale
from domain.records import Rating

MOST_VALUES = 12
"""A matrix of more values cannot be read at a glance."""
MOST_RATERS = 5
"""Up to this number of raters, each pair has a matrix. With more, each rater has one matrix against all others."""

Counts = tuple[tuple[int, ...], ...]
"""The counts, with the first rater's values in rows and the second's in columns, in the order of
``Confusion.values``.
"""


@dataclass(frozen=True)
class Confusion:
    """A criterion, in a slice of its ratings."""

    criterion: str
    dimension: str | None
    guideline: str | None
    """The guideline in ``args`` of the coefficients: one version, or the pooled versions; None if only one exists."""
    values: tuple[Any, ...]
    """The values; empty for more than ``MOST_VALUES``, or if values are compared by their overlap."""
    everyone: Counts = ()
    """The counts over all pairs of raters. Each pair of values is counted in both directions."""
    of_rater: Mapping[str, Counts] = field(default_factory=dict)
    """The counts of each rater (rows) against all others (columns), for raters who share a unit with another rater."""
    of_pair: Mapping[tuple[str, str], Counts] = field(default_factory=dict)
    """The counts of the first rater (rows) against the second (columns), for pairs that share a unit."""


def confusions(
    lots: Iterable[tuple[str | None, Sequence[Rating]]], scales: Mapping[str, Scale], *, by_dimension: bool
) -> list[Confusion]:
    """Return the confusion matrices of comparable ratings, for each lot with the name of its guideline."""
    matrices = []
    for guideline, rows in lots:
        parts: dict[tuple[str, str | None], list[Rating]] = defaultdict(list)
        for row in rows:
            if row.value is not None:
                parts[row.criterion, (row.dimension or "") if by_dimension else None].append(row)
        matrices += [
            _confusion(of_part, scales.get(criterion), criterion, dimension, guideline)
            for (criterion, dimension), of_part in parts.items()
        ]
    return matrices


def _confusion(
    rows: Sequence[Rating], scale: Scale | None, criterion: str, dimension: str | None, guideline: str | None
) -> Confusion:
    values = _values({_one(row.value) for row in rows}, scale)
    if len(values) > MOST_VALUES or (scale is not None and scale.shape is not None):
        return Confusion(criterion, dimension, guideline, ())
    place = {value: at for at, value in enumerate(values)}
    units: dict[str, dict[str, int]] = defaultdict(dict)
    for row in rows:
        units[row.unit][row.rater] = place[_one(row.value)]
    raters = sorted({rater for choices in units.values() if len(choices) > 1 for rater in choices})
    by_rater: dict[str, Counter[tuple[int, int]]] = {rater: Counter() for rater in raters}
    by_pair: dict[tuple[str, str], Counter[tuple[int, int]]] = defaultdict(Counter)
    for choices in units.values():
        if len(choices) < 2:
            continue
        there = Counter(choices.values())
        for rater, mine in choices.items():
            for other, n in there.items():
                by_rater[rater][mine, other] += n - (other == mine)  # less their own answer
        if len(raters) <= MOST_RATERS:
            for one, two in combinations(sorted(choices), 2):
                by_pair[one, two][choices[one], choices[two]] += 1
    everyone: Counter[tuple[int, int]] = Counter()
    for counts in by_rater.values():
        everyone.update(counts)
    size = len(values)
    return Confusion(
        criterion,
        dimension,
        guideline,
        values,
        _counts(everyone, size),
        {rater: _counts(by_rater[rater], size) for rater in raters},
        {pair: _counts(by_pair[pair], size) for pair in sorted(by_pair)},
    )


def _counts(found: Mapping[tuple[int, int], int], size: int) -> Counts:
    return tuple(tuple(found.get((down, across), 0) for across in range(size)) for down in range(size))


def _one(value: Any) -> Any:
    """Return a hashable value. A list becomes its text."""
    return str(value) if isinstance(value, list | tuple | dict) else value


def _values(there: set[Any], scale: Scale | None) -> tuple[Any, ...]:
    """Return the values in the order of the scale: first the declared values, then any others."""
    declared = tuple(_one(category) for category in scale.categories or ()) if scale is not None else ()
    known = declared if len(declared) <= MOST_VALUES else tuple(category for category in declared if category in there)
    return (*known, *sorted(there.difference(known), key=_order))


def _order(value: Any) -> tuple[float, str]:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return (float(value) if number else math.inf, str(value))
