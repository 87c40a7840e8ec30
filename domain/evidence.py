"""The reviewer's bundle: the layout of its folder, and the record of each figure in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

FORMAT = "touchstone-evidence"
VERSION = 1
"""The version of bundles that are written. Older bundles can be read, newer ones are refused."""

FOLDER = "evidence"
"""The folder's name below the root of a release."""
MANIFEST, FIGURES, VERDICTS, POLICIES = "manifest.json", "figures.json", "verdicts.jsonl", "policies.json"


def table_path(name: str) -> str:
    """Return the path of a table's rows, with a JSON object on each line."""
    return f"tables/{name}.jsonl"


def lines_path(name: str) -> str:
    """Return the path of the hashes of a table's lines."""
    return f"lines/{name}.txt"


LINE_DIGITS = 16
"""The number of hexadecimal digits of a line's SHA-256 that are kept. They suffice to name a changed line."""


@dataclass(frozen=True)
class RowSelection:
    """Rows of a file in the bundle whose columns have these values. A list matches any of its values."""

    path: str
    where: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the selection as ``figures.json`` holds it."""
        return {"path": self.path, "where": dict(self.where)}


@dataclass(frozen=True)
class PrintedFigure:
    """A figure that was printed."""

    id: str
    """An ID that stays the same for the same measurement: ``agreement.verification.choice.cohen_kappa.all``."""
    title: str
    """A title for people."""
    value: float | int | str | None
    """The value; None if it is undefined, with the ``reason``."""
    low: float | None = None
    high: float | None = None
    n: int | None = None
    """The number of units behind the figure."""
    left_out: int | None = None
    method: str = ""
    """The method of the interval."""
    reason: str | None = None
    rows: Sequence[RowSelection] = ()
    """The rows that prove the figure."""

    def as_json(self) -> dict[str, Any]:
        """Return the figure as a line of ``figures.json``, without rounding."""
        record = {
            "id": self.id,
            "title": self.title,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "n": self.n,
            "left_out": self.left_out,
            "method": self.method or None,
            "reason": self.reason,
        }
        kept = {name: value for name, value in record.items() if value is not None or name == "value"}
        return {**kept, "rows": [row.as_json() for row in self.rows]}

    @property
    def measured(self) -> tuple[Any, ...]:
        """Return the values that a second computation must reproduce."""
        return self.value, self.low, self.high, self.n, self.left_out, self.reason
