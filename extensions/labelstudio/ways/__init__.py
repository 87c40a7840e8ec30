"""How each kind of criterion and field is shown in Label Studio, and why some are not, by the class of a kind's row.

A kind without an entry is shown like the kind that its row is derived from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from annotation_schemas.kinds import CriterionKind, of_criterion, of_field
from annotation_schemas.kinds._chosen import ListEntryField
from annotation_schemas.kinds._drawn import DrawnCriterion, DrawnField
from annotation_schemas.kinds._one_of import OneOf
from annotation_schemas.kinds.boxes import BoxesCriterion
from annotation_schemas.kinds.json import JsonField
from annotation_schemas.kinds.marks import MarksCriterion
from annotation_schemas.kinds.multi_choice import MultiChoice
from annotation_schemas.kinds.number import Number
from annotation_schemas.kinds.option_of import OptionOfField
from annotation_schemas.kinds.order_of import OrderOfField
from annotation_schemas.kinds.ordering import Ordering
from annotation_schemas.kinds.property_list import PropertyList
from annotation_schemas.kinds.scale import Scale
from annotation_schemas.kinds.segments import SegmentsField
from annotation_schemas.kinds.spans import Spans
from annotation_schemas.kinds.text import TextCriterion
from annotation_schemas.model import Criterion, ItemField, Schema
from extensions.labelstudio.parts import FormPart, LabelStudioKind
from extensions.labelstudio.ways.boxes import LabelStudioBoxes
from extensions.labelstudio.ways.chosen import LabelStudioPick
from extensions.labelstudio.ways.marks import LabelStudioMarks
from extensions.labelstudio.ways.multi_choice import LabelStudioSeveral
from extensions.labelstudio.ways.number import LabelStudioNumber
from extensions.labelstudio.ways.one_of import LabelStudioOne
from extensions.labelstudio.ways.ordering import LabelStudioOrder
from extensions.labelstudio.ways.property_list import LabelStudioProperties
from extensions.labelstudio.ways.scale import LabelStudioScale
from extensions.labelstudio.ways.spans import LabelStudioPassages
from extensions.labelstudio.ways.text import LabelStudioWords

CRITERIA: Mapping[type, LabelStudioKind] = {
    BoxesCriterion: LabelStudioBoxes(),
    MarksCriterion: LabelStudioMarks(),
    MultiChoice: LabelStudioSeveral(),
    Number: LabelStudioNumber(),
    OneOf: LabelStudioOne(),
    Ordering: LabelStudioOrder(),
    PropertyList: LabelStudioProperties(),
    Scale: LabelStudioScale(),
    Spans: LabelStudioPassages(),
    TextCriterion: LabelStudioWords(),
}
"""How a criterion is answered there."""
FIELDS: Mapping[type, LabelStudioKind] = {ListEntryField: LabelStudioPick()}
"""How a field is filled in there. Without an entry, it is filled in like its criterion."""

NO_CONTROL = "Label Studio has no control for this kind."
NO_IMAGE = "the item has no image to draw on. Label Studio cannot draw on frames of a clip."

Row = TypeVar("Row", bound=Criterion | ItemField)
Refusal = Callable[[Schema, Row], str | None]


def _always(sentence: str) -> Refusal[Any]:
    return lambda schema, asked: sentence


def _without_image(schema: Schema, asked: Criterion | ItemField) -> str | None:
    there = any(slot.kind == "image" and asked.role in (None, slot.role) for slot in schema.item.assets)
    return None if there else NO_IMAGE


def _own_properties(schema: Schema, criterion: Criterion) -> str | None:
    if criterion.field is not None:
        return "the properties differ between items, but a Label Studio form asks the same questions about every item."
    return None


def _unwritten_list(schema: Schema, field: ItemField) -> str | None:
    entries = next((item_field for item_field in schema.item.fields if item_field.name == field.field), None)
    if entries is not None and not entries.authored:
        return f"the choices come from `{field.field}`, which authors do not write."
    return None


def _none_of_them(schema: Schema, field: ItemField) -> str | None:
    if field.none is not None:
        return "in Label Studio, people choose an entry by its number, but `none` has no number."
    return _unwritten_list(schema, field)


CRITERION_REFUSALS: Mapping[type, Refusal[Criterion]] = {
    DrawnCriterion: _without_image,
    PropertyList: _own_properties,
}
FIELD_REFUSALS: Mapping[type, Refusal[ItemField]] = {
    ListEntryField: _unwritten_list,
    DrawnField: _without_image,
    JsonField: _always("Label Studio has no control for a field of kind `json`."),
    OptionOfField: _none_of_them,
    OrderOfField: _always(
        "authors would write and order the entries in one form, but a Label Studio form cannot order "
        "entries from the same form."
    ),
    SegmentsField: _always("Label Studio has no control for a field of kind `segments`."),
}
"""Returns a sentence with the reason why a kind cannot be shown there."""

Found = TypeVar("Found")


def _of(row: object, table: Mapping[Any, Found]) -> Found | None:
    return next((table[row_class] for row_class in type(row).__mro__ if row_class in table), None)


def way_of_criterion(row: CriterionKind) -> LabelStudioKind | None:
    """Return how a criterion of this kind is answered there. None if it cannot be."""
    return None if row.only_here else _of(row, CRITERIA)


def way_of(part: FormPart) -> LabelStudioKind:
    """Return how a part is answered: by the field's way if it is picked by position, else by the criterion's way."""
    own = _of(part.field_row, FIELDS) if part.field_row is not None and part.after is not None else None
    way = own or _of(part.row, CRITERIA)
    assert way is not None, "every part of a page can be asked"
    return way


def criterion_refusal(schema: Schema, criterion: Criterion) -> str | None:
    """Return a sentence with the reason why a criterion cannot be shown there. None if it can."""
    row = of_criterion(criterion)
    if row.only_here:
        return row.only_here
    refuses = _of(row, CRITERION_REFUSALS)
    if refuses is not None:
        return refuses(schema, criterion)
    return None if way_of_criterion(row) is not None else NO_CONTROL


def field_refusal(schema: Schema, field: ItemField) -> str | None:
    """Return a sentence with the reason why a field cannot be filled in there. None if it can."""
    row = of_field(field)
    if row.only_here:
        return row.only_here
    refuses = _of(row, FIELD_REFUSALS)
    return refuses(schema, field) if refuses is not None else None
