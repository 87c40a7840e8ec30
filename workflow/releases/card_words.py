"""Words that the parts of a data card share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation_schemas.model import Dimension
from reports.content import Text
from reports.words import listed

NOT_SAID = "not said"
"""What stands where no one has said it."""


def said(about: Mapping[str, Any], name: str) -> str:
    """What the makers say, as one text."""
    value = about.get(name)
    if isinstance(value, list | tuple):
        return "; ".join(str(each) for each in value) or NOT_SAID
    return str(value).strip() if value not in (None, "") else NOT_SAID


def told_of(title: str, about: Mapping[str, Any], name: str) -> Text:
    """The same with its name before it."""
    text = said(about, name)
    return Text(f"{title}: {text}", "note" if text == NOT_SAID else "plain")


def sentence(parts: Sequence[str]) -> str:
    """Parts in a sentence; empty of none."""
    return listed(parts) if parts else ""


def named(dimension: Dimension) -> str:
    """What a dimension is called, with its group."""
    group = dimension.group
    return f"{group}: {dimension.title}" if group and group != dimension.title else dimension.title
