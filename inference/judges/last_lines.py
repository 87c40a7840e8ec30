"""Read one of the allowed values on the last line of a reply."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from domain.judging import ReplyOutcome, ReplyReading, Value
from inference.judges.found_values import (
    MOST_VERDICTS,
    SCORE,
    FoundValue,
    lines_of,
    next_turn,
    none_own,
    number_of,
    single_reading,
)
from inference.judges.refused_judgements import CANNOT_TELL
from inference.judges.retractions import CORRECTS
from inference.judges.standing import ReplyText
from inference.judges.standing_cues import CueStanding

_AROUND = " \t*_`\"'.()[]|#>$!"

_LATEX = re.compile(r"\\(?:boxed|text|textbf|mathbf|mathrm|fbox)\{([^{}\n]*)\}")


def last_line(reply: ReplyText, allowed: Sequence[Value]) -> ReplyReading:
    """Return the allowed value that stands alone on the last non-empty line.

    Emphasis, quotes and a full stop around it are ignored. A line above with another value contradicts it, unless words
    in between take that value back.
    """
    text = reply.text
    lines = [
        (at, line)
        for at, line in lines_of(text)
        if line.strip() and not re.fullmatch(r"\s*(?:`{3,}|~{3,})\s*\w*\s*", line)
    ][-MOST_VERDICTS:]
    alone = [value for at, line in lines if (value := _alone(at, line, allowed)) is not None]
    turn = next_turn(reply, [value.outer[1] for value in alone if value.value(allowed) is not None][:1])
    if turn is not None:
        lines = [line for line in lines if line[0] < turn]
        alone = [value for value in alone if value.outer[0] < turn]
    if not lines:
        return ReplyReading(ReplyOutcome.EMPTY, why="The reply is empty.")
    at, line = lines[-1]
    last = _alone(at, line, allowed)
    if last is None:
        inner = line.strip(_AROUND)
        start = at + line.find(inner)
        return ReplyReading(
            ReplyOutcome.UNPARSEABLE,
            spans={SCORE: (start, start + len(inner))},
            why="The last line is not exactly an allowed value.",
        )
    if last.value(allowed) is None:
        return single_reading(last, allowed)
    unable = CANNOT_TELL.search(text)
    if unable is not None:
        return ReplyReading(
            ReplyOutcome.REFUSED, spans={SCORE: unable.span()}, why="The judge says that it cannot decide."
        )
    standing = reply.standing(*last.outer)
    if standing is not CueStanding.OWN:
        return none_own([replace(last, standing=standing)])
    others = [
        value
        for value in alone[:-1]
        if value.value(allowed) not in (None, last.value(allowed))
        and (
            reply.standing(*value.outer) is CueStanding.OWN
            or not text[value.outer[1] : last.outer[0]].strip(_AROUND + "\n")
        )
    ]
    if others:
        other = others[-1]
        if not CORRECTS.search(text[other.outer[1] : last.outer[0]]):
            spans = {f"{SCORE} 1": other.span, f"{SCORE} 2": last.span}
            return ReplyReading(
                ReplyOutcome.CONTRADICTORY, spans=spans, why="Two lines of the reply give different values."
            )
    return single_reading(last, allowed)


def _alone(at: int, line: str, allowed: Sequence[Value]) -> FoundValue | None:
    """Return the value that a line consists of, or a number off the scale; None for any other line."""
    if len(line) > 200 or "..." in line or "~~" in line or line.count("?"):
        return None
    bare = _LATEX.sub(lambda match: match[1], line)
    bare = _LATEX.sub(lambda match: match[1], bare)
    inner = bare.strip(_AROUND)
    if not inner:
        return None
    start = line.find(inner)
    if start < 0:
        return None
    start += at
    value = FoundValue(inner, (start, start + len(inner)), (start, start + len(inner)))
    return value if value.value(allowed) is not None or number_of(inner) is not None else None
