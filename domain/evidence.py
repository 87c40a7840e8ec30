"""The reviewer's bundle: how it lies in a folder, and what is said of each figure in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

FORMAT = "touchstone-evidence"
VERSION = 1
"""Of the bundles that are written; older ones are read, newer ones refused."""

FOLDER = "evidence"
"""Below the root of a release."""
MANIFEST, FIGURES, VERDICTS, POLICIES = "manifest.json", "figures.json", "verdicts.jsonl", "policies.json"
VOTES = "annotation"
"""The table that holds what people submitted."""


def table_path(name: str) -> str:
    """Where the rows of a table are, a JSON object on each line."""
    return f"tables/{name}.jsonl"


def lines_path(name: str) -> str:
    """Where the hash of each of those lines is."""
    return f"lines/{name}.txt"


LINE_DIGITS = 16
"""Of the hexadecimal digits of a line's SHA-256, so many are kept: enough to name the line that was changed."""


@dataclass(frozen=True)
class Selected:
    """Rows of a file of the bundle: those whose columns have these values, a list standing for any of its values."""

    path: str
    where: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """As it stands in ``figures.json``."""
        return {"path": self.path, "where": dict(self.where)}


@dataclass(frozen=True)
class Told:
    """A figure that was printed."""

    id: str
    """Stays the same as long as what is measured does: ``agreement.verification.choice.cohen_kappa.all``."""
    title: str
    """For people."""
    value: float | int | str | None
    """None: it is undefined, and ``reason`` says why."""
    low: float | None = None
    high: float | None = None
    n: int | None = None
    """The units that it rests on."""
    left_out: int | None = None
    method: str = ""
    """Of the interval."""
    reason: str | None = None
    rows: Sequence[Selected] = ()
    """What proves it."""

    def as_json(self) -> dict[str, Any]:
        """As a line of ``figures.json``: nothing is rounded."""
        told = {
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
        kept = {name: each for name, each in told.items() if each is not None or name == "value"}
        return {**kept, "rows": [each.as_json() for each in self.rows]}

    @property
    def measured(self) -> tuple[Any, ...]:
        """What has to be the same when it is computed again."""
        return self.value, self.low, self.high, self.n, self.left_out, self.reason
