"""What kinds have in common whose answer is one of the values that are offered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar
from xml.etree.ElementTree import Element

from annotation_schemas.kinds._rows import CriterionKind, Texts
from annotation_schemas.label_studio_codes import SKIP, codes
from annotation_schemas.label_studio_form import ask_choices
from annotation_schemas.label_studio_parts import (
    Answer,
    Context,
    Given,
    Part,
    Result,
    Way,
    reason_for,
    result_of,
    skip_reason,
    write_reason,
)
from annotation_schemas.model import Choice, Criterion
from domain.comparison import same


class LabelStudioOne(Way):
    """One of several choices."""

    def read(self, part: Part, given: Given, context: Context) -> Answer:
        chosen = given.chosen(part.name, part)
        if not chosen:
            return None
        if len(chosen) > 1:
            given.say(part, f"Choose one; {len(chosen)} are chosen.")
            return None
        if chosen == [SKIP] and part.criterion.skip:
            return None, skip_reason(part, given)
        options = part.options(context.texts)
        option = given.option(part, chosen[0], options, codes(options, own=part.own))
        if option is None:
            return None
        place = next((at for at, each in part.own_reasons() if each is option), None)
        return option.value, reason_for(part, given, place, option) if place is not None else None

    def write(self, part: Part, value: Any, reason: Any, context: Context) -> list[Result]:
        options = part.options(context.texts)
        at = next((at for at, option in enumerate(options) if same(option.value, value)), None)
        if at is None:
            return []
        chosen = result_of(part.name, part.to, "choices", {"choices": [codes(options, own=part.own)[at]]})
        return [chosen, *(write_reason(part, at + 1, options[at], reason) if part.own else ())]

    def ask(self, parent: Element, part: Part) -> None:
        ask_choices(parent, part)


class OneOf(CriterionKind):
    """One of the values that are offered, perhaps with a reason."""

    compared = True
    as_json = False
    label_studio: ClassVar[Way | None] = LabelStudioOne()

    def can_be(self, criterion: Criterion, value: Any) -> bool:
        plain = criterion.model_copy(update={"labels": ()})  # labels that do not fit are told by themselves
        return criterion.field is not None or any(same(each.value, value) for each in self.options(plain, {}))

    def check(
        self, criterion: Criterion, value: Any, reason: Any, options: Sequence[Choice], texts: Texts
    ) -> str | None:
        for option in options:
            if same(option.value, value):
                return _check_reason(option, reason)
        return "Choose one of the answers that are offered."

    def tries(self, criterion: Criterion, offered: Sequence[Any]) -> list[Any]:
        return list(offered)


def ends_of(values: Sequence[Any]) -> tuple[float, float] | None:
    """The lowest and the highest of numbers; None where some are none."""
    plain = [each for each in values if isinstance(each, int | float) and not isinstance(each, bool)]
    return (float(min(plain)), float(max(plain))) if values and len(plain) == len(values) else None


def _check_reason(option: Choice, reason: Any) -> str | None:
    blank = reason is None or (isinstance(reason, str) and not reason.strip()) or reason in ([], ())
    if option.reasons and (blank or not isinstance(reason, str | int | float)):
        return f"Say why: {', '.join(each.label for each in option.reasons)}."
    return None
