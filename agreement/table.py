"""The long table ``unit, rater, criterion, value``, column by column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.columns import Column, column, gathered, of_objects
from agreement.ratings import Ints, Ratings, Scale
from domain.errors import RatingsError
from domain.records import Rating


@dataclass(frozen=True, eq=False)
class LongTable:
    """Ratings of any number of criteria: equally long columns, each distinct name held once.

    Make one with :meth:`from_rows`, or with :meth:`from_frame` from a pandas data frame.
    """

    unit: Column
    rater: Column
    criterion: Column
    value: Column
    dimension: Column | None = None
    cluster: Column | None = None
    times: Ints | None = None
    """(rows,): how many units the unit of each row stands for, all with the same ratings; None for one."""

    def __len__(self) -> int:
        return len(self.unit)

    @classmethod
    def from_rows(cls, rows: Iterable[Rating]) -> LongTable:
        """The table of the given ratings."""
        rows = list(rows)
        n = len(rows)
        return cls(
            gathered((row.unit for row in rows), n),
            gathered((row.rater for row in rows), n),
            gathered((row.criterion for row in rows), n),
            of_objects([row.value for row in rows]),
            of_objects([row.dimension for row in rows], "dimension"),
            of_objects([row.cluster for row in rows], "cluster"),
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        unit: str = "unit",
        rater: str = "rater",
        criterion: str | None = "criterion",
        value: str = "value",
        dimension: str | None = "dimension",
        cluster: str | None = "cluster",
    ) -> LongTable:
        """Read a pandas data frame, or another table with named columns; the arguments give the column names.

        Parameters
        ----------
        frame
            One row per rating.
        unit, rater, value
            The columns that there must be. A value of None, nan or NA is a missing rating.
        criterion, dimension, cluster
            The columns that there may be; without a criterion, all ratings are of one called "value".

        Raises
        ------
        RatingsError
            A column is missing, is there twice, or has a row that names no unit, rater or criterion.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"unit": [1, 1], "rater": ["ann", "bob"], "grade": [0.5, 1]})
        >>> LongTable.from_frame(frame, value="grade").ratings("value").codes.tolist()
        [[0, 1]]
        """
        there = [str(name) for name in getattr(frame, "columns", frame)]
        wanted = {"unit": unit, "rater": rater, "criterion": criterion, "value": value}
        wanted |= {"dimension": dimension, "cluster": cluster}
        columns: dict[str, Column] = {}
        for what, name in wanted.items():
            if name is not None and there.count(name) > 1:
                raise RatingsError(
                    f"The data frame has {there.count(name)} columns called {name!r}. Keep only one of these columns."
                )
            if name is None or name not in there:
                if what in ("unit", "rater", "value"):
                    has = ", ".join(there) or "no column"
                    raise RatingsError(
                        f"The data frame has no column {name!r} for the {what}. Choose one of these columns: {has}."
                    )
                continue
            read = column(frame[name], name)
            if what in ("unit", "rater", "criterion") and not read.there.all():
                row = int(np.argmin(read.there)) + 1
                raise RatingsError(
                    f"Row {row:,} of the data frame has no {what}. Add the missing value, or remove the row."
                )
            columns[what] = read if what == "value" else read.renamed(str)
        if "criterion" not in columns:
            columns["criterion"] = gathered(["value"] * len(columns["unit"]), len(columns["unit"]))
        return cls(**columns, times=None)

    def rows(self, kept: NDArray[Any]) -> LongTable:
        """Only these rows (places or booleans)."""
        return replace(
            self,
            unit=self.unit.of(kept),
            rater=self.rater.of(kept),
            criterion=self.criterion.of(kept),
            value=self.value.of(kept),
            dimension=self.dimension and self.dimension.of(kept),
            cluster=self.cluster and self.cluster.of(kept),
            times=None if self.times is None else self.times[kept],
        )

    def of_raters(self, raters: Iterable[str]) -> LongTable:
        """Only the rows of these raters."""
        wanted = set(raters)
        return self.rows(_named(self.rater, lambda name: name in wanted))

    def of_criterion(self, criterion: str) -> LongTable:
        """Only the rows of this criterion."""
        return self if self.criterion.names == (criterion,) else self.rows(_named(self.criterion, criterion.__eq__))

    def by_dimension(self) -> Iterator[tuple[str | None, LongTable]]:
        """The rows of each dimension, in the order in which the dimensions first occur."""
        if self.dimension is None:
            yield None, self
            return
        places = self.dimension.places
        for place in dict.fromkeys(places.tolist()):
            yield (None if place < 0 else self.dimension.names[place]), self.rows(places == place)

    def ratings(self, criterion: str, *, scale: Scale | None = None) -> Ratings:
        """The units and raters of one criterion, on a scale; ``RatingsError`` as :meth:`Ratings.from_rows`."""
        part = self.of_criterion(criterion)
        ratings = Ratings.from_columns(
            part.unit, part.rater, part.value, clusters=part.cluster, scale=scale, criterion=criterion
        )
        if part.times is None:
            return ratings
        rated = part.rows(part.value.there)
        assert rated.times is not None
        _, first = np.unique(rated.unit.places, return_index=True)
        return replace(ratings, times=rated.times[first])


def _named(column: Column, wanted: Any) -> NDArray[np.bool_]:
    """(rows,): where the name is one of the wanted."""
    kept = np.array([bool(wanted(name)) for name in column.names] + [False], dtype=bool)
    rows: NDArray[np.bool_] = kept[column.places]
    return rows
