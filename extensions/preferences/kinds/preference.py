"""Which of two models' answers is better."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from annotation_schemas import grammar
from annotation_schemas.kinds._extra_answers import TELL_KEY, besides
from annotation_schemas.kinds._one_of import OneOf
from annotation_schemas.kinds._rows import Found, Json, Level, RatedVariable
from annotation_schemas.model import Choice, Criterion, Schema, as_words
from annotation_schemas.yaml_text import Path
from domain.language import _, marked
from extensions.preferences.sides import FIRST, LEFT, NO_SIDES, RIGHT, SECOND, SIDES, in_comparison, of_pair

TIE, BOTH_BAD = "tie", "both_bad"
_LABELS = {
    LEFT: marked("Left"),
    RIGHT: marked("Right"),
    TIE: marked("Equally good"),
    BOTH_BAD: marked("Both are bad"),
}


class Preference(OneOf):
    """A criterion about the better of two answers, without knowing the models."""

    name = "preference"
    place = 15
    meaning = "which of two models' answers is better"
    only_here = NO_SIDES
    keys: ClassVar[Mapping[str, str]] = {
        "options": "options in addition to `left` and `right`: `tie`, `both_bad`; each of the four options may have "
        "its own label or reasons",
        **TELL_KEY,
    }
    names = True
    compares_answers = True

    def check_schema(self, schema: Schema, stage: str, criterion: Criterion, path: Path) -> Found:
        yield from in_comparison(stage, path)
        yield from grammar.choices(criterion.options, (*path, "options"))
        for index, option in enumerate(criterion.options):
            if option.value not in _LABELS:
                known = grammar.among(str(option.value), list(_LABELS))
                yield (*path, "options", index), f"`{option.value}` is not an option for two answers{known}"

    def options(self, criterion: Criterion, fields: Mapping[str, Any]) -> list[Choice]:
        own = {str(option.value): option for option in criterion.options}
        return [
            *(_labelled(own.get(value), value) for value in _LABELS if value in SIDES or value in own),
            *besides(criterion),
        ]

    def listed(self, criterion: Criterion) -> tuple[Any, ...]:
        return tuple(option.value for option in self.options(criterion, {}))

    def page_options(self, criterion: Criterion) -> list[Json] | None:
        return [
            option.model_dump() | ({"label": _(option.label)} if option.label == _LABELS.get(str(option.value)) else {})
            for option in self.options(criterion, {})
        ]

    def measured(self, criterion: Criterion, level: Level) -> list[RatedVariable]:
        besides_sides = [value for value in self.listed(criterion) if value not in SIDES]
        return [RatedVariable(criterion.name, level, (FIRST, SECOND, *besides_sides))]

    def of_pair(self, value: Any, left: str) -> Any:
        return of_pair(value, left)


def _labelled(own: Choice | None, value: str) -> Choice:
    """An option as the schema labels it; one that is only named is labelled as usual."""
    if own is None or own.label == as_words(value):
        reasons, help_ = (own.reasons, own.help) if own is not None else ((), None)
        return Choice(value=value, label=_LABELS[value], reasons=reasons, help=help_)
    return own


CRITERION = Preference()
