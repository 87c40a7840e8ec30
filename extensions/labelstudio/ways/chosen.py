"""Fields in Label Studio that pick entries of a list on the same page, by position."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

from extensions.labelstudio.codes import EDITED
from extensions.labelstudio.form import ask_choices
from extensions.labelstudio.parts import (
    Answer,
    Context,
    FormPart,
    LabelStudioKind,
    Result,
    SortedResult,
    result_of,
    shortened,
)


class LabelStudioPick(LabelStudioKind):
    """Choices of entries of a list on the same page, by position."""

    def read(self, part: FormPart, given: SortedResult, context: Context) -> Answer:
        """Return the picked entries of a list that was written on the same page."""
        chosen = given.chosen(part.name, part)
        entries = context.values.get(part.after or "")
        if entries is None and part.name.startswith(EDITED):
            entries = context.texts.get((part.after or "").removeprefix(EDITED))
        picked = []
        for position in chosen:
            number = int(position) if position.isdecimal() and len(position) < 4 else 0
            if not isinstance(entries, list | tuple) or not 1 <= number <= len(entries):
                given.say(part, f"The list has no entry {shortened(position)}. Choose an entry from the list.")
                return None
            picked.append((number, entries[number - 1]))
        if not picked:
            return None
        if part.field_row is not None and part.field_row.holds == "text":
            if len(picked) > 1:
                given.say(part, f"Choose one; {len(picked)} are chosen.")
                return None
            return picked[0][1], None
        return [entry for _, entry in sorted(picked, key=lambda pair: pair[0])], None

    def write(self, part: FormPart, value: Any, reason: Any, context: Context) -> list[Result]:
        entries = context.values.get(part.after or "")
        if entries is None:
            entries = context.texts.get((part.after or "").removeprefix(EDITED))
        wanted = list(value) if isinstance(value, list | tuple) else [value]
        known = entries if isinstance(entries, list | tuple) else []
        numbers = [str(known.index(entry) + 1) for entry in wanted if entry in known]
        return [result_of(part.name, part.to, "choices", {"choices": numbers})] if numbers else []

    def ask(self, parent: Element, part: FormPart) -> None:
        ask_choices(parent, part)
