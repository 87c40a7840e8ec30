"""Read and write the answer to one part of a page as Label Studio results."""

from __future__ import annotations

from typing import Any

from extensions.labelstudio.codes import NONE, NOTE
from extensions.labelstudio.parts import (
    Answer,
    Context,
    FormPart,
    Result,
    SortedResult,
    choices_of,
    skip_reason,
    text_of_result,
    write_skip,
)
from extensions.labelstudio.ways import way_of


def read_part(part: FormPart, given: SortedResult, context: Context) -> Answer:
    """Return the answer to a part, or None without one."""
    if part.criterion.skip and part.type != "choices" and given.has(part.side("skip")):
        if not given.has(part.name):
            return None, skip_reason(part, given)
        given.say(part, "You answered and skipped this question. Remove the answer or the skip.")
        return None
    if part.may_be_none and NONE in given.chosen(part.side("none"), part):
        if not given.has(part.name):
            return [], None
        given.say(
            part, "You added marks, and also chose that there is nothing to mark. Remove the marks or the choice."
        )
        return None
    return way_of(part).read(part, given, context)


def write_part(part: FormPart, value: Any, reason: Any, context: Context) -> list[Result]:
    """Return the results for this answer. Empty if the value is not an answer to the part."""
    if value is None:
        return write_skip(part, reason) if part.criterion.skip else []
    if value in ([], ()) and part.may_be_none and part.type != "choices":
        return [choices_of(part.side("none"), NONE)]
    return way_of(part).write(part, value, reason, context)


def note_written(text: str) -> Result:
    """Return the result for a rater's note."""
    return text_of_result(NOTE, text)
