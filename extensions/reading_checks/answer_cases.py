"""Cases of ``reading check``: the rules' reading of an answer, and its check against the expected reading."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from domain.errors import InvalidFileError
from domain.reading.answers import AnswerKind, ExpectedAnswer, ReadOutcome, read_answer
from extensions.reading_checks.case_file import CaseReading, CaseRecord


def reading_of(case: CaseRecord) -> tuple[CaseReading, Callable[[Mapping[str, Any]], bool]]:
    """Return the reader's result for a case, and a function that checks the result against an expected reading.

    A case with faulty keys becomes a ``not a case`` result with the reason, and meets no expectation. The command then
    still reads the other cases.
    """
    try:
        asked, text, reason = _asked(case), case.text("answer"), case.text_or_none("finish_reason")
        _fits(case)
    except InvalidFileError as error:
        return CaseReading("not a case", "", (), str(error), False), lambda _: False
    answer = read_answer(text, asked, finish_reason=reason)
    read = answer.outcome is ReadOutcome.READ
    value = json.loads(json.dumps(answer.value))

    def meets(expected: Mapping[str, Any]) -> bool:
        if "outcome" in expected:
            refused = answer.outcome is ReadOutcome.REFUSED
            return not read and refused == (expected["outcome"] == "refused")
        return read and _same(value, expected.get("read"), any_order=asked.kind.value == "multi")

    shown = json.dumps(value, ensure_ascii=False) if read else ""
    words = tuple(text[start:end] for start, end in answer.spans)
    return CaseReading(answer.outcome.value, shown, words, f"rule: {answer.rule}" if read else answer.why, read), meets


def _asked(case: CaseRecord) -> ExpectedAnswer:
    kind = case.text("kind")
    if kind not in tuple(AnswerKind):
        raise case.refused(f"`kind` is {kind!r}; choose one of {', '.join(AnswerKind)}")
    options = case.keys.get("options") or []
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        raise case.refused("`options` must be a list of texts")
    if kind in ("option", "multi", "order") and not options:
        raise case.refused(f"the kind {kind} needs `options`; add a list of texts")
    return ExpectedAnswer(AnswerKind(kind), tuple(options), case.text_or_none("unit"))


def _fits(case: CaseRecord) -> None:
    for expectation in case.expected or ():
        if "read" not in expectation and expectation.get("outcome") not in ("unreadable", "refused"):
            raise case.refused('each entry of `expected` must be {"read": …} or a known {"outcome": …}')


def _same(value: Any, wanted: Any, *, any_order: bool) -> bool:
    """Tell whether a value equals the expected value. ``any_order``: lists may differ in order.

    5 equals 5.0, but true does not equal 1.
    """
    if isinstance(value, list):
        if not isinstance(wanted, list) or not all(isinstance(answer, str | list) for answer in wanted):
            return False
        return sorted(value) == sorted(wanted) if any_order else value == wanted
    return isinstance(value, bool) == isinstance(wanted, bool) and value == wanted
