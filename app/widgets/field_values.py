"""Values of an item's fields, and of answers, as text for people."""

from __future__ import annotations

import json
from typing import Any

from annotation_schemas import kinds


def in_words(value: Any) -> str:
    """Return a value as text for people."""
    if value is None:
        return "none"
    if isinstance(value, str):
        return value
    if isinstance(value, list) and not value:
        return "none"
    if isinstance(value, list):
        return "; ".join(map(_entry, value))
    return _entry(value)


def _entry(value: Any) -> str:
    """Return one entry of a list in words, such as a box, a point or a passage. Other entries stay as they are."""
    if not isinstance(value, dict):
        return str(value)
    words = kinds.in_words(value)
    if words is not None:
        return words
    return json.dumps(value, ensure_ascii=False)
