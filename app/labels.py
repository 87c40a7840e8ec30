"""Texts of a schema in the person's language, from its own translations."""

from __future__ import annotations

from typing import Any

from annotation_schemas.model import Schema
from annotation_schemas.stage_titles import stage_title as stage_title
from domain.language import language

LABELS = frozenset({"title", "label", "help", "prompt", "definition", "group", "say", "options_title", "unit", "none"})
"""Keys of a page whose values are texts of the schema."""


def in_language(schema: Schema, part: Any) -> Any:
    """Return a part of a page with the schema's own translations of its labels."""
    texts = schema.translations.get(language())
    return _translated(part, texts) if texts else part


def text_in_language(schema: Schema, text: str) -> str:
    """Return one text of a schema in the person's language."""
    return schema.translations.get(language(), {}).get(text, text)


def _translated(part: Any, texts: dict[str, str]) -> Any:
    if isinstance(part, list):
        return [_translated(each, texts) for each in part]
    if not isinstance(part, dict):
        return part
    return {
        name: texts.get(value, value) if name in LABELS and isinstance(value, str) else _translated(value, texts)
        for name, value in part.items()
    }
