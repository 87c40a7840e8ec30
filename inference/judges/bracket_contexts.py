"""Contexts in which a value in brackets is not a verdict: losers, sums, ranges, legends, other answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from domain.judging import Value
from inference.judges.found_values import FoundValue
from inference.judges.judge_words import LOSER_NAMES, LOSES, SUM_WORDS, SUM_WORDS_OR_OTHERS
from inference.judges.retractions import CORRECTS
from inference.judges.standing import OF_OTHERS, ONE_OF, ReplyText
from inference.judges.standing_cues import CueStanding

_GLOSS = re.compile(r"^\W*\[\[[^\[\]\n]{1,40}\]\][\s*_`\"'|:=\u2013\u2014-]*[^\W\d]")

_LOSER_BEFORE = re.compile(
    rf"(?:^|[.!?;,:(\n|])[\s*_#>\"'`-]*(?:(?:the|my|and|overall|final|clear|der|die|das|le|la|el) )*{LOSES}"
    r"(?:[\s*_]+(?:answer|response|one|output|assistant|model|choice|option|side|candidate|reply|here|overall|antwort|r\u00e9ponse|respuesta))*"
    r"[\s*_\"'`]*(?:(?:is|was|goes to|would be|ist|est|es|:|=|-|\u2013|\u2014|\u2192|->|\||\u662f|\u306f)[\s*_\"'`]*)*(?:(?:clearly|assistant|model|answer|response|output|option|candidate)[\s*_]+)*[\s*_\"'`(|]*\Z",
    re.IGNORECASE,
)

_LOSER_BEHIND = re.compile(
    r"[ \t*_\"'`)\]]*[(,:=\u2013\u2014-]?[ \t]*(?:(?:which|that|it) )?(?:(?:is|was|seems|looks|comes) (?:\w+ly |much |far |also |the |by far |a bit |somewhat |slightly |in )*)?"
    rf"(?:{LOSES}|less|loses|lost|fails|behind|beaten|outperformed|not as|not so|last|second)(?!\w)|[ \t*_\"'`)]*(?:<(?![-/A-Za-z])|\u226a|\u227a|\u2264|<=)",
    re.IGNORECASE,
)

_LEFT_OUT = re.compile(
    r"(?<!\w)(?:everything|everyone|anything|anyone|any|all|both|each|every one)(?:[\s*_]+(?:answers?|responses?|outputs?|of them|of these|of the two))?"
    r"[\s*_]+(?:but|except(?:ing)?(?: for)?|other than|apart from|aside from|save(?: for)?)[\s*_]+"
    r"(?:(?:answer|response|option|output|assistant|model)[\s*_]+)?[\s*_\"'`(]*\Z",
    re.IGNORECASE,
)
"""Words before a letter that leave it out: “Everything but [[A]] is fine.”"""

_LOSER_LABEL = re.compile(
    rf"(?:^|[.!?;\n|])[\s*_#>\"'`-]*(?:(?:the|der|die|das|le|la|el) )?(?:{LOSER_NAMES})"
    r"(?:[\s*_]+(?:answer|response|one|output|assistant|model|option|antwort|r\u00e9ponse|respuesta))?[\s*_\"'`]*(?:[:=\uff1a\u2192]|->)[\s*_\"'`]*\Z",
    re.IGNORECASE,
)
"""A label before a number that names the worse of two answers: “Loser: [[2]]”."""


def without_losers(reply: ReplyText, found: Sequence[FoundValue], allowed: Sequence[Value]) -> list[FoundValue]:
    """Return the verdicts, with letters denied that the reply calls worse: “Loser: [[A]]”, “[[A]] is worse than
    [[B]]”.
    """
    if not any(isinstance(value, str) for value in allowed):
        return [
            replace(verdict, standing=CueStanding.DENIED)
            if _LOSER_LABEL.search(reply.text, max(0, verdict.outer[0] - 60), verdict.outer[0])
            else verdict
            for verdict in found
        ]
    marked = []
    for verdict in found:
        start, end = verdict.outer
        before = max(0, start - 90)
        loses = (
            _LOSER_BEFORE.search(reply.text, before, start)
            or _LEFT_OUT.search(reply.text, before, start)
            or _LOSER_BEHIND.match(reply.text, end)
        )
        marked.append(replace(verdict, standing=CueStanding.DENIED) if loses else verdict)
    return marked


_SUM_WORD = rf"(?:{SUM_WORDS}|{SUM_WORDS_OR_OTHERS})"

_SUM_BEHIND = re.compile(
    rf"[\s*_`)]{{0,4}}(?:{_SUM_WORD}(?![a-z])|[-+*x\u00d7\u00f7/\u2013\u2014]\s{{0,2}}[(\[]{{0,3}}\s?[\d.]*\d\s*\]{{0,2}}(?!/)"
    r"|(?:points?|pts?\.?|marks?)\s+(?:(?:is|are|was|were)\s+)?(?:deducted|lost|off|taken|subtracted)(?![a-z]))",
    re.IGNORECASE,
)

_SUM_BEFORE = re.compile(
    rf"(?:\d[\]\s*_)]{{0,5}}(?:{_SUM_WORD}|[+*\u00d7\u00f7])|(?:[:=(]\s*|\]\]\s*)(?:\d+(?:[.,]\d+)?)?\s?[-\u2013\u2014])[\s(*_`]*\Z",
    re.IGNORECASE,
)

_SUM_WORDS_ALONE = re.compile(rf"(?<![\w-]){_SUM_WORD}[\s(*_`]*\Z", re.IGNORECASE)


def without_sums(reply: ReplyText, found: Sequence[FoundValue], allowed: Sequence[Value]) -> list[FoundValue]:
    """Return the verdicts, with numbers left open that are only terms of a sum: “[[1]] minus [[0.5]] = [[0.5]]”."""
    if any(isinstance(value, str) for value in allowed):
        return list(found)
    marked = []
    for verdict in found:
        start, end = verdict.outer
        term = _SUM_BEHIND.match(reply.text, end) or any(
            pattern.search(reply.text, max(0, start - 30), start) for pattern in (_SUM_BEFORE, _SUM_WORDS_ALONE)
        )
        marked.append(replace(verdict, standing=CueStanding.HEDGED) if term else verdict)
    return marked


_JOINS = re.compile(
    r"[\s*_`\"')]{0,4}(?:[/~+|<>=\u2013\u2014-]+|or|and|to|vs\.?|versus|and/or|oder|und|bis|ou|o|y|или|或者?|和|至|到|または|또는)?[\s*_`\"'(]{0,4}",
    re.IGNORECASE,
)


def without_ranges(reply: ReplyText, found: Sequence[FoundValue], allowed: Sequence[Value]) -> list[FoundValue]:
    """Return the verdicts, with different neighbors left open that are joined directly or by a word such as “or”."""
    marked = list(found)
    for place in range(1, len(found)):
        one, other = found[place - 1], found[place]
        between = reply.text[one.outer[1] : other.outer[0]]
        joined = "\n" not in between and "|" not in between and _JOINS.fullmatch(between)
        if (
            joined
            and one.says(allowed) != other.says(allowed)
            and CueStanding.EARLIER not in (one.standing, other.standing)
        ):
            for at in (place - 1, place):
                if found[at].standing in (CueStanding.OWN, CueStanding.HEDGED, CueStanding.UNCLEAR):
                    marked[at] = replace(found[at], standing=CueStanding.HEDGED)
    return marked


def without_legends(reply: ReplyText, found: Sequence[FoundValue], allowed: Sequence[Value]) -> list[FoundValue]:
    """Return the verdicts, with those marked that only explain a scale.

    These are several unlabeled values in one sentence, or one after the other with their meanings.
    """
    groups: list[list[int]] = []
    for place, verdict in enumerate(found):
        if verdict.level > 1 or verdict.standing is not CueStanding.OWN:
            continue
        if groups:
            before = found[groups[-1][-1]]
            between = reply.text[before.outer[1] : verdict.outer[0]]
            same_sentence = not re.search(r"[.!?。！？][\s\"')*_]|\n", between) and not CORRECTS.search(between)
            start, end = reply.line(verdict.outer[0])
            glossed = between.count("\n") == 1 and bool(
                _GLOSS.match(reply.text[start:end]) and _GLOSS.match(reply.text[slice(*reply.line(before.outer[0]))])
            )
            if groups[-1][-1] == place - 1 and (same_sentence or glossed):
                groups[-1].append(place)
                continue
        groups.append([place])
    marked = list(found)
    for group in groups:
        if len({found[place].says(allowed) for place in group}) > 1:
            for place in group:
                marked[place] = replace(found[place], standing=CueStanding.EXAMPLE)
    return marked


def without_others(reply: ReplyText, found: Sequence[FoundValue], allowed: Sequence[Value]) -> list[FoundValue]:
    """Return the verdicts, with those marked that rate several answers, or an answer that is not under review.

    They are found in tables, and in lines with a head each.
    """
    heads = [_heads(reply, verdict) for verdict in found]
    marked = list(found)
    numbers = not any(isinstance(value, str) for value in allowed)
    for place, (line, row, column) in enumerate(heads):
        beside = [n for n, (other, _, _) in enumerate(heads) if other == line and n != place]
        each_of = [head for _, head, _ in heads if head and ONE_OF.fullmatch(head)]
        if (column is not None and any(heads[n][2] is not None for n in beside)) or (
            row and ONE_OF.fullmatch(row) and len(set(each_of)) > 1
        ):
            marked[place] = replace(found[place], standing=CueStanding.EACH)
        elif column is not None and numbers and any(OF_OTHERS.fullmatch(head) for head in (row, column) if head):
            marked[place] = replace(found[place], standing=CueStanding.EXAMPLE)
    return marked


_HEAD = re.compile(r"[\s*_#>\d.)-]{0,12}([A-Za-z][\w ()']{0,40})[*_]*\s?[:=\u2013\u2014-]")


def _heads(reply: ReplyText, each: FoundValue) -> tuple[int, str, str | None]:
    """Return the start of a verdict's line, the head of the line, and the head of its column in a table; otherwise
    None.
    """
    text = reply.text
    start, end = reply.line(each.outer[0])
    line = text[start:end] if end - start < 2000 else ""
    if line.count("|") < 2 or not (line.lstrip().startswith("|") or line.count("|") > 2):
        match = _HEAD.match(line)
        return start, match[1].strip().lower() if match else "", None
    cells = line.strip().strip("|").split("|")
    offset = len(line) - len(line.lstrip())
    place = line[offset : each.outer[0] - start].lstrip("|").count("|")
    first = start
    for _ in range(12):
        if first <= 0:
            break
        above, below = reply.line(first - 1)
        if "|" not in text[above : min(below, above + 2000)]:
            break
        first = above
    header = text[slice(*reply.line(first))][:2000].strip().strip("|").split("|") if first < start else []
    column = header[place].strip().lower() if place < len(header) and len(header) == len(cells) else ""
    return start, cells[0].strip().lower() if place else "", column
