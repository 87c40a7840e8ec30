"""Pure rules between several values of one form. Schemas name these rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from domain.decimals import exact


class Compares(StrEnum):
    """The type of values that a rule can compare."""

    ANYTHING = "anything"
    """Any values: the rule only tests whether they are filled in."""
    NUMBERS = "numbers"
    ALIKE = "values of the same type"
    """Values of one type: numbers with numbers, texts with texts."""
    LISTED = "a value and a list"


@dataclass(frozen=True)
class CrossRuleRow:
    """A row of the registry of rules."""

    name: str
    meaning: str
    broken: Callable[[Sequence[Any]], int | None]
    """A function from the values, in the schema's order and None if missing, to the position of the wrong value."""
    compares: Compares = Compares.ANYTHING
    least: int = 2
    """The minimum number of names."""
    most: int | None = None
    needs_when: bool = False
    """Whether the rule requires a condition."""

    @property
    def about_absence(self) -> bool:
        """Whether the rule tests only for missing values. Such a rule is checked after the form is complete."""
        return self.compares is Compares.ANYTHING


def _ascending(values: Sequence[Any], *, equal: bool) -> int | None:
    before: Fraction | None = None
    for place, value in enumerate(values):
        number = exact(value)
        if number is None:
            continue
        if before is not None and (number < before or (number == before and not equal)):
            return place
        before = number
    return None


def _different(values: Sequence[Any]) -> int | None:
    seen: list[Any] = []
    for place, value in enumerate(values):
        if value is not None and folded(value) in seen:
            return place
        seen += [] if value is None else [folded(value)]
    return None


def folded(value: Any) -> Any:
    """Return a value for comparison: texts without case and outer white space."""
    if isinstance(value, str):
        return value.strip().casefold()
    return [folded(child) for child in value] if isinstance(value, list | tuple) else value


def _listed(values: Sequence[Any]) -> int | None:
    value, entries = values
    if value is None or entries is None:
        return None
    wanted = value if isinstance(value, list | tuple) else [value]
    return None if all(entry in entries for entry in wanted) else 0


CROSS_RULES: Mapping[str, CrossRuleRow] = {
    row.name: row
    for row in (
        CrossRuleRow(
            "less_than",
            "each of these numbers is less than the next number",
            lambda values: _ascending(values, equal=False),
            Compares.NUMBERS,
        ),
        CrossRuleRow(
            "not_more_than",
            "each of these numbers is at most the next number",
            lambda values: _ascending(values, equal=True),
            Compares.NUMBERS,
        ),
        CrossRuleRow(
            "different",
            "all of these values differ, ignoring case and leading or trailing white space",
            _different,
            Compares.ALIKE,
        ),
        CrossRuleRow(
            "one_of", "the second value is a list that contains the first value", _listed, Compares.LISTED, most=2
        ),
        CrossRuleRow(
            "required_when",
            "all of these values are present if the condition is true",
            lambda values: next((place for place, value in enumerate(values) if value is None), None),
            least=1,
            needs_when=True,
        ),
        CrossRuleRow(
            "at_least_one",
            "at least one of these values is present",
            lambda values: 0 if values and all(value is None for value in values) else None,
        ),
        CrossRuleRow(
            "at_most_one",
            "at most one of these values is present",
            lambda values: next(
                (
                    place
                    for place in range(1, len(values))
                    if sum(value is not None for value in values[: place + 1]) > 1
                ),
                None,
            ),
        ),
    )
}
"""Rules between the fields of an item, or between the answers of one rater."""
