"""The content of a report, independent of its layout: sections with plain sentences, tables and charts.

All classes are frozen, and :func:`as_json` converts them to JSON. HTML, PDF and CSV are made from the same tree.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, ClassVar, Literal

from agreement.statistic import Statistic
from reports.vega import ChartSpec


@dataclass(frozen=True)
class Figure:
    """One number with its interval, method and counts. An undefined number is None with a reason."""

    value: float | None
    low: float | None
    high: float | None
    method: str
    n_units: int
    n_left_out: int = 0
    n_raters: int | None = None
    reason: str | None = None
    share: bool = False
    """Whether the number is a share, shown in percent."""

    @property
    def defined(self) -> bool:
        """Tell whether there is a value."""
        return self.value is not None

    @classmethod
    def of(cls, found: Statistic, *, share: bool = False) -> Figure:
        """Return the figure of a statistic."""
        return cls(
            _number(found.value),
            _number(found.low),
            _number(found.high),
            found.method,
            found.n_units,
            found.n_left_out,
            found.n_raters,
            found.reason,
            share,
        )

    @classmethod
    def without(cls, reason: str, *, n_units: int = 0, n_left_out: int = 0) -> Figure:
        """Return an undefined figure with its reason."""
        return cls(None, None, None, "none", n_units, n_left_out, None, reason)


Cell = str | int | float | Figure | None


@dataclass(frozen=True)
class Paragraph:
    """A paragraph. ``tone`` tells whether the paragraph explains, warns, or names missing data."""

    words: str
    tone: Literal["plain", "note", "warning", "missing"] = "plain"


@dataclass(frozen=True)
class UnitSelection:
    """The units behind a row of a table: those on which these raters differ, in one dimension or in all."""

    dimension: str | None
    raters: tuple[str, ...]
    criterion: str | None = None
    values: tuple[str, str] | None = None
    """Instead of any difference: the value of most raters before the last one, and the last rater's value."""
    unit: str | None = None
    """Instead of all other conditions: this one unit."""


@dataclass(frozen=True)
class ReportTable:
    """Rows of cells under named columns. ``key`` is the name of its CSV file."""

    key: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    unit: str = ""
    """The meaning of the numbers, such as "agreement, 1 is perfect" or "points of the scale"."""
    note: str = ""
    behind: tuple[UnitSelection | None, ...] = ()
    """The units behind each row, if the table has links. A page that knows the addresses makes the links."""


@dataclass(frozen=True)
class Mark:
    """A value with its interval, of one series."""

    series: str
    value: float | None
    low: float | None = None
    high: float | None = None


class ChartBlock(ABC):
    """A chart of a report: ``reports.charts.Dots``, or a class of an extension."""

    json_type: ClassVar[str]
    """The ``type`` in a report's JSON."""

    @abstractmethod
    def spec(self) -> ChartSpec:
        """Return the chart as Vega-Lite."""

    def parts(self) -> Sequence[ChartSpec]:
        """Return the chart in parts that fit a page."""
        return [self.spec()]


class HtmlBlock(ABC):
    """A block of an extension that draws itself."""

    json_type: ClassVar[str]
    """The ``type`` in a report's JSON."""

    @abstractmethod
    def html(self) -> Iterator[str]:
        """Yield the HTML of the block."""


Block = Paragraph | ReportTable | ChartBlock | HtmlBlock


# ---- the whole ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Section:
    """One numbered section. ``lead`` is a sentence with its result."""

    number: int
    key: str
    title: str
    lead: str
    blocks: tuple[Block, ...] = ()


def as_json(value: Any) -> Any:
    """Return a tree of dataclasses as JSON values. Every block names its type, and no number is infinite or nan."""
    if is_dataclass(value) and not isinstance(value, type):
        values = {attribute.name: as_json(getattr(value, attribute.name)) for attribute in fields(value)}
        kind = value.json_type if isinstance(value, ChartBlock | HtmlBlock) else _TYPES.get(type(value))
        return {"type": kind, **values} if kind is not None else values
    if isinstance(value, Mapping):
        return {str(key): as_json(child) for key, child in value.items()}
    if isinstance(value, tuple | list):
        return [as_json(child) for child in value]
    if isinstance(value, float):
        return _number(value)
    return value


_TYPES: Mapping[type, str] = {Paragraph: "text", ReportTable: "table", Figure: "figure"}
"""The ``type`` of each block in a report's JSON."""


def _number(value: float) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)
