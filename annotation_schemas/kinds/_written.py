"""The base of field kinds with text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from annotation_schemas.kinds._rows import FieldKind
from annotation_schemas.model import ItemField

UNIT = "with `read_as: number`, the unit of the key; Touchstone converts answers in other units if possible"
LANGUAGE = (
    "the language of the text, such as `en`, `en-GB` or `de`, for spelling checks and reading aloud; default: the "
    "browser's language (for `wording` rules, English)"
)
WORDING = "wording rules, which authors see while they write"
TOLERANCE = "for the key: maximum difference at which a model's number is still right"


class FreeTextField(FieldKind):
    """Text that someone writes; another field may say in which form."""

    keys: ClassVar[Mapping[str, str]] = {
        "options": "with `forms`, the words that the form `words` allows",
        "field": "with `forms`, the text_list field that contains the options",
        "form": "the choice field that gives the form of this field",
        "forms": "the answer form of this field for each value of `form`",
        "drawn": "with `drawn` among the `forms`, the field with boxes or marks for drawn answers; the field stays "
        "empty in items of other forms",
        "min_length": "minimum number of characters",
        "max_length": "maximum number of characters",
        "read_as": (
            "makes this field the key, and determines how models' answers are read; keys of other "
            "kinds need no `read_as`. With `form`, each item's form determines how answers are "
            "read"
        ),
        "unit": UNIT,
        "tolerance": TOLERANCE,
        "language": LANGUAGE,
        "wording": WORDING,
    }
    written = True
    holds = "text"
    limited = False
    reads_as = ("yes_no", "number", "text", "form")
    refuses_read_as = "for spans of time, use a field of kind `time_span`"
    sliced = "text"
    simulated: ClassVar[str]
    """The text of a simulated item."""

    def check(self, field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
        if not isinstance(value, str):
            return "the value must be text."
        if field.min_length is not None and len(value.strip()) < field.min_length:
            return f"write at least {field.min_length} characters."
        if field.max_length is not None and len(value) > field.max_length:
            return f"write at most {field.max_length} characters ({len(value)} now)."
        return None

    def key_values(self, field: ItemField, entries: Sequence[Any], some: Any, tried: Sequence[Any]) -> Sequence[Any]:
        return [value for value in tried if isinstance(value, str)]

    def some(self, field: ItemField, entries: Sequence[Any], wanted: Sequence[Any]) -> Any:
        return self.simulated
