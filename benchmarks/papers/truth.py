"""Numbers by hand: means, correlations, kappas and slices as their definitions have them, and how papers print them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

Number = Fraction | float
NOTHING = "\N{EN DASH}"


@dataclass
class Table:
    """What a table has to say: names of rows and columns in their order, each with its group, and printed cells."""

    name: str
    rows: list[tuple[str, str]]
    columns: list[tuple[str, str]]
    cells: dict[tuple[tuple[str, str], tuple[str, str]], str] = field(default_factory=dict)

    def put(self, row: tuple[str, str], column: tuple[str, str], words: str) -> None:
        """Say what stands in a cell."""
        self.cells[row, column] = words


def printed(value: Number | None, *, digits: int, percent: bool = False) -> str:
    """A number with so many decimals, halves rounded up; a dash where there is none."""
    if value is None:
        return NOTHING
    exact = value if isinstance(value, Fraction) else Fraction(round(value, 12))
    scaled = abs(exact) * (100 if percent else 1) * 10**digits
    whole = int(scaled + Fraction(1, 2))
    text = f"{whole // 10**digits}" + (f".{whole % 10**digits:0{digits}d}" if digits else "")
    return f"-{text}" if exact < 0 and whole else text


def mean(values: Iterable[Number]) -> Number | None:
    """Their mean; None of none."""
    known = list(values)
    return sum(known) / len(known) if known else None


def over(parts: Sequence[Number | None]) -> Number | None:
    """The mean of means, each of which counts alike; None where one is missing."""
    return (
        None if any(part is None for part in parts) or not parts else mean(part for part in parts if part is not None)
    )


def majority(values: Sequence[Hashable]) -> Hashable | None:
    """What more than half say."""
    value, n = Counter(values).most_common(1)[0]
    return value if 2 * n > len(values) else None


def pearson(pairs: Sequence[tuple[Number, Number]]) -> float:
    """The correlation of pairs of numbers."""
    n = len(pairs)
    a, b = (Fraction(sum(Fraction(pair[at]) for pair in pairs), n) for at in (0, 1))
    products = sum((Fraction(x) - a) * (Fraction(y) - b) for x, y in pairs)
    squares = [sum((Fraction(pair[at]) - centre) ** 2 for pair in pairs) for at, centre in ((0, a), (1, b))]
    return float(products) / math.sqrt(float(squares[0]) * float(squares[1]))


def agreeing(lots: Sequence[Sequence[Hashable]]) -> Fraction:
    """The share of pairs of raters that agree; every unit has the same raters."""
    pairs = [(one, other) for lot in lots for at, one in enumerate(lot) for other in lot[at + 1 :]]
    return Fraction(sum(one == other for one, other in pairs), len(pairs))


def cohen(pairs: Sequence[tuple[Hashable, Hashable]]) -> float:
    """Cohen's kappa for two raters without weights."""
    n = len(pairs)
    first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    seen = Fraction(sum(one == other for one, other in pairs), n)
    chance = sum(Fraction(first[value] * second[value], n * n) for value in first)
    return float((seen - chance) / (1 - chance))


def mean_cohen(lots: Sequence[Sequence[Hashable]]) -> float:
    """The mean of Cohen's kappas of all pairs of raters."""
    k = len(lots[0])
    kappas = [cohen([(lot[a], lot[b]) for lot in lots]) for a in range(k) for b in range(a + 1, k)]
    return sum(kappas) / len(kappas)


def fleiss(lots: Sequence[Sequence[Hashable]]) -> float:
    """Fleiss' kappa without weights."""
    seen = agreeing(lots)
    shares = Counter(value for lot in lots for value in lot)
    total = sum(shares.values())
    chance = sum(Fraction(n, total) ** 2 for n in shares.values())
    return float((seen - chance) / (1 - chance))


def icc_one(pairs: Sequence[tuple[Number, Number]]) -> float:
    """ICC(1,1) of two raters: mean squares between and within, as Shrout and Fleiss have them."""
    n = len(pairs)
    units = [[Fraction(one), Fraction(other)] for one, other in pairs]
    grand = sum(sum(unit) for unit in units) / (2 * n)
    between = sum(2 * (sum(unit) / 2 - grand) ** 2 for unit in units) / (n - 1)
    within = sum((value - sum(unit) / 2) ** 2 for unit in units for value in unit) / n
    return float((between - within) / (between + within))


def linear(rows: Sequence[tuple[Sequence[Fraction], Fraction]]) -> list[Fraction]:
    """The coefficients of least squares, the intercept first: the normal equations, solved exactly."""
    x = [[Fraction(1), *values] for values, _ in rows]
    n = len(x[0])
    system = [
        [sum((line[a] * line[b] for line in x), Fraction(0)) for b in range(n)]
        + [sum((line[a] * y for line, (_, y) in zip(x, rows, strict=True)), Fraction(0))]
        for a in range(n)
    ]
    for at in range(n):
        pivot = next(row for row in range(at, n) if system[row][at])
        system[at], system[pivot] = system[pivot], system[at]
        system[at] = [value / system[at][at] for value in system[at]]
        for row in range(n):
            if row != at:
                factor = system[row][at]
                system[row] = [one - factor * two for one, two in zip(system[row], system[at], strict=True)]
    return [line[-1] for line in system]


def parts(values: Mapping[Hashable, Number], bins: int) -> dict[Hashable, str]:
    """Each key with the part of the numbers that it is in: ``bins`` parts of about the same size, called from-to.

    An edge is the smallest number up to which a share of at least 1/bins, 2/bins, ... lies; a part goes up to its edge.
    """
    ordered = sorted(values.values())
    different = sorted(set(ordered))

    def short(value: Number) -> str:
        return f"{float(value):.0f}" if value == int(value) else f"{float(value):.2f}"

    if len(different) <= max(bins, 2):
        return {key: f"{float(value):g}" for key, value in values.items()}
    edges = sorted({ordered[math.ceil(len(ordered) * number / bins) - 1] for number in range(1, bins)})
    place = {key: sum(edge < value for edge in edges) for key, value in values.items()}
    names = {}
    for at in set(place.values()):
        inside = [values[key] for key in values if place[key] == at]
        low, high = short(min(inside)), short(max(inside))
        names[at] = low if low == high else f"{low} to {high}"
    return {key: names[at] for key, at in place.items()}
