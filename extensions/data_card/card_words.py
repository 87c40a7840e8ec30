"""Words that the parts of a data card share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation_schemas.model import Dimension
from reports.content import Paragraph
from reports.words import name_list

NOT_SAID = "not stated"
"""The text for a field that the makers left empty."""


def field_text(about: Mapping[str, Any], name: str) -> str:
    """Return the value of a field of the data card as one text."""
    value = about.get(name)
    if isinstance(value, list | tuple):
        return "; ".join(str(part) for part in value) or NOT_SAID
    return str(value).strip() if value not in (None, "") else NOT_SAID


def told_of(title: str, about: Mapping[str, Any], name: str) -> Paragraph:
    """Return the value of a field of the data card with its title before it."""
    text = field_text(about, name)
    return Paragraph(f"{title}: {text}", "note" if text == NOT_SAID else "plain")


def sentence(parts: Sequence[str]) -> str:
    """Return the parts joined into one sentence; empty if there are no parts."""
    return name_list(parts) if parts else ""


def named(dimension: Dimension) -> str:
    """Return the title of a dimension, with its group."""
    group = dimension.group
    return f"{group}: {dimension.title}" if group and group != dimension.title else dimension.title
