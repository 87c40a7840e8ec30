"""Write plain values as YAML: in one line between brackets, or as lines."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

WIDTH = 88
"""Most characters of a mapping that is written in one line."""
_PLAIN = re.compile(r"[A-Za-z]([A-Za-z0-9_ ./()'-]*[A-Za-z0-9_).?])?")
_PLAIN_IN_FLOW = re.compile(r"[A-Za-z]([A-Za-z0-9_ ./'-]*[A-Za-z0-9_])?")
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
"""Characters that YAML does not allow, or reads as line breaks."""
_RESOLVER = yaml.SafeLoader("")


def thawed(value: Any) -> Any:
    """Return the value with lists in place of tuples."""
    if isinstance(value, dict):
        return {key: thawed(part) for key, part in value.items()}
    return [thawed(part) for part in value] if isinstance(value, tuple | list) else value


def value_at(value: Any, path: Sequence[str | int]) -> Any:
    """Return the part of a value at a path, or None."""
    for step in path:
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, tuple | list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def as_scalar(value: Any, *, flow: bool, style: str | None = None) -> str:
    """Return a single value as YAML. Text keeps its quotes (``style``) where they still fit."""
    if isinstance(value, dict | list):
        return as_flow(value)
    if not isinstance(value, str):
        return json.dumps(value)
    if style == "'" and value.isprintable() and not _ESCAPED.search(value):
        return "'" + value.replace("'", "''") + "'"
    if style != '"' and (_PLAIN_IN_FLOW if flow else _PLAIN).fullmatch(value) and _reads_as_text(value):
        return value
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def _reads_as_text(value: str) -> bool:
    tag = _RESOLVER.resolve(yaml.ScalarNode, value, (True, False))  # type: ignore[no-untyped-call]
    return bool(tag == "tag:yaml.org,2002:str")


def as_flow(value: Any) -> str:
    """Return a value in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{as_scalar(key, flow=True)}: {as_flow(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(as_flow, value)) + "]"
    return as_scalar(value, flow=True)


def is_short(value: Any) -> bool:
    """Tell whether a mapping or list fits into one line and holds no mappings."""
    parts = value.values() if isinstance(value, dict) else value
    return not any(isinstance(part, dict) for part in parts) and _fits(value)


def _fits(value: Any) -> bool:
    parts = list(value.values()) if isinstance(value, dict) else value
    nested = [part for part in parts if isinstance(part, dict | list)]
    plain = all(not isinstance(entry, dict | list) for part in nested for entry in part) if nested else True
    return plain and len(as_flow(value)) <= WIDTH


def as_block(value: Any, indent: int, *, flow: bool = False) -> list[str]:
    """Return a mapping or list as lines. ``flow``: each entry of the list takes one line, if it fits."""
    pad = " " * indent
    if isinstance(value, list):
        lines = []
        for entry in value:
            if not isinstance(entry, dict) or not entry or ((flow or len(entry) < 4) and _fits(entry)):
                written = as_flow(entry) if isinstance(entry, dict | list) else as_scalar(entry, flow=False)
                lines.append(f"{pad}- {written}")
            else:
                first, *rest = as_block(entry, indent + 2)
                lines += [f"{pad}- {first.lstrip(' ')}", *rest]
        return lines
    lines = []
    for key, part in value.items():
        name = f"{pad}{as_scalar(key, flow=True)}:"
        if isinstance(part, dict | list) and part and not is_short(part):
            lines += [name, *as_block(part, indent + 2)]
        elif isinstance(part, dict | list):
            lines.append(f"{name} {as_flow(part)}")
        else:
            lines.append(f"{name} {as_scalar(part, flow=False)}")
    return lines
