"""Any number of the options that are listed, or of the item's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from xml.etree.ElementTree import Element

from annotation_schemas.kinds._besides import CANNOT_TELL, TELL_KEY, besides
from annotation_schemas.kinds._rows import (
    CriterionKind,
    Found,
    Json,
    Level,
    Measured,
    Texts,
    count_problem,
    is_list,
    place_of,
    sorted_by,
)
from annotation_schemas.label_studio_codes import NONE, SKIP, codes
from annotation_schemas.label_studio_form import ask_choices
from annotation_schemas.label_studio_parts import Answer, Context, Given, Part, Result, Way, result_of, skip_reason
from annotation_schemas.model import Choice, Criterion, Schema
from annotation_schemas.yaml_text import Path
from domain.comparison import same


class LabelStudioSeveral(Way):
    """Several of several choices."""

    def read(self, part: Part, given: Given, context: Context) -> Answer:
        chosen = given.chosen(part.name, part)
        if not chosen:
            return None
        if NONE in chosen and part.may_be_none:
            if len(chosen) > 1:
                given.say(part, "Either none of them is right, or some are.")
                return None
            return [], None
        if chosen == [SKIP] and part.criterion.skip:
            return None, skip_reason(part, given)
        options = part.options(context.texts)
        told = codes(options, own=part.own)
        found = [given.option(part, each, options, told) for each in chosen]
        if any(each is None for each in found):
            return None
        return [option.value for option in options if any(each is option for each in found)], None

    def write(self, part: Part, value: Any, reason: Any, context: Context) -> list[Result]:
        options = part.options(context.texts)
        told = codes(options, own=part.own)
        chosen = [text for text, option in zip(told, options, strict=True) if any(same(option.value, v) for v in value)]
        if not value:
            return [result_of(part.name, part.to, "choices", {"choices": [NONE]})] if part.may_be_none else []
        return [result_of(part.name, part.to, "choices", {"choices": chosen})] if chosen else []

    def ask(self, parent: Element, part: Part) -> None:
        ask_choices(parent, part)


class MultiChoice(CriterionKind):
    """A rater chooses any number of options: a list of them, in their order."""

    name = "multi_choice"
    place = 50
    meaning = "any number of the listed options, or of the item's own"
    keys: ClassVar[Mapping[str, str]] = {
        "options": "what is offered",
        "field": "the item's text_list field that is offered",
        "min": "how many at least; absent: none of them is an answer too",
        "max": "how many at most; absent: any number",
        "none": "the label of a button for the answer that none of them fits, which is the empty list",
        **TELL_KEY,
    }
    least_options = 2
    counts_entries = True
    reorders = True
    is_set = True
    none_is_answer = True
    by_place = True
    picks_several = True
    label_studio = LabelStudioSeveral()

    def check_schema(self, schema: Schema, stage: str, criterion: Criterion, path: Path) -> Found:
        yield from super().check_schema(schema, stage, criterion, path)
        offered = len(criterion.options)
        if offered and (criterion.min or 0) > offered:
            yield (*path, "min"), f"{criterion.min:g} answers are asked for, and {offered} are offered; lower it"
        if criterion.none is not None and criterion.min:
            yield (*path, "none"), "`min` asks for an answer, so none of them is none; take one of the two away"

    def options(self, criterion: Criterion, fields: Mapping[str, Any]) -> list[Choice]:
        offered = super().options(criterion, fields)
        return [*offered, *(each for each in besides(criterion) if each.value == CANNOT_TELL)]

    def page_options(self, criterion: Criterion) -> list[Json] | None:
        return [each.model_dump() for each in self.options(criterion, {})] if criterion.cannot_tell else None

    def check(
        self, criterion: Criterion, value: Any, reason: Any, options: Sequence[Choice], texts: Texts
    ) -> str | None:
        if not is_list(value):
            return "This must be a list of the answers that are offered."
        if criterion.cannot_tell is not None and CANNOT_TELL in value:
            return None if len(value) == 1 else f"“{criterion.cannot_tell}” goes with no other answer."
        places = [place_of(options, entry) for entry in value]
        if None in places:
            return "Choose among the answers that are offered."
        if places != sorted(set(places), key=lambda place: place or 0):
            return "Every answer can be there once, in the order in which they are offered."
        return count_problem(criterion.min, criterion.max, len(places), "answer")

    def in_order(self, value: Any, options: Sequence[Choice]) -> Any:
        return sorted_by(value, [place_of(options, entry) for entry in value]) if is_list(value) else value

    def measured(self, criterion: Criterion, level: Level) -> list[Measured]:
        return [Measured(criterion.name, "nominal")]

    def tries(self, criterion: Criterion, offered: Sequence[Any]) -> list[Any]:
        least = int(criterion.min or 0)
        every = [value for value in offered if criterion.cannot_tell is None or value != CANNOT_TELL]
        found = [every[: max(least, 1)], every, every[:least], every[1 : 1 + max(least, 1)]]
        return [*found, *([[CANNOT_TELL]] if criterion.cannot_tell is not None else [])]


CRITERION = MultiChoice()
