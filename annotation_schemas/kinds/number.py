"""A number that is typed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from annotation_schemas import grammar
from annotation_schemas.kinds._rows import CriterionKind, Ends, Found, Texts
from annotation_schemas.model import Choice, Criterion, Schema
from annotation_schemas.yaml_text import Path
from domain import decimals


class Number(CriterionKind):
    """A rater types a number."""

    name = "number"
    place = 60
    meaning = "a typed number"
    keys: ClassVar[Mapping[str, str]] = {
        "min": "minimum",
        "max": "maximum",
        "step": "step size",
        "unit": "the unit of the number",
        "tolerance": "maximum difference at which two answers agree, in keep rules and agreement statistics",
    }
    level = "interval"
    typed = True
    answers_items = True

    def can_be(self, criterion: Criterion, value: Any) -> bool:
        return criterion.field is not None or (isinstance(value, int | float) and not isinstance(value, bool))

    def ends(self, criterion: Criterion) -> Ends | None:
        low, high = criterion.min, criterion.max
        return None if low is None else float(low), None if high is None else float(high)

    def check(
        self, criterion: Criterion, value: Any, reason: Any, options: Sequence[Choice], texts: Texts
    ) -> str | None:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return "The answer must be a number."
        if criterion.min is not None and value < criterion.min:
            return f"At least {criterion.min:g}."
        if criterion.max is not None and value > criterion.max:
            return f"At most {criterion.max:g}."
        if criterion.step is not None:
            steps = (value - (criterion.min or 0)) / criterion.step
            if abs(steps - round(steps)) > 1e-6:
                return f"Enter a number in steps of {criterion.step:g}."
        return None

    def check_schema(self, schema: Schema, stage: str, criterion: Criterion, path: Path) -> Found:
        yield from super().check_schema(schema, stage, criterion, path)
        if criterion.tolerance is not None:
            yield from grammar.tolerance(criterion.tolerance, criterion.unit, (*path, "tolerance"))

    def agree(self, criterion: Criterion, one: Any, other: Any) -> bool:
        allowed = criterion.tolerance.of(criterion.unit) if criterion.tolerance else decimals.EXACT
        number, than = decimals.exact(one), decimals.exact(other)
        return number is not None and than is not None and allowed.holds(number, than)

    def tries(self, criterion: Criterion, offered: Sequence[Any]) -> list[Any]:
        low, step = criterion.min or 0, criterion.step or 1
        highest = [criterion.max] if criterion.max is not None else []
        return [low, low + step, low + 2 * step, *highest, 0, 1, step]  # three: enough to differ all

    def limits(self, criterion: Criterion) -> str:
        given = [("from", criterion.min), ("to", criterion.max), ("in steps of", criterion.step)]
        return " ".join(f"{word} {limit:g}" for word, limit in given if limit is not None)


CRITERION = Number()
