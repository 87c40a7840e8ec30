"""The number of a table's cell, with what it rests on."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from agreement.losses import Losses, ScoreCount
from agreement.statistic import Statistic
from agreement.summary import Result
from workflow.results.leaderboard_lines import LeaderboardLine
from workflow.results.score_choices import Scores
from workflow.results.slices import BINS, Bins


@dataclass(frozen=True)
class AnswersBehind:
    """The answers behind a score, as the page *Cases* lists them."""

    scores: Scores
    model: str
    by: str | None = None
    """The slices; None if the number is about all answers of the model."""
    part: str | None = None
    bins: Bins = BINS


@dataclass(frozen=True)
class Number:
    """The number of a cell; None with a ``reason`` for a missing number."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    """Answers, items or means that it rests on."""
    reason: str = ""
    count: ScoreCount | None = None
    """For a score: its denominator, and the answers that it leaves out."""
    losses: Losses | None = None
    """For a score: the losses of its board."""
    answers: AnswersBehind | None = None
    """For a score: its answers, if they can be listed."""


def number_of_line(line: LeaderboardLine) -> Number:
    """Return a score as a number, with the answers that it leaves out."""
    return replace(number_of(line.found), count=line.count, losses=line.losses)


def number_of(found: Statistic | Result) -> Number:
    """Return a statistic as a number."""

    def finite(value: float | None) -> float | None:
        return None if value is None or math.isnan(value) else float(value)

    value = finite(found.value)
    return Number(
        value, finite(found.low), finite(found.high), found.n_units, (found.reason or "") if value is None else ""
    )
