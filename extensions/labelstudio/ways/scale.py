"""Scales in Label Studio: stars or choices."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element, SubElement

from annotation_schemas.model import Criterion
from domain.comparison import same
from extensions.labelstudio.codes import ABOUT
from extensions.labelstudio.form import require
from extensions.labelstudio.parts import Answer, Context, FormPart, Result, SortedResult, result_of, spelled
from extensions.labelstudio.ways.one_of import LabelStudioOne

MOST_STARS = 10


class LabelStudioScale(LabelStudioOne):
    """Stars for the values 1 to n without labels, unless other criteria depend on the value. Otherwise choices."""

    def type_of(self, criterion: Criterion, *, depended_on: bool) -> str:
        values = [value for value in criterion.values if isinstance(value, int) and not isinstance(value, bool)]
        counts = len(values) == len(criterion.values) <= MOST_STARS and values == list(range(1, len(values) + 1))
        return "rating" if counts and not criterion.labels and not depended_on else "choices"

    def read(self, part: FormPart, given: SortedResult, context: Context) -> Answer:
        if part.type != "rating":
            return super().read(part, given, context)
        number = given.one(part.name)
        if number is None:
            return None
        value = next((value for value in part.criterion.values if same(value, number)), None)
        if value is None:
            given.say(
                part,
                f"{spelled(number)} is not on the scale. Choose one of "
                f"{', '.join(str(point) for point in part.criterion.values)}.",
            )
            return None
        return value, None

    def write(self, part: FormPart, value: Any, reason: Any, context: Context) -> list[Result]:
        if part.type != "rating":
            return super().write(part, value, reason, context)
        return [result_of(part.name, part.to, "rating", {"rating": value})]

    def ask(self, parent: Element, part: FormPart) -> None:
        if part.type != "rating":
            super().ask(parent, part)
            return
        n = str(len(part.criterion.values))
        require(SubElement(parent, "Rating", name=part.name, toName=ABOUT, maxRating=n, icon="star"), part)
