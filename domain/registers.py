"""Rows that one room keeps and that rooms read which must not know it: they ask the register, by a row's name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from domain.module_names import import_own


class Named(Protocol):
    """A row."""

    @property
    def name(self) -> str:
        """What it is called in files and commands."""


R = TypeVar("R", bound=Named)


class Register(Mapping[str, R], Generic[R]):
    """Rows by name, in their order. They are fetched when one of them is first read.

    Parameters
    ----------
    kept_in
        Where the rows are: a module whose function ``rows()`` gives its own, or such a function itself.

    Raises
    ------
    ValueError
        When they are fetched: two rows have the same name.
    """

    def __init__(self, *kept_in: str | Callable[[], Sequence[R]]) -> None:
        self._kept_in = kept_in
        self._rows: dict[str, R] | None = None

    def _fetched(self) -> dict[str, R]:
        if self._rows is None:
            found: dict[str, R] = {}
            for place in self._kept_in:
                rows: Sequence[Any] = import_own(place).rows() if isinstance(place, str) else place()
                for row in rows:
                    if found.setdefault(row.name, row) is not row:
                        raise ValueError(f"There are two rows called {row.name!r} (in {place}).")
            self._rows = found
        return self._rows

    def __getitem__(self, name: str) -> R:
        return self._fetched()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fetched())

    def __len__(self) -> int:
        return len(self._fetched())


def declared(package: str, name: str) -> list[Any]:
    """Everything that the modules of a package list under ``name``, such as ``ROWS``, module by module."""
    found: list[Any] = []
    for module in modules_of(package):
        found += getattr(import_own(module), name, ())
    return found


def modules_of(package: str) -> list[str]:
    """The dotted names of the modules of a package, sorted; packages within it are left out."""
    from pkgutil import iter_modules

    paths = import_own(package).__path__
    return sorted(f"{package}.{each.name}" for each in iter_modules(paths) if not each.ispkg)


def function_of(named: Callable[..., Any] | str | None) -> Any:
    """A function that a row names: itself, or by ``module:function``, which is imported now."""
    if not isinstance(named, str):
        return named
    module, _, name = named.partition(":")
    return getattr(import_own(module), name)
