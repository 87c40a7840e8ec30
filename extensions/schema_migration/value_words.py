"""Shorten values of a schema to one line, for pages and terminals."""

from __future__ import annotations

import json
from typing import Any

LONGEST = 40
"""Longest value in a line, in characters."""


def values_in_line(old: Any, new: Any) -> tuple[str, str]:
    """Return two values for one line. Long values start shortly before their first difference."""
    one, other = (_in_words(value) for value in (old, new))
    if min(len(one), len(other)) <= LONGEST:
        return _cut(one, 0), _cut(other, 0)
    same = next((at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), len(one))
    begins = max(0, same - LONGEST // 2)
    return _cut(one, begins), _cut(other, begins)


def _in_words(value: Any) -> str:
    """Return the label, title or prompt of a part of a schema. Return other values as JSON."""
    if isinstance(value, dict):
        value = next((value[key] for key in ("label", "title", "prompt") if key in value), value)
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)


def _cut(text: str, begins: int) -> str:
    part = text[begins : begins + LONGEST]
    return f"{'…' if begins else ''}{part}{'…' if len(text) > begins + LONGEST else ''}"
