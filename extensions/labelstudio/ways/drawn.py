"""Regions of an image in Label Studio."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from annotation_schemas.drawing import DECIMALS, LARGEST_NUMBER
from domain.comparison import same
from extensions.labelstudio.codes import codes
from extensions.labelstudio.form import add_labels
from extensions.labelstudio.parts import (
    Answer,
    Context,
    FormPart,
    LabelStudioKind,
    Result,
    SortedResult,
    is_number,
    plain_number,
    result_of,
    shortened,
)

MOST_MARKS = 20
"""Number of mark numbers that Label Studio offers if the schema sets no limit."""

_CLOSE = 1e-4
"""Half a pixel of a large picture, as a share of it. A region this far outside is a rounding error."""


class LabelStudioRegions(LabelStudioKind):
    """Regions of an image."""

    def read(self, part: FormPart, given: SortedResult, context: Context) -> Answer:
        shapes = []
        for number, (labels, value, entry) in enumerate(given.by_control.get(part.name, ()), 1):
            made = _region(part, given, number, labels, value, entry)
            if made is None:
                return None
            shapes.append(made)
        return (shapes, None) if shapes else None

    def write(self, part: FormPart, value: Any, reason: Any, context: Context) -> list[Result]:
        is_box = part.type != "keypointlabels"
        options = list(part.criterion.options)
        option_codes = codes(options, own=True)
        sizes = context.sizes.get(part.role, ())
        results = []
        for number, box in enumerate(value, 1):
            where: dict[str, Any] = {"x": _percent(box["x"]), "y": _percent(box["y"])}
            if is_box:
                where |= {"width": _percent(box["w"]), "height": _percent(box["h"]), "rotation": 0}
                at = next((at for at, option in enumerate(options) if same(option.value, box.get("label"))), None)
                if at is not None:
                    where["rectanglelabels"] = [option_codes[at]]
            else:
                where |= {"width": 0.5, "keypointlabels": [str(box["number"])]}
            made = result_of(part.name, part.to, part.type, where, number)
            image = box.get("image", 1)
            if image <= len(sizes):
                width, height = sizes[image - 1]
                made |= {"original_width": width, "original_height": height, "image_rotation": 0}
            if part.several:
                made["item_index"] = image - 1
            results.append(made)
        return results

    def ask(self, parent: Element, part: FormPart) -> None:
        if part.type == "keypointlabels":
            most = int(part.criterion.max) if part.criterion.max is not None else MOST_MARKS
            made = SubElement(parent, "KeyPointLabels", name=part.name, toName=part.to, strokeWidth="4")
            for number in range(1, most + 1):
                SubElement(made, "Label", value=str(number), maxUsages="1")
            return
        tag = "Rectangle" if part.type == "rectangle" else "RectangleLabels"
        made = SubElement(parent, tag, name=part.name, toName=part.to, canRotate="false", strokeWidth="3")
        add_labels(made, part.criterion.options)

    def limits(self, part: FormPart) -> list[str]:
        how = ["Draw with the rectangle tool next to the image"] if part.type == "rectangle" else []
        return [*super().limits(part), *how]


def _region(
    part: FormPart, given: SortedResult, number: int, labels: Any, value: Mapping[str, Any], entry: Mapping[str, Any]
) -> dict[str, Any] | None:
    is_box = part.type != "keypointlabels"
    noun = "Box" if is_box else "Mark"
    wanted = ("x", "y", "width", "height") if is_box else ("x", "y")
    numbers = [float(value[name]) for name in wanted if is_number(value.get(name))]
    if len(numbers) < len(wanted):
        given.say(part, f"{noun} {number} must have {' and '.join(f'`{name}`' for name in wanted)} in percent.")
        return None
    turns = [turn for turn in (value.get("rotation", 0), entry.get("image_rotation", 0)) if turn is not None]
    if not all(is_number(turn) and turn % 360 == 0 for turn in turns):
        given.say(
            part, f"{noun} {number} is rotated. Draw the shape again without rotation, and do not rotate the image."
        )
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
        given.say(part, f"{noun} {number} is not on an image. Draw the shape on an image.")
        return None
    return {**made, "image": index + 1} if index else made


def _shares(percents: Sequence[float]) -> dict[str, Any]:
    """Return percents as shares of the image. A region outside by less than a rounding error is moved inside."""
    shares = [percent / 100 for percent in percents]
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
