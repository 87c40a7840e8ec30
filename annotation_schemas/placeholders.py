"""The placeholders that prompts and judge templates may use: the item's fields, and further values."""

from __future__ import annotations

from collections.abc import Mapping

from annotation_schemas import kinds
from annotation_schemas.judge_templates import DIMENSION, PAIR, PREDICTION
from annotation_schemas.keys import key_fields
from annotation_schemas.model import Schema

CHOICES, INJECTED, SUMMARY = "choices", "injected", "summary"

OF_PROMPTS: Mapping[str, str] = {
    CHOICES: "the options with their letters, one per line; empty if the item has no options or the options are ranked",
    DIMENSION: "the title of the item's dimension",
    INJECTED: "the text that a run adds to the question; without this placeholder, the text comes before the prompt",
    SUMMARY: "in the second step of `two_steps`: the model's first answer",
}
"""Placeholders of models' prompts that no field fills."""
OF_TEMPLATES: Mapping[str, str] = {
    PREDICTION: "the model's answer that the judge rates",
    DIMENSION: "the title of the item's dimension",
    PAIR[0]: "in a comparison: the answer shown first; the second round swaps the two answers",
    PAIR[1]: "in a comparison: the answer shown second",
}
"""Values for placeholders of judge templates that are not fields."""


def of_prompts(schema: Schema) -> dict[str, str]:
    """Return the placeholders for prompts to models, with their values. None reveals the right answer, or is drawn."""
    keys = key_fields(schema)
    meanings = {}
    for field in schema.item.fields:
        if field.name not in keys and not kinds.of_field(field).drawn:
            own = " (secret: only the schema's own prompts can use this field)" if field.secret_in else ""
            meanings[field.name] = f"the item's {kinds.title_of(field)}{own}"
    return meanings | dict(OF_PROMPTS)


def of_templates(schema: Schema) -> dict[str, str]:
    """Return the values that may fill a judge template's placeholder, with their meaning."""
    texts = [field for field in schema.item.fields if not kinds.of_field(field).drawn]
    return {field.name: f"the item's {kinds.title_of(field)}" for field in texts} | dict(OF_TEMPLATES)
