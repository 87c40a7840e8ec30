"""Any number of the options that are listed, or of the item's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from annotation_schemas.kinds._rows import (
    CriterionKind,
    Level,
    Measured,
    Texts,
    count_problem,
    is_list,
    place_of,
    sorted_by,
)
from annotation_schemas.model import Choice, Criterion


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
    }
    least_options = 2
    counts_entries = True
    reorders = True
    none_is_answer = True
    by_place = True
    picks_several = True
    label_studio = "several"

    def check(
        self, criterion: Criterion, value: Any, reason: Any, options: Sequence[Choice], texts: Texts
    ) -> str | None:
        if not is_list(value):
            return "This must be a list of the answers that are offered."
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
        every = list(offered)
        return [every[: max(least, 1)], every, every[:least], every[1 : 1 + max(least, 1)]]


CRITERION = MultiChoice()
