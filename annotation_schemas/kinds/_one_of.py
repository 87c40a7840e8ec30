"""The base of kinds whose answer is one of the offered values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation_schemas.kinds._rows import CriterionKind, Texts
from annotation_schemas.model import Choice, Criterion
from domain.comparison import same


class OneOf(CriterionKind):
    """One of the values that are offered, perhaps with a reason."""

    compared = True
    as_json = False

    def can_be(self, criterion: Criterion, value: Any) -> bool:
        plain = criterion.model_copy(update={"labels": ()})  # labels that do not fit are told by themselves
        return criterion.field is not None or any(same(option.value, value) for option in self.options(plain, {}))

    def check(
        self, criterion: Criterion, value: Any, reason: Any, options: Sequence[Choice], texts: Texts
    ) -> str | None:
        for option in options:
            if same(option.value, value):
                return _check_reason(option, reason)
        return "Choose one of the listed answers."

    def tries(self, criterion: Criterion, offered: Sequence[Any]) -> list[Any]:
        return list(offered)


def ends_of(values: Sequence[Any]) -> tuple[float, float] | None:
    """Return the lowest and the highest number, or None if a value is not a number."""
    plain = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    return (float(min(plain)), float(max(plain))) if values and len(plain) == len(values) else None


def _check_reason(option: Choice, reason: Any) -> str | None:
    blank = reason is None or (isinstance(reason, str) and not reason.strip()) or reason in ([], ())
    if option.reasons and (blank or not isinstance(reason, str | int | float)):
        return f"Choose a reason: {', '.join(listed.label for listed in option.reasons)}."
    return None
