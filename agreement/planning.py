"""How many units and raters a study needs, and which units to grade next."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from agreement.alpha import krippendorff_alpha
from agreement.arrays import codes_of, numbers, same_length
from agreement.bootstrap import SEED, Bootstrap, check_confidence
from agreement.chance import fleiss_kappa
from agreement.icc import icc
from agreement.kappa import light_kappa
from agreement.limits import normal_quantile
from agreement.ratings import Floats, Ratings, Scale
from agreement.statistic import Statistic
from domain.errors import RatingsError

_MOST = 10_000_000
"""Maximum number of units; larger designs are reported as out of reach."""


@dataclass(frozen=True)
class SampleSize:
    """How many units are needed."""

    n: int
    n_first_stage: int
    """Of the plain formula; ``n`` is that after the correction the method has, if it has one."""
    method: str


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


def sample_size_proportion(*, p: float, half_width: float, confidence: float = 0.95) -> SampleSize:
    """Units for limits of a share that reach ``half_width`` to each side.

    Parameters
    ----------
    p
        The share that is expected; 0.5 asks for most.
    half_width, confidence
        Of the limits.

    Returns
    -------
    SampleSize

    Notes
    -----
    z^2 p (1 - p) / h^2 [1]_. Checked against statsmodels 0.15 in tests/agreement.

    References
    ----------
    .. [1] Cochran, W. G. (1977). Sampling Techniques, 3rd ed., section 4.4. Wiley.

    Examples
    --------
    >>> sample_size_proportion(p=0.5, half_width=0.05).n
    385
    """
    _within("p", p, 0, 1)
    return sample_size_mean(sd=math.sqrt(p * (1 - p)), half_width=half_width, confidence=confidence)


def sample_size_mean(*, sd: float, half_width: float, confidence: float = 0.95) -> SampleSize:
    """Units for limits of a mean that reach ``half_width`` to each side.

    Parameters
    ----------
    sd
        Standard deviation of the values, from a pilot.
    half_width, confidence
        Of the limits.

    Returns
    -------
    SampleSize

    Notes
    -----
    z^2 s^2 / h^2 (Cochran 1977, section 4.6). Clustered units need :func:`design_effect` times as many.

    Examples
    --------
    >>> sample_size_mean(sd=0.4, half_width=0.03).n
    683
    """
    _above("sd", sd)
    _above("half_width", half_width)
    n = _up((normal_quantile(confidence) * sd / half_width) ** 2)
    return SampleSize(n, n, "normal limits")


def sample_size_pearson(
    *,
    r: float,
    half_width: float,
    confidence: float = 0.95,
    kind: Literal["pearson", "spearman", "kendall"] = "pearson",
) -> SampleSize:
    """Units for limits of a correlation that are 2 ``half_width`` wide.

    Parameters
    ----------
    r
        The correlation that is expected.
    half_width, confidence
        Of the limits.
    kind
        Of the correlation.

    Returns
    -------
    SampleSize
        ``n`` is the smallest number whose limits by z are narrow enough.

    Notes
    -----
    First stage 4 c (1 - r^2)^2 (z / (2h))^2 + b with b = 3, 3, 4 and c = 1, 1 + r^2/2, 0.437 for Pearson, Spearman and
    Kendall [1]_; then the width itself is searched. Checked against worked values in tests/agreement.

    References
    ----------
    .. [1] Bonett, D. G. & Wright, T. A. (2000). Psychometrika 65, 23-28.

    Examples
    --------
    >>> sample_size_pearson(r=0.68, half_width=0.1).n_first_stage
    115
    """
    _within("r", r, -1, 1)
    _above("half_width", half_width)
    z = normal_quantile(confidence)
    if kind not in ("pearson", "spearman", "kendall"):
        raise RatingsError(f"The correlation is pearson, spearman or kendall, not {kind!r}.")
    factor, lost = {"pearson": (1.0, 3), "spearman": (1 + r**2 / 2, 3), "kendall": (0.437, 4)}[kind]
    first = max(lost + 1, _up(4 * factor * (1 - r**2) ** 2 * (z / (2 * half_width)) ** 2 + lost))

    def narrow(n: int) -> bool:
        reach = z * math.sqrt(factor / (n - lost))
        return math.tanh(math.atanh(r) + reach) - math.tanh(math.atanh(r) - reach) <= 2 * half_width

    return SampleSize(_smallest(narrow, lost + 1), first, "limits by z (Bonett & Wright 2000)")


def sample_size_icc(*, icc: float, raters: int, full_width: float, confidence: float = 0.95) -> SampleSize:
    """Units for limits of an intraclass correlation that are ``full_width`` wide.

    Parameters
    ----------
    icc
        The coefficient of a single rater that is expected.
    raters
        Of each unit, two or more.
    full_width, confidence
        Of the limits.

    Returns
    -------
    SampleSize
        ``n`` has Bonett's addition for two raters and a coefficient of 0.7 and above.

    Notes
    -----
    8 z^2 (1 - rho)^2 (1 + (k - 1) rho)^2 / (k (k - 1) w^2) + 1, and 5 rho more if k = 2 and rho >= 0.7 [1]_. Checked
    against the worked example of [1]_ in tests/agreement.

    References
    ----------
    .. [1] Bonett, D. G. (2002). Statistics in Medicine 21, 1331-1335.

    Examples
    --------
    >>> sample_size_icc(icc=0.8, raters=2, full_width=0.2)
    SampleSize(n=55, n_first_stage=51, method='Bonett 2002')
    """
    _within("icc", icc, -1, 1)
    _above("full_width", full_width)
    if raters < 2:
        raise RatingsError(f"An intraclass correlation needs two or more raters, not {raters}.")
    z = normal_quantile(confidence)
    plain = 8 * z**2 * (1 - icc) ** 2 * (1 + (raters - 1) * icc) ** 2 / (raters * (raters - 1) * full_width**2) + 1
    more = 5 * icc if raters == 2 and icc >= 0.7 else 0.0
    return SampleSize(_up(plain + more), _up(plain), "Bonett 2002")


def sample_size_kappa(*, kappa: float, half_width: float, rate: float = 0.5, confidence: float = 0.95) -> SampleSize:
    """Units for limits of Cohen's kappa of two categories that reach ``half_width`` to each side.

    Parameters
    ----------
    kappa
        That is expected.
    rate
        Share of the first category, for both raters; the rarer one is, the more units are needed.
    half_width, confidence
        Of the limits.

    Returns
    -------
    SampleSize

    Notes
    -----
    z^2 V / h^2 with V = n SE^2 of Fleiss, Cohen & Everitt (1969); V = 1 - kappa^2 for two equally frequent ones.

    Examples
    --------
    >>> sample_size_kappa(kappa=0.71, half_width=0.1).n
    191
    """
    _above("half_width", half_width)
    n = _up(normal_quantile(confidence) ** 2 * _kappa_spread(kappa, rate) / half_width**2)
    return SampleSize(n, n, "large-sample standard error of kappa")


def sample_size_kappa_test(
    *,
    rate: float,
    kappa1: float,
    kappa0: float,
    alpha: float = 0.05,
    power: float = 0.8,
    two_sided: bool = False,
) -> SampleSize:
    """Units to show that kappa of two categories is above ``kappa0`` if it is ``kappa1``.

    Parameters
    ----------
    rate
        Share of the first category, for both raters.
    kappa1, kappa0
        Expected kappa, and the kappa to beat.
    alpha, power, two_sided
        Of the test.

    Returns
    -------
    SampleSize

    Notes
    -----
    ((z_alpha sqrt V0 + z_power sqrt V1) / (kappa1 - kappa0))^2 with V = n SE^2 [1]_. Checked against R irr 0.84 in
    tests/agreement.

    References
    ----------
    .. [1] Cantor, A. B. (1996). Psychological Methods 1, 150-153.

    Examples
    --------
    >>> sample_size_kappa_test(rate=0.5, kappa1=0.81, kappa0=0.61).n
    81
    """
    _within("alpha", alpha, 0, 1)
    _within("power", power, 0, 1)
    if kappa0 == kappa1:
        raise RatingsError("The two kappas are the same, and no number of units tells them apart.")
    z_alpha = float(special.ndtri(1 - alpha / (2 if two_sided else 1)))
    z_power = float(special.ndtri(power))
    reach = z_alpha * math.sqrt(_kappa_spread(kappa0, rate)) + z_power * math.sqrt(_kappa_spread(kappa1, rate))
    n = _up((reach / (kappa1 - kappa0)) ** 2)
    return SampleSize(n, n, "Cantor 1996")


def sample_size_ppi(
    *, sd: float, correlation: float, unlabelled: int, half_width: float, confidence: float = 0.95
) -> SampleSize:
    """Human grades for limits of a mean that reach ``half_width`` to each side, with a judge's help (PPI++).

    Parameters
    ----------
    sd
        Standard deviation of people's scores.
    correlation
        Of the judge with people.
    unlabelled
        Units that the judge scores beyond the graded ones.
    half_width, confidence
        Of the limits.

    Returns
    -------
    SampleSize
        ``n_first_stage`` is the number without the judge.

    Notes
    -----
    The smallest n with z^2 s^2/n (1 - rho^2 N/(n + N)) <= h^2 [1]_. However many units a judge scores, it saves at most
    the share rho^2.

    References
    ----------
    .. [1] Angelopoulos, A. N., Duchi, J. C. & Zrnic, T. (2023). PPI++. arXiv:2311.01453.

    Examples
    --------
    >>> sample_size_ppi(sd=0.4, correlation=0.68, unlabelled=2000, half_width=0.03)
    SampleSize(n=423, n_first_stage=683, method='PPI++')
    """
    _above("sd", sd)
    _above("half_width", half_width)
    if not -1 <= correlation <= 1 or unlabelled < 0:
        raise RatingsError("A correlation lies between -1 and 1, and the number of judged units is not negative.")
    z = normal_quantile(confidence)

    def narrow(n: int) -> bool:
        kept = 1 - correlation**2 * unlabelled / (n + unlabelled)
        return z * sd * math.sqrt(kept / n) <= half_width

    alone = sample_size_mean(sd=sd, half_width=half_width, confidence=confidence).n
    return SampleSize(_smallest(narrow, 1), alone, "PPI++")


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
    >>> found = grades_needed([0, 1, 1, 0, 1, 0.5], [0, 1, 0.5, 0, 1, 1], [0, 1] * 500, half_width=0.05)
    >>> found.n < found.n_without_judge
    True
    """
    y, f, g = numbers(human, "human"), numbers(judge, "judge"), numbers(judge_unlabelled, "judge_unlabelled")
    same_length(human=y, judge=f)
    _above("half_width", half_width)
    z = normal_quantile(confidence)
    kept = ~np.isnan(y) & ~np.isnan(f)
    y, f = y[kept], f[kept]
    n, pool = len(y), len(y) + int((~np.isnan(g)).sum())
    if n < 3:
        raise RatingsError(f"{n} graded units say too little to plan by; grade a pilot of 30 or so first.")
    sd = float(y.std(ddof=1))
    if sd == 0:
        raise RatingsError("All graded units have the same human score, which says nothing of how they spread.")
    rho = float(np.corrcoef(y, f)[0, 1]) if f.std() > 0 else 0.0
    rho = max(0.0, rho)  # PPI++ gives a judge of the wrong sign no weight

    def half(at: int) -> float:
        return z * sd * math.sqrt((1 - rho**2 * (pool - at) / pool) / at)

    reachable = half(pool) <= half_width
    needed = _smallest(lambda at: half(at) <= half_width, 1) if reachable else pool
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
    >>> found = next_units([0, 0, 0, 1, 1, 1, 1], [0, nan, nan, 1, 0, nan, nan], 2, random_share=0)
    >>> len(found.informative), found.random
    (2, ())
    """
    f, y = numbers(judge, "judge"), numbers(human, "human")
    same_length(judge=f, human=y, strata=strata)
    _within("random_share", random_share, 0, 1)
    if count < 0:
        raise RatingsError(f"The number of units to grade is not negative, as {count} is.")
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
    against the large-sample standard error of kappa in tests/agreement.

    Examples
    --------
    >>> plan = plan_study(agreement=0.6, raters=(2,), units=(50, 200), half_width=0.12, simulations=200)
    >>> plan.cheapest.units
    200
    """
    _within("agreement", agreement, 0, 1, ends=True)
    check_confidence(confidence)
    weights = numbers(shares, "shares")
    if len(weights) < 2 or not (weights >= 0).all() or (weights > 0).sum() < 2:
        raise RatingsError("A plan needs the shares of two or more categories, none of them negative.")
    if simulations < 20:
        raise RatingsError(f"{simulations} simulated studies say too little; take 200 or more.")
    for k in raters:
        if k < 2 or (per_unit is not None and not 2 <= per_unit <= k):
            raise RatingsError(f"Each unit needs two or more of the raters; there are {k}, {per_unit or k} per unit.")
    if min(units, default=0) < 2:
        raise RatingsError("A study has two or more units.")
    weights = weights / weights.sum()
    compute = _named(statistic)
    designs = []
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    for k in raters:
        for n in units:
            random = np.random.default_rng([seed, k, n])
            values = np.array(
                [compute(_simulated(random, n, k, per_unit, agreement, weights)).value for _ in range(simulations)]
            )
            known = values[np.isfinite(values)]
            low, high = np.quantile(known, tails) if len(known) else (math.nan, math.nan)
            mean = float(known.mean()) if len(known) else math.nan
            lost = 1 - len(known) / simulations
            designs.append(Design(k, n, n * (per_unit or k), mean, float(high - low) / 2, lost))
    narrow = [
        design
        for design in designs
        if half_width is not None and design.half_width <= half_width and design.undefined <= 0.05
    ]
    cheapest = min(narrow, key=lambda design: (design.ratings, design.units), default=None)
    return StudyPlan(tuple(designs), half_width, cheapest, simulations)


def design_effect(*, cluster_size: float, icc: float) -> float:
    """Return the factor by which clusters increase the number of units needed.

    Parameters
    ----------
    cluster_size
        Units of a cluster, on average.
    icc
        How alike the units of a cluster are (ICC(1,1) of units in clusters).

    Returns
    -------
    float

    Notes
    -----
    1 + (m - 1) ICC (Kish 1965, Survey Sampling, section 5.4).

    Examples
    --------
    >>> design_effect(cluster_size=6, icc=0.2)
    2.0
    """
    if cluster_size < 1:
        raise RatingsError(f"A cluster has one unit or more, not {cluster_size:g}.")
    return 1 + (cluster_size - 1) * icc


def calibration_split(*, n: int, rate: float, sensitivity: float, specificity: float) -> tuple[int, int]:
    """Divide grades between true passes and true failures before :func:`rogan_gladen`.

    Parameters
    ----------
    n
        Units to grade.
    rate
        The pass rate that is expected.
    sensitivity, specificity
        Of the judge, from a pilot.

    Returns
    -------
    tuple of int
        Passes and failures, one of each at least.

    Notes
    -----
    The variance (1-theta)^2 spec(1-spec)/m0 + theta^2 sens(1-sens)/m1 is least at m1/m0 = theta sqrt(sens(1-sens)) /
    ((1-theta) sqrt(spec(1-spec))) [1]_.

    References
    ----------
    .. [1] Lee, C. et al. (2025). arXiv:2511.21140.

    Examples
    --------
    >>> calibration_split(n=200, rate=0.5, sensitivity=0.9, specificity=0.5)
    (75, 125)
    """
    for name, value in (("rate", rate), ("sensitivity", sensitivity), ("specificity", specificity)):
        _within(name, value, 0, 1, ends=True)
    if n < 2:
        raise RatingsError("One pass and one failure are needed at least.")
    passes = rate * math.sqrt(sensitivity * (1 - sensitivity))
    failures = (1 - rate) * math.sqrt(specificity * (1 - specificity))
    part = passes / (passes + failures) if passes + failures else 0.5
    m1 = min(n - 1, max(1, round(n * part)))
    return m1, n - m1


def _named(statistic: Any) -> Callable[[Ratings], Statistic]:
    none = Bootstrap(draws=0)
    if callable(statistic):
        found: Callable[[Ratings], Statistic] = statistic
        return found
    known: dict[str, Callable[[Ratings], Statistic]] = {
        "kappa": lambda ratings: light_kappa(ratings, bootstrap=none),
        "fleiss": lambda ratings: fleiss_kappa(ratings),
        "alpha": lambda ratings: krippendorff_alpha(ratings, bootstrap=none),
        "icc": lambda ratings: icc(ratings),
    }
    if statistic not in known:
        raise RatingsError(f"A plan is for {', '.join(known)} or a function of ratings, not {statistic!r}.")
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


def _spread(y: Floats, stratum: Any, have: Floats, q: int) -> Floats:
    """Variance of people's scores in each stratum, drawn towards the pooled one by two grades' worth."""
    if len(y) < 2 or not np.ptp(y) > 0:
        return np.ones(q)
    means = np.bincount(stratum, weights=y, minlength=q) / np.maximum(have, 1)
    squares = np.bincount(stratum, weights=(y - means[stratum]) ** 2, minlength=q)
    free = np.maximum(have - 1, 0)
    pooled = squares.sum() / free.sum() if free.sum() and squares.sum() > 0 else float(y.var(ddof=1))
    found: Floats = (squares + 2 * pooled) / (free + 2)
    return found


def _kappa_spread(kappa: float, rate: float) -> float:
    """n times the squared standard error of Cohen's kappa of two categories with equal rates."""
    _within("rate", rate, 0, 1)
    _within("kappa", kappa, -1, 1)
    p = np.array([rate, 1 - rate])
    expected = float(p @ p)
    joint = (1 - kappa) * np.outer(p, p) + kappa * np.diag(p)
    if (joint < 0).any():
        raise RatingsError(f"A kappa of {kappa:g} is not possible with a rate of {rate:g}.")
    observed = float(np.trace(joint))
    sums = p[:, None] + p[None, :]
    total = (1 - observed) ** 2 * float((joint * sums**2).sum())
    for at in range(2):
        whole = joint[at, at]
        total += whole * ((1 - expected) - 2 * p[at] * (1 - observed)) ** 2
        total -= whole * (1 - observed) ** 2 * (2 * p[at]) ** 2
    total -= (observed * expected - 2 * expected + observed) ** 2
    return max(0.0, float(total)) / (1 - expected) ** 4


def _smallest(narrow: Callable[[int], bool], start: int) -> int:
    """The smallest number from ``start`` for which it holds, as it does for all greater ones."""
    high = start
    while not narrow(high):
        high *= 2
        if high > _MOST:
            raise RatingsError(f"More than {_MOST:,} units would be needed; ask for wider limits.")
    low = start
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if narrow(middle) else (middle + 1, high)
    return low


def _up(number: float) -> int:
    """Rounded up, but not for what rounding left behind the comma."""
    if number > _MOST:
        raise RatingsError(f"More than {_MOST:,} units would be needed; ask for wider limits.")
    return max(1, math.ceil(number - 1e-9))


def _above(name: str, value: float) -> None:
    if not value > 0:
        raise RatingsError(f"{name} is above 0, not {value:g}.")


def _within(name: str, value: float, low: float, high: float, *, ends: bool = False) -> None:
    fits = low <= value <= high if ends or name == "random_share" else low < value < high
    if not fits:
        raise RatingsError(f"{name} lies between {low:g} and {high:g}, which {value:g} does not.")
