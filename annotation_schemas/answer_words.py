"""Answers and reasons in the words that raters see on their page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation_schemas.kinds import options_of
from annotation_schemas.model import Criterion


def option_label(criterion: Criterion, value: Any, item_fields: Mapping[str, Any]) -> str | None:
    """Return the label of the option that a rater chose, or None if the value is not one option."""
    return next((option.label for option in options_of(criterion, item_fields) if option.value == value), None)


def reason_label(criteria: Sequence[Criterion], name: str, reason: Any) -> str:
    """Return the label of a reason, or the reason itself if a rater typed it."""
    for criterion in criteria:
        if criterion.name == name:
            offered = [each for option in criterion.options for each in option.reasons]
            offered += criterion.skip.reasons if criterion.skip is not None else ()
            return next((each.label for each in offered if each.value == reason), str(reason))
    return str(reason)
