"""What a judge's reply comes to: a score with the words it was read from, or one of the reasons why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Value = str | int | float | bool


class Verdict(StrEnum):
    """What a reply comes to. Only ``SCORED`` holds values; nothing stands for a lowest or a middle one."""

    SCORED = "scored"
    REFUSED = "refused"
    """The endpoint reports a refusal or a filter."""
    TRUNCATED = "truncated"
    """The reply was cut off at the longest length: what it would have said is not known, whatever it says so far."""
    EMPTY = "empty"
    UNPARSEABLE = "unparseable"
    """There is no verdict in the form that was asked for."""
    OUT_OF_RANGE = "out_of_range"
    """There is one, but not one of the allowed values."""
    CONTRADICTORY = "contradictory"
    """There are two that differ, and nothing says which one is meant."""
    TRANSPORT_ERROR = "transport_error"
    """No reply came."""
    SKIPPED = "skipped"
    """It was not asked."""


@dataclass(frozen=True)
class Reading:
    """A reply as a parser reads it."""

    verdict: Verdict
    values: Mapping[str, Value] = field(default_factory=dict)
    """By the parser's own names; empty unless ``SCORED``."""
    spans: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Where in the reply each value stands, from and up to; of a failure, what was found and does not fit."""
    why: str = ""
    """Of a failure: what is wrong, as a sentence."""

    @property
    def scored(self) -> bool:
        """Whether it holds values."""
        return self.verdict is Verdict.SCORED
