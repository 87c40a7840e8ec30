"""Cases of ``reading check --judge``: a parser's reading of a judge's reply, and its check against the expected one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from extensions.reading_checks.case_file import CaseReading, CaseRecord
from workflow.runs import judge_plans, judge_readings


def reading_of(case: CaseRecord) -> tuple[CaseReading, Callable[[Mapping[str, Any]], bool]]:
    """Return the reading of a line's reply, and a function that checks the reading against an expected one."""
    parser = case.text("parser")
    if parser not in judge_readings.parsers():
        raise case.refused(f"unknown parser {parser!r}; choose one of {', '.join(judge_readings.parsers())}")
    values = case.keys.get("values")
    if not isinstance(values, list) or not values or not all(isinstance(value, str | int | float) for value in values):
        raise case.refused("`values` must be a list of possible judge answers")
    reply = case.text("reply")
    for expectation in case.expected or ():
        if not isinstance(expectation.get("scored"), dict) and expectation.get("outcome") != "unreadable":
            raise case.refused("`expected` needs `scored` with values, or the outcome `unreadable`")
    reading = judge_readings.read_as(parser, reply, values, finish_reason=case.text_or_none("finish_reason"))

    def meets(expected: Mapping[str, Any]) -> bool:
        return (
            dict(reading.values) == expected.get("scored")
            if reading.scored
            else expected.get("outcome") == "unreadable"
        )

    scores = " ".join(
        f"{part}={reading.values[part]}" for part in judge_plans.parts_of(parser) if part in reading.values
    )
    words = [reply[start:end] for start, end in reading.spans.values() if end > start]
    return CaseReading(reading.verdict.value, scores, words, reading.why, reading.scored), meets
