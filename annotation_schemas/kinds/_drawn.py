"""The base of boxes and marks: lists of shapes on an image, in fractions of the upright image.

Positions count from its upper left corner. ``image`` is the number of the image in its slot, from 1; it is omitted
for the first image.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar

from annotation_schemas import drawing, grammar
from annotation_schemas.kinds._rows import CriterionKind, FieldKind, Found, Json, Texts, is_list
from annotation_schemas.model import Choice, Criterion, ItemField, Schema
from annotation_schemas.yaml_text import Path

ROLE = "the role of the images to draw on; default: the first role with images"


Shape = Callable[[Mapping[str, Any], Collection[Any]], str | None]
"""A function from an entry and the labels to the end of a sentence about its problem, or None."""


class Drawing:
    """A list of shapes of one sort."""

    def __init__(self, noun: str, nouns: str, shape: Shape, *, unique: str | None = None) -> None:
        self.noun, self.nouns, self.shape, self.unique = noun, nouns, shape, unique

    def problem(
        self, value: Any, *, labels: Collection[Any], least: float | None = None, most: float | None = None
    ) -> str | None:
        """Return the problem of a list of shapes, as a sentence, or None."""
        noun, nouns = self.noun, self.nouns
        if not is_list(value):
            return f"The value must be a list of {nouns}."
        if least is not None and len(value) < least:
            return f"At least {least:g} {f'{noun} is' if least == 1 else f'{nouns} are'} needed ({len(value)} now)."
        if most is not None and len(value) > most:
            return f"At most {most:g} {f'{noun} is' if most == 1 else f'{nouns} are'} allowed ({len(value)} now)."
        for place, entry in enumerate(value, 1):
            if not isinstance(entry, Mapping):
                return f"{noun.capitalize()} {place} is not a valid {noun}. Correct or remove this entry."
            shape = self.shape(entry, labels)
            if shape:
                return f"{noun.capitalize()} {place}: {shape}"
        if self.unique is None:
            return None
        names = [entry[self.unique] for entry in value]
        twice = next((label for label in names if names.count(label) > 1), None)
        return None if twice is None else f"The {self.unique} {twice} appears twice. Change one of the duplicates."


class DrawnCriterion(CriterionKind):
    """A rater draws on an image."""

    drawing: ClassVar[Drawing]
    least_options = 0
    counts_entries = True
    never_alike = "draw"
    missing = "Draw the marks, or choose “nothing to mark”."
    none_is_answer = True
    is_about = "image"

    def check_schema(self, schema: Schema, stage: str, criterion: Criterion, path: Path) -> Found:
        yield from grammar.media_of(schema, criterion.role, path, kind="image", why=f"draw {self.name} on")
        yield from grammar.count(criterion, path)
        yield from super().check_schema(schema, stage, criterion, path)

    def check(
        self, criterion: Criterion, value: Any, reason: Any, options: Sequence[Choice], texts: Texts
    ) -> str | None:
        labels = [option.value for option in options]
        return self.drawing.problem(value, labels=labels, least=criterion.min, most=criterion.max)

    def page(self, criterion: Criterion) -> Json:
        return {**super().page(criterion), "min": criterion.min or 0, "drawing": drawing.for_page()}


class DrawnField(FieldKind):
    """A field that is drawn on the item's image."""

    drawing: ClassVar[Drawing]
    drawn = True
    in_files = True
    votes_equal = False
    comparable = False
    sliced = "entries"

    def check_schema(self, schema: Schema, field: ItemField, path: Path) -> Found:
        yield from grammar.media_of(schema, field.role, path, kind="image", why=f"draw {self.name} on")

    def check(self, field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
        labels = [option.value for option in field.options]
        problem = self.drawing.problem(value, labels=labels, least=field.min_length, most=field.max_length)
        return problem and problem[:1].lower() + problem[1:]

    def in_words(self, field: ItemField, value: Any) -> Any:
        return None

    def page(self, field: ItemField) -> Json:
        return {**super().page(field), "min": field.min_length or 0, "drawing": drawing.for_page()}

    def drawing_problem(self, value: Any) -> str | None:
        return self.drawing.problem(value, labels=())

    def as_criterion(self, field: ItemField, places: Sequence[Choice]) -> Json:
        return {"kind": self.name, "options": field.options, "min": field.min_length, "max": field.max_length}


def keys_problem(entry: Mapping[str, Any], places: Sequence[str], others: Sequence[str]) -> str | None:
    """Return the problem with the keys of an entry: ``places`` are required numbers, ``others`` are optional."""
    for name in places:
        number = entry.get(name)
        if not isinstance(number, int | float) or isinstance(number, bool) or not math.isfinite(number):
            return f"`{name}` must be a number."
    unknown = next((name for name in entry if name not in (*places, *others)), None)
    return None if unknown is None else f"`{unknown}` is not a known key; remove this key."


def image_problem(entry: Mapping[str, Any]) -> str | None:
    """Return the problem with the image that an entry names."""
    image = entry.get("image", 1)
    return (
        None if isinstance(image, int) and not isinstance(image, bool) and image >= 1 else "`image` must be 1 or more."
    )
