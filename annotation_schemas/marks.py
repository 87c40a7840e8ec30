"""Boxes and numbered marks on an image, as they are stored: fractions of the upright image, from its upper left corner.

A box is ``{"label": "cup", "x": 0.1, "y": 0.2, "w": 0.3, "h": 0.25}`` (without ``label`` where the schema lists none),
a mark ``{"number": 1, "x": 0.5, "y": 0.5}``. ``image`` counts the images of the place from 1 and is left out for the
first one.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from domain.policies import same

KINDS = ("boxes", "marks")

_SLACK = 2e-6
"""Two roundings to six decimals may add up to a little more than 1."""
_LARGEST_NUMBER = 999


def problem(
    kind: str, value: Any, *, labels: Collection[Any], least: float | None = None, most: float | None = None
) -> str | None:
    """What is wrong with a list of boxes or marks, as a sentence; None if nothing is."""
    noun, nouns = ("box", "boxes") if kind == "boxes" else ("mark", "marks")
    if not isinstance(value, list | tuple):
        return f"This must be a list of {nouns}."
    if least is not None and len(value) < least:
        return f"At least {least:g} {f'{noun} is' if least == 1 else f'{nouns} are'} needed ({len(value)} now)."
    if most is not None and len(value) > most:
        return f"At most {most:g} {f'{noun} fits' if most == 1 else f'{nouns} fit'} ({len(value)} now)."
    for place, entry in enumerate(value, 1):
        if not isinstance(entry, Mapping):
            return f"{noun.capitalize()} {place} is no {noun}."
        said = _box(entry, labels) if kind == "boxes" else _mark(entry)
        if said:
            return f"{noun.capitalize()} {place}: {said}"
    numbers = [entry["number"] for entry in value] if kind == "marks" else []
    twice = next((number for number in numbers if numbers.count(number) > 1), None)
    return None if twice is None else f"The number {twice} is there twice."


def _box(box: Mapping[str, Any], labels: Collection[Any]) -> str | None:
    wrong = _keys(box, ("x", "y", "w", "h"), ("label", "image")) or _image(box)
    if wrong:
        return wrong
    if box["w"] <= 0 or box["h"] <= 0:
        return "it has no area."
    if box["x"] < 0 or box["y"] < 0 or box["x"] + box["w"] > 1 + _SLACK or box["y"] + box["h"] > 1 + _SLACK:
        return "it reaches out of the image; places and sizes are between 0 and 1."
    if labels and not any(same(box.get("label"), label) for label in labels):
        told = ", ".join(str(label) for label in labels)
        return (
            f"the label {box['label']!r} is not one of {told}." if "label" in box else f"its label is missing: {told}."
        )
    if not labels and "label" in box and not isinstance(box["label"], str):
        return "a label is a text."
    return None


def _mark(mark: Mapping[str, Any]) -> str | None:
    wrong = _keys(mark, ("x", "y"), ("number", "image")) or _image(mark)
    if wrong:
        return wrong
    number = mark.get("number")
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= _LARGEST_NUMBER:
        return "it needs a `number`, a whole one from 1 on."
    if not (0 <= mark["x"] <= 1 and 0 <= mark["y"] <= 1):
        return "it lies outside of the image; places are between 0 and 1."
    return None


def _keys(entry: Mapping[str, Any], places: Sequence[str], others: Sequence[str]) -> str | None:
    for name in places:
        number = entry.get(name)
        if not isinstance(number, int | float) or isinstance(number, bool) or not math.isfinite(number):
            return f"`{name}` must be a number."
    unknown = next((name for name in entry if name not in (*places, *others)), None)
    return None if unknown is None else f"there is no `{unknown}` in it."


def _image(entry: Mapping[str, Any]) -> str | None:
    image = entry.get("image", 1)
    return None if isinstance(image, int) and not isinstance(image, bool) and image >= 1 else "there is no such image."
