"""What there is to know about a statistic of raters, as a row: who computes it, what it needs, where it is shown.

The rows stand next to the functions that they are about, in the modules of ``agreement/``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from domain.overlap import Shape
from domain.registers import Register


class Needs(StrEnum):
    """What the values of a scale must have."""

    NAMES = "names"
    """Nothing: equal or not."""
    ORDER = "order"
    NUMBERS = "numbers"
    RATIO = "ratio"
    """Numbers with a true zero."""
    TOLERANCE = "tolerance"
    """Numbers of which it is said how far they may be apart and still agree."""
    SPANS = "spans of time"
    BOXES = "boxes"

    @classmethod
    def of_shape(cls, shape: Shape) -> Needs:
        """What is measured by overlap needs."""
        return cls.SPANS if shape is Shape.SPANS else cls.BOXES


OVERLAP = frozenset({Needs.SPANS, Needs.BOXES})
"""Values that are compared by how far they overlap."""


class Lines(StrEnum):
    """Which lines a statistic has in a summary of ratings."""

    WHOLE = "once"
    PAIRS = "for each pair"
    WHOLE_AND_PAIRS = "once and for each pair"
    OF_TWO = "once, of two raters"
    OF_SEVERAL = "once, of more than two raters"
    NONE = "in Python only"


class Lone(StrEnum):
    """What a unit with one rating is to a statistic: no one agrees or disagrees there."""

    LEFT_OUT = "left out"
    """Nothing: on the same scale the value is as without it."""
    IN_SHARES = "in the shares"
    """One more use of its category, so agreement by chance changes; the unit is left out all the same."""
    A_UNIT = "a unit"
    """A unit like others: it says how far units differ."""


@dataclass(frozen=True)
class Behaviour:
    """What holds for a statistic whatever the ratings are. The tests hold every statistic to it."""

    perfect: float | None = 1.0
    """Its value where all agree on units that differ; None: it depends on the units."""
    chance: float | None = 0.0
    """Its value where raters guess, each with the same shares; None: it depends on the shares."""
    constant: float | None = None
    """Its value where all ratings are one value; None: it is undefined there."""
    swapped: int = 1
    """The factor by which the value changes when two raters change places; 0: it is another value."""
    repeated: bool = True
    """Whether the value stays if every unit is there twice. Formulas with n - 1 change it, less and less."""
    moved: bool = True
    """Whether the value stays if all numbers are shifted and stretched."""
    lone: Lone = Lone.LEFT_OUT
    """What a unit with one rating is to it."""


@dataclass(frozen=True)
class Variant:
    """One way of asking for a statistic."""

    args: Mapping[str, Any] = field(default_factory=dict)
    """Keyword arguments of the function."""
    needs: Needs | None = None
    """None: what the row needs."""
    shown: Needs | None = Needs.NAMES
    """A summary has it where the scale has this; None: it is there for those who ask for it in Python."""
    title: str | None = None
    """As people call it; None: the title of the row, and the weights or the level."""
    behaviour: Behaviour | None = None
    """None: that of the row."""


@dataclass(frozen=True)
class StatisticRow:
    """A statistic of raters: a function of ratings."""

    function: Callable[..., Any]
    """Takes ``agreement.Ratings`` and gives an ``agreement.Statistic``, or something that begins with one."""
    title: str
    """As people call it."""
    meaning: str
    """In a few words, for tables."""
    place: int
    """Where it stands in lists, from small to large. Rows with the same place take turns, variant by variant."""
    needs: Needs = Needs.NAMES
    """What the values must have for there to be a value."""
    pairwise: bool = False
    """It is for exactly two raters."""
    lines: Lines = Lines.WHOLE
    shown: Needs = Needs.NAMES
    """A summary has it where the scale has this. What any scale has is named, with the reason, even for one rater."""
    variants: Sequence[Variant] = (Variant(),)
    mean_of: str | None = None
    """The statistic of two raters whose mean over all pairs it is."""
    headline: bool = False
    """It is in the short table of the page Agreement."""
    in_units: bool = False
    """Its value is in the units of the scale, so that no axis from chance to perfect agreement can show it."""
    caution: str = ""
    """What its value must not be taken for, said next to it; empty: nothing that has to be said each time."""
    behaviour: Behaviour = Behaviour()

    @property
    def name(self) -> str:
        """What it is called in schemas, commands and files: as the function is."""
        return str(self.function.__name__)

    def title_of(self, args: Mapping[str, Any]) -> str:
        """The title of the variant that ``args`` (and perhaps other things in it) ask for."""
        for variant in self.variants:
            if variant.title and variant.args.items() <= args.items():
                return f"{variant.title}, {args['tolerance']}" if "tolerance" in args else variant.title
        asked = args.get("weights", args.get("level"))
        return self.title if asked in (None, "none") else f"{self.title}, {asked}"


def weighted(*weights: str, plain: str | None = None, other: str | None = None, **more: Any) -> tuple[Variant, ...]:
    """A variant for each of these weights: names are enough without weights, and numbers are needed with them.

    ``plain`` and ``other`` are titles without and with weights, where these have names of their own; ``more`` holds for
    the variants with weights.
    """
    return tuple(
        Variant({"weights": each}, Needs.NAMES, title=plain)
        if each == "none"
        else Variant({"weights": each}, Needs.NUMBERS, title=f"{other}, {each}" if other else None, **more)
        for each in weights
    )


STATISTICS: Register[StatisticRow] = Register("agreement.rows")
"""All statistics of raters by name."""


def summarised() -> dict[str, StatisticRow]:
    """The statistics that a summary of ratings has, and that schemas and commands may name."""
    return {name: row for name, row in STATISTICS.items() if row.lines is not Lines.NONE}
