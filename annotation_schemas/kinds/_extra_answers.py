"""Answers apart from the options: that none of them fits, and that the rater cannot tell. Both count as answers."""

from __future__ import annotations

from collections.abc import Mapping

from annotation_schemas.model import Choice, Criterion

NONE_OF_THESE = "none_of_these"
CANNOT_TELL = "cannot_tell"
"""The stored value of the second one."""

NONE_KEY = {
    "none": "adds an answer with this label for items without a fitting option; the value of the answer is "
    "`none_of_these`"
}
TELL_KEY = {
    "cannot_tell": "adds an answer with this label; the answer has the value `cannot_tell`, and does not count as "
    "a skip"
}
BESIDES: Mapping[str, str] = {**NONE_KEY, **TELL_KEY}
"""The keys of kinds whose answer is one value."""


def besides(criterion: Criterion) -> list[Choice]:
    """Return the possible answers apart from the options, in order."""
    labels = ((NONE_OF_THESE, criterion.none), (CANNOT_TELL, criterion.cannot_tell))
    return [Choice(value=value, label=label) for value, label in labels if label is not None]
