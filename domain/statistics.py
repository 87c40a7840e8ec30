"""Registry rows for statistics of raters: the function, the values that it needs, and where it is shown.

The rows are defined next to their functions, in the modules of ``agreement/``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from domain.overlap import Shape
from domain.registers import Register


class Needs(StrEnum):
    """The property that values of a scale must have."""

    NAMES = "names"
    """No property: values are only equal or different."""
    ORDER = "order"
    NUMBERS = "numbers"
    RATIO = "ratio"
    """Numbers with a true zero."""
    TOLERANCE = "tolerance"
    """Numbers with a stated tolerance within which they agree."""
    SPANS = "spans of time"
    BOXES = "boxes"

    @classmethod
    def of_shape(cls, shape: Shape) -> Needs:
        """Return the property for values of a shape that are compared by overlap."""
        return cls.SPANS if shape is Shape.SPANS else cls.BOXES


OVERLAP = frozenset({Needs.SPANS, Needs.BOXES})
"""Kinds of values that are compared by their overlap."""


class SummaryRows(StrEnum):
    """The rows that a statistic has in a summary of ratings."""

    WHOLE = "once"
    PAIRS = "for each pair"
    WHOLE_AND_PAIRS = "one value for all raters and one for each pair"
    OF_TWO = "one value, for exactly two raters"
    OF_SEVERAL = "one value, for more than two raters"
    NONE = "in Python only"


class SingleRatingEffect(StrEnum):
    """The effect of a unit with a single rating, which shows neither agreement nor disagreement."""

    LEFT_OUT = "left out"
    """No effect: on the same scale, the value is the same without the unit."""
    IN_SHARES = "in the shares"
    """The rating counts in the category shares, which change chance agreement; apart from that, the unit is left out.
    """
    A_UNIT = "a unit"
    """The unit counts like others, because it shows how much units differ."""


@dataclass(frozen=True)
class Behaviour:
    """Properties of a statistic that hold for all ratings. The tests check them for every statistic."""

    perfect: float | None = 1.0
    """The value if all raters agree and units differ; None if it depends on the units."""
    chance: float | None = 0.0
    """The value if raters guess with the same category shares; None if it depends on the shares."""
    constant: float | None = None
    """The value if all ratings are equal; None if it is undefined."""
    swapped: int = 1
    """The factor by which the value changes if two raters are swapped; 0 if the new value is unrelated."""
    repeated: bool = True
    """Whether the value stays the same if every unit is duplicated. Formulas with n - 1 change a little."""
    moved: bool = True
    """Whether the value stays the same if all numbers are shifted and scaled."""
    lone: SingleRatingEffect = SingleRatingEffect.LEFT_OUT
    """The effect of a unit with a single rating."""


@dataclass(frozen=True)
class Variant:
    """One set of arguments with which a statistic is computed."""

    args: Mapping[str, Any] = field(default_factory=dict)
    """Keyword arguments of the function."""
    needs: Needs | None = None
    """The property that values must have; None means that of the row."""
    shown: Needs | None = Needs.NAMES
    """The property of a scale for which a summary shows the variant; None means that only Python offers it."""
    title: str | None = None
    """The display name; None means the row's title with the weights or the level."""
    behaviour: Behaviour | None = None
    """The behavior of the variant; None means that of the row."""


@dataclass(frozen=True)
class StatisticRow:
    """A statistic of raters: a function of ratings."""

    function: Callable[..., Any]
    """A function from ``agreement.Ratings`` to an ``agreement.Statistic``, or to a tuple that begins with one."""
    title: str
    """The display name."""
    meaning: str
    """A few words for tables."""
    place: int
    """The sort position in lists. The variants of rows with the same position alternate."""
    needs: Needs = Needs.NAMES
    """The property that values must have."""
    pairwise: bool = False
    """Whether the statistic takes exactly two raters."""
    lines: SummaryRows = SummaryRows.WHOLE
    shown: Needs = Needs.NAMES
    """The property of a scale for which a summary shows the statistic. Statistics for any scale are always listed,
    even with a single rater and then with the reason for having no value.
    """
    variants: Sequence[Variant] = (Variant(),)
    mean_of: str | None = None
    """The statistic of two raters whose mean over all pairs this statistic is."""
    headline: bool = False
    """Whether the short table of the page Agreement shows it."""
    in_units: bool = False
    """Whether its value is in units of the scale, so that an axis from chance to perfect agreement cannot show it."""
    caution: str = ""
    """A warning against misreading the value, shown next to it; empty if no warning is needed."""
    behaviour: Behaviour = Behaviour()

    @property
    def name(self) -> str:
        """Return the name in schemas, commands and files, which is the function's name."""
        return str(self.function.__name__)

    def title_of(self, args: Mapping[str, Any]) -> str:
        """Return the title of the variant with these ``args``, which may contain further entries."""
        for variant in self.variants:
            if variant.title and variant.args.items() <= args.items():
                return f"{variant.title}, {args['tolerance']}" if "tolerance" in args else variant.title
        asked = args.get("weights", args.get("level"))
        return self.title if asked in (None, "none") else f"{self.title}, {asked}"


def weighted(*weights: str, plain: str | None = None, other: str | None = None, **more: Any) -> tuple[Variant, ...]:
    """Return a variant for each of these weights.

    Without weights, values may be names; with weights, they must be numbers. ``plain`` and ``other`` are the titles
    without and with weights, if they have names of their own; ``more`` applies to the variants with weights.
    """
    return tuple(
        Variant({"weights": weight}, Needs.NAMES, title=plain)
        if weight == "none"
        else Variant({"weights": weight}, Needs.NUMBERS, title=f"{other}, {weight}" if other else None, **more)
        for weight in weights
    )


STATISTICS: Register[StatisticRow] = Register("agreement.rows")
"""All statistics of raters by name."""


def summarised() -> dict[str, StatisticRow]:
    """Return the statistics that a summary of ratings shows, and that schemas and commands may name."""
    return {name: row for name, row in STATISTICS.items() if row.lines is not SummaryRows.NONE}
