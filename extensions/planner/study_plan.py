"""How many raters and units a study needs, by simulating it before anyone grades."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from agreement.alpha import krippendorff_alpha
from agreement.arrays import numbers
from agreement.bootstrap import SEED, Bootstrap, check_confidence
from agreement.chance import fleiss_kappa
from agreement.icc import icc
from agreement.kappa import light_kappa
from agreement.ratings import Floats, Ratings, Scale
from agreement.sample_sizes import require_between
from agreement.statistic import Statistic
from domain.errors import RatingsError

__all__ = ["Design", "StudyPlan", "plan_study"]


@dataclass(frozen=True)
class Design:
    """One design of a study, with its expected result."""

    raters: int
    units: int
    ratings: int
    """Units times the raters of each."""
    mean: float
    """Of the statistic over simulated studies."""
    half_width: float
    """Half the range in which 95 % (the confidence) of the simulated values lie."""
    undefined: float
    """Share of simulated studies in which the statistic has no value."""


@dataclass(frozen=True)
class StudyPlan:
    """Designs side by side."""

    designs: tuple[Design, ...]
    half_width: float | None
    """What was wanted."""
    cheapest: Design | None
    """With the fewest ratings among those narrow enough; None if none is, or nothing was wanted."""
    simulations: int


def plan_study(
    *,
    statistic: Literal["kappa", "fleiss", "alpha", "icc"] | Callable[[Ratings], Statistic] = "kappa",
    agreement: float,
    shares: Sequence[float] = (0.5, 0.5),
    raters: Sequence[int] = (2, 3, 5),
    units: Sequence[int] = (30, 50, 100, 200, 400),
    per_unit: int | None = None,
    half_width: float | None = None,
    confidence: float = 0.95,
    simulations: int = 400,
    seed: int = SEED,
) -> StudyPlan:
    """Raters and units that a study needs, by simulating it before anyone grades.

    Parameters
    ----------
    statistic
        "kappa" (Cohen's; the mean over pairs beyond two raters), "fleiss", "alpha" (nominal), "icc" (ICC(1,1) of the
        categories' numbers 0, 1, ...), or a function of ratings.
    agreement
        The true value of the statistic that is expected.
    shares
        How often each category occurs; they are scaled to sum 1.
    raters, units
        The designs: every number of raters with every number of units.
    per_unit
        Number of raters of each unit, drawn separately for each unit; None lets all rate everything.
    half_width
        That is wanted.
    confidence
        Of the limits that are meant.
    simulations, seed
        Studies per design, and the seed of the first.

    Returns
    -------
    StudyPlan
        Half widths carry a Monte Carlo error of about 1/sqrt(simulations), 5 % with 400.

    Notes
    -----
    Each unit has a true category; a rater gives it with probability sqrt(agreement), otherwise any category by its
    share. Two raters then agree beyond chance with exactly ``agreement``: their disagreement is 1 - agreement times
    that of independent raters, whatever the weights. So kappa, alpha and ICC all have this true value. Checked
    against the large-sample standard error of kappa in its tests.

    Examples
    --------
    >>> plan = plan_study(agreement=0.6, raters=(2,), units=(50, 200), half_width=0.12, simulations=200)
    >>> plan.cheapest.units
    200
    """
    require_between("agreement", agreement, 0, 1, ends=True)
    check_confidence(confidence)
    weights = numbers(shares, "shares")
    if len(weights) < 2 or not (weights >= 0).all() or (weights > 0).sum() < 2:
        raise RatingsError("A plan needs the shares of at least two categories. No share may be negative.")
    if simulations < 20:
        raise RatingsError(f"{simulations} simulated studies are too few. Use at least 200.")
    for k in raters:
        if k < 2 or (per_unit is not None and not 2 <= per_unit <= k):
            raise RatingsError(
                f"Each unit needs at least two raters. The plan has {k} raters and {per_unit or k} per unit."
            )
    if min(units, default=0) < 2:
        raise RatingsError("A study needs at least two units.")
    weights = weights / weights.sum()
    compute = _named(statistic)
    designs = []
    for k in raters:
        for n in units:
            random = np.random.default_rng([seed, k, n])
            studies = (_simulated(random, n, k, per_unit, agreement, weights) for _ in range(simulations))
            values = np.array([compute(study).value for study in studies])
            designs.append(_design(k, n, n * (per_unit or k), values, confidence))
    wanted = -1.0 if half_width is None else half_width
    narrow = [design for design in designs if design.half_width <= wanted and design.undefined <= 0.05]
    cheapest = min(narrow, key=lambda design: (design.ratings, design.units), default=None)
    return StudyPlan(tuple(designs), half_width, cheapest, simulations)


def _design(k: int, n: int, ratings: int, values: Floats, confidence: float) -> Design:
    """Return a design with the values of its simulated studies; nan where a study has no value."""
    known = values[np.isfinite(values)]
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    low, high = np.quantile(known, tails) if len(known) else (math.nan, math.nan)
    mean = float(known.mean()) if len(known) else math.nan
    return Design(k, n, ratings, mean, float(high - low) / 2, 1 - len(known) / len(values))


def _named(statistic: Any) -> Callable[[Ratings], Statistic]:
    none = Bootstrap(draws=0)
    if callable(statistic):
        computed: Callable[[Ratings], Statistic] = statistic
        return computed
    known: dict[str, Callable[[Ratings], Statistic]] = {
        "kappa": lambda ratings: light_kappa(ratings, bootstrap=none),
        "fleiss": lambda ratings: fleiss_kappa(ratings),
        "alpha": lambda ratings: krippendorff_alpha(ratings, bootstrap=none),
        "icc": lambda ratings: icc(ratings),
    }
    if statistic not in known:
        raise RatingsError(f"Unknown statistic {statistic!r}. Give {', '.join(known)} or a function of ratings.")
    return known[statistic]


def _simulated(
    random: np.random.Generator, n: int, k: int, per_unit: int | None, agreement: float, shares: Floats
) -> Ratings:
    q = len(shares)
    truth = random.choice(q, size=(n, 1), p=shares)
    any_other = random.choice(q, size=(n, k), p=shares)
    values = np.where(random.random((n, k)) < math.sqrt(agreement), truth, any_other).astype(float)
    if per_unit is not None and per_unit < k:
        values[random.random((n, k)).argsort(axis=1) >= per_unit] = math.nan
    return Ratings.from_array(values, scale=Scale("interval", tuple(range(q))))
