"""The decision which signals are leaks: the certain ones, and those whose tests are rejected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from extensions.leaks.rows import Signal
from extensions.leaks.stats import rejected


def told_by(signals: Sequence[Signal], level: float) -> Iterator[Signal]:
    """Yield the signals that are leaks, the certain ones first; all tests share one level.

    How texts are written is tested in very many ways, so these tests have half of the level for themselves. A column is
    reported once. The first that applies wins: the column is the key, is associated with the key, or is written in a
    way that depends on the key.
    """
    certain = [each for each in signals if each.certain]
    yield from certain
    tested = [each for each in signals if each.tried.n and not each.certain]
    fallen: list[Signal] = []
    for is_writing in (False, True):
        fallen += _fallen([each for each in tested if each.is_of_writing == is_writing], level / 2)
    told = {each.place for each in certain if each.column}
    for signal in sorted(fallen, key=lambda each: (each.kind != "key", each.is_of_writing, each.tried.p_value)):
        if signal.place in told and (signal.is_of_writing or signal.kind == "columns"):
            continue
        if signal.column and signal.kind != "names":
            told.add(signal.place)
        yield signal


def _fallen(tested: Sequence[Signal], level: float) -> list[Signal]:
    """Return the signals whose tests are rejected and that exceed the least difference. Equal values in several files
    are one test.
    """
    first: dict[bytes | int, Signal] = {}
    for at, each in enumerate(tested):
        first.setdefault(each.same or at, each)
    falls = dict(zip(first, rejected([each.tried.p_value for each in first.values()], level), strict=True))
    return [each for at, each in enumerate(tested) if falls[each.same or at] and each.tried.off]
