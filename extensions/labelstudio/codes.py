"""The names of controls and the texts that stand for options on a page of Label Studio.

A control has the name of its criterion or field; what stands next to it (reasons, skips, "nothing to mark") has that
name, a hyphen and more, which no criterion can be called. Options are stored by their values, not by their labels: see
``codes``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from annotation_schemas.model import Choice
from domain.comparison import same

NOTE = "touchstone-note"
"""The control for what a rater adds in words."""
ABOUT = "about"
"""The text on every page that everything is about which is not drawn or marked on something."""
RESERVED = "touchstone:"
SKIP = f"{RESERVED}skip"
NONE = f"{RESERVED}none"
OTHER = f"{RESERVED}other"
"""Choices besides the options: not to answer, that nothing applies, and a reason in one's own words."""
EDITED = "field-"
"""What the controls of fields begin with that a senior changes."""


def image_of(role: str) -> str:
    """The name of what shows the images of a role that is drawn on."""
    return f"image-{role}"


def text_of(name: str) -> str:
    """The name of what shows a text in which passages are marked: an item's field, or the model's answer."""
    return f"text-{name}"


def code(value: Any) -> str:
    """The text that stands for one of the schema's own values.

    No comma, as conditions there list choices with commas between; neither "true" nor "false", which become truth
    values on the way.
    """
    text = value if isinstance(value, str) else json.dumps(value)
    text = "".join(" " if ord(letter) < ord(" ") else letter for letter in text).replace(",", ";")
    return f"={text}" if text in ("true", "false") or text.startswith(RESERVED) else text


def codes(options: Sequence[Choice], *, own: bool) -> list[str]:
    """The texts that stand for options, all different. ``own``: they are the schema's, not the item's."""
    found: list[str] = []
    for option in options:
        text = code(option.value) if own else str(option.value)
        if text.startswith(RESERVED):
            text = f"={text}"
        tried, number = text, 1
        while tried in found:
            number += 1
            tried = f"{text} ({number})"
        found.append(tried)
    return found


def rank_codes(options: Sequence[Choice], *, own: bool) -> list[str]:
    """As ``codes``, for things to be put in order: whole numbers by themselves would be sorted by the browser."""
    made = codes(options, own=own)
    marked = [f"#{text}" if text.isdecimal() else text for text in made]
    return marked if len(set(marked)) == len(marked) else [f"{at}. {text}" for at, text in enumerate(made, 1)]


def distinct(options: Sequence[Choice]) -> list[Choice]:
    """Options without those whose value was there before: they would be the same answer."""
    found: list[Choice] = []
    for option in options:
        if not any(same(option.value, other.value) for other in found):
            found.append(option)
    return found


def list_of(name: str) -> str:
    """The name of the list that an ordering puts in order."""
    return f"{name}-list"
