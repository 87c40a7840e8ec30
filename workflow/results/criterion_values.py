"""The numeric values of criteria, their scales, and the combination of several raters' values."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from annotation_schemas import kinds
from annotation_schemas.derived import ends_of_values
from annotation_schemas.expected_answers import GONE, asked_of, held_against
from annotation_schemas.keys import key_field
from annotation_schemas.model import Criterion, Schema
from domain.comparison import same
from domain.reading.answers import ReadOutcome
from domain.records import AnswerReading
from domain.states import Stage
from workflow.results.ratings import criteria_of

Combine = Literal["majority", "mean"]


def scored_criteria(schema: Schema) -> list[Criterion]:
    """Return the criteria of grading whose values are numbers."""
    return [criterion for criterion in criteria_of(schema, Stage.GRADING) if ends_of_values(criterion) is not None]


def named_criteria(schema: Schema) -> list[Criterion]:
    """Return the criteria of grading that are choices between names. They have shares of options, but no mean."""
    return [
        criterion
        for criterion in criteria_of(schema, Stage.GRADING)
        if kinds.of_criterion(criterion).names and ends_of_values(criterion) is None
    ]


def value_of(criterion: Criterion, value: Any) -> float:
    """Return a grade as a number, or the place of the option if values are names; nan for any other value."""
    if ends_of_values(criterion) is not None:
        return number_of(criterion, value)
    return next((float(at) for at, option in enumerate(criterion.options) if same(option.value, value)), math.nan)


def number_of(criterion: Criterion, value: Any) -> float:
    """Return a grade as a number; nan if the grade is not a value of the scale."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return math.nan
    values = criterion.values or tuple(option.value for option in criterion.options)
    return float(value) if not values or any(same(value, declared) for declared in values) else math.nan


def is_right(schema: Schema, fields: Mapping[str, Any], found: AnswerReading | None) -> tuple[float, str]:
    """Return whether an answer to an item is right, and the reason if it is neither right nor wrong (nan).

    The reason can be that the item has no key, whatever the answer is.
    """
    asked = asked_of(schema, fields)
    key = fields.get(key_field(schema) or "")
    known = held_against(None, asked, key)[1] if found is None or found.outcome is not ReadOutcome.READ else ""
    if found is None or found.outcome is not ReadOutcome.READ:
        return math.nan, known if known != GONE else ""
    return held_against(found.value, asked, key)


def combine_of(schema: Schema, criterion: Criterion) -> Combine:
    """Return how people's grades are combined. Names have no mean, so the majority decides."""
    grading = schema.stages.grading
    return grading.combine if grading is not None and ends_of_values(criterion) is not None else "majority"


def combined(given: Sequence[float], combine: Combine, raters: int = 1) -> float | None:
    """Return the combined grade of one answer: the mean, or the value that more than half of the graders give.

    ``raters`` is the number of graders that the schema asks for. With fewer graders, a majority is more than half of
    that number. None means no majority.

    >>> combined([1, 0, 1], "majority", 3), combined([1.0], "majority", 3), combined([1, 0.5], "mean", 3)
    (1, None, 0.75)
    """
    if combine == "mean":
        return sum(given) / len(given)
    value, votes = Counter(given).most_common(1)[0]
    return value if 2 * votes > max(len(given), raters) else None
