"""Numbers in Label Studio."""

from __future__ import annotations

import math
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from extensions.labelstudio.codes import ABOUT
from extensions.labelstudio.form import require
from extensions.labelstudio.parts import (
    Answer,
    Context,
    FormPart,
    LabelStudioKind,
    Result,
    SortedResult,
    plain_number,
    result_of,
    spelled,
)


class LabelStudioNumber(LabelStudioKind):
    """A number."""

    result_type = "number"

    def read(self, part: FormPart, given: SortedResult, context: Context) -> Answer:
        value = given.one(part.name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            given.say(part, f"{spelled(value)} is not a number. Enter a number.")
            return None
        return plain_number(value), None

    def write(self, part: FormPart, value: Any, reason: Any, context: Context) -> list[Result]:
        return [result_of(part.name, part.to, "number", {"number": value})]

    def ask(self, parent: Element, part: FormPart) -> None:
        criterion = part.criterion
        made = SubElement(parent, "Number", name=part.name, toName=ABOUT)
        for name in ("min", "max", "step"):
            if getattr(criterion, name) is not None:
                made.set(name, repr(getattr(criterion, name)))
        require(made, part)

    def limits(self, part: FormPart) -> list[str]:
        criterion = part.criterion
        if part.field is not None:
            return []
        words = [f"from {criterion.min:g}"] if criterion.min is not None else []
        words += [f"up to {criterion.max:g}"] if criterion.max is not None else []
        words += [f"({criterion.unit})"] if criterion.unit else []
        return [" ".join(words).capitalize()] if words else []
