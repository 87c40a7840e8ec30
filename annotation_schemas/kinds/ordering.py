"""Options that are put in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from xml.etree.ElementTree import Element, SubElement

from annotation_schemas.kinds._rows import CriterionKind, Level, Measured, Texts, is_list
from annotation_schemas.label_studio_codes import list_of, rank_codes
from annotation_schemas.label_studio_form import key_of
from annotation_schemas.label_studio_parts import Answer, Context, Given, Part, Result, Way, result_of
from annotation_schemas.model import Choice, Criterion
from domain.comparison import same


class LabelStudioOrder(Way):
    """A list that is put in order."""

    result_type = "ranker"

    def read(self, part: Part, given: Given, context: Context) -> Answer:
        found = given.one(part.name)
        if isinstance(found, Mapping):
            lists = [each for each in found.values() if each != []]
            found = lists[0] if len(lists) == 1 else (None if not lists else found)
        if found is None:
            return None
        if not isinstance(found, list | tuple) or not all(isinstance(each, str) for each in found):
            given.say(part, "The order must be one list of texts.")
            return None
        options = part.options(context.texts)
        told = rank_codes(options, own=part.own)
        placed = []
        for each in found:
            option = given.option(part, each, options, told)
            if option is None:
                return None
            placed.append(option.value)
        return placed, None

    def write(self, part: Part, value: Any, reason: Any, context: Context) -> list[Result]:
        options = part.options(context.texts)
        left = list(zip(rank_codes(options, own=part.own), options, strict=True))
        ids = []
        for each in value:
            at = next((at for at, (_, option) in enumerate(left) if same(option.value, each)), None)
            if at is not None:
                ids.append(left.pop(at)[0])
        return [result_of(part.name, list_of(part.name), "ranker", {"ranker": {part.name: ids}})]

    def ask(self, parent: Element, part: Part) -> None:
        SubElement(
            parent,
            "List",
            name=list_of(part.name),
            value=f"${key_of('list', part.name)}",
            title="First to last",
        )
        SubElement(parent, "Ranker", name=part.name, toName=list_of(part.name))


class Ordering(CriterionKind):
    """A rater puts all options in order: a list of them."""

    name = "ordering"
    place = 70
    meaning = "the listed options, or the item's own, put in order"
    keys: ClassVar[Mapping[str, str]] = {
        "options": "what is offered",
        "field": "the item's text_list field that is offered",
    }
    least_options = 2
    by_place = True
    label_studio = LabelStudioOrder()

    def check(
        self, criterion: Criterion, value: Any, reason: Any, options: Sequence[Choice], texts: Texts
    ) -> str | None:
        if not is_list(value):
            return "This must be a list, in order."
        left = [option.value for option in options]
        for entry in value:
            place = next((at for at, other in enumerate(left) if same(other, entry)), None)
            if place is None:
                return "Every entry has one place, and nothing else has any."
            del left[place]
        return "Give every entry a place." if left else None

    def measured(self, criterion: Criterion, level: Level) -> list[Measured]:
        return [Measured(criterion.name, "nominal")]

    def tries(self, criterion: Criterion, offered: Sequence[Any]) -> list[Any]:
        return [list(offered), list(offered[::-1])]


CRITERION = Ordering()
