"""Read which of two outputs a reply calls better: “Output (a) is better”."""

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
    single_reading,
)
from inference.judges.retractions import CORRECTS, taken_back
from inference.judges.standing import ReplyText
from inference.judges.standing_cues import CueStanding

_HOW = (
    r"(?:the|clearly|much|slightly|far|definitely|overall|significantly|somewhat|marginally|a bit|a little|considerably|indeed|thus|therefore|still|"
    r"ultimately|certainly|obviously|simply|by far|substantially|also|strictly|even|just)"
)

_BETTER = re.compile(
    rf"(?<![A-Za-z0-9])output[ \t]?(?:\((?P<marked>[a-z])\)|(?P<bare>[a-z]))[ \t*_\"'`]{{1,4}}(?:is|was)[ \t]+(?:{_HOW}[ \t]+){{0,3}}better(?![A-Za-z0-9])(?P<one> (?:one|output|answer|choice|option|response))?",
    re.IGNORECASE,
)

_NOT_BETTER = re.compile(
    r"(?<![A-Za-z0-9])output[ \t]?\(?(?P<letter>[a-z])\)?[ \t*_\"'`]{1,4}(?:is|was)(?:(?:n't|[ \t]+(?:not|no|never|hardly|barely|scarcely|no longer|by no means|far from))"
    r"(?: \w+){0,2} (?:better|superior|preferable|the better one)|[ \t]+worse)(?![\w-])",
    re.IGNORECASE,
)

_NAMED = re.compile(r"[\s*_`\"'#>|.-]*(?:output[ \t]*\(([a-z])\))[\s*_`\"'.!|]*", re.IGNORECASE)

_GOES_ON = re.compile(
    r"[*_\"'`)\]}]*(?:\s*$|\s*\n|\s*[|<]|\s?[.!;](?=[\s*_\"'`)\]]|$)|\s?[:\u2013\u2014]|\s-\s|,?\s(?:because|since|as it|as its|as this|than|overall|and output|and is|here|given|due to|"
    r"by |for the reasons|for these|for those|for being|for giving|for its|of the two|on the whole|thanks to|, not)\b|,\s(?:because|since|as|yet|but(?! i\b| that\b)|however|still|while|whereas|and|though|although|so|not|being|which (?:follows|is what|answers))\b|\s?\()",
    re.IGNORECASE,
)

_PARTLY = re.compile(
    r"^[\s*_\"'`]*,?\s?(?:in|at|on|for|with|when|regarding|concerning|as far as|stylistically|written|if|only|unless|than (?!output|the other|its rival|b\b|a\b))\b",
    re.IGNORECASE,
)

_EQUAL = re.compile(
    r"(?:\b(?:it(?:'s| is)|this is|that is|call it|i call it|result(?: is|:)?|verdict(?: is|:)?) (?:\w+ )?(?:a )?(?:tie|draw)\b|\b(?:both|the two|they|outputs?)(?: outputs| answers)? (?:are|is) (?:equally (?:good|bad|well)|equal\b|tied|on a par|the same quality)"
    r"|\bneither (?:output |one |of (?:them|the two|the outputs) )?is better|\bno (?:clear )?(?:winner|preference)\b|\bequally good\b)",
    re.IGNORECASE,
)

_PREFERS = re.compile(
    r"(?<![\w-])(?:(?:overall|finally|in the end|all in all|superior|preferable|preferred|correction|wins|i (?:\w+ )?(?:choose|prefer|pick|select|favou?r|go with|mean|meant))(?![\w-])"
    r"|(?:winner|better one|best|choice|pick|verdict|decision)(?: is|\s?:)|it should be output)",
    re.IGNORECASE,
)

_LESSER = re.compile(
    r"\b(?:not (?:as|so)|worse|less|lacks?|fails?|inferior|weaker|does not|doesn't|ignores?|misses|too)\b",
    re.IGNORECASE,
)


def better_output(reply: ReplyText, allowed: Sequence[Value]) -> ReplyReading:
    """Return the letter of ``Output (a) is better``, said as a complete sentence.

    ``Output (a)`` alone also counts if it is the whole reply or its last line.
    """
    text = reply.text
    verdicts: list[FoundValue] = []
    partly: list[FoundValue] = []
    for match in _BETTER.finditer(text):
        part = "marked" if match["marked"] else "bare"
        one = FoundValue(match[part], match.span(part), match.span(), 2)
        if match["one"] is None and _PARTLY.match(text, match.end()):
            partly.append(one)
            continue
        if _GOES_ON.match(text, match.end()) is None:
            one = replace(one, standing=CueStanding.HEDGED)
        elif (standing := reply.standing(*match.span())) is not CueStanding.OWN:
            one = replace(one, standing=standing)
        verdicts.append(one)
        if len(verdicts) > MOST_VERDICTS:
            return ReplyReading(ReplyOutcome.CONTRADICTORY, why=f"The reply has more than {MOST_VERDICTS} verdicts.")
    lines = [(at, line) for at, line in lines_of(text) if line.strip()]
    names = [
        FoundValue(named[1], (at + named.start(1), at + named.end(1)), (at, at + len(line)))
        for at, line in lines
        if len(line) < 80 and (named := _NAMED.fullmatch(line)) is not None
    ]
    turn = next_turn(reply, [verdict.outer[1] for verdict in (verdicts or names)])
    if turn is not None:
        verdicts = [verdict for verdict in verdicts if verdict.outer[0] < turn]
        names = [name for name in names if name.outer[0] < turn]
        lines = [line for line in lines if line[0] < turn]
        text = text[:turn]
    if not verdicts and not partly and names and lines and names[-1].outer[0] == lines[-1][0]:
        last = names[-1]
        standing = reply.standing(last.span[0], last.span[1]) if len(lines) > 1 else CueStanding.OWN
        verdicts = [replace(last, standing=standing)] if len({name.says(allowed) for name in names}) == 1 else []
    if not verdicts:
        return ReplyReading(ReplyOutcome.UNPARSEABLE, why="The reply does not say which output is better.")
    own = [verdict for verdict in verdicts if verdict.standing is CueStanding.OWN]
    if not own:
        return none_own(verdicts)
    chosen = own[-1]
    spans = {f"{SCORE} {number}": verdict.span for number, verdict in enumerate(own, 1)}
    if len({verdict.says(allowed) for verdict in own}) > 1:
        other = next(verdict for verdict in reversed(own) if verdict.says(allowed) != chosen.says(allowed))
        if not CORRECTS.search(text[other.outer[1] : chosen.outer[0]]):
            return ReplyReading(ReplyOutcome.CONTRADICTORY, spans=spans, why="The reply calls both outputs better.")
    why = _unsays(reply, text, chosen, verdicts)
    if why:
        return ReplyReading(ReplyOutcome.CONTRADICTORY, spans={SCORE: chosen.span}, why=why)
    return single_reading(chosen, allowed)


def _unsays(reply: ReplyText, text: str, chosen: FoundValue, found: Sequence[FoundValue]) -> str:
    """Return the text in the reply that contradicts the chosen sentence; empty for none."""
    letter = chosen.text.casefold()
    for match in _NOT_BETTER.finditer(text):
        if match["letter"].casefold() == letter and reply.standing(*match.span()) is CueStanding.OWN:
            return "The reply also says that the chosen output is not better."
    for equal in _EQUAL.finditer(text, chosen.outer[1]):
        if reply.standing(*equal.span()) is CueStanding.OWN:
            return "The reply calls one output better, and also calls both outputs equal."
    behind = text[chosen.outer[1] :]
    if taken_back(behind, 0):
        return "The reply withdraws its verdict."
    for verdict in found:
        if (
            verdict.outer[0] > chosen.outer[0]
            and verdict.standing is CueStanding.HEDGED
            and verdict.text.casefold() != letter
        ):
            return "A different verdict follows the first verdict."
    for match in re.finditer(r"\boutput[ \t]?\(?([a-z])\)?(?!\w)", behind, re.IGNORECASE):
        if match[1].casefold() == letter:
            continue
        start = max(behind.rfind(mark, 0, match.start()) for mark in (". ", "\n", "! "))
        end = min((at for mark in (". ", "\n") if (at := behind.find(mark, match.end())) >= 0), default=len(behind))
        sentence = behind[max(start, 0) : end]
        if _PREFERS.search(sentence[:600]) and not _LESSER.search(sentence[:600]):
            return "After the verdict, the reply prefers the other output."
    return ""
