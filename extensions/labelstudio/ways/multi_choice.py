"""Multiple choices in Label Studio."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

from domain.comparison import same
from extensions.labelstudio.codes import NONE, SKIP, codes
from extensions.labelstudio.form import ask_choices
from extensions.labelstudio.parts import (
    Answer,
    Context,
    FormPart,
    LabelStudioKind,
    Result,
    SortedResult,
    result_of,
    skip_reason,
)


class LabelStudioSeveral(LabelStudioKind):
    """Any number of several choices."""

    def read(self, part: FormPart, given: SortedResult, context: Context) -> Answer:
        chosen = given.chosen(part.name, part)
        if not chosen:
            return None
        if NONE in chosen and part.may_be_none:
            if len(chosen) > 1:
                given.say(part, "You chose options and “none”. Keep either the options or “none”.")
                return None
            return [], None
        if chosen == [SKIP] and part.criterion.skip:
            return None, skip_reason(part, given)
        options = part.options(context.texts)
        option_codes = codes(options, own=part.own)
        picks = [given.option(part, code, options, option_codes) for code in chosen]
        if any(pick is None for pick in picks):
            return None
        return [option.value for option in options if any(pick is option for pick in picks)], None

    def write(self, part: FormPart, value: Any, reason: Any, context: Context) -> list[Result]:
        options = part.options(context.texts)
        option_codes = codes(options, own=part.own)
        chosen = [
            text
            for text, option in zip(option_codes, options, strict=True)
            if any(same(option.value, v) for v in value)
        ]
        if not value:
            return [result_of(part.name, part.to, "choices", {"choices": [NONE]})] if part.may_be_none else []
        return [result_of(part.name, part.to, "choices", {"choices": chosen})] if chosen else []

    def ask(self, parent: Element, part: FormPart) -> None:
        ask_choices(parent, part)
