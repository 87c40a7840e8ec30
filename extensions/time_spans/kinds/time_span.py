"""One or several time spans in a clip, each with a start and an end.

Without a unit, or in ``seconds``, a span is ``{"start": 1.2, "end": 2.4}``. It begins when its first frame appears,
and ends when its last frame disappears. In ``frames`` it is ``{"first": 31, "last": 60}``. Both frames are included,
and frames count from 1, as on the page.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

from annotation_schemas import grammar
from annotation_schemas.column_types import NUMBER, WHOLE, ColumnType
from annotation_schemas.kinds._rows import (
    OVERLAP,
    CriterionKind,
    FieldKind,
    Found,
    Json,
    Level,
    RatedVariable,
    Texts,
    count_problem,
    is_list,
)
from annotation_schemas.model import Choice, Criterion, ItemField, Schema
from annotation_schemas.yaml_text import Path
from domain.overlap import Overlap, Shape
from domain.reading.answers import AnswerKind

SECONDS, FRAMES = ("start", "end"), ("first", "last")
UNITS = {"seconds": SECONDS, "frames": FRAMES}
"""The units, each with the keys under which a span says where it begins and ends."""
USUAL = "seconds"
"""The unit where a schema names none."""
ONE = 1
"""The default for the maximum number of spans."""
_ROLE = "the role of the clip that the spans refer to; absent: the first clip"
_UNIT = "`seconds` or `frames`; absent: seconds"
PAST_THE_END = 0.1
"""Seconds by which a span may end after the clip does: files do not always know how long their last frame stays."""
_OTHER_FRAMES = (
    "Label Studio counts a clip's frames at a fixed rate, so the ends of spans would differ from the "
    "frames that people saw."
)
ALIKE = Overlap(Fraction(1, 2))
"""From where on two answers say the same if the schema says nothing."""


class TimeSpan(CriterionKind):
    """A criterion about the start and end of an event in a clip: a list of spans in the order of time."""

    name = "time_span"
    place = 130
    meaning = "the times of an event in a clip: beginnings and ends, in seconds or frames"
    keys: ClassVar[Mapping[str, str]] = {
        "role": _ROLE,
        "unit": _UNIT,
        "min": "minimum number of spans; absent: 0, so an answer without spans is also allowed",
        "max": "maximum number of spans; absent: 1",
        "tolerance": OVERLAP,
    }
    counts_entries = True
    never_alike = "time"
    only_here = _OTHER_FRAMES
    by_overlap = True
    missing = "Set the beginning and the end of the event, or state that the event does not happen."
    reorders = True
    none_is_answer = True
    nothing = "The event does not happen."
    level = "interval"

    def check_schema(self, schema: Schema, stage: str, criterion: Criterion, path: Path) -> Found:
        yield from _about_a_clip(schema, criterion, path)
        if criterion.min is not None and criterion.max is None and criterion.min > 1:
            yield (*path, "min"), "`max` is missing, so only one span is allowed; set `max`"
        yield from grammar.count(criterion, path)
        if criterion.tolerance is not None:
            yield from grammar.overlap(criterion.tolerance, (*path, "tolerance"))

    def unlike_key(self, schema: Schema, criterion: Criterion, field: ItemField) -> str | None:
        mine, its = (holder.unit or USUAL for holder in (criterion, field))
        if mine != its:
            return f"`{criterion.name}` uses {mine} and `{field.name}` uses {its}; use the same `unit` for both"
        return grammar.other_media(schema, criterion, field, kind="clip")

    def check(
        self, criterion: Criterion, value: Any, reason: Any, options: Sequence[Choice], texts: Texts
    ) -> str | None:
        if is_list(value) and list(value) != in_order(value):
            return "Spans must be in chronological order."
        return _problem(value, criterion.unit, criterion.min, criterion.max)

    def in_order(self, value: Any, options: Sequence[Choice]) -> Any:
        return in_order(value)

    in_clip = True

    def outside(self, criterion: Criterion, value: Any, clips: Mapping[str, float | None]) -> str | None:
        """Of seconds alone: how many frames a clip has is not kept with it."""
        lasts = clips.get(criterion.role or next(iter(clips), ""))
        if lasts is None or criterion.unit not in (None, USUAL) or not is_list(value):
            return None
        last = max((ends[1] for span in value if (ends := _ends(span))), default=0.0)
        return f"ends at {last:g} s, but the clip lasts {lasts:g} s" if last > lasts + PAST_THE_END else None

    def agree(self, criterion: Criterion, one: Any, other: Any) -> bool:
        allowed = criterion.tolerance.overlap if criterion.tolerance else None
        return (allowed or ALIKE).holds(one, other)

    def measured(self, criterion: Criterion, level: Level) -> list[RatedVariable]:
        n = int(criterion.max or ONE)
        ends = [RatedVariable(_part(criterion, at, end), level) for at in range(n) for end in ("start", "end")]
        return [*ends, RatedVariable(criterion.name, "nominal", shape=Shape.SPANS)]

    def taken_apart(self, criterion: Criterion, value: Any) -> list[tuple[str, Any]]:
        """Each end of each span, counted in the order of time, and all of them as one."""
        first, last = UNITS[criterion.unit or USUAL]
        ends = [
            (_part(criterion, at, end), span[key])
            for at, span in enumerate(value)
            for end, key in (("start", first), ("end", last))
        ]
        return [*ends, (criterion.name, json.dumps(value, sort_keys=True))]

    def entry_in_words(self, entry: Mapping[str, Any]) -> str | None:
        ends = _ends(entry)
        if ends is None or len(entry) > len(ends):
            return None
        return f"{ends[0]:g} to {ends[1]:g} s" if "start" in entry else f"frames {ends[0]:g} to {ends[1]:g}"

    def tries(self, criterion: Criterion, offered: Sequence[Any]) -> list[Any]:
        n = max(int(criterion.min or 0), 1)
        return [[], *(_some(criterion.unit, n, at) for at in (0, 2 * n, 4 * n))]  # three that do not overlap

    def page(self, criterion: Criterion) -> Json:
        return _page(criterion, criterion.min or 0, criterion.max)


class TimeSpanField(FieldKind):
    """A field with spans of a clip: at least one where it is filled in, in the order of time."""

    name = "time_span"
    place = 130
    meaning = "the times of an event in the item's clip: beginnings and ends, in seconds or frames"
    keys: ClassVar[Mapping[str, str]] = {
        "role": _ROLE,
        "unit": _UNIT,
        "min_length": "minimum number of spans",
        "max_length": "maximum number of spans; absent: 1",
        "read_as": "this field is the key; time spans can only be read as `time_span`",
    }
    only_here = _OTHER_FRAMES
    reads_as = ("time_span",)
    refuses_read_as = "time spans can only be read as `time_span`"
    has_unit = True
    answer = AnswerKind.SPANS
    in_files = True
    by_overlap = True
    comparable = False
    sliced = "entries"
    holds = "list"

    def unit_of(self, field: ItemField) -> str:
        return field.unit or USUAL

    def check_schema(self, schema: Schema, field: ItemField, path: Path) -> Found:
        yield from _about_a_clip(schema, field, path)
        if field.min_length is not None and field.max_length is None and field.min_length > ONE:
            yield (*path, "min_length"), "`max_length` is missing, so only one span is allowed; set `max_length`"
        if field.max_length == 0:
            yield (*path, "max_length"), "`max_length` must be 1 or more"

    def check(self, field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
        problem = _problem(self.in_order(field, value), field.unit, field.min_length, field.max_length)
        return problem and problem[:1].lower() + problem[1:]

    def in_order(self, field: ItemField, value: Any) -> Any:
        return in_order(value)

    def column(self, field: ItemField) -> ColumnType:
        ends = UNITS[self.unit_of(field)]
        return (dict.fromkeys(ends, WHOLE if ends == FRAMES else NUMBER),)

    def key_values(self, field: ItemField, entries: Sequence[Any], some: Any, tried: Sequence[Any]) -> Sequence[Any]:
        return [value for value in tried if self.check(field, value, {}) is None]

    def some(self, field: ItemField, entries: Sequence[Any], wanted: Sequence[Any]) -> Any:
        return _some(field.unit, max(field.min_length or 0, 1))

    def in_words(self, field: ItemField, value: Any) -> Any:
        return [CRITERION.entry_in_words(span) or json.dumps(span) for span in value] if is_list(value) else value

    def page(self, field: ItemField) -> Json:
        return _page(field, max(field.min_length or 0, 1), field.max_length)


def _about_a_clip(schema: Schema, asked: Criterion | ItemField, path: Path) -> Found:
    yield from grammar.media_of(schema, asked.role, path, kind="clip", why="time")
    slot = next(
        (asset for asset in schema.item.assets if asset.kind == "clip" and asked.role in (None, asset.role)), None
    )
    if slot is not None and slot.max != 1:
        yield (*path, "role"), f"`{slot.role}` may contain several clips, but a span is about one clip; set `max: 1`"
    if asked.unit not in (None, *UNITS):
        yield (*path, "unit"), f"the unit must be `seconds` or `frames`, not `{asked.unit}`"


def _problem(value: Any, unit: str | None, least: float | None, most: float | None) -> str | None:
    """Return the problem with spans in the order of time, as a sentence, or None."""
    if not is_list(value):
        return "The answer must be a list of time spans."
    first, last = UNITS[unit or USUAL]
    whole = (first, last) == FRAMES
    for number, span in enumerate(value, 1):
        if not isinstance(span, Mapping) or set(span) != {first, last}:
            return f"Span {number} needs `{first}` and `{last}`, and no other keys."
        begins, ends = span[first], span[last]
        if not _is_moment(begins, whole=whole) or not _is_moment(ends, whole=whole):
            numbers = "frames must be whole numbers, 1 or greater" if whole else "seconds must be 0 or greater"
            return f"Span {number}: {numbers}."
        if ends < begins or (ends == begins and not whole):
            return f"Span {number} ends ({ends:g}) before the span begins ({begins:g}). Correct the times."
    if any(one == other for one, other in pairwise(value)):
        return "The same span occurs twice. Remove the duplicate."
    return count_problem(least, most or ONE, len(value), "span")


def in_order(value: Any) -> Any:
    """Return spans in the order of time, or unchanged if one of them is invalid."""
    ends = [_ends(span) for span in value] if is_list(value) else [None]
    if None in ends:
        return value
    return [span for _, span in sorted(zip(ends, value, strict=True), key=lambda pair: pair[0] or (0, 0))]


def _some(unit: str | None, n: int, since: int = 0) -> list[dict[str, Any]]:
    first, last = UNITS.get(unit or USUAL, SECONDS)
    return [{first: since + number, last: since + number + 1} for number in range(1, n + 1)]


def _page(asked: Criterion | ItemField, least: float, most: float | None) -> Json:
    unit = asked.unit or USUAL
    return {"role": asked.role, "unit": unit, "ends": list(UNITS[unit]), "min": least, "max": most or ONE}


def _ends(span: Any) -> tuple[float, float] | None:
    for first, last in UNITS.values():
        if isinstance(span, Mapping) and _is_moment(span.get(first)) and _is_moment(span.get(last)):
            return span[first], span[last]
    return None


def _is_moment(value: Any, *, whole: bool = False) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return False
    return isinstance(value, int) and value >= 1 if whole else value >= 0


def _part(criterion: Criterion, at: int, end: str) -> str:
    return f"{criterion.name}: {end}" if int(criterion.max or ONE) == ONE else f"{criterion.name}: {end} {at + 1}"


CRITERION = TimeSpan()
FIELD = TimeSpanField()
