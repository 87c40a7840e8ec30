"""Texts in Label Studio."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

from extensions.labelstudio.form import typed
from extensions.labelstudio.parts import Answer, Context, FormPart, LabelStudioKind, Result, SortedResult, result_of


class LabelStudioWords(LabelStudioKind):
    """A text, or a list of texts."""

    result_type = "textarea"

    def read(self, part: FormPart, given: SortedResult, context: Context) -> Answer:
        words = given.words(part.name, part)
        if part.field_row is not None and part.field_row.is_list:
            entries = [entry.strip() for entry in words if entry.strip()]
            return (entries, None) if entries else None
        text = "\n".join(words)
        if not text.strip():
            return None
        return text.strip() if part.field is not None else text, None

    def write(self, part: FormPart, value: Any, reason: Any, context: Context) -> list[Result]:
        texts = list(value) if isinstance(value, list | tuple) else [value]
        return [result_of(part.name, part.to, "textarea", {"text": texts})] if texts else []

    def ask(self, parent: Element, part: FormPart) -> None:
        field, row = part.field, part.field_row
        needed = part.criterion.required and not part.criterion.skip
        if field is not None and row is not None and row.is_list:
            most = field.length or field.max_length
            typed(
                parent,
                part.name,
                most=most,
                required=needed,
                hint="Type an entry, then press Enter to add it to the list",
            )
            return
        long = row is not None and row.several_rows
        typed(parent, part.name, rows=4 if long else 2, required=needed)
