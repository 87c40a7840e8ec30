"""What boxes and marks have in common: lists of what is drawn on an image, in fractions of the upright image.

Places count from its upper left corner. ``image`` counts the images of the place from 1 and is left out for the first
one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar
from xml.etree.ElementTree import Element, SubElement

from annotation_schemas import drawing, grammar
from annotation_schemas.drawing import DECIMALS, LARGEST_NUMBER
from annotation_schemas.kinds._rows import CriterionKind, FieldKind, Found, Json, Texts, is_list
from annotation_schemas.label_studio_codes import codes
from annotation_schemas.label_studio_form import add_labels
from annotation_schemas.label_studio_parts import (
    Answer,
    Context,
    Given,
    Part,
    Result,
    Way,
    is_number,
    plain_number,
    result_of,
    shortened,
)
from annotation_schemas.model import Choice, Criterion, ItemField, Schema
from annotation_schemas.yaml_text import Path
from domain.comparison import same

_NO_IMAGE = "the item has no image to draw on; frames of a clip are no images there."
ONLY_SHOWN = "it is shown there, drawn on the images, but not drawn there by people."
MOST_MARKS = 20
"""How many numbers Label Studio offers where a schema sets no limit to marks."""
_CLOSE = 1e-4
"""Half a pixel of a large picture, as a share of it: so far outside is a rounding."""
ROLE = "the role of the images that it is drawn on; absent: the first one with images"


Shape = Callable[[Mapping[str, Any], Collection[Any]], str | None]
"""What is wrong with an entry, given the labels there are, as the end of a sentence; None if nothing is."""


class Drawing:
    """A list of shapes of one sort."""

    def __init__(self, noun: str, nouns: str, shape: Shape, *, unique: str | None = None) -> None:
        self.noun, self.nouns, self.shape, self.unique = noun, nouns, shape, unique

    def problem(
        self, value: Any, *, labels: Collection[Any], least: float | None = None, most: float | None = None
    ) -> str | None:
        """What is wrong with a list of shapes, as a sentence; None if nothing is."""
        noun, nouns = self.noun, self.nouns
        if not is_list(value):
            return f"This must be a list of {nouns}."
        if least is not None and len(value) < least:
            return f"At least {least:g} {f'{noun} is' if least == 1 else f'{nouns} are'} needed ({len(value)} now)."
        if most is not None and len(value) > most:
            return f"At most {most:g} {f'{noun} fits' if most == 1 else f'{nouns} fit'} ({len(value)} now)."
        for place, entry in enumerate(value, 1):
            if not isinstance(entry, Mapping):
                return f"{noun.capitalize()} {place} is no {noun}."
            said = self.shape(entry, labels)
            if said:
                return f"{noun.capitalize()} {place}: {said}"
        if self.unique is None:
            return None
        told = [entry[self.unique] for entry in value]
        twice = next((each for each in told if told.count(each) > 1), None)
        return None if twice is None else f"The {self.unique} {twice} is there twice."


class LabelStudioDrawn(Way):
    """Regions of an image."""

    def read(self, part: Part, given: Given, context: Context) -> Answer:
        found = []
        for number, (labels, value, entry) in enumerate(given.by_control.get(part.name, ()), 1):
            made = _region(part, given, number, labels, value, entry)
            if made is None:
                return None
            found.append(made)
        return (found, None) if found else None

    def write(self, part: Part, value: Any, reason: Any, context: Context) -> list[Result]:
        is_box = part.type != "keypointlabels"
        options = list(part.criterion.options)
        told = codes(options, own=True)
        sizes = context.sizes.get(part.role, ())
        found = []
        for number, each in enumerate(value, 1):
            where: dict[str, Any] = {"x": _percent(each["x"]), "y": _percent(each["y"])}
            if is_box:
                where |= {"width": _percent(each["w"]), "height": _percent(each["h"]), "rotation": 0}
                at = next((at for at, option in enumerate(options) if same(option.value, each.get("label"))), None)
                if at is not None:
                    where["rectanglelabels"] = [told[at]]
            else:
                where |= {"width": 0.5, "keypointlabels": [str(each["number"])]}
            made = result_of(part.name, part.to, part.type, where, number)
            image = each.get("image", 1)
            if image <= len(sizes):
                width, height = sizes[image - 1]
                made |= {"original_width": width, "original_height": height, "image_rotation": 0}
            if part.several:
                made["item_index"] = image - 1
            found.append(made)
        return found

    def ask(self, parent: Element, part: Part) -> None:
        if part.type == "keypointlabels":
            most = int(part.criterion.max) if part.criterion.max is not None else MOST_MARKS
            made = SubElement(parent, "KeyPointLabels", name=part.name, toName=part.to, strokeWidth="4")
            for number in range(1, most + 1):
                SubElement(made, "Label", value=str(number), maxUsages="1")
            return
        tag = "Rectangle" if part.type == "rectangle" else "RectangleLabels"
        made = SubElement(parent, tag, name=part.name, toName=part.to, canRotate="false", strokeWidth="3")
        add_labels(made, part.criterion.options)

    def limits(self, part: Part) -> list[str]:
        how = ["Draw with the rectangle tool next to the image"] if part.type == "rectangle" else []
        return [*super().limits(part), *how]


def _region(
    part: Part, given: Given, number: int, labels: Any, value: Mapping[str, Any], entry: Mapping[str, Any]
) -> dict[str, Any] | None:
    is_box = part.type != "keypointlabels"
    noun = "Box" if is_box else "Mark"
    wanted = ("x", "y", "width", "height") if is_box else ("x", "y")
    numbers = [float(value[name]) for name in wanted if is_number(value.get(name))]
    if len(numbers) < len(wanted):
        given.say(part, f"{noun} {number} has no {' and '.join(f'`{name}`' for name in wanted)} in percent.")
        return None
    turns = [turn for turn in (value.get("rotation", 0), entry.get("image_rotation", 0)) if turn is not None]
    if not all(is_number(turn) and turn % 360 == 0 for turn in turns):
        given.say(part, f"{noun} {number} is turned; draw it upright, on the upright image.")
        return None
    made: dict[str, Any] = {}
    if part.type != "rectangle":
        if isinstance(labels, str):
            labels = [labels]
        if not isinstance(labels, list | tuple) or len(labels) != 1 or not isinstance(labels[0], str):
            given.say(part, f"{noun} {number} needs one label.")
            return None
        if is_box:
            options = list(part.criterion.options)
            option = given.option(part, labels[0], options, codes(options, own=True))
            if option is None:
                return None
            made["label"] = option.value
        elif not labels[0].isdecimal() or len(labels[0]) > len(str(LARGEST_NUMBER)):
            given.say(part, f"{noun} {number} needs a number, not “{shortened(labels[0])}”.")
            return None
        else:
            made["number"] = int(labels[0])
    made |= _shares(numbers)
    index = entry.get("item_index", value.get("item_index"))
    if index is not None and (isinstance(index, bool) or not isinstance(index, int) or index < 0):
        given.say(part, f"{noun} {number} is on no image.")
        return None
    return {**made, "image": index + 1} if index else made


def _shares(percents: Sequence[float]) -> dict[str, Any]:
    """Percent as shares of the image; what is outside by less than a rounding is drawn in."""
    shares = [each / 100 for each in percents]
    for at in (0, 1):
        if -_CLOSE <= shares[at] < 0:
            if len(shares) == 4:
                shares[at + 2] += shares[at]
            shares[at] = 0.0
        over = shares[at] + (shares[at + 2] if len(shares) == 4 else 0) - 1
        if 0 < over <= _CLOSE:
            shares[at + 2 if len(shares) == 4 else at] -= over
    names = ("x", "y", "w", "h")[: len(shares)]
    return {name: plain_number(round(share, DECIMALS)) for name, share in zip(names, shares, strict=True)}


def _percent(share: float) -> float:
    return round(share * 100, 8)


class DrawnCriterion(CriterionKind):
    """A rater draws on an image."""

    drawing: ClassVar[Drawing]
    least_options = 0
    counts_entries = True
    never_alike = "draw"
    missing = "Draw what is asked, or say that there is nothing to mark."
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

    def label_studio_refusal(self, criterion: Criterion, schema: Schema) -> str | None:
        return None if _has_image(schema, criterion.role) else _NO_IMAGE


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
        said = self.drawing.problem(value, labels=labels, least=field.min_length, most=field.max_length)
        return said and said[:1].lower() + said[1:]

    def in_words(self, field: ItemField, value: Any) -> Any:
        return None

    def page(self, field: ItemField) -> Json:
        return {**super().page(field), "min": field.min_length or 0, "drawing": drawing.for_page()}

    def drawing_problem(self, value: Any) -> str | None:
        return self.drawing.problem(value, labels=())

    def as_criterion(self, field: ItemField, places: Sequence[Choice]) -> Json:
        return {"kind": self.name, "options": field.options, "min": field.min_length, "max": field.max_length}

    def label_studio_refusal(self, schema: Schema, field: ItemField) -> str | None:
        return None if _has_image(schema, field.role) else _NO_IMAGE


def keys_problem(entry: Mapping[str, Any], places: Sequence[str], others: Sequence[str]) -> str | None:
    """What is wrong with the keys of an entry: ``places`` are numbers that it needs, ``others`` may be there."""
    for name in places:
        number = entry.get(name)
        if not isinstance(number, int | float) or isinstance(number, bool) or not math.isfinite(number):
            return f"`{name}` must be a number."
    unknown = next((name for name in entry if name not in (*places, *others)), None)
    return None if unknown is None else f"there is no `{unknown}` in it."


def image_problem(entry: Mapping[str, Any]) -> str | None:
    """What is wrong with the image that an entry names."""
    image = entry.get("image", 1)
    return None if isinstance(image, int) and not isinstance(image, bool) and image >= 1 else "there is no such image."


def _has_image(schema: Schema, role: str | None) -> bool:
    return any(slot.kind == "image" and role in (None, slot.role) for slot in schema.item.assets)
