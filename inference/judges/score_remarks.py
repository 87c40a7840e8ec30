"""The check whether the text after a score leaves the score unchanged."""

from __future__ import annotations

import re
from collections.abc import Sequence

from domain.judging import Value
from inference.judges.found_values import FoundValue, allowed_value
from inference.judges.judge_words import BECAUSE, BECAUSE_EAST, SUM_WORDS

_REASON = re.compile(rf"[\s(,;:\u2013\u2014-]*(?:(?:{BECAUSE})\b|{BECAUSE_EAST})", re.IGNORECASE)

_REMARK = re.compile(rf"(?:$|[(,;:\u2013\u2014.|\u3001\u3002]|-{{1,2}}\s|//|#|<|{_REASON.pattern})", re.IGNORECASE)

_ARITHMETIC = re.compile(
    rf"[\s*_`)\]]*(?:(?:{SUM_WORDS})(?![a-z])|[-+*x\u00d7\u00f7/\u2013\u2014]\s*[(\[]*\s*[\d.])", re.IGNORECASE
)
"""Text after a score that makes the score only a part of a sum."""

_DOUBTS = (
    r"(?:or|maybe|perhaps|possibly|probably|arguably|no(?=[,.:;!])|correct(?:ion|ed)|rather|if|unless|changed|revised|"
    r"should be|possible|not (?:sure|certain|earned|deserved|final|really)|either)(?![\w-])"
)

_DOUBTED = re.compile(rf"[\W_]*(?:(?:[a-z']+[\s,]+)?{_DOUBTS}|(?:could|might|would)(?![\w-]))", re.IGNORECASE)
"""A remark that begins by leaving the score open."""

_MENDED = re.compile(
    r"(?<![\w-])(?:wait|actually|hmm|on (?:second|reflection)|sorry|edit|scratch that|or(?= (?:rather|maybe|perhaps)\b)|or (?=\[*\d)|should (?:really |rather )?be(?= \[*\d))(?![\w-])|\?|->|=>|\u2192|\.\.\.",
    re.IGNORECASE,
)
"""Words anywhere in a remark that change the score."""


def leaves_unchanged(rest: str, found: FoundValue, allowed: Sequence[Value]) -> bool:
    """Return whether the text after a score leaves it unchanged: a remark without other values, doubts, corrections or
    sums.

    A reason may contain any words of doubt, because they are about the answer.
    """
    if _ARITHMETIC.match(rest):
        return False
    rest = rest.strip()
    if not rest or re.fullmatch(r"[\"'\u201d,;.}\])]+", rest):
        return True
    reason = _REASON.match(rest)
    if not _REMARK.match(rest) or _MENDED.search(rest) or (reason is None and _DOUBTED.match(rest)):
        return False
    value = found.value(allowed)
    for match in re.finditer(r"(?<![\w.])\d{1,3}(?:[.,]\d{1,3})?(?![\w])", rest):
        other = allowed_value(match[0], allowed)
        counts = re.match(
            r" (?!(?:points?|if|or|when|because|is|for|would|mark|score|as|since|and)\b)(?:[a-z]{3,}|of \d)",
            rest[match.end() :],
        )
        if other is not None and other != value and counts is None:
            return False
    return True
