"""Recognize texts in files of answers that stand for a missing answer: empty texts, and output of other programs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from domain.reading.text import PLACEHOLDERS as EMPTY_WORDS
from domain.reading.text import bare_words
from domain.records import PredictionRecord
from domain.runs import Outcome


@dataclass(frozen=True)
class Placeholder:
    """A text that a harness writes when it gets no answer. Texts that begin with it match."""

    text: str
    harness: str


PLACEHOLDERS = (
    Placeholder("Failed to obtain answer", "VLMEvalKit"),
    Placeholder("[LMMS_EVAL_REQUEST_FAILED", "lmms-eval"),
    Placeholder("$ERROR$", "FastChat"),
    Placeholder("**NETWORK ERROR DUE TO HIGH TRAFFIC", "FastChat"),
)

_CAUSES = (
    r"(?:timed?[ -]?out|connection|refused|reset|unreachable|unavailable|rate[ _-]?limit|quota|overloaded|too many"
    r"|retries|api|http|status|request|response|server|gateway|network|exception|unauthori[sz]ed|forbidden|not found"
    r"|invalid|failed|context length|out of memory|cuda|internal|bad|none|null|unknown|\d{3})"
)
_STATUSES = (
    r"(?:bad gateway|service unavailable|too many requests|internal server error|gateway time-?out|unauthorized"
    r"|forbidden|not found|bad request|connection error|rate limit exceeded)"
)
MESSAGES = (
    r"\[(?:error|failed|failure|exception|api error|timeout)\]|<(?:error|failed|failure|timeout)>",
    r"\W{0,3}(?:api |request |http |server |inference |generation )?(?:error|failed|failure)"
    rf"\s?[:(\[-]\s?.{{0,120}}?\b{_CAUSES}\b",
    r"(?:error|errored|failed)\W*\Z",
    r"request (?:timed out|failed)",
    r"(?:the )?(?:read|connect\w*|request|operation|server|api call) (?:timed out|timeout)",
    r"(?:connection|network|server) (?:error|aborted|refused|reset)\b",
    rf"{_STATUSES}\W*(?:\Z|\n)|[45]\d{{2}} {_STATUSES}|[45]\d{{2}} (?:client|server) error",
    r"error code: \d{3}|https?(?:/\d(?:\.\d)?)? ?(?:error|status)?[ :]*[45]\d{2}\b",
    r"traceback \(most recent call last\)|upstream connect error|cuda (?:out of memory|error)",
    r"\{\s*[\"'](?:error|detail)[\"']\s*:|\{\s*[\"'](?:object|type)[\"']\s*:\s*[\"']error[\"']",
    r"<(?:!doctype )?html\b",
)
"""Beginnings of messages from programs and servers in place of an answer."""
_MESSAGE = re.compile("|".join(f"(?:{row})" for row in MESSAGES), re.IGNORECASE)
_RAISED = re.compile(r"(?:[a-z_]\w*\.){0,6}[A-Z]\w*(?:Error|Exception|Timeout|TimeoutExpired)\b\s?(?:\(|:|\Z)")
"""An exception of a program: ``openai.APITimeoutError: …``, ``TimeoutError()``."""
_EXACT = frozenset(("None", "NA", "<NA>"))
"""Words of Python, R and pandas for a missing value."""
LONGEST = 4_000
"""The length in characters beyond which a text is no message of a program."""


def settled(record: PredictionRecord) -> PredictionRecord:
    """Return a row as an answer, or as an attempt without one. The text stays unchanged.

    >>> settled(PredictionRecord("m", " ")).outcome.value
    'empty'
    >>> settled(PredictionRecord("m", "Failed to obtain answer via API.")).outcome.value
    'transport_error'
    """
    if record.outcome is not Outcome.ANSWERED:
        return record
    text = record.text.strip()
    if not text.strip("\u200b\ufeff\u2060"):
        return replace(record, outcome=Outcome.EMPTY, error="The file has no text for this item.")
    failed = next((placeholder for placeholder in PLACEHOLDERS if text.startswith(placeholder.text)), None)
    if failed is not None:
        error = f"{failed.harness} got no answer. The file has {text[:100]!r} instead."
        return replace(record, outcome=Outcome.TRANSPORT_ERROR, error=error)
    return record


def is_suspect(text: str) -> bool:
    """Tell whether programs write this text for a missing answer, unless the item itself has such words.

    >>> [is_suspect(text) for text in ("NaN", "ERROR: request timed out", "TimeoutError('30 s')", "A", "Error bars")]
    [True, True, True, False, False]
    """
    text = text.strip()
    if len(text) > LONGEST:
        return False
    return text in _EXACT or bare_words(text) in EMPTY_WORDS or bool(_MESSAGE.match(text) or _RAISED.match(text))


def settled_for(record: PredictionRecord, own: Iterable[str], *, may_be_none: bool = False) -> PredictionRecord:
    """Return a row as ``settled`` does, using the item: words of its options or key count as an answer.

    ``may_be_none`` says that none of the options may be right, so that "None" is an answer.

    >>> [settled_for(PredictionRecord("m", "nan"), own).outcome.value for own in (["3"], ["NaN"])]
    ['transport_error', 'answered']
    """
    if record.outcome is not Outcome.ANSWERED or not is_suspect(record.text):
        return record
    text = " ".join(record.text.split())
    if may_be_none and text == "None":
        return record
    words = [" ".join(text.split()).casefold() for text in own]
    if any(word == text.casefold() or (is_suspect(word) and word in text.casefold()) for word in words if word):
        return record
    shown = text if len(text) <= 100 else f"{text[:100]}…"
    return replace(record, outcome=Outcome.TRANSPORT_ERROR, error=f"The file has {shown!r} instead of an answer.")
