"""Timed segments of a clip, as a file gives them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from annotation_schemas.kinds._rows import FieldKind, is_list
from annotation_schemas.model import ItemField

SPANS = (("start", "end"), ("start_frame", "stop_frame"))
"""Under which keys segments say where they begin and end: in seconds of the clip, or in frames of its source."""

WORDS = ("narration_text", "narration", "text")
"""The keys under which segments describe an action."""


class SegmentsField(FieldKind):
    """A field with timed segments of a clip."""

    name = "segments"
    place = 90
    meaning = "timed segments of a clip, stored as in the file"
    in_files = True
    timed = True
    holds = "list"
    votes_equal = False
    comparable = False
    sliced = "entries"

    def check(self, field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
        if not is_list(value) or not all(isinstance(entry, Mapping) for entry in value):
            return "the value must be a list of segments."
        wrong = []
        for number, entry in enumerate(value, 1):
            for begin, end in SPANS:
                first, last = entry.get(begin), entry.get(end)
                if not all(moment is None or is_moment(moment) for moment in (first, last)):
                    wrong.append(f"{begin} and {end} of segment {number} must be numbers of 0 or more")
                elif first is not None and last is not None and last < first:
                    wrong.append(f"segment {number} ends at {last:g}, before its start at {first:g}")
        return f"{'; '.join(wrong)}." if wrong else None

    def in_words(self, field: ItemField, value: Any) -> Any:
        return [_narration(entry) for entry in value] if is_list(value) else value


def is_moment(value: Any) -> bool:
    """Whether a value is a time that there can be."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


def _narration(segment: Any) -> str:
    if isinstance(segment, Mapping):
        for key in WORDS:
            if isinstance(segment.get(key), str):
                return str(segment[key])
    return json.dumps(segment, ensure_ascii=False)


FIELD = SegmentsField()
