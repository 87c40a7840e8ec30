"""What an answer to a criterion must be, by kind, beyond the choice of one option: pure checks, one for each kind.

Values are JSON values: ``multi_choice`` a list of options in their order, ``number`` a number, ``ordering`` a list of
all options in the rater's order, ``property_list`` a list of ``{"name", "value"}`` in the order of the properties,
``spans`` a list of ``{"start", "end", "tag"}`` counted in characters (code points) of the text, ``plan`` a list of
``{"step", "tag"}`` that counts the steps from 1; boxes and marks are described in ``marks``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from annotation_schemas import marks, plans
from annotation_schemas.model import Choice, Criterion
from domain.policies import same

PREDICTION = "prediction"
"""What a criterion is about that looks at the model's answer, in ``of``; fields of the item go by their names."""

Texts = Mapping[str, Any]
"""The item's fields, and the model's answer under ``prediction``."""

Check = Callable[[Criterion, Any, Sequence[Choice], Texts], str | None]


def _multi_choice(criterion: Criterion, value: Any, options: Sequence[Choice], texts: Texts) -> str | None:
    if not isinstance(value, list | tuple):
        return "This must be a list of the answers that are offered."
    places = [_place(options, entry) for entry in value]
    if None in places:
        return "Choose among the answers that are offered."
    if places != sorted(set(places), key=lambda place: place or 0):
        return "Every answer can be there once, in the order in which they are offered."
    return _count(criterion, len(places), "answer")


def _number(criterion: Criterion, value: Any, options: Sequence[Choice], texts: Texts) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return "This must be a number."
    if criterion.min is not None and value < criterion.min:
        return f"At least {criterion.min:g}."
    if criterion.max is not None and value > criterion.max:
        return f"At most {criterion.max:g}."
    if criterion.step is not None:
        steps = (value - (criterion.min or 0)) / criterion.step
        if abs(steps - round(steps)) > 1e-6:
            return f"In steps of {criterion.step:g}."
    return None


def _ordering(criterion: Criterion, value: Any, options: Sequence[Choice], texts: Texts) -> str | None:
    if not isinstance(value, list | tuple):
        return "This must be a list, in order."
    left = [option.value for option in options]
    for entry in value:
        place = next((at for at, other in enumerate(left) if same(other, entry)), None)
        if place is None:
            return "Every entry has one place, and nothing else has any."
        del left[place]
    return "Give every entry a place." if left else None


def _property_list(criterion: Criterion, value: Any, options: Sequence[Choice], texts: Texts) -> str | None:
    if not isinstance(value, list | tuple) or not all(
        isinstance(entry, Mapping) and set(entry) == {"name", "value"} for entry in value
    ):
        return "This must be a list of properties, each with its value."
    if len(value) != len(options) or not all(
        same(entry["name"], option.value) for entry, option in zip(value, options, strict=False)
    ):
        return "Say something about every property, in the order in which they are asked."
    if not all(any(same(entry["value"], known) for known in said_of(criterion)) for entry in value):
        return f"Each property is one of {', '.join(str(known) for known in said_of(criterion))}."
    return None


def _spans(criterion: Criterion, value: Any, options: Sequence[Choice], texts: Texts) -> str | None:
    text = texts.get(criterion.of or PREDICTION)
    length = len(text) if isinstance(text, str) else 0
    if not isinstance(value, list | tuple):
        return "This must be a list of marked passages."
    for number, span in enumerate(value, 1):
        if not isinstance(span, Mapping) or set(span) != {"start", "end", "tag"}:
            return f"Passage {number} needs a start, an end and a tag."
        start, end = span["start"], span["end"]
        if not all(isinstance(at, int) and not isinstance(at, bool) for at in (start, end)):
            return f"Passage {number} begins or ends at no whole number."
        if not 0 <= start < end <= length:
            return f"Passage {number} lies outside of the text, or is empty."
        if _place(options, span["tag"]) is None:
            return f"Passage {number} has a tag that is not offered."
    return _count(criterion, len(value), "passage")


def _plan(criterion: Criterion, value: Any, options: Sequence[Choice], texts: Texts) -> str | None:
    text = texts.get(criterion.of or PREDICTION)
    n_steps = len(plans.steps_of(text, criterion.actions, criterion.begins)) if isinstance(text, str) else 0
    if not isinstance(value, list | tuple):
        return "This must be a list of tags of steps."
    seen: list[Any] = []
    for number, entry in enumerate(value, 1):
        if not isinstance(entry, Mapping) or set(entry) != {"step", "tag"}:
            return f"Tag {number} needs a step and a tag."
        if isinstance(entry["step"], bool) or not isinstance(entry["step"], int) or not 0 <= entry["step"] <= n_steps:
            return f"Tag {number} is about a step that the plan does not have."
        if _place(options, entry["tag"]) is None:
            return f"Tag {number} is not one of those that are offered."
        if any(same(entry, other) for other in seen):
            return f"Tag {number} is there twice."
        seen.append(entry)
    return None


def _drawn(criterion: Criterion, value: Any, options: Sequence[Choice], texts: Texts) -> str | None:
    labels = [option.value for option in options]
    return marks.problem(criterion.kind, value, labels=labels, least=criterion.min, most=criterion.max)


CHECKS: Mapping[str, Check] = {
    "multi_choice": _multi_choice,
    "number": _number,
    "ordering": _ordering,
    "property_list": _property_list,
    "spans": _spans,
    "plan": _plan,
    **dict.fromkeys(marks.KINDS, _drawn),
}

ORDERED = frozenset({"multi_choice", "property_list"})
"""Kinds whose lists stand in the order of the item's options; see ``in_order``."""


def in_order(criterion: Criterion, value: Any, options: Sequence[Choice]) -> Any:
    """An answer with its entries in the order of the item's own options, however they stood on a rater's page.

    So two raters who say the same say it in the same words. What does not fit is left as it is, to be told.
    """
    if not isinstance(value, list | tuple):
        return value
    if criterion.kind == "multi_choice":
        places = [_place(options, entry) for entry in value]
    elif criterion.kind == "property_list":
        places = [_place(options, entry.get("name")) if isinstance(entry, Mapping) else None for entry in value]
    else:
        return value
    if None in places:
        return value
    return [entry for _, entry in sorted(zip(places, value, strict=True), key=lambda pair: pair[0] or 0)]


def said_of(criterion: Criterion) -> tuple[Any, ...]:
    """What can be said of each property of a property list."""
    return criterion.values or ("yes", "no")


def _place(options: Sequence[Choice], value: Any) -> int | None:
    return next((at for at, option in enumerate(options) if same(option.value, value)), None)


def _count(criterion: Criterion, n: int, noun: str) -> str | None:
    least, most = criterion.min, criterion.max
    if least is not None and n < least:
        return f"At least {least:g} {noun}{'' if least == 1 else 's'}; {n} now."
    if most is not None and n > most:
        return f"At most {most:g} {noun}{'' if most == 1 else 's'}; {n} now."
    return None
