"""The content of a report, independent of its layout: sections with plain sentences, tables and charts.

All classes are frozen, and :func:`as_json` converts them to JSON. HTML, PDF and CSV are made from the same tree.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal

from agreement.statistic import Statistic


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


Verdict = Literal["replace", "limited", "correct", "no", "people", "open"]


@dataclass(frozen=True)
class Ruling:
    """The verdict on one judge for one criterion (and dimension), with its reasons."""

    judge: str
    criterion: str
    dimension: str | None
    verdict: Verdict
    words: str
    why: tuple[str, ...]
    """Sentences. The first one names unread replies or a bias, if these limit the verdict."""
    answers: int = 0
    """Number of units that people and the judge share."""
    questions: int | None = None
    """Number of questions (items) behind these units. None: unknown."""
    copies: tuple[str, ...] = ()
    """Judges that are near-copies of this one, and count as one judge together with it."""
    bias: str = ""
    """The sentence about a bias that limits the verdict, one of ``why``. Empty without such a bias."""
    unread: str = ""
    """The sentence about unread replies that limit the verdict, the first of ``why``. Empty without a limit."""

    @property
    def about(self) -> str:
        """Return one line that names the judge, its near-copies, and the subject of the verdict."""
        return " · ".join(filter(None, (" = ".join((self.judge, *self.copies)), self.criterion, self.dimension)))

    @property
    def sentence(self) -> str:
        """Return the verdict, with the unread replies and the bias that limit it.

        >>> Ruling("a", "score", None, "limited", "Not to rank", (), bias="Do not rank models by it.").sentence
        'Not to rank. Do not rank models by it.'
        """
        limits = " ".join(filter(None, (self.unread, self.bias)))
        return f"{self.words}. {limits}" if limits else self.words

    @property
    def counted(self) -> str:
        """Return the number of questions and answers behind the verdict.

        >>> Ruling("a", "score", None, "replace", "", (), 1800, 300).counted
        '300 questions, 1,800 answers'
        """
        if not self.answers:
            return ""
        if self.questions is None:
            return f"{self.answers:,} units; which belong to one question is not known"
        return f"{self.questions:,} {'question' if self.questions == 1 else 'questions'}, {self.answers:,} answers"


@dataclass(frozen=True)
class Rulings:
    """The box with the verdicts."""

    rule: tuple[str, ...]
    """The rule, in sentences."""
    rulings: tuple[Ruling, ...]
    when: str = "The default rule, chosen afterwards"
    """When the rule was set, as a heading."""


# ---- charts ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mark:
    """A value with its interval, of one series."""

    series: str
    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Dots:
    """Values with intervals, one line for each label, for comparison with a reference."""

    key: str
    title: str
    axis: str
    lines: tuple[tuple[str, tuple[Mark, ...]], ...]
    zero: bool = False
    """Whether to draw a line at zero."""
    within: tuple[float, float] | None = None
    first: int = 0
    """The index of the first series: 0 is that of people, judges begin with 1."""


@dataclass(frozen=True)
class Heat:
    """A table of counts. A cell's color is its share of the row."""

    key: str
    title: str
    down: str
    across: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Bars:
    """Shares side by side, one group for each label."""

    key: str
    title: str
    axis: str
    labels: tuple[str, ...]
    series: tuple[tuple[str, tuple[float, ...]], ...]
    people: int = 0
    """The number of series at the start that are people. They share a color."""


@dataclass(frozen=True)
class Point:
    """A point of a line, with its interval if it has one."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class LineChart:
    """Lines over a horizontal axis."""

    key: str
    title: str
    across: str
    up: str
    series: tuple[tuple[str, tuple[Point, ...]], ...]
    diagonal: bool = False
    """Whether to draw the line on which both axes are equal."""
    log_x: bool = False
    first: int = 1


Chart = Dots | Heat | Bars | LineChart
Block = Paragraph | ReportTable | Rulings | Dots | Heat | Bars | LineChart


# ---- the whole ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Section:
    """One numbered section. ``lead`` is a sentence with its result."""

    number: int
    key: str
    title: str
    lead: str
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True)
class RatingSource:
    """The source of the ratings, so that others can check them."""

    name: str
    sha256: str
    what: str
    """The kind of source in words: "file" or "project"."""
    counted: str = ""
    """For a project: which items were counted, as a sentence."""


@dataclass(frozen=True)
class CalibrationReport:
    """A calibration report."""

    title: str
    subtitle: str
    source: RatingSource
    humans: tuple[str, ...]
    judges: tuple[str, ...]
    sections: tuple[Section, ...]
    made_with: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    def tables(self) -> Sequence[ReportTable]:
        """Return all tables, in order."""
        return [block for section in self.sections for block in section.blocks if isinstance(block, ReportTable)]

    def section(self, key: str) -> Section:
        """Return the section of this key."""
        return next(each for each in self.sections if each.key == key)


def as_json(value: Any) -> Any:
    """Return a tree of dataclasses as JSON values. Every block names its type, and no number is infinite or nan."""
    if is_dataclass(value) and not isinstance(value, type):
        found = {each.name: as_json(getattr(value, each.name)) for each in fields(value)}
        kind = _BLOCKS.get(type(value))
        return {"type": kind, **found} if kind is not None else found
    if isinstance(value, Mapping):
        return {str(key): as_json(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [as_json(each) for each in value]
    if isinstance(value, float):
        return _number(value)
    return value


_BLOCKS: Mapping[type, str] = {
    Paragraph: "text",
    ReportTable: "table",
    Rulings: "rulings",
    Dots: "dots",
    Heat: "heat",
    Bars: "bars",
    LineChart: "lines",
    Figure: "figure",
}
"""The ``type`` of each block in a report's JSON."""


def _number(value: float) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)
