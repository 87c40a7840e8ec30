"""The names of controls and the codes of options on a page of Label Studio.

A control has the name of its criterion or field. Related controls (reasons, skips, "nothing to mark") add a hyphen and
a suffix, which no criterion's name can contain. Options are stored by their values, and not by their labels: see
``codes``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from annotation_schemas.model import Choice
from domain.comparison import same

NOTE = "touchstone-note"
"""The control for a rater's note."""
ABOUT = "about"
"""The text on every page to which controls belong that are not drawn or marked on another one."""
RESERVED = "touchstone:"
SKIP = f"{RESERVED}skip"
NONE = f"{RESERVED}none"
OTHER = f"{RESERVED}other"
"""Choices in addition to the options: skip, nothing applies, and a reason in the rater's own words."""
EDITED = "field-"
"""The prefix of the controls for fields that a senior edits."""


def image_of(role: str) -> str:
    """Return the name of the element that shows the images of a role, for drawing."""
    return f"image-{role}"


def text_of(name: str) -> str:
    """Return the name of the element that shows a text for marking: a field of the item, or the model's answer."""
    return f"text-{name}"


def code(value: Any) -> str:
    """Return the code of one of the schema's own values.

    The code has no comma, because Label Studio separates choices in conditions by commas. It is neither "true" nor
    "false", because those become booleans.
    """
    text = value if isinstance(value, str) else json.dumps(value)
    text = "".join(" " if ord(letter) < ord(" ") else letter for letter in text).replace(",", ";")
    return f"={text}" if text in ("true", "false") or text.startswith(RESERVED) else text


def codes(options: Sequence[Choice], *, own: bool) -> list[str]:
    """Return unique codes of options. ``own``: the options belong to the schema, not to the item."""
    texts: list[str] = []
    for option in options:
        text = code(option.value) if own else str(option.value)
        if text.startswith(RESERVED):
            text = f"={text}"
        tried, number = text, 1
        while tried in texts:
            number += 1
            tried = f"{text} ({number})"
        texts.append(tried)
    return texts


def rank_codes(options: Sequence[Choice], *, own: bool) -> list[str]:
    """Return unique codes of entries to sort.

    Codes are never bare whole numbers, which a browser would sort by itself.
    """
    made = codes(options, own=own)
    marked = [f"#{text}" if text.isdecimal() else text for text in made]
    return marked if len(set(marked)) == len(marked) else [f"{at}. {text}" for at, text in enumerate(made, 1)]


def distinct(options: Sequence[Choice]) -> list[Choice]:
    """Return the options without those whose value occurred before, because they would be the same answer."""
    choices: list[Choice] = []
    for option in options:
        if not any(same(option.value, other.value) for other in choices):
            choices.append(option)
    return choices


def list_of(name: str) -> str:
    """Return the name of the list that an ordering sorts."""
    return f"{name}-list"
