"""How many more grades a corrected mean needs, and which units to grade next."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from agreement.arrays import codes_of, numbers, same_length
from agreement.bootstrap import SEED
from agreement.limits import normal_quantile
from agreement.ratings import Floats
from agreement.sample_sizes import require_above, require_between, sample_size_mean, smallest_number
from domain.errors import RatingsError

__all__ = ["Grades", "NextUnits", "grades_needed", "next_units"]


@dataclass(frozen=True)
class Grades:
    """How many more human grades a corrected mean needs."""

    n: int
    """Graded units in all."""
    more: int
    """Beyond those that are graded already."""
    n_without_judge: int
    """Graded units in all if the judge were left out."""
    half_width_now: float
    reachable: bool
    """False if grading every unit there is does not get there; then ``n`` is all of them."""


@dataclass(frozen=True, eq=False)
class NextUnits:
    """Which units to grade next."""

    informative: tuple[int, ...]
    """Where in the arrays they are: from the strata where a grade narrows the limits most, random within each."""
    random: tuple[int, ...]
    """Drawn from all ungraded units alike."""
    allocation: tuple[tuple[Any, int], ...]
    """(stratum, how many of the informative ones)."""

    @property
    def units(self) -> tuple[int, ...]:
        """All of them, informative ones first."""
        return self.informative + self.random


def grades_needed(
    human: ArrayLike,
    judge: ArrayLike,
    judge_unlabelled: ArrayLike,
    *,
    half_width: float,
    confidence: float = 0.95,
) -> Grades:
    """Compute how many more units people must grade until the corrected mean (PPI++) is narrow enough.

    Parameters
    ----------
    human, judge
        (n,) scores of the units graded so far, three or more; nan is left out.
    judge_unlabelled
        (N,) the judge's scores of the other units, from which the next units to grade are chosen.
    half_width, confidence
        Of the limits.

    Returns
    -------
    Grades

    Notes
    -----
    As :func:`sample_size_ppi` with the standard deviation and correlation of the graded units, N shrinking as n grows.
    Both are estimates: with few graded units the answer may be off by a factor; ask again on the way.

    Examples
    --------
    >>> needed = grades_needed([0, 1, 1, 0, 1, 0.5], [0, 1, 0.5, 0, 1, 1], [0, 1] * 500, half_width=0.05)
    >>> needed.n < needed.n_without_judge
    True
    """
    y, f, g = numbers(human, "human"), numbers(judge, "judge"), numbers(judge_unlabelled, "judge_unlabelled")
    same_length(human=y, judge=f)
    require_above("half_width", half_width)
    z = normal_quantile(confidence)
    kept = ~np.isnan(y) & ~np.isnan(f)
    y, f = y[kept], f[kept]
    n, pool = len(y), len(y) + int((~np.isnan(g)).sum())
    if n < 3:
        raise RatingsError(f"Graded units: {n}. Grade about 30 units before you plan.")
    sd = float(y.std(ddof=1))
    if sd == 0:
        raise RatingsError("All graded units have the same human score, so the spread is unknown. Grade more units.")
    rho = float(np.corrcoef(y, f)[0, 1]) if f.std() > 0 else 0.0
    rho = max(0.0, rho)  # PPI++ gives a judge of the wrong sign no weight

    def half(at: int) -> float:
        return z * sd * math.sqrt((1 - rho**2 * (pool - at) / pool) / at)

    reachable = half(pool) <= half_width
    needed = smallest_number(lambda at: half(at) <= half_width, 1) if reachable else pool
    alone = sample_size_mean(sd=sd, half_width=half_width, confidence=confidence).n
    return Grades(max(n, needed), max(0, needed - n), alone, half(n), reachable)


def next_units(
    judge: ArrayLike,
    human: ArrayLike,
    count: int,
    *,
    strata: Sequence[Hashable] | None = None,
    random_share: float = 0.25,
    seed: int = SEED,
) -> NextUnits:
    """Choose the units to grade next: those that narrow the limits most, and a random remainder.

    Parameters
    ----------
    judge
        (n,) the judge's scores of all units; those without one (nan) are not asked for.
    human
        (n,) people's scores, nan for ungraded units.
    count
        How many units to name.
    strata
        (n,) what makes units alike, as the judge's score and the model; None takes the judge's score.
    random_share
        The share of ``count`` that is drawn evenly from all ungraded units, to reveal unexpected results.
    seed
        Of the draw.

    Returns
    -------
    NextUnits
        Within a stratum units are drawn at random. So :func:`post_stratified_mean` is valid for all of them (with the
        judge's score as strata), and :func:`ppi_mean` for the random part.

    Notes
    -----
    Greedy Neyman allocation [1]_: each next grade goes to the stratum with the largest W^2 s^2 / (m (m + 1)). W is
    its share of units and m its grades so far. s^2 is the variance of people's scores in it, shrunk towards that of
    all strata as if each had two more grades. A stratum without grades counts as having half of one.

    References
    ----------
    .. [1] Neyman, J. (1934). Journal of the Royal Statistical Society 97, 558-625.

    Examples
    --------
    >>> nan = float("nan")
    >>> chosen = next_units([0, 0, 0, 1, 1, 1, 1], [0, nan, nan, 1, 0, nan, nan], 2, random_share=0)
    >>> len(chosen.informative), chosen.random
    (2, ())
    """
    f, y = numbers(judge, "judge"), numbers(human, "human")
    same_length(judge=f, human=y, strata=strata)
    require_between("random_share", random_share, 0, 1)
    if count < 0:
        raise RatingsError(f"The number of units to grade is {count}. Give 0 or more.")
    names, stratum = codes_of(strata) if strata is not None else codes_of(f)
    known = ~np.isnan(f)
    free = known & np.isnan(y)
    graded = known & ~np.isnan(y)
    random = np.random.default_rng(seed)
    count = min(count, int(free.sum()))
    by_chance = round(count * random_share)
    q = len(names)
    size = np.bincount(stratum[known], minlength=q).astype(float)
    have = np.bincount(stratum[graded], minlength=q).astype(float)
    left = np.bincount(stratum[free], minlength=q)
    spread = _spread(y[graded], stratum[graded], have, q)
    share = size / max(1.0, size.sum())
    taken = np.zeros(q, dtype=np.int64)
    for _ in range(count - by_chance):
        m = have + taken
        gain = np.where(left > taken, share**2 * spread / (np.maximum(m, 0.5) * (np.maximum(m, 0.5) + 1)), -1.0)
        taken[int(np.argmax(gain))] += 1
    informative: list[int] = []
    for at in np.flatnonzero(taken):
        there = np.flatnonzero(free & (stratum == at))
        informative.extend(random.choice(there, size=int(taken[at]), replace=False).tolist())
    rest = np.setdiff1d(np.flatnonzero(free), informative)
    drawn = tuple(random.choice(rest, size=by_chance, replace=False).tolist()) if by_chance else ()
    allocation = tuple((names[at], int(taken[at])) for at in np.flatnonzero(taken))
    return NextUnits(tuple(informative), drawn, allocation)


def _spread(y: Floats, stratum: Any, have: Floats, q: int) -> Floats:
    """Variance of people's scores in each stratum, drawn towards the pooled one by two grades' worth."""
    if len(y) < 2 or not np.ptp(y) > 0:
        return np.ones(q)
    means = np.bincount(stratum, weights=y, minlength=q) / np.maximum(have, 1)
    squares = np.bincount(stratum, weights=(y - means[stratum]) ** 2, minlength=q)
    free = np.maximum(have - 1, 0)
    pooled = squares.sum() / free.sum() if free.sum() and squares.sum() > 0 else float(y.var(ddof=1))
    variances: Floats = (squares + 2 * pooled) / (free + 2)
    return variances
