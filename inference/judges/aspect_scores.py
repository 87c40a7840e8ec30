"""Read three scores on labeled lines: perception, cognition and action."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from domain.judging import ReplyOutcome, ReplyReading, Value
from inference.judges.found_values import (
    MOST_VERDICTS,
    SCORE,
    FoundValue,
    allowed_value,
    is_lowest,
    next_turn,
    none_own,
    reading_of_parts,
)
from inference.judges.json_objects import find_objects, key_words, value_place
from inference.judges.retractions import CORRECTS, taken_back
from inference.judges.score_remarks import leaves_unchanged
from inference.judges.standing import EVIDENCE, ReplyText, Span
from inference.judges.standing_cues import CueStanding

ASPECTS = ("perception", "cognition", "action")

_LINE = re.compile(
    r"^(?P<lead>[ \t>#*_`\d.)|+\u2022\u00b7\u2013-]*)(?P<aspect>perception|cognition|action)[ \t*_]+score[ \t*_`\"']*[:=|][ \t*_`\"'(\[|$]*"
    r"(?P<said>[^\s*_`\"'()\[\],;|$\u2013\u2014]{1,20})[ \t*_`\"')\].|$]*(?P<rest>[^\n]*)$",
    re.IGNORECASE | re.MULTILINE,
)

_NUMBER_CELL = re.compile(r"[ \t*_`]*[-+]?\d[\d.,/]*[ \t*_`]*(?:\||$)")
"""A cell of a table that holds a number: the score of another answer, and no remark."""

_MENTION = re.compile(r"(?P<aspect>perception|cognition|action)[ \t*_\"'`-]+score\b", re.IGNORECASE)


def six_lines(reply: ReplyText, allowed: Sequence[Value]) -> ReplyReading:
    """Return the scores of perception, cognition and action, from lines such as ``action score: 1``.

    The lines may be in any order, in capitals or bold, and may end with a remark. All three scores are required. Two
    different scores for one part contradict each other.
    """
    text = reply.text
    found_values: dict[str, list[FoundValue]] = {name: [] for name in ASPECTS}
    spoilt: dict[str, list[Span]] = {name: [] for name in ASPECTS}
    lines = list(_LINE.finditer(text))
    if len(lines) > MOST_VERDICTS:
        return ReplyReading(ReplyOutcome.CONTRADICTORY, why=f"The reply has more than {MOST_VERDICTS} scores.")
    ends = [
        match.end("said")
        for match in lines
        if {name for name in ASPECTS} <= {m["aspect"].lower() for m in lines if m.end() <= match.end()}
    ]
    turn = next_turn(reply, ends[:1])
    limit = turn if turn is not None else len(text)
    for match in lines:
        if match.start() >= limit:
            continue
        name = match["aspect"].lower()
        score_text = match["said"].rstrip(".:")
        span = (match.start("said"), match.start("said") + len(score_text))
        score = FoundValue(score_text, span, match.span())
        standing = _of_block(reply, match)
        if standing is not CueStanding.OWN:
            found_values[name].append(replace(score, standing=standing))
        elif not leaves_unchanged(_rest(match), score, allowed):
            spoilt[name].append(span)
        else:
            found_values[name].append(score)
    known = {match.start("aspect") for match in lines}
    known_lines = {reply.line(match.start())[0] for match in lines}
    loose = [
        match
        for match in _MENTION.finditer(text, 0, limit)
        if match.start() not in known
        and reply.line(match.start())[0] not in known_lines
        and not _in_evidence(reply, match.start())
    ]
    own = {name: [score for score in some if score.standing is CueStanding.OWN] for name, some in found_values.items()}
    if not any(own.values()) and not any(spoilt.values()) and not any(found_values.values()):
        as_json = _six_in_json(reply, allowed)
        if as_json is not None:
            return as_json
    for name, places in spoilt.items():
        if places and (not own[name] or places[-1] > own[name][-1].span):
            why = f"The score for {name} is not a single, final value."
            return ReplyReading(ReplyOutcome.UNPARSEABLE, spans={name: places[-1]}, why=why)
    for name in ASPECTS:
        if found_values[name] and not own[name]:
            none = none_own(found_values[name])
            return replace(none, spans={name: none.spans[SCORE]}, why=f"Of {name}: {none.why[0].lower()}{none.why[1:]}")
    if all(own.values()):
        last = max(some[-1].outer[1] for some in own.values())
        for mention in loose[:MOST_VERDICTS]:
            name = mention["aspect"].lower()
            after = text[mention.end() : mention.end() + 60].split("\n")[0]
            number = re.search(r"(?<![\w.])\d{1,3}(?:\.\d{1,3})?(?![\w])", after)
            differs = (
                number is not None
                and mention.start() > own[name][0].span[0]
                and allowed_value(number[0], allowed) != own[name][-1].value(allowed)
            )
            if differs and reply.standing(*mention.span()) in (
                CueStanding.OWN,
                CueStanding.EARLIER,
                CueStanding.HEDGED,
            ):
                why = f"The reply gives two different scores for {name}."
                return ReplyReading(ReplyOutcome.CONTRADICTORY, spans={name: own[name][-1].span}, why=why)
        rest = text[last:limit]
        behind = "\n".join(line for line in rest.split("\n") if not EVIDENCE.match(line))
        lowest = all(is_lowest(some[-1], allowed) for some in own.values())
        if taken_back(behind, 0, lowest=lowest) is not None:
            return ReplyReading(ReplyOutcome.CONTRADICTORY, why="The reply withdraws its scores.")
        own = {name: _corrected(text, some, allowed) for name, some in own.items()}
    return reading_of_parts(own, allowed)


def _corrected(text: str, some: list[FoundValue], allowed: Sequence[Value]) -> list[FoundValue]:
    """Return the scores that count among several for one part: the last one, if words in between take back the
    others.
    """
    if len({score.says(allowed) for score in some}) <= 1:
        return some
    last = some[-1]
    other = next(score for score in reversed(some) if score.says(allowed) != last.says(allowed))
    between = "\n".join(line for line in text[other.outer[1] : last.outer[0]].split("\n") if not EVIDENCE.match(line))
    return [last] if CORRECTS.search(between) else some


def _of_block(reply: ReplyText, match: re.Match[str]) -> CueStanding:
    """Return the standing of a line of scores.

    It follows from quotation marks, from the text after the score, and from the line before its block of score lines.
    """
    start = match.start("aspect")
    cited = ">" in match["lead"]
    at, first = reply.line(match.start())[0], start
    for _ in range(12):
        if at <= 0:
            break
        above, end = reply.line(at - 1)
        line = reply.text[above:end]
        of_block = _LINE.match(line) or EVIDENCE.match(line)
        if (
            line.strip()
            and not (of_block and line.lstrip().startswith(">") == cited)
            and not re.fullmatch(r"[\s`~|:-]*\w{0,8}", line)
        ):
            break
        at = above
        if of_block:
            first = above
    return reply.standing(start, match.start("said") + len(match["said"].rstrip(".:")), led_from=first)


def _rest(match: re.Match[str]) -> str:
    """Return the text after a score on its line, with the punctuation that joins it to the score."""
    score = match["said"].rstrip(".:")
    between = match.string[match.start("said") + len(score) : match.start("rest")]
    joined = re.search(r"[.:]" if _NUMBER_CELL.match(match["rest"]) else r"[.:|]", between)
    return (joined[0] + " " if joined and match["rest"].strip() else "") + match["rest"]


def _in_evidence(reply: ReplyText, at: int) -> bool:
    start, end = reply.line(at)
    return EVIDENCE.match(reply.text[start:end]) is not None


def _six_in_json(reply: ReplyText, allowed: Sequence[Value]) -> ReplyReading | None:
    """Return the three scores from the keys of one JSON object."""
    read: list[dict[str, FoundValue]] = []
    for start, end, pairs in find_objects(reply.text, reply.marks):
        parts: dict[str, FoundValue] = {}
        for key, value in pairs:
            match = re.fullmatch(r"(perception|cognition|action)(?: score)?", key_words(key))
            if match is None or isinstance(value, bool) or not isinstance(value, str | int | float):
                continue
            if match[1] in parts:
                return None
            parts[match[1]] = FoundValue(str(value).strip(), value_place(reply.text, start, end, key), (start, end))
        if set(parts) == set(ASPECTS) and reply.standing(start, end) is CueStanding.OWN:
            read.append(parts)
    if not read:
        return None
    return reading_of_parts({name: [scores[name] for scores in read] for name in ASPECTS}, allowed)
