"""The positions of right options by dimension, and a test against random positions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports.content import Cell, ReportTable
from workflow.releases.text_rules import Choice

LEAST = 5
"""The minimum expected count for each position that the test needs."""


@dataclass(frozen=True)
class Places:
    """The positions of the right options of some items."""

    title: str
    """The title of the dimension, or of all items."""
    counts: Sequence[int]
    """The number of items for each position."""
    statistic: float | None
    """Pearson's chi squared against equal counts; None if the test does not apply."""
    p: float | None
    why: str = ""
    """The reason why there is no test."""

    def as_json(self) -> dict[str, Any]:
        """Return the counts and the test as JSON values."""
        return {
            "dimension": self.title,
            "counts": list(self.counts),
            "chi_squared": self.statistic,
            "p": self.p,
            "why_none": self.why or None,
        }


def places_of(choices: Sequence[Choice], titles: Mapping[str, str]) -> list[Places]:
    """Return the positions in each dimension, if there are several, and overall."""
    by_dimension: dict[str, list[Choice]] = {}
    for choice in choices:
        by_dimension.setdefault(choice.dimension, []).append(choice)
    parts = [(titles.get(name, name), own) for name, own in by_dimension.items()] if len(by_dimension) > 1 else []
    most = max((len(choice.options) for choice in choices), default=0)
    return [_places(title, own, most) for title, own in [*parts, ("All", list(choices))]]


def _places(title: str, choices: Sequence[Choice], most: int) -> Places:
    counted = Counter(choice.key for choice in choices)
    counts = [counted[at] for at in range(most)]
    sizes = {len(choice.options) for choice in choices}
    if len(sizes) != 1:
        return Places(title, counts, None, None, "items have different numbers of options")
    (size,) = sizes
    if size < 2:
        return Places(title, counts, None, None, "there is only one option")
    if len(choices) < LEAST * size:
        return Places(title, counts, None, None, f"fewer than {LEAST} items for each position")
    from scipy import stats  # half a second, where it is read that keys are balanced

    test = stats.chisquare(counts[:size])
    return Places(title, counts, float(test.statistic), float(test.pvalue))


def table(places: Iterable[Places]) -> ReportTable | None:
    """Return the positions as a table, or None if there are none."""
    tables = list(places)
    if not tables or not tables[-1].counts:
        return None
    heads = ("Dimension", *(f"Position {at + 1}" for at in range(len(tables[-1].counts))), "Chi squared", "p")
    rows: list[tuple[Cell, ...]] = []
    for table_row in tables:
        cells = ("-", table_row.why) if table_row.p is None else (f"{table_row.statistic:.2f}", f"{table_row.p:.3g}")
        rows.append((table_row.title, *table_row.counts, *cells))
    return ReportTable("places", "Positions of right options", heads, tuple(rows), "items")
