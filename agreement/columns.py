"""Columns of a long table: every distinct value once, and where each occurs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from domain.errors import RatingsError

Places = NDArray[np.int32]

NOTHING = -1
"""The place of a cell that holds nothing."""


@dataclass(frozen=True, eq=False)
class Column:
    """The distinct values of a column, in the order in which they first occur, and the place of each row's among them.

    >>> column(["b", "a", "b", None])
    Column(names=('b', 'a'), places=array([ 0,  1,  0, -1], dtype=int32))
    """

    names: tuple[Any, ...]
    places: Places

    def __len__(self) -> int:
        return len(self.places)

    @property
    def there(self) -> NDArray[np.bool_]:
        """(rows,): where there is a value."""
        there: NDArray[np.bool_] = self.places != NOTHING
        return there

    def at(self, row: int) -> Any:
        """Return the value of a row, or None."""
        place = self.places[row]
        return None if place == NOTHING else self.names[place]

    def values(self) -> Iterator[Any]:
        """The value of every row."""
        names = (*self.names, None)
        return (names[place] for place in self.places.tolist())

    def of(self, rows: NDArray[Any]) -> Column:
        """The column of only these rows (places or booleans), with the names that occur there."""
        places = self.places[rows]
        return _first_come(self.names, places)

    def renamed(self, name: Callable[[Any], Hashable]) -> Column:
        """Every value by another name; values with one name become one, and the name None is nothing."""
        index: dict[Hashable, int] = {}
        new = [NOTHING if (to := name(label)) is None else index.setdefault(to, len(index)) for label in self.names]
        if len(index) == len(new):
            return Column(tuple(index), self.places)
        return _first_come(tuple(index), np.array([*new, NOTHING], dtype=np.int32)[self.places])


class Gathering:
    """A column received in pieces."""

    def __init__(self) -> None:
        self._index: defaultdict[Hashable, int] = defaultdict(count().__next__)
        self._pieces: list[Places] = []

    def add(self, values: Sequence[Any]) -> None:
        """Some more rows; they must be hashable."""
        self._pieces.append(np.fromiter(map(self._index.__getitem__, values), np.int32, len(values)))

    def column(self) -> Column:
        """All rows so far."""
        return Column(tuple(self._index), np.concatenate([np.zeros(0, np.int32), *self._pieces]))


def column(values: Any, what: str = "value") -> Column:
    """The column of a sequence, an array, or a column of a data frame; None, nan and the like are nothing.

    Raises
    ------
    RatingsError
        It has more than one axis, or holds something that is neither text nor a number.
    """
    if isinstance(values, Column):
        return values
    array = values.to_numpy() if hasattr(values, "to_numpy") else values
    if isinstance(array, np.ndarray):
        if array.ndim != 1:
            raise RatingsError(f"The column {what} is {array.ndim}-dimensional, but must be one-dimensional.")
        if array.dtype.kind in "biuf":
            return _of_numbers(array)
        if array.dtype.kind in "mM":
            array = array.astype(str)
        array = array.tolist()
    return without(of_objects(list(array), what), _absent)


def of_objects(values: list[Any], what: str = "value") -> Column:
    """Return the column of a list; only None marks a missing value."""
    kinds = set(map(type, values))
    try:
        if bool in kinds and kinds - {bool, str, type(None)}:  # True would be the same as 1
            objects = gathered(zip(map(type, values), values, strict=True), len(values))
            objects = Column(tuple(value for _, value in objects.names), objects.places)
        else:
            objects = gathered(values, len(values))
    except TypeError:
        wrong = next(value for value in values if not isinstance(value, Hashable))
        raise RatingsError(
            f"The column {what} contains {wrong!r}. A cell must be empty or contain text, a number, true or false."
        ) from None
    return without(objects, lambda name: name is None)


def gathered(values: Iterable[Hashable], n: int) -> Column:
    """The column of n hashable values."""
    index: defaultdict[Hashable, int] = defaultdict(count().__next__)
    places = np.fromiter(map(index.__getitem__, values), np.int32, n)
    return Column(tuple(index), places)


def without(found: Column, gone: Callable[[Any], bool]) -> Column:
    """The column with nothing in place of some values."""
    kept = [at for at, name in enumerate(found.names) if not gone(name)]
    if len(kept) == len(found.names):
        return found
    new = np.full(len(found.names) + 1, NOTHING, dtype=np.int32)
    new[kept] = np.arange(len(kept))
    return Column(tuple(found.names[at] for at in kept), new[found.places])


def _absent(name: Any) -> bool:
    """Whether a value is what data frames and arrays write for nothing."""
    return type(name).__name__ in ("NAType", "NaTType") or (isinstance(name, float) and name != name)


def _of_numbers(array: NDArray[Any]) -> Column:
    missing = np.isnan(array) if array.dtype.kind == "f" else np.zeros(len(array), dtype=bool)
    names, places = np.unique(array[~missing], return_inverse=True)
    whole = np.full(len(array), NOTHING, dtype=np.int32)
    whole[~missing] = places
    return _first_come(tuple(names.tolist()), whole)


def _first_come(names: tuple[Any, ...], places: Places) -> Column:
    """The same rows, with the names that occur in the order in which they do."""
    first = np.full(len(names) + 1, len(places), dtype=np.int64)
    first[places[::-1]] = np.arange(len(places) - 1, -1, -1)
    order = np.argsort(first[:-1], kind="stable")
    order = order[first[order] < len(places)]
    new = np.full(len(names) + 1, NOTHING, dtype=np.int32)
    new[order] = np.arange(len(order))
    return Column(tuple(names[at] for at in order.tolist()), new[places])
