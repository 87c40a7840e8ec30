"""Signals of a leak check, and the decision which of them are leaks: the certain ones, and those whose tests reject."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agreement import holm
from extensions.leaks.stats import ChanceTest
from extensions.leaks.tables import PLACE


@dataclass(frozen=True)
class Signal:
    """Something public that may tell the key."""

    kind: str
    """A row of ``check.ADVICE``, such as ``key`` (a column), ``names`` (of files), ``order`` (of rows) or ``ids``."""
    where: str
    what: str
    test: ChanceTest
    is_certain: bool = False
    """The signal is a leak, whatever its test shows."""
    column: str = ""
    """For a column: its name."""
    same: bytes = b""
    """Equal for tests of the same values in several files: these count as one test."""
    is_of_writing: bool = False
    """The signal tests how texts are written, which is one of very many tests."""

    @property
    def place(self) -> tuple[str, str]:
        """Return the column with all that is derived from it, such as the entries and the length of a list."""
        return self.where, PLACE.sub("", self.column).removesuffix(" (length)").removesuffix("[]")


def find_leaking(signals: Sequence[Signal], level: float) -> Iterator[Signal]:
    """Yield the signals that are leaks, the certain ones first; all tests share one level.

    How texts are written is tested in very many ways, so these tests have half of the level for themselves. A column is
    reported once. The first that applies wins: the column is the key, is associated with the key, or is written in a
    way that depends on the key.
    """
    certain = [each for each in signals if each.is_certain]
    yield from certain
    tested = [each for each in signals if each.test.n and not each.is_certain]
    rejected: list[Signal] = []
    for is_writing in (False, True):
        rejected += _rejected([each for each in tested if each.is_of_writing == is_writing], level / 2)
    reported = {each.place for each in certain if each.column}
    for signal in sorted(rejected, key=lambda each: (each.kind != "key", each.is_of_writing, each.test.p_value)):
        if signal.place in reported and (signal.is_of_writing or signal.kind == "columns"):
            continue
        if signal.column and signal.kind != "names":
            reported.add(signal.place)
        yield signal


def _rejected(signals: Sequence[Signal], level: float) -> list[Signal]:
    """Return the signals whose tests reject independence and that exceed the least difference.

    The tests share the level by Holm's procedure [1]_. Equal values in several files are one test.

    References
    ----------
    .. [1] Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics
       6.
    """
    first: dict[bytes | int, Signal] = {}
    for at, signal in enumerate(signals):
        first.setdefault(signal.same or at, signal)
    p_values = dict(zip(first, holm([signal.test.p_value for signal in first.values()]), strict=True))
    return [
        signal for at, signal in enumerate(signals) if p_values[signal.same or at] <= level and signal.test.is_large
    ]
