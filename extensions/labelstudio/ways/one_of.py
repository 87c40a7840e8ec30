"""Single choices in Label Studio."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

from domain.comparison import same
from extensions.labelstudio.codes import SKIP, codes
from extensions.labelstudio.form import ask_choices
from extensions.labelstudio.parts import (
    Answer,
    Context,
    FormPart,
    LabelStudioKind,
    Result,
    SortedResult,
    reason_for,
    result_of,
    skip_reason,
    write_reason,
)


class LabelStudioOne(LabelStudioKind):
    """One of several choices."""

    def read(self, part: FormPart, given: SortedResult, context: Context) -> Answer:
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
        place = next((at for at, own_option in part.own_reasons() if own_option is option), None)
        return option.value, reason_for(part, given, place, option) if place is not None else None

    def write(self, part: FormPart, value: Any, reason: Any, context: Context) -> list[Result]:
        options = part.options(context.texts)
        at = next((at for at, option in enumerate(options) if same(option.value, value)), None)
        if at is None:
            return []
        chosen = result_of(part.name, part.to, "choices", {"choices": [codes(options, own=part.own)[at]]})
        return [chosen, *(write_reason(part, at + 1, options[at], reason) if part.own else ())]

    def ask(self, parent: Element, part: FormPart) -> None:
        ask_choices(parent, part)
