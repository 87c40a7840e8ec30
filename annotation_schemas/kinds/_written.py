"""The base of field kinds with text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from annotation_schemas.kinds._rows import FieldKind
from annotation_schemas.model import ItemField

UNIT = "with `read_as: number`, what the key counts; an answer in another unit is converted where that can be done"
LANGUAGE = (
    "the language that is written here (`en`, `en-GB`, `de`), by which browsers check the spelling and read aloud; "
    "absent: the browser's own, and rules of `wording` take it for English"
)
WORDING = "wording rules, shown to authors while they type"
TOLERANCE = "of the key: how far a model's number may be from it and still be right"


class FreeTextField(FieldKind):
    """Text that someone writes; another field may say in which form."""

    keys: ClassVar[Mapping[str, str]] = {
        "options": "with `forms`, the words of `words`",
        "field": "with `forms`, the text_list field that holds the options",
        "form": "the choice field that says in which form this one is",
        "forms": "the values of `form`, each with a row of the registry of answer forms that this field then keeps to",
        "drawn": "with `drawn` among the `forms`, the field with boxes or marks that holds such an answer; items of "
        "other forms leave it empty",
        "min_length": "minimum number of characters",
        "max_length": "maximum number of characters",
        "read_as": "this field is the key, and models' answers are read as this before they are compared with it; "
        "with `forms`, `form` reads each as its item's form says; other keys say it by their kind: an option, several, "
        "an order",
        "unit": UNIT,
        "tolerance": TOLERANCE,
        "language": LANGUAGE,
        "wording": WORDING,
    }
    written = True
    holds = "text"
    limited = False
    reads_as = ("yes_no", "number", "text", "form")
    refuses_read_as = "spans of time are compared with a field of kind `time_span`; give it that kind"
    sliced = "text"
    simulated: ClassVar[str]
    """The text of a simulated item."""

    def check(self, field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
        if not isinstance(value, str):
            return "this must be text."
        if field.min_length is not None and len(value.strip()) < field.min_length:
            return f"write at least {field.min_length} characters."
        if field.max_length is not None and len(value) > field.max_length:
            return f"write at most {field.max_length} characters ({len(value)} now)."
        return None

    def key_values(self, field: ItemField, entries: Sequence[Any], some: Any, tried: Sequence[Any]) -> Sequence[Any]:
        return [value for value in tried if isinstance(value, str)]

    def some(self, field: ItemField, entries: Sequence[Any], wanted: Sequence[Any]) -> Any:
        return self.simulated
