"""Options that are put in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from annotation_schemas.kinds._rows import CriterionKind, Level, RatedVariable, Texts, is_list
from annotation_schemas.model import Choice, Criterion
from domain.comparison import same


class Ordering(CriterionKind):
    """A rater puts all options in order: a list of them."""

    name = "ordering"
    place = 70
    meaning = "the listed options or the item's own options, put in order"
    keys: ClassVar[Mapping[str, str]] = {
        "options": "what is offered",
        "field": "the item's text_list field with the entries",
    }
    least_options = 2
    by_place = True

    def check(
        self, criterion: Criterion, value: Any, reason: Any, options: Sequence[Choice], texts: Texts
    ) -> str | None:
        if not is_list(value):
            return "The answer must be a list of all entries, in order."
        left = [option.value for option in options]
        for entry in value:
            place = next((at for at, other in enumerate(left) if same(other, entry)), None)
            if place is None:
                return "Give every entry exactly one position."
            del left[place]
        return "Give every entry a position." if left else None

    def measured(self, criterion: Criterion, level: Level) -> list[RatedVariable]:
        return [RatedVariable(criterion.name, "nominal")]

    def tries(self, criterion: Criterion, offered: Sequence[Any]) -> list[Any]:
        return [list(offered), list(offered[::-1])]


CRITERION = Ordering()
