"""Which fields of an item tell the right answer, and which one holds the options."""

from __future__ import annotations

from collections.abc import Collection

from annotation_schemas import kinds, registry
from annotation_schemas.model import Schema
from domain.policies import targets

_REFERENCES = ("answer", "ref_answer", "ref_answer_1", "true_action", "key_concept", "reason")
"""Placeholders of judge templates that stand for what is right."""
_NAMES = ("answer", "reason", "key_concepts")
"""What the published benchmarks call it; a schema without verification and judges says it in no other way."""


def key_fields(schema: Schema) -> frozenset[str]:
    """The fields that no model may be told: the key of the verification, what judges compare with, chosen options,
    drawn answers."""
    fields = {field.name: field for field in schema.item.fields}
    found = {name for name in _NAMES if name in fields}
    found |= {name for name, field in fields.items() if kinds.of_field(field).chosen}
    found |= {field.drawn for field in schema.item.fields if field.drawn is not None}
    found |= {*keys_of_votes(schema), *filter(None, [key_field(schema)])}
    for judge in schema.judges:
        row = registry.find("template", judge.template)
        for placeholder in row.placeholders if isinstance(row, registry.Template) else ():
            if placeholder in _REFERENCES:
                found.add(judge.fills.get(placeholder, placeholder))
    return frozenset(found & set(fields))


def key_is_private(schema: Schema) -> bool:
    """Whether the key of this benchmark stays out of public files, so that no one but its leads may have it."""
    return key_field(schema) in schema.export.public_without


def withheld_in(schema: Schema, split: str, *, private: Collection[str] | None = None) -> tuple[str, ...]:
    """The fields that the public files of a split of a release do not have, in the schema's order.

    Parameters
    ----------
    private
        The splits whose key stays private, whatever the schema says of splits; None: as the schema says. A schema that
        names no field as not public then keeps back all that tell the right answer (``key_fields``).
    """
    said = schema.export.public_without
    if private is None:
        without = said if not schema.export.private_splits or split in schema.export.private_splits else ()
    else:
        without = (said or tuple(key_fields(schema))) if split in private else ()
    return tuple(field.name for field in schema.item.fields if field.name in without)


def key_field(schema: Schema) -> str | None:
    """The item field that models' answers are held against; None: there is none.

    The (first) key of the keep rule; else the field that says what answers are read as; else the first that names an
    option, several, or an order.
    """
    keys = keys_of_votes(schema)
    if keys:
        return keys[0]
    fields = schema.item.fields
    said = next((field.name for field in fields if field.read_as is not None), None)
    chosen = [field for field in fields if kinds.of_field(field).chosen]
    first = min(chosen, key=lambda field: kinds.of_field(field).place, default=None)
    return said or (first.name if first is not None else None)


def keys_of_votes(schema: Schema, stage: str | None = None) -> tuple[str, ...]:
    """The item fields that votes of a stage of verification are held against (None: of all of them), in the order of
    the keep rule."""
    rules = [part.keep for name, part in schema.stages.verifications.items() if stage in (None, name)]
    return tuple(dict.fromkeys(each.key for rule in rules for each in targets(rule) if each.key))


def votes_tell(schema: Schema, left_out: Collection[str]) -> bool:
    """Whether kept votes tell one of the fields that files leave out: they are equal to the key."""
    return not set(left_out).isdisjoint(keys_of_votes(schema))


def reference_field(schema: Schema) -> str | None:
    """The item field whose text models' answers are compared with where nothing else is asked for: the key, or else
    the field that the published benchmarks call `answer`; None: there is neither."""
    texts = {field.name for field in schema.item.fields if kinds.of_field(field).comparable}
    return key_field(schema) or (_NAMES[0] if _NAMES[0] in texts else None)


def none_label(schema: Schema, name: str | None) -> str | None:
    """What models are offered as the last of a list of options: that none of them is right. None: it is not offered."""
    key = next((field for field in schema.item.fields if field.name == key_field(schema)), None)
    return key.none if key is not None and key.field == name else None


def options_field(schema: Schema) -> str | None:
    """The list that the right answer is taken from; None: the items have no options."""
    lists = [field.name for field in schema.item.fields if kinds.of_field(field).is_list]
    chosen = [field.field for field in schema.item.fields if kinds.of_field(field).chosen and field.field in lists]
    return next((name for name in [*chosen, "options", "actions"] if name in lists), None)


def told_texts(schema: Schema) -> list[str]:
    """The texts of an item that models may be told, by name."""
    told = key_fields(schema)
    return [each.name for each in schema.item.fields if kinds.of_field(each).written and each.name not in told]


def question_field(schema: Schema) -> str | None:
    """The text that is asked: ``question``, else the first one that models may be told; None: there is none."""
    texts = told_texts(schema)
    return "question" if "question" in texts else next(iter(texts), None)
