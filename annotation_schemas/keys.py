"""The fields of an item that reveal the right answer, and the field that holds the options."""

from __future__ import annotations

from collections.abc import Collection

from annotation_schemas import kinds, registry
from annotation_schemas.model import Schema
from domain.policies import targets

_REFERENCES = ("answer", "ref_answer", "ref_answer_1", "true_action", "key_concept", "reason")
"""Placeholders of judge templates for right answers."""
_NAMES = ("answer", "reason", "key_concepts")
"""Names of the right answer in published benchmarks, for schemas without verification and judges."""


def key_fields(schema: Schema) -> frozenset[str]:
    """Return the fields that models must not see.

    These are the keys of verification, the references of judges, chosen options, and drawn answers.
    """
    fields = {field.name: field for field in schema.item.fields}
    keys = {name for name in _NAMES if name in fields}
    keys |= {name for name, field in fields.items() if kinds.of_field(field).chosen}
    keys |= {field.drawn for field in schema.item.fields if field.drawn is not None}
    keys |= {*keys_of_votes(schema), *filter(None, [key_field(schema)])}
    for judge in schema.judges:
        row = registry.find("template", judge.template)
        for placeholder in row.placeholders if isinstance(row, registry.Template) else ():
            if placeholder in _REFERENCES:
                keys.add(judge.fills.get(placeholder, placeholder))
    return frozenset(keys & set(fields))


def key_is_private(schema: Schema) -> bool:
    """Whether the key of this benchmark is left out of public files, so that only its leads have it."""
    return key_field(schema) in schema.export.public_without


def withheld_in(schema: Schema, split: str, *, private: Collection[str] = ()) -> tuple[str, ...]:
    """Return the fields that are left out of a split's public files, in the schema's order.

    The schema names these fields. For a split in ``private``, all fields that reveal the right answer are added.
    """
    withheld = schema.export.public_without
    without = set(withheld) if not schema.export.private_splits or split in schema.export.private_splits else set()
    if split in private:
        without |= {*withheld, *key_fields(schema)}
    return tuple(field.name for field in schema.item.fields if field.name in without)


def key_field(schema: Schema) -> str | None:
    """Return the item field that models' answers are compared with, or None.

    It is the (first) key of the keep rule; otherwise the field with `read_as`; otherwise the first field that names
    an option, several options, or an order.
    """
    keys = keys_of_votes(schema)
    if keys:
        return keys[0]
    fields = schema.item.fields
    named = next((field.name for field in fields if field.read_as is not None), None)
    chosen = [field for field in fields if kinds.of_field(field).chosen]
    first = min(chosen, key=lambda field: kinds.of_field(field).place, default=None)
    return named or (first.name if first is not None else None)


def keys_of_votes(schema: Schema, stage: str | None = None) -> tuple[str, ...]:
    """Return the item fields that votes are compared with, in the order of the keep rule.

    ``stage`` limits them to one verification stage; None means all.
    """
    rules = [part.keep for name, part in schema.stages.verifications.items() if stage in (None, name)]
    return tuple(dict.fromkeys(target.key for rule in rules for target in targets(rule) if target.key))


def votes_tell(schema: Schema, left_out: Collection[str]) -> bool:
    """Whether kept votes reveal a field that is left out of files, because they equal the key."""
    return not set(left_out).isdisjoint(keys_of_votes(schema))


def reference_field(schema: Schema) -> str | None:
    """Return the default field for comparing the text of models' answers, or None.

    It is the key, or else the field that published benchmarks call `answer`.
    """
    texts = {field.name for field in schema.item.fields if kinds.of_field(field).comparable}
    return key_field(schema) or (_NAMES[0] if _NAMES[0] in texts else None)


def none_label(schema: Schema, name: str | None) -> str | None:
    """Return the last option shown to models, which says that no option is right, or None if it is not offered."""
    key = next((field for field in schema.item.fields if field.name == key_field(schema)), None)
    return key.none if key is not None and key.field == name else None


def options_field(schema: Schema) -> str | None:
    """Return the list that the right answer is taken from, or None if items have no options."""
    lists = [field.name for field in schema.item.fields if kinds.of_field(field).is_list]
    chosen = [field.field for field in schema.item.fields if kinds.of_field(field).chosen and field.field in lists]
    return next((name for name in [*chosen, "options", "actions"] if name in lists), None)


def told_texts(schema: Schema) -> list[str]:
    """Return the names of an item's texts that models may see."""
    keys = key_fields(schema)
    return [field.name for field in schema.item.fields if kinds.of_field(field).written and field.name not in keys]


def question_field(schema: Schema) -> str | None:
    """Return the field of the question: ``question``, or else the first text that models may see; None if there is
    none.
    """
    texts = told_texts(schema)
    return "question" if "question" in texts else next(iter(texts), None)
