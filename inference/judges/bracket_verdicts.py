"""Read one verdict in double brackets: ``[[1]]``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from domain.judging import ReplyOutcome, ReplyReading, Value
from inference.judges.bracket_contexts import (
    without_legends,
    without_losers,
    without_others,
    without_ranges,
    without_sums,
)
from inference.judges.bracket_labels import (
    BEST,
    BOX_BEFORE,
    LABEL,
    LED_LABEL,
    OTHER_LABEL,
    TAG_BEFORE,
    UNFINISHED,
    VERDICT_IS_THAT,
    WORDS_BEFORE,
    label_level,
    standing_by_label,
)
from inference.judges.found_values import (
    MOST_VERDICTS,
    SCORE,
    FoundValue,
    allowed_value,
    is_lowest,
    next_turn,
    none_own,
    single_reading,
)
from inference.judges.retractions import CORRECTS, taken_back
from inference.judges.standing import ReplyText
from inference.judges.standing_cues import CueStanding

_DOUBLE = re.compile(r"\[\[([^\[\]\n]{1,40})\]\]")

_SINGLE = re.compile(r"(?<!\[)\[{1,2}([^\[\]\n]{1,12})\](?!\])")

_OFF_SCALE = re.compile(
    r"[ *_`\"'\])]{0,4}(?:/|out of|of|von|sur|из) ?\[{0,2}(\d{1,4})(?! ?(?:cups?|\w{3,}))|[.,]?\d| ?%", re.IGNORECASE
)

_MINUS = re.compile(r"(?<![\w-])[-\u2212]\Z")
"""A minus sign right before the brackets, which makes the number negative."""


def double_brackets(reply: ReplyText, allowed: Sequence[Value]) -> ReplyReading:
    """Return the verdict in ``[[x]]``. A labeled verdict (``Rating: [[x]]``) or one on its own line wins over others.

    Among those, the final one by its label wins. ``[x]`` counts only after a label. Two different verdicts contradict
    each other, unless words in between take back the first one.
    """
    text = reply.text
    verdicts = _bracketed(reply, allowed)
    if len(verdicts) > MOST_VERDICTS:
        return ReplyReading(ReplyOutcome.CONTRADICTORY, why=f"The reply has more than {MOST_VERDICTS} verdicts.")
    turn = next_turn(reply, [verdict.outer[1] for verdict in verdicts])
    if turn is not None:
        verdicts = [verdict for verdict in verdicts if verdict.outer[0] < turn]
        text = text[:turn]
    if not verdicts:
        return ReplyReading(ReplyOutcome.UNPARSEABLE, why="The reply has no verdict in double brackets.")
    cut = UNFINISHED.search(text, max(0, len(text.rstrip()) - 120))
    if cut is not None and not any(cut.start() < verdict.outer[1] for verdict in verdicts):
        return ReplyReading(
            ReplyOutcome.TRUNCATED, spans={SCORE: cut.span()}, why="The reply ends in the middle of the verdict."
        )
    verdicts = without_ranges(reply, without_sums(reply, without_losers(reply, verdicts, allowed), allowed), allowed)
    verdicts = without_others(reply, without_legends(reply, verdicts, allowed), allowed)
    own = [verdict for verdict in verdicts if verdict.standing is CueStanding.OWN]
    if not own:
        return none_own(verdicts)
    level = max(verdict.level for verdict in own)
    top = [verdict for verdict in own if verdict.level == level]
    spans = {f"{SCORE} {number}": verdict.span for number, verdict in enumerate(top, 1)}
    last = top[-1]
    if len({verdict.says(allowed) for verdict in top}) > 1:
        other = next(verdict for verdict in reversed(top) if verdict.says(allowed) != last.says(allowed))
        if not CORRECTS.search(text[other.outer[1] : last.label_at if last.label_at is not None else last.outer[0]]):
            return ReplyReading(
                ReplyOutcome.CONTRADICTORY, spans=spans, why="The reply gives several different verdicts."
            )
    late = [
        verdict
        for verdict in verdicts
        if verdict.outer[0] > last.outer[0]
        and verdict.standing in (CueStanding.OWN, CueStanding.HEDGED, CueStanding.UNCLEAR)
        and verdict.says(allowed) != last.says(allowed)
        and (
            (verdict.standing is CueStanding.HEDGED and verdict.value(allowed) is not None)
            or (verdict.standing is CueStanding.OWN and verdict.level > 1)
            or CORRECTS.search(text[last.outer[1] : verdict.outer[0]])
            or taken_back(text[last.outer[1] : verdict.outer[0]], 0)
        )
    ]
    if late:
        spans = {f"{SCORE} {number}": verdict.span for number, verdict in enumerate((last, *late), 1)}
        return ReplyReading(
            ReplyOutcome.CONTRADICTORY, spans=spans, why="A different verdict follows the first verdict."
        )
    end = max(verdict.outer[1] for verdict in verdicts if verdict.standing is CueStanding.OWN)
    retracted = taken_back(text, end, lowest=is_lowest(last, allowed))
    if retracted is not None:
        spans = {SCORE: last.span, f"{SCORE} 2": retracted.span()}
        return ReplyReading(ReplyOutcome.CONTRADICTORY, spans=spans, why="The reply withdraws its verdict.")
    plain = _said_plainly(reply, allowed, last, text)
    if plain is not None:
        spans = {f"{SCORE} 1": last.span, f"{SCORE} 2": plain.span}
        return ReplyReading(
            ReplyOutcome.CONTRADICTORY, spans=spans, why="The reply gives a second score next to its verdict."
        )
    return single_reading(last, allowed, off=_off_scale(text, last, allowed))


def _bracketed(reply: ReplyText, allowed: Sequence[Value]) -> list[FoundValue]:
    """Return all values in brackets with the form of a verdict, with their standing, in the order of the text."""
    text, verdicts = reply.text, []
    doubles = [(match.group(1), match.span(1), match.span()) for match in _DOUBLE.finditer(text)]
    singles = [(match.group(1), match.span(1), match.span()) for match in _SINGLE.finditer(text)]
    if len(doubles) > MOST_VERDICTS or len(singles) > 20 * MOST_VERDICTS:
        return [FoundValue(inner, span, outer) for inner, span, outer in doubles[: MOST_VERDICTS + 1]] or []
    taken = [outer for _, _, outer in doubles]
    for inner, span, outer in sorted([*doubles, *singles], key=lambda each: each[2]):
        double = outer in taken
        if _MINUS.search(text, max(0, outer[0] - 3), outer[0]):
            inner = f"-{inner.strip()}"
        label = LABEL.search(text, max(0, outer[0] - 90), outer[0])
        if not double and (label is None or any(a <= outer[0] < b for a, b in taken)):
            continue
        if not double and not re.search(r"[:：=|>]|\b(?:is|was|ist|est)\b|\n", label[0] if label else ""):
            continue
        at = label.start() if label else None
        level = 1
        if label is None and double and OTHER_LABEL.search(text, max(reply.line(outer[0])[0], outer[0] - 60), outer[0]):
            verdicts.append(FoundValue(inner, span, outer, level, CueStanding.UNCLEAR))
            continue
        if label is not None:
            words = [match[0] for match in WORDS_BEFORE.finditer(text, max(0, label.start() - 40), label.start())]
            level = label_level(words[-1] if words else "", text[max(0, label.start() - 2) : label.start()])
            whose = standing_by_label(text[max(0, label.start() - 40) : label.start()], label["of"] or "")
            if whose is None and not LED_LABEL.search(text, max(0, label.start() - 60), label.start()):
                whose = CueStanding.UNCLEAR
            if whose is not None:
                verdicts.append(FoundValue(inner, span, outer, level, whose, at))
                continue
            if level == 1:
                at = None
        if level == 1 and VERDICT_IS_THAT.search(reply.before(outer[0])):
            level = 2
        if level == 1 and (reply.alone(*outer) or TAG_BEFORE.search(text, max(0, outer[0] - 40), outer[0])):
            level = 2
        standing = reply.standing(*outer, labelled_from=at)
        if standing is CueStanding.EXAMPLE and BEST.match(reply.before(outer[0] if at is None else at)):
            standing = CueStanding.OWN if any(isinstance(value, str) for value in allowed) else standing
        box = BOX_BEFORE.search(text, max(0, outer[0] - 40), outer[0]) if at is None else None
        if standing is CueStanding.OWN and (level == 1 or box) and not reply.led_to(box.start() if box else outer[0]):
            standing = CueStanding.UNCLEAR
        if allowed_value(inner, allowed) is None:
            if not _shaped(inner, allowed) and (at is None or not double):
                continue
            if not double and any(isinstance(value, str) for value in allowed):
                continue
        verdicts.append(FoundValue(inner, span, outer, level, standing, at))
    if len(verdicts) > 1:
        shaped = [
            verdict for verdict in verdicts if verdict.value(allowed) is not None or _shaped(verdict.text, allowed)
        ]
        verdicts = shaped or verdicts
    return verdicts or [
        FoundValue(inner, span, outer, 1, reply.standing(*outer)) for inner, span, outer in doubles[-1:]
    ]


def _shaped(said: str, allowed: Sequence[Value]) -> bool:
    """Return whether a text could be an off-scale verdict: a number among numbers, a letter among letters, or
    several.
    """
    said = said.strip(" *_`\"'")
    if any(isinstance(value, str) for value in allowed):
        longest = max(len(str(value)) for value in allowed)
        return len(said) <= max(1, longest) and bool(re.fullmatch(r"[\w<>=+-]+", said))
    return bool(
        re.fullmatch(
            r"[^A-Za-z]*\d[^A-Za-z]*|[¼½¾⅓⅔⅕⅖⅗⅘]|[+-]?nan|.{0,6}\b(?:zero|one|two|three|four|five|half)\b.{0,6}",
            said,
            re.IGNORECASE,
        )
    )


_PLAIN = re.compile(
    r"(?:^|\n)[ \t*_#>]*(?:(?P<final>final|overall) |my )?(?:rating|score|verdict|grade)[ \t*_]*[:=][ \t*_\"'`]*(?P<value>\d{1,4}(?:[.,]\d{1,4})?)"
    r"(?P<rest>[^\n]{0,40})",
    re.IGNORECASE,
)


def _said_plainly(reply: ReplyText, allowed: Sequence[Value], chosen: FoundValue, text: str) -> FoundValue | None:
    """Return a score without brackets on its own line that differs from the verdict and is not above it."""
    for match in _PLAIN.finditer(text):
        value = allowed_value(match["value"], allowed)
        if (
            value is None
            or value == chosen.value(allowed)
            or re.match(r"\s?(?:[=/,|]|-|or\b|to\b|if\b|for\b|means\b|\(if)", match["rest"])
        ):
            continue
        if chosen.level == 1 or (match.start() > chosen.outer[1] and (match["final"] or chosen.level < 3)):
            return FoundValue(match["value"], match.span("value"), match.span("value"))
    return None


def _off_scale(text: str, found: FoundValue, allowed: Sequence[Value]) -> str:
    """Return the text after a number that changes its scale, such as ``[[5]] out of 10``; empty for none."""
    numbers = [value for value in allowed if not isinstance(value, str | bool)]
    if not numbers:
        return ""
    match = _OFF_SCALE.match(text, found.outer[1])
    if match is None or (match[1] and float(match[1]) == max(numbers)):
        return ""
    return match[0]
