"""Lower a verdict that does not hold whatever value the unread replies of the judge would have had."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from agreement.losses import Losses
from agreement.ratings import Floats
from agreement.statistic import Statistic
from extensions.calibration.statistics.bias_sentences import BIAS_STARTS
from extensions.calibration.statistics.verdict import OUTCOMES, JudgeVerdict, Outcome

UNREAD = "Unread replies limit this verdict:"
"""The beginning of the sentence about lost replies that lower a verdict."""
USABLE = OUTCOMES[:3]
"""Verdicts that let a judge be used, each a weaker claim than the one before."""

Fill = Literal["lowest", "highest", "farthest", "nearest"]
FILLS: dict[Fill, str] = {
    "lowest": "the lowest value",
    "highest": "the highest value",
    "farthest": "the value farthest from people's values",
    "nearest": "the value nearest to people's values",
}


@dataclass(frozen=True)
class LossBound:
    """The verdict if each lost reply had a certain value."""

    fill: Fill
    verdict: JudgeVerdict
    difference: Statistic
    """Judge minus people."""


def fills_for(outcome: Outcome) -> tuple[Fill, ...]:
    """Return the values of lost replies that could change a verdict; none where nothing is sure anyway.

    >>> fills_for("usable as replacement"), fills_for("not usable"), fills_for("not enough data")
    (('lowest', 'highest', 'farthest'), ('nearest',), ())
    """
    if outcome in USABLE:
        return ("lowest", "highest", "farthest")
    return ("nearest",) if outcome == "not usable" else ()


def filled_columns(
    people: Floats,
    judge: Floats,
    lost: Sequence[bool],
    *,
    values: Sequence[float],
    ordered: bool,
    fills: Sequence[Fill],
) -> Iterator[tuple[Fill, Floats]]:
    """Yield a judge's column with a value for each lost reply, once for each different column.

    Parameters
    ----------
    people
        (units, people) values, nan where there is none.
    judge
        (units,) values of the judge, nan where there is none.
    lost
        (units,) whether the judge's reply is lost. Units that no person rated stay empty.
    values
        The values of the scale.
    ordered
        Whether values are numbers. Otherwise there is no lowest or highest value, the nearest value is the one that
        most people gave, and the farthest the one that fewest gave.

    Examples
    --------
    >>> people = np.array([[1.0, 1.0], [0.0, 0.5], [np.nan, np.nan]])
    >>> judge, lost = np.full(3, np.nan), [True] * 3
    >>> for fill, column in filled_columns(people, judge, lost, values=(0, 0.5, 1), ordered=True, fills=tuple(FILLS)):
    ...     print(fill, column)
    lowest [ 0.  0. nan]
    highest [ 1.  1. nan]
    farthest [ 0.  1. nan]
    nearest [ 1.  0. nan]
    """
    rated = ~np.isnan(people).all(axis=1)
    at = np.flatnonzero(np.asarray(lost, dtype=bool) & np.isnan(judge) & rated)
    levels = np.array(sorted(values), dtype=float)
    if not len(at) or not len(levels):
        return
    theirs = people[at]
    if ordered:
        distance = np.abs(np.nanmean(theirs, axis=1)[:, None] - levels)
    else:
        distance = -(theirs[:, :, None] == levels).sum(axis=1).astype(float)
    given: dict[Fill, Floats] = {
        "farthest": levels[distance.argmax(axis=1)],
        "nearest": levels[distance.argmin(axis=1)],
    }
    if ordered:
        given |= {"lowest": np.full(len(at), levels[0]), "highest": np.full(len(at), levels[-1])}
    seen: list[Floats] = []
    for fill in fills:
        if fill in given and not any(np.array_equal(given[fill], column) for column in seen):
            seen.append(given[fill])
            column = judge.copy()
            column[at] = given[fill]
            yield fill, column


def hold_at_bounds(
    verdict: JudgeVerdict, bounds: Sequence[LossBound], losses: Losses, difference: Statistic
) -> JudgeVerdict:
    """Return the verdict that holds whatever value the lost replies would have had.

    Parameters
    ----------
    verdict
        The verdict of the replies that were read.
    bounds
        The verdicts with a value for each lost reply; none: the losses concern no unit that people rated, or the
        verdict claims nothing.
    losses
        The record that warns.
    difference
        Judge minus people, over the replies that were read.

    Returns
    -------
    Verdict
        The weakest claim of all these verdicts; "not enough data" where only some of them let the judge be used. A
        claim's p value is the largest of its p values (an intersection-union test [1]_).

    References
    ----------
    .. [1] Berger, R. L. (1982). Technometrics 24, 295-300.
    """
    if not bounds:
        return verdict
    every = [verdict, *(bound.verdict for bound in bounds)]
    made = _weakest([each.outcome for each in every])
    otherwise = _weakest([each.otherwise[0] for each in every])
    why = next((each.otherwise[1] for each in every if each.otherwise[0] == otherwise), "")
    known = [each.p_replace for each in every if not math.isnan(each.p_replace)]
    sure = [each.p_correct for each in every if not math.isnan(each.p_correct)]
    p_replace, p_correct = max(known, default=math.nan), max(sure, default=math.nan)
    of = f"{losses.lost_share}{losses.dependence}"
    if made == verdict.outcome:
        *others, last = (FILLS[bound.fill] for bound in bounds)
        given = f"{', '.join(others)} or {last}" if others else last
        sentence = f"{of} The verdict would be the same if each unread reply had {given}."
        reasons = (*verdict.reasons, sentence)
    else:
        worst = max(bounds, key=lambda each: (OUTCOMES.index(each.verdict.outcome), -_known(each.difference.value)))
        sentence = (
            f"{UNREAD} {of[:1].lower()}{of[1:]} If each unread reply had {FILLS[worst.fill]}, the difference between "
            f"judge and people would be {_limits(worst.difference)} instead of {_limits(difference)}. The verdict "
            f'would be "{worst.verdict.outcome}" instead of "{verdict.outcome}".{_bias(worst.verdict)}'
        )
        reasons = (sentence, *verdict.reasons)
    return replace(
        verdict, outcome=made, reasons=reasons, p_replace=p_replace, p_correct=p_correct, otherwise=(otherwise, why)
    )


def _weakest(outcomes: Sequence[Outcome]) -> Outcome:
    """Return the strongest verdict that all of these allow."""
    if len(set(outcomes)) == 1:
        return outcomes[0]
    if all(outcome in USABLE for outcome in outcomes):
        return max(outcomes, key=OUTCOMES.index)
    return "not enough data"


def _bias(verdict: JudgeVerdict) -> str:
    """Return the bias that limits a verdict, as a sentence after a space; empty if no bias does."""
    bias = next((reason for reason in verdict.reasons if reason.startswith(BIAS_STARTS)), "")
    return f" In this case: {bias[:1].lower()}{bias[1:]}" if bias else ""


def _known(value: float) -> float:
    return 0.0 if math.isnan(value) else value


def _limits(found: Statistic) -> str:
    if math.isnan(found.value):
        return "unknown"
    return f"{found.value:.3f}" + ("" if math.isnan(found.low) else f" [{found.low:.3f}, {found.high:.3f}]")
