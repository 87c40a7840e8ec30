"""Any number of the options that are listed, or of the item's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from annotation_schemas.kinds._extra_answers import CANNOT_TELL, TELL_KEY, besides
from annotation_schemas.kinds._rows import (
    CriterionKind,
    Found,
    Json,
    Level,
    RatedVariable,
    Texts,
    count_problem,
    is_list,
    place_of,
)
from annotation_schemas.model import Choice, Criterion, Schema
from annotation_schemas.yaml_text import Path


class MultiChoice(CriterionKind):
    """A criterion with any number of options as answer: a list in the order of the options."""

    name = "multi_choice"
    place = 50
    meaning = "any number of the listed options or of the item's own options"
    keys: ClassVar[Mapping[str, str]] = {
        "options": "what is offered",
        "field": "the item's text_list field with the options",
        "min": "minimum number of entries; by default, an empty answer is allowed",
        "max": "maximum number of entries; default: no maximum",
        "none": "the label of a button for “no option fits”, which gives an empty list",
        **TELL_KEY,
    }
    least_options = 2
    counts_entries = True
    reorders = True
    is_set = True
    none_is_answer = True
    by_place = True
    picks_several = True

    def check_schema(self, schema: Schema, stage: str, criterion: Criterion, path: Path) -> Found:
        yield from super().check_schema(schema, stage, criterion, path)
        offered = len(criterion.options)
        if offered and (criterion.min or 0) > offered:
            yield (*path, "min"), f"`min` is {criterion.min:g}, but there are only {offered} options; lower `min`"
        if criterion.none is not None and criterion.min:
            yield (*path, "none"), "`min` requires an answer, so nobody can choose `none`; remove `min` or `none`"

    def options(self, criterion: Criterion, fields: Mapping[str, Any]) -> list[Choice]:
        offered = super().options(criterion, fields)
        return [*offered, *(beside for beside in besides(criterion) if beside.value == CANNOT_TELL)]

    def page_options(self, criterion: Criterion) -> list[Json] | None:
        return [option.model_dump() for option in self.options(criterion, {})] if criterion.cannot_tell else None

    def check(
        self, criterion: Criterion, value: Any, reason: Any, options: Sequence[Choice], texts: Texts
    ) -> str | None:
        if not is_list(value):
            return "The answer must be a list of the offered choices."
        if criterion.cannot_tell is not None and CANNOT_TELL in value:
            return None if len(value) == 1 else f"Choose either “{criterion.cannot_tell}” or other answers."
        places = [place_of(options, entry) for entry in value]
        if None in places:
            return "Choose only from the listed answers."
        if places != sorted(set(places), key=lambda place: place or 0):
            return "List each answer at most once, in the order of the options."
        return count_problem(criterion.min, criterion.max, len(places), "answer")

    def in_order(self, value: Any, options: Sequence[Choice]) -> Any:
        if not is_list(value):
            return value
        places = {place_of(options, entry) for entry in value}
        return value if None in places else [option.value for at, option in enumerate(options) if at in places]

    def measured(self, criterion: Criterion, level: Level) -> list[RatedVariable]:
        return [RatedVariable(criterion.name, "nominal")]

    def tries(self, criterion: Criterion, offered: Sequence[Any]) -> list[Any]:
        least = int(criterion.min or 0)
        every = [value for value in offered if criterion.cannot_tell is None or value != CANNOT_TELL]
        choices = [every[: max(least, 1)], every, every[:least], every[1 : 1 + max(least, 1)]]
        return [*choices, *([[CANNOT_TELL]] if criterion.cannot_tell is not None else [])]


CRITERION = MultiChoice()
