"""Checks of the fields, images and clips of a schema's items."""

from __future__ import annotations

from annotation_schemas import kinds
from annotation_schemas.answer_forms import FORMS
from annotation_schemas.check_parts import Found, check_names
from annotation_schemas.formats import keys_of_source
from annotation_schemas.grammar import among, choices, tolerance
from annotation_schemas.keys import key_field
from annotation_schemas.kinds import refers_to_list
from annotation_schemas.model import AssetSlot, ItemField, Schema
from annotation_schemas.yaml_text import Path


def check_item(schema: Schema) -> Found:
    assets, fields = schema.item.assets, schema.item.fields
    yield from check_names(
        [(("item", "assets", index, "role"), slot.role) for index, slot in enumerate(assets)]
        + [(("item", "fields", index, "name"), field.name) for index, field in enumerate(fields)]
    )
    for index, slot in enumerate(assets):
        if slot.min < 0 or (slot.max is not None and slot.max < max(slot.min, 1)):
            least = "min" if slot.min < 0 else "max"
            why = "`min` must be 0 or more, and `max` must be 1 or more and not less than `min`"
            yield ("item", "assets", index, least), why
        yield from _alt(schema, slot, ("item", "assets", index, "alt"))
    for index, field in enumerate(fields):
        yield from _field(schema, field, ("item", "fields", index))


def _alt(schema: Schema, slot: AssetSlot, path: Path) -> Found:
    """Check the field with the description of images: a text for a single image, a list for several."""
    if slot.alt is None:
        return
    rows = {field.name: kinds.of_field(field) for field in schema.item.fields}
    fits = {name: row for name, row in rows.items() if row.written or row.is_list}
    if slot.alt not in fits:
        yield path, f"`{slot.alt}` is not a text field or a list of texts{among(slot.alt, list(fits))}"
    elif slot.max != 1 and not fits[slot.alt].is_list:
        lists = " or ".join(f"`{name}`" for name, row in kinds.FIELDS.items() if row.is_list)
        why = f"`{slot.alt}` is a single text, but an item can have several images"
        yield path, f"{why}; use a {lists} with one entry per image"


def _field(schema: Schema, field: ItemField, path: Path) -> Found:
    row = kinds.of_field(field)
    if row.away:  # only the extension knows what it may say
        return
    if field.form is not None or field.forms or field.drawn is not None:
        yield from _formed(schema, field, path)
    elif field.field is not None and not row.chosen:
        yield (*path, "field"), f"a field of kind `{row.name}` does not refer to another field; remove `field`"
    if field.role is not None and "role" not in row.keys:
        yield (*path, "role"), f"`role` works only for fields of kind {_taking('role', quote='`')}; remove `role`"
    if row.least_options is not None:
        yield from choices(field.options, (*path, "options"), least=row.least_options)
    elif field.options and not field.forms:
        yield (*path, "options"), f"a field of kind `{row.name}` cannot have its own options; remove `options`"
    yield from _read_as(schema, field, path)
    for key in ("length", "distinct", "by_dimension", "min", "max", "step", "tolerance", "none", "cover"):
        if getattr(field, key) not in (None, False, {}) and key not in row.keys:
            yield (*path, key), f"`{key}` works only for fields of kind {_taking(key, quote='`')}; remove `{key}`"
    bounds = (field.min_length, field.max_length)
    for key in ("length", "min_length", "max_length"):
        if (getattr(field, key) or 0) < 0:
            yield (*path, key), f"a length cannot be negative; give 0 or more, or remove `{key}`"
    yield from row.check_schema(schema, field, path)
    source = keys_of_source(schema)
    if field.none is not None and row.chosen and source is not None and source.chosen is not None:
        why = (
            f"files of the format `{source.name}` give the position of the right option, so every item needs a right "
            "option"
        )
        yield (*path, "none"), f"{why}; remove `none`, or use another format"
    if bounds[0] is not None and bounds[1] is not None and bounds[0] > bounds[1]:
        yield (*path, "max_length"), "`max_length` is less than `min_length`; raise `max_length`, or lower `min_length`"


def _taking(key: str, quote: str = "") -> str:
    """Return the kinds of fields that accept a key."""
    return " and ".join(f"{quote}{row.name}{quote}" for row in kinds.FIELDS.values() if key in row.keys)


def _read_as(schema: Schema, field: ItemField, path: Path) -> Found:
    """Check that only the key defines how models' answers are read."""
    row = kinds.of_field(field)
    counts = row.has_unit or not row.reads_as or field.read_as == "number"
    if field.unit is not None and ("unit" not in row.keys or not counts):
        yield (*path, "unit"), "`unit` works only with `read_as: number`; add `read_as: number`, or remove `unit`"
    if field.tolerance is not None and "tolerance" in row.keys:
        if key_field(schema) != field.name or (row.answer is None and field.read_as != "number"):
            why = "Touchstone compares models' numbers only with the key, and this field is not the key"
            yield (*path, "tolerance"), f"{why}; remove `tolerance`"
        yield from tolerance(field.tolerance, field.unit, (*path, "tolerance"))
    if field.read_as is None:
        return
    if not row.reads_as:
        yield (*path, "read_as"), f"the kind `{row.name}` already determines how answers are read; remove `read_as`"
    elif field.read_as not in row.reads_as:
        yield (*path, "read_as"), row.refuses_read_as
    elif field.read_as == "form" and not field.forms:
        yield (*path, "read_as"), "this field has no `forms`; add `forms`, which determine how answers are read"
    key = key_field(schema)
    if key != field.name:
        yield (*path, "read_as"), f"Touchstone compares answers with `{key}`, not with this field; remove `read_as`"


def _formed(schema: Schema, field: ItemField, path: Path) -> Found:
    """Check a text whose form another field names: that field, a form for each of its values, and the needs of these
    forms.
    """
    if not kinds.of_field(field).written:
        yield (
            (*path, "forms"),
            (
                f"a field of kind `{field.kind}` cannot have `form` or `forms`, which are for text fields; remove "
                f"these "
                "keys"
            ),
        )
        return
    names = {choice.name: choice for choice in schema.item.fields if kinds.of_field(choice).of_options}
    if field.form not in names:
        complaint = f"`{field.form}` is not a choice field of the item" if field.form else "`form` is missing"
        yield (
            path if field.form is None else (*path, "form"),
            f"{complaint}; name the choice field that gives the form{among(field.form or '', list(names))}",
        )
        return
    values = [str(option.value) for option in names[field.form].options]
    for value in field.forms:
        if value not in values:
            yield (*path, "forms", value), f"`{value}` is not a value of `{field.form}`{among(value, values)}"
    lacking = [value for value in values if value not in field.forms]
    if lacking:
        yield (
            (*path, "forms"),
            f"add a form for {', '.join(f'`{value}`' for value in lacking)} of `{field.form}`",
        )
    rows = [FORMS[name] for name in field.forms.values() if name in FORMS]
    if any(row.needs_list for row in rows):
        yield from refers_to_list(schema, field.field, path)
    elif field.field is not None:
        yield (*path, "field"), "none of the `forms` uses entries of a list; remove `field`"
    if any(row.needs_words for row in rows):
        yield from choices(field.options, (*path, "options"), least=1)
    elif field.options:
        yield (*path, "options"), "none of the `forms` uses listed words; remove `options`"
    yield from _drawn(schema, field, any(row.is_drawn for row in rows), path)


def _drawn(schema: Schema, field: ItemField, needed: bool, path: Path) -> Found:
    """Check the field for drawn answers, which must be optional and serve no other purpose."""
    names = {marked.name: marked for marked in schema.item.fields if kinds.of_field(marked).drawn}
    if not needed:
        if field.drawn is not None:
            yield (*path, "drawn"), "none of the `forms` is `drawn`; remove `drawn`"
    elif field.drawn is None:
        yield path, f"`drawn` is missing; name the field that contains the drawing{among('', list(names))}"
    elif field.drawn not in names:
        complaint = f"`{field.drawn}` is not a field with boxes or marks{among(field.drawn, list(names))}"
        yield (*path, "drawn"), complaint
    elif names[field.drawn].required:
        yield (*path, "drawn"), f"`{field.drawn}` needs `required: false`, because items of other forms have no drawing"
    elif [marked.drawn for marked in schema.item.fields].count(field.drawn) > 1:
        yield (*path, "drawn"), f"`{field.drawn}` already stores the answers of another field; name another field"
