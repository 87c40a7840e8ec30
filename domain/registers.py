"""Registers of rows that other modules define. Readers find a row by its name, without importing the module that
defines it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from domain.module_names import import_own


class NamedRow(Protocol):
    """A row with a name."""

    @property
    def name(self) -> str:
        """Return the name in files and commands."""


R = TypeVar("R", bound=NamedRow)


class Register(Mapping[str, R], Generic[R]):
    """Rows by name, in order. They are loaded when the first row is read.

    Parameters
    ----------
    kept_in
        The sources of the rows: modules with a function ``rows()``, or such functions.

    Raises
    ------
    ValueError
        When the rows are loaded: two rows have the same name.
    """

    def __init__(self, *kept_in: str | Callable[[], Sequence[R]]) -> None:
        self._kept_in = kept_in
        self._rows: dict[str, R] | None = None

    def _fetched(self) -> dict[str, R]:
        if self._rows is None:
            rows_by_name: dict[str, R] = {}
            for place in self._kept_in:
                rows: Sequence[Any] = import_own(place).rows() if isinstance(place, str) else place()
                for row in rows:
                    if rows_by_name.setdefault(row.name, row) is not row:
                        raise ValueError(f"Two rows have the name {row.name!r} (in {place}). Rename one of these rows.")
            self._rows = rows_by_name
        return self._rows

    def __getitem__(self, name: str) -> R:
        return self._fetched()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fetched())

    def __len__(self) -> int:
        return len(self._fetched())


def declared(package: str, name: str) -> list[Any]:
    """Return all entries of the lists called ``name``, such as ``ROWS``, in the modules of a package."""
    rows: list[Any] = []
    for module in modules_of(package):
        rows += getattr(import_own(module), name, ())
    return rows


def modules_of(package: str) -> list[str]:
    """Return the dotted names of a package's modules, sorted and without subpackages."""
    from pkgutil import iter_modules

    paths = import_own(package).__path__
    return sorted(f"{package}.{module.name}" for module in iter_modules(paths) if not module.ispkg)
