"""Ratings of one criterion as a table of units and raters, and the scale they are on."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from agreement.columns import NOTHING, Column, column, gathered, of_objects
from domain.decimals import Tolerance
from domain.errors import RatingsError
from domain.overlap import Shape
from domain.records import Rating

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MISSING = -1
"""The code of a cell without a rating."""

_MOST_CELLS = 50_000_000
"""Of a table: 400 MB."""


@dataclass(frozen=True)
class Scale:
    """What the values mean: names, ordered categories, numbers whose differences count, or whose ratios count.

    ``categories`` lists the declared values in order; None takes those that occur. An ordinal scale of texts needs
    them. ``inferred`` is True for an undeclared scale. ``tolerance`` is the largest difference of two agreeing
    numbers, for agreement within a tolerance; no coefficient uses it. Values with a ``shape`` are JSON texts,
    compared only by their overlap in a summary.
    """

    level: Level
    categories: tuple[Any, ...] | None = None
    inferred: bool = False
    tolerance: Tolerance | None = field(default=None, repr=False)
    shape: Shape | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class Ratings:
    """A table of units (rows) and raters (columns) on one scale; cells may be empty.

    Make one with :meth:`from_rows`, :meth:`from_lists`, :meth:`from_columns` or, for many numbers, :meth:`from_array`.
    """

    units: tuple[str, ...]
    raters: tuple[str, ...]
    codes: Ints
    """(units, raters): the position of each value in ``categories``; ``MISSING`` for a missing rating."""
    categories: tuple[Any, ...]
    scale: Scale
    clusters: tuple[str, ...] | None = None
    """(units,): the group of each unit, such as a question, resampled as a whole; None for independent units."""
    counted: bool = False
    """Whether the ratings were counted without names: a column is then no rater."""
    times: Ints | None = None
    """(rows,): how many units have this row of ``codes``, of which ``units`` names one; None for one unit a row."""

    @classmethod
    def from_rows(cls, rows: Iterable[Rating], *, scale: Scale | None = None) -> Ratings:
        """The table of the given ratings, which must be of one criterion.

        Without a ``scale``, values that are all numbers make an interval scale, other values a nominal one. A value
        of None is a missing rating.

        Raises
        ------
        RatingsError
            A rater has rated a unit twice, a value is not on the declared scale or not finite, or a scale that needs an
            order has none.
        """
        kept = [row for row in rows if row.value is not None]
        return _table(
            gathered((row.unit for row in kept), len(kept)),
            gathered((row.rater for row in kept), len(kept)),
            of_objects([row.value for row in kept]),
            of_objects([row.cluster for row in kept], "cluster"),
            scale,
            kept[0].criterion if kept else "",
        )

    @classmethod
    def from_columns(
        cls,
        units: Any,
        raters: Any,
        values: Any,
        *,
        clusters: Any = None,
        scale: Scale | None = None,
        criterion: str = "",
    ) -> Ratings:
        """The table of equally long columns of a long table: arrays, lists, or columns of a pandas data frame.

        Units, raters and clusters are named by texts or numbers. A value of None, nan or NA is a missing rating; a
        unit without a cluster is independent. ``criterion`` is only what messages call the values. A million rows
        take about a second.

        Raises
        ------
        RatingsError
            As :meth:`from_rows`; or the columns are not equally long, or a unit or rater has no name.

        Examples
        --------
        >>> ratings = Ratings.from_columns([7, 7, 8], ["ann", "bob", "ann"], np.array([0.5, 1, 0.5]))
        >>> ratings.units, ratings.raters, ratings.codes.tolist()
        (('7', '8'), ('ann', 'bob'), [[0, 1], [0, -1]])
        """
        unit, rater, value = column(units, "unit"), column(raters, "rater"), column(values)
        cluster = None if clusters is None else column(clusters, "cluster")
        lengths = [len(labels) for labels in (unit, rater, value, cluster) if labels is not None]
        if len(set(lengths)) > 1:
            raise RatingsError(
                f"The columns have {' and '.join(map(str, lengths))} rows. All columns must have the same number "
                "of rows."
            )
        for what, labels in (("unit", unit), ("rater", rater)):
            if not labels.there.all():
                row = int(np.argmin(labels.there)) + 1
                raise RatingsError(
                    f"Row {row:,} of the columns has no {what}. Add the missing value, or remove the row."
                )
        there = value.there
        if not there.all():
            unit, rater, value = unit.of(there), rater.of(there), value.of(there)
            cluster = cluster and cluster.of(there)
        return _table(
            unit.renamed(_text), rater.renamed(_text), value, cluster and cluster.renamed(_text), scale, criterion
        )

    @classmethod
    def from_lists(cls, *, scale: Scale | None = None, **raters: Sequence[Any]) -> Ratings:
        """The table of equally long lists, one per rater; None is a missing rating.

        >>> Ratings.from_lists(ann=["a", "b"], bob=["a", None]).codes.tolist()
        [[0, 0], [1, -1]]
        """
        return cls.from_rows(
            (
                Rating(f"{unit:09}", rater, "value", value)
                for unit in range(max(map(len, raters.values()), default=0))
                for rater, column in raters.items()
                for value in [column[unit]]
            ),
            scale=scale,
        )

    @classmethod
    def from_array(cls, values: Floats, *, raters: Sequence[str] | None = None, scale: Scale | None = None) -> Ratings:
        """The table of an array of numbers, a row per unit and a column per rater; nan is a missing rating.

        Raises
        ------
        RatingsError
            The array is not two-dimensional, does not fit the raters' names, or holds a value off the declared scale.

        Examples
        --------
        >>> Ratings.from_array(np.array([[0, 0.5], [1, np.nan]]), raters=["ann", "bob"]).codes.tolist()
        [[0, 1], [2, -1]]
        """
        table = np.asarray(values, dtype=float)
        if table.ndim != 2:
            raise RatingsError(f"An array of ratings needs two axes (units and raters), not {table.ndim}.")
        names = tuple(raters) if raters is not None else tuple(f"rater {at}" for at in range(1, table.shape[1] + 1))
        if len(set(names)) != table.shape[1]:
            raise RatingsError(
                f"The array has {table.shape[1]} columns, but there are {len(set(names))} different rater names. "
                "Give each column its own name."
            )
        rated = ~np.isnan(table)
        numbers, places = np.unique(table[rated], return_inverse=True)
        if not np.isfinite(numbers).all():
            raise RatingsError("A rating is infinite. Use nan for a missing rating.")
        if scale is None:
            scale = Scale("interval", inferred=True)
        if scale.categories is None:
            categories: tuple[Any, ...] = tuple(numbers.tolist())
        else:
            categories = _categories(numbers.tolist(), scale, True)
            position = {category: i for i, category in enumerate(categories)}
            for value in numbers.tolist():
                if value not in position:
                    raise RatingsError(
                        f"The array contains {value:g}, which is not on the declared scale ("
                        f"{', '.join(map(str, categories))}). Correct the value or the scale."
                    )
            places = np.array([position[value] for value in numbers.tolist()], dtype=np.int64)[places]
        codes = np.full(table.shape, MISSING, dtype=np.int64)
        codes[rated] = places
        kept = np.flatnonzero(rated.any(axis=1))
        units = tuple(map(str, kept.tolist()))
        return cls(units, names, codes[kept], categories, scale)

    @classmethod
    def from_table(
        cls,
        counts: Sequence[Sequence[float]] | Floats,
        *,
        raters: tuple[str, str] = ("rater 1", "rater 2"),
        scale: Scale | None = None,
    ) -> Ratings:
        """The ratings behind a square table of counts: rows are the first rater's categories, columns the second's.

        Without a scale, the categories are the numbers from 1 on.

        Raises
        ------
        RatingsError
            The table is not square, does not fit the scale, or holds other values than counts.

        Examples
        --------
        >>> Ratings.from_table([[20, 5], [10, 15]]).codes.shape
        (50, 2)
        """
        table = _counts(counts)
        if table.shape[0] != table.shape[1]:
            raise RatingsError(
                f"A table of two raters must have as many rows as columns. This table is {table.shape[0]} x "
                f"{table.shape[1]}."
            )
        if len(set(raters)) != 2:
            raise RatingsError(f"A table of counts needs two raters, not {', '.join(map(str, raters))}.")
        categories, scale = _of_counts(table.shape[1], scale)
        pairs = np.argwhere(table >= 0)
        codes = np.repeat(pairs, table.ravel(), axis=0)
        return cls(tuple(map(str, range(len(codes)))), tuple(raters), codes, categories, scale)

    @classmethod
    def from_counts(cls, counts: Sequence[Sequence[float]] | Floats, *, scale: Scale | None = None) -> Ratings:
        """Units whose ratings are counts: a row per unit, a column per category, how many raters chose each.

        The raters of single ratings are unknown, so statistics that compare raters by name are undefined. There are
        as many raters as the largest row has ratings. Without a scale, the categories are the numbers from 1 on.

        Raises
        ------
        RatingsError
            The table does not fit the scale, or holds other values than counts.

        Examples
        --------
        >>> Ratings.from_counts([[2, 0], [1, 1], [0, 1]]).codes.tolist()
        [[0, 0], [0, 1], [1, -1]]
        """
        table = _counts(counts)
        categories, scale = _of_counts(table.shape[1], scale)
        of_unit = table.sum(axis=1)
        n, k = len(table), int(of_unit.max(initial=0))
        if n * k > _MOST_COUNTED:
            raise RatingsError(
                f"{n:,} units with up to {k:,} ratings each do not fit in memory. Measure fewer units at a time."
            )
        chosen = np.repeat(np.tile(np.arange(table.shape[1]), n), table.ravel())
        unit = np.repeat(np.arange(n), of_unit)
        place = np.arange(len(chosen)) - np.repeat(np.cumsum(of_unit) - of_unit, of_unit)
        codes = np.full((n, k), MISSING, dtype=np.int64)
        codes[unit, place] = chosen
        kept = np.flatnonzero(of_unit > 0)
        raters = tuple(f"rating {at}" for at in range(1, k + 1))
        return cls(tuple(map(str, kept.tolist())), raters, codes[kept], categories, scale, counted=True)

    def of(self, *raters: str) -> Ratings:
        """The same units with only these raters, in this order; ``RatingsError`` if one is not there."""
        for rater in raters:
            if rater not in self.raters:
                raise RatingsError(
                    f"There is no rater {rater}. Choose one of these raters: {', '.join(self.raters) or 'none'}."
                )
        columns = [self.raters.index(rater) for rater in raters]
        ratings = replace(self, raters=tuple(raters), codes=self.codes[:, columns])
        return ratings.where(ratings.rated.any(axis=1))

    def where(self, rows: NDArray[np.bool_] | np.bool_) -> Ratings:
        """The same raters with only these rows ((rows,) of booleans)."""
        if rows.all():
            return self
        kept = np.atleast_1d(rows).tolist()
        return replace(
            self,
            units=tuple(compress(self.units, kept)),
            codes=self.codes[rows],
            clusters=self.clusters and tuple(compress(self.clusters, kept)),
            times=None if self.times is None else self.times[rows],
        )

    @property
    def n_units(self) -> int:
        """Number of units that have a rating."""
        return len(self.units) if self.times is None else int(self.times.sum())

    def count(self, rows: NDArray[np.bool_] | np.bool_) -> int:
        """Return the number of units that these rows ((rows,) of booleans) stand for."""
        return int(rows.sum() if self.times is None else self.times[rows].sum())

    @property
    def rated(self) -> NDArray[np.bool_]:
        """(units, raters): where there is a rating."""
        rated: NDArray[np.bool_] = self.codes != MISSING
        return rated

    @cached_property
    def numeric(self) -> bool:
        """Whether the categories are numbers."""
        return set(map(type, self.categories)) <= {float}

    @cached_property
    def values(self) -> Floats:
        """(units, raters): the ratings as numbers, nan for missing ones.

        Raises
        ------
        RatingsError
            The categories are texts.
        """
        if not self.numeric:
            raise RatingsError(
                "These ratings are text, but this statistic needs numbers. Use numbers, or choose a statistic for "
                "categories."
            )
        numbers = np.append(np.array(self.categories, dtype=float), math.nan)
        return numbers[self.codes]

    @cached_property
    def positions(self) -> Floats:
        """A number per category for distances: its value if it is a number, otherwise its position.

        Numbers declared in a special order count by position too.
        """
        places = np.arange(len(self.categories), dtype=float)
        if not self.numeric:
            return places
        numbers = np.array(self.categories, dtype=float)
        steps = np.sign(np.diff(numbers))
        in_order = self.scale.level != "ordinal" or len(set(steps.tolist())) < 2
        return standardised(numbers) if in_order else places


NAMELESS = "These ratings are counts without rater names. Use a statistic that needs no names, such as Fleiss' kappa."


def by_criterion(rows: Iterable[Rating]) -> Mapping[str, list[Rating]]:
    """The ratings of each criterion, in the order in which the criteria first occur."""
    ratings: dict[str, list[Rating]] = {}
    for row in rows:
        ratings.setdefault(row.criterion, []).append(row)
    return ratings


def category_counts(rows: Ints, q: int) -> Any:
    """(rows, categories): how many raters chose each; a sparse array where there are many categories."""
    row, rater = np.nonzero(rows != MISSING)
    code = rows[row, rater]
    if q > 64:
        return sparse.csr_array((np.ones(len(row)), (row, code)), shape=(len(rows), q))
    return np.bincount(row * q + code, minlength=len(rows) * q).reshape(len(rows), q).astype(float)


def standardised(values: Floats) -> Floats:
    """The same numbers, moved and stretched into [-1, 1], so that no square is lost or overflows; nan stays."""
    if not values.size:
        return values
    low, high = np.nanmin(values), np.nanmax(values)
    middle = low / 2 + high / 2
    half = high / 2 - low / 2
    return (values - middle) / half if half > 0 else values - middle


def _table(
    unit: Column, rater: Column, value: Column, cluster: Column | None, scale: Scale | None, criterion: str
) -> Ratings:
    """The ratings of columns in which every cell but those of the cluster holds something."""
    numbers = _numbers(value.names)
    if scale is not None and scale.categories is not None and _numbers(scale.categories) is None:
        numbers = None  # "1" next to "unclear" is a name
    numeric = numbers is not None
    names: list[Hashable] = [_text(name) for name in value.names] if numbers is None else [*numbers]
    if scale is None:
        scale = Scale("interval" if numeric and names else "nominal", inferred=True)
    categories = _categories(names, scale, numeric)
    position = {category: at for at, category in enumerate(categories)}
    off = [at for at, name in enumerate(names) if name not in position]
    if off:
        row = int(np.argmax(np.isin(value.places, off)))
        raise RatingsError(
            f"{rater.at(row)} rated {_of(criterion, unit.at(row))} as {names[value.places[row]]!r}, which is not on "
            f"the declared scale ({', '.join(map(str, categories))}). Correct the value or the scale."
        )
    raters = tuple(sorted(rater.names))
    n_cells = len(unit.names) * len(raters)
    if n_cells > _MOST_CELLS:
        raise RatingsError(
            f"{len(unit.names):,} units by {len(raters):,} raters make {n_cells:,} cells, but only {_MOST_CELLS:,} "
            "fit in memory. Measure fewer raters or units at a time."
        )
    place = {name: at for at, name in enumerate(raters)}
    columns = np.array([place[name] for name in rater.names], dtype=np.int64)
    codes = np.full((len(unit.names), len(raters)), MISSING, dtype=np.int64)
    new = np.array([position[name] for name in names], dtype=np.int64)
    if len(value):
        cells = unit.places * np.int64(len(raters)) + columns[rater.places]
        codes.ravel()[cells] = new[value.places]
        if np.count_nonzero(codes != MISSING) < len(cells):
            _, first = np.unique(cells, return_index=True)
            row = int(np.argmin(np.isin(np.arange(len(cells)), first)))
            raise RatingsError(
                f"{rater.at(row)} rated {_of(criterion, unit.at(row))} twice. Keep only one of the two rows."
            )
    return Ratings(tuple(unit.names), raters, codes, categories, scale, _clusters(unit, cluster))


_MOST_COUNTED = 100_000_000


def _counts(counts: Sequence[Sequence[float]] | Floats) -> Ints:
    """A table of counts as whole numbers."""
    try:
        table = np.asarray(counts, dtype=float)
    except (TypeError, ValueError):
        raise RatingsError("A table of counts must contain only numbers, in rows of equal length.") from None
    if table.ndim != 2 or not table.shape[1]:
        raise RatingsError("A table of counts needs rows and columns.")
    if not np.isfinite(table).all() or (table < 0).any() or (table != np.floor(table)).any():
        raise RatingsError("A table of counts must contain whole numbers of 0 or more.")
    if table.sum() > _MOST_COUNTED:
        raise RatingsError(
            f"A table of {table.sum():,.0f} ratings does not fit in memory. Measure fewer units at a time."
        )
    return table.astype(np.int64)


def _of_counts(q: int, scale: Scale | None) -> tuple[tuple[Any, ...], Scale]:
    """The categories of q columns."""
    if scale is None:
        scale = Scale("interval", tuple(range(1, q + 1)), inferred=True)
    if scale.categories is None or len(scale.categories) != q:
        declared = "declares none" if scale.categories is None else f"declares {len(scale.categories)}"
        raise RatingsError(
            f"The table counts {q} categories, but the scale {declared}. Declare one category for each column of the "
            "table."
        )
    return _categories([], scale, False), scale


def _of(criterion: str, unit: str) -> str:
    return f"{criterion} of {unit}" if criterion else unit


def _clusters(unit: Column, cluster: Column | None) -> tuple[str, ...] | None:
    """Return the cluster of each unit; a unit without one is its own cluster."""
    if cluster is None or not len(cluster.names):
        return None
    of_unit = np.full(len(unit.names), NOTHING, dtype=np.int32)
    named = cluster.there
    of_unit[unit.places[named]] = cluster.places[named]
    other = named & (of_unit[unit.places] != cluster.places)
    if other.any():
        row = int(np.argmax(other))
        here, there = cluster.at(row), cluster.names[of_unit[unit.places[row]]]
        raise RatingsError(
            f"{unit.at(row)} is in cluster {here} in one row and in {there} in another row. Use the same cluster in "
            "both rows."
        )
    return tuple(
        name if at == NOTHING else str(cluster.names[at]) for name, at in zip(unit.names, of_unit.tolist(), strict=True)
    )


def _numbers(values: Sequence[Any]) -> list[float] | None:
    """The values as numbers if every one of them is a number or the text of one."""
    try:
        numbers = [float(value) for value in values]
    except (TypeError, ValueError, OverflowError):
        return None
    if any(isinstance(value, bool) or (isinstance(value, str) and "_" in value) for value in values):
        return None
    for number, value in zip(numbers, values, strict=True):
        if not math.isfinite(number):
            raise RatingsError(f"The rating {value!r} is not a finite number. Correct the rating, or remove the row.")
    return numbers


def _text(value: Any) -> Hashable:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


def _categories(values: Sequence[Hashable], scale: Scale, numeric: bool) -> tuple[Any, ...]:
    if scale.categories is None:
        if scale.level != "nominal" and not numeric:
            raise RatingsError(
                f"The values are text. For an {scale.level} scale of text values, list the values in order."
            )
        distinct = set(values)
        texts = sorted(value for value in distinct if isinstance(value, str))
        return (*sorted(value for value in distinct if not isinstance(value, str)), *texts)  # type: ignore[type-var]
    declared = _numbers(scale.categories)
    if declared is not None and (numeric or not values):
        categories: tuple[Any, ...] = tuple(declared)
    elif scale.level in ("interval", "ratio"):
        article = "An" if scale.level == "interval" else "A"
        raise RatingsError(
            f"{article} {scale.level} scale needs numbers as values. Declare the scale as nominal or ordinal, or "
            "correct the values."
        )
    else:
        categories = tuple(_text(value) for value in scale.categories)
    if len(set(categories)) < len(categories):
        raise RatingsError(
            f"The declared scale lists a value twice: {', '.join(map(str, categories))}. Remove the duplicate."
        )
    if numeric and declared is None and values:
        raise RatingsError(
            f"The ratings are numbers, but the declared scale is {', '.join(map(str, categories))}. Correct the "
            "ratings or the scale."
        )
    return categories
