"""Chance-corrected agreement of any number of raters, with gaps; the coefficients differ in their model of chance.

All are (p_a - p_e) / (1 - p_e). The agreement p_a is the mean, over units with two or more ratings, of the weighted
share of agreeing pairs. Units with a single rating still count for the shares of the categories. Every coefficient is
a function of sums over units, so a resample is a product of counts and sums.

The module is long because the coefficients share one calculation, and because two fifths of it document their use.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from agreement.bootstrap import Bootstrap, Patterns, bootstrap_interval, resampling, sample_of
from agreement.limits import around, t_quantile, wilson
from agreement.ratings import MISSING, Floats, Ratings, Scale, category_counts
from agreement.statistic import Interval, Statistic, estimated, no_interval, undefined
from agreement.weights import Weights, agreement_weights, problem_of
from domain.errors import RatingsError
from domain.statistics import Behaviour, Needs, SingleRatingEffect, StatisticRow, SummaryRows, Variant, weighted

NO_PAIRS = "No unit has ratings from two raters."

_ALL_THE_SAME = (
    "All ratings have the same single value or count as equal under the weights, so chance agreement is complete."
)
_ONE_CATEGORY = (
    "The scale has only one category, but chance agreement needs at least two categories. Declare the full scale if "
    "some categories are unused."
)


def percent_agreement(
    ratings: Ratings, *, weights: Weights = "none", confidence: float = 0.95, bootstrap: Bootstrap | None = None
) -> Statistic:
    """Compute the share of agreeing pairs of ratings on the same unit, averaged over units.

    Parameters
    ----------
    ratings
        Two or more raters. Units with fewer than two ratings are left out.
    weights
        "none" counts equal values only, "tolerance" values within the scale's tolerance; others count near misses in
        part (:data:`agreement.weights.Weights`).

    Returns
    -------
    Statistic
        ``value`` in [0, 1]. Limits by Wilson's score for two raters and no weights; otherwise from the standard error
        of a mean over units and Student's t.

    Notes
    -----
    p_a = mean over units of sum_c r_c (r*_c - 1) / (r (r - 1)), r_c of the unit's r ratings being c, r*_c = sum_d
    w_cd r_d [1]_. Limits of a share follow [2]_. Checked against irrCAC 0.4.4 and by worked arithmetic in
    tests/agreement.

    References
    ----------
    .. [1] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.
    .. [2] Wilson, E. B. (1927). Journal of the American Statistical Association 22, 209-212.

    Examples
    --------
    >>> ratings = Ratings.from_lists(ann=["a", "a", "b", "b"], bob=["a", "a", "b", "a"])
    >>> percent_agreement(ratings).value
    0.75
    >>> grades = Ratings.from_lists(ann=[1, 1, 3], bob=[1, 2, 3])
    >>> round(percent_agreement(grades, weights="linear").value, 3)
    0.833
    """
    usable = ratings.rated.sum(axis=1) >= 2
    n_units, n_raters = ratings.count(usable), len(ratings.raters)
    n_left_out = ratings.n_units - n_units
    problem = problem_of(ratings, weights) or (NO_PAIRS if n_units == 0 else None)
    if problem:
        return undefined(problem, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out, confidence=confidence)
    sums = _sums(ratings, sample_of(ratings, usable), agreement_weights(ratings, weights))
    counts, agreed = sums.sample.counts, sums.agreed
    value = float(counts @ agreed / n_units)
    bootstrap = resampling(ratings, bootstrap)
    if bootstrap is not None:
        interval = bootstrap_interval(
            lambda drawn: drawn @ agreed / drawn.sum(axis=1), sums.sample, bootstrap, confidence=confidence
        )
    elif n_raters == 2 and sums.weights is None:
        interval = wilson(value, n_units, confidence)
    elif n_units < 2:
        interval = no_interval("there are fewer than two units.")
    else:
        se = math.sqrt(float(counts @ (agreed - value) ** 2) / (n_units * (n_units - 1)))
        lowest = min(0.0, float(agreed.min()))
        method = "standard error of a mean over units, Student's t"
        interval = around(value, se, t_quantile(confidence, n_units - 1), method, lowest)
    return estimated(value, interval, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out, confidence=confidence)


def fleiss_kappa(
    ratings: Ratings, *, weights: Weights = "none", confidence: float = 0.95, bootstrap: Bootstrap | None = None
) -> Statistic:
    """Agreement of many raters beyond chance, chance being the overall share of each category.

    Parameters
    ----------
    ratings
        Two or more raters, who need not be the same for every unit. Units with a single rating count for the shares of
        the categories, but not for the agreement; they are counted in ``n_left_out``.
    weights
        "none", or what a near miss counts (:data:`agreement.weights.Weights`).

    Returns
    -------
    Statistic
        ``value`` at most 1, with limits from the linearized variance and Student's t over units. ``nan`` with a
        ``reason`` if no unit has two ratings, or if all ratings are the same.

    Notes
    -----
    kappa = (p_a - p_e) / (1 - p_e), p_e = sum_cd w_cd p_c p_d, p_c the mean over units of the share of ratings that
    are c [1]_. Gaps, weights and variance follow [2]_. Checked against irrCAC 0.4.4 and 1.4, irr 0.84 and statsmodels
    0.15 (tests/agreement). With many gaps prefer Krippendorff's alpha.

    References
    ----------
    .. [1] Fleiss, J. L. (1971). Psychological Bulletin 76, 378-382.
    .. [2] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.

    Examples
    --------
    >>> ratings = Ratings.from_lists(ann=[1, 1, 2, 2], bob=[1, 1, 2, 1], eva=[1, 2, 2, 2])
    >>> round(fleiss_kappa(ratings).value, 3)
    0.333
    """
    return _corrected(ratings, weights, _of_shares, confidence, bootstrap)


def fleiss_kappa_category(
    ratings: Ratings, category: Any, *, confidence: float = 0.95, bootstrap: Bootstrap | None = None
) -> Statistic:
    """Fleiss' kappa of one category against all others: how well the raters tell it apart.

    Parameters
    ----------
    ratings
        As in :func:`fleiss_kappa`.
    category
        One of ``ratings.categories``.

    Returns
    -------
    Statistic
        ``nan`` with a ``reason`` if nobody chose the category, or everyone always did.

    Raises
    ------
    RatingsError
        There is no such category.

    Notes
    -----
    kappa_c = 1 - sum_i r_ic (m - r_ic) / (n m (m - 1) p_c (1 - p_c)) for m ratings of each of n units [1]_. It is the
    kappa of the ratings with all other categories as one. The paper's five values are checked in tests/agreement.

    References
    ----------
    .. [1] Fleiss, J. L. (1971). Psychological Bulletin 76, 378-382.

    Examples
    --------
    >>> ratings = Ratings.from_lists(ann=["a", "b", "c", "c"], bob=["a", "b", "c", "b"])
    >>> fleiss_kappa_category(ratings, "a").value
    1.0
    """
    try:
        code = ratings.categories.index(category)
    except ValueError:
        raise RatingsError(
            f"The scale has no category {category!r}. Choose one of these categories: "
            f"{', '.join(map(str, ratings.categories))}."
        ) from None
    codes = np.where(ratings.rated, (ratings.codes == code).astype(np.int64), MISSING)
    statistic = fleiss_kappa(
        replace(ratings, codes=codes, categories=("another", "this"), scale=Scale("nominal")),
        confidence=confidence,
        bootstrap=bootstrap,
    )
    if statistic.reason == _ALL_THE_SAME:
        how = "Every rating is" if (codes == 1).any() else "No rating is"
        return replace(statistic, reason=f"{how} {category}, so chance agreement is complete.")
    return statistic


def conger_kappa(
    ratings: Ratings, *, weights: Weights = "none", confidence: float = 0.95, bootstrap: Bootstrap | None = None
) -> Statistic:
    """Agreement of many raters beyond chance, each rater having habits of their own ("exact" Fleiss' kappa).

    Parameters
    ----------
    ratings
        Two or more raters, the same throughout; a rater who skipped units has their habits from the others.
    weights
        "none", or what a near miss counts (:data:`agreement.weights.Weights`).

    Returns
    -------
    Statistic
        ``value`` at most 1, with limits from the linearized variance and Student's t over units. ``nan`` with a
        ``reason`` if no unit has two ratings, or if all ratings are the same. Of two raters without gaps it is Cohen's
        kappa.

    Notes
    -----
    p_e = mean over pairs of raters g, h of sum_cd w_cd p_gc p_hd, p_gc the share of g's ratings that are c [1]_.
    Gaps, weights and variance follow [2]_. Checked against irrCAC 0.4.4 and 1.4 and irr 0.84 (tests/agreement).

    References
    ----------
    .. [1] Conger, A. J. (1980). Psychological Bulletin 88, 322-328.
    .. [2] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.

    Examples
    --------
    >>> ratings = Ratings.from_lists(ann=[1, 1, 2, 2], bob=[1, 1, 2, 1], eva=[1, 2, 2, 2])
    >>> round(conger_kappa(ratings).value, 3)
    0.385
    """
    return _corrected(ratings, weights, _of_raters, confidence, bootstrap, named=True)


def gwet_ac(
    ratings: Ratings, *, weights: Weights = "none", confidence: float = 0.95, bootstrap: Bootstrap | None = None
) -> Statistic:
    """Gwet's AC1, or AC2 with weights: chance agreement only where a unit is hard to rate, so it stands skewed labels.

    Parameters
    ----------
    ratings
        Two or more raters, with the categories of the scale declared; unused categories count too.
    weights
        "none" for AC1; for AC2 what a near miss counts (:data:`agreement.weights.Weights`).

    Returns
    -------
    Statistic
        ``value`` at most 1, with limits from the linearized variance and Student's t over units. ``nan`` with a
        ``reason`` if no unit has two ratings, or if the scale has one category only. It is 1 where all ratings are the
        same.

    Notes
    -----
    p_e = sum(w) / (q (q - 1)) sum_c p_c (1 - p_c), p_c the mean over units of the share of ratings that are c, q the
    number of categories [1]_. Gaps, weights and variance follow [2]_. Checked against irrCAC 0.4.4 and 1.4
    (tests/agreement). For a two-way table some programs divide the variance by n instead of n - 1. In 2,000 simulated
    studies of three raters and 50 units the limits of quadratic AC2 covered the truth in 93 %, those of a bootstrap
    in 91 %. With 150 units it was 94 %.

    References
    ----------
    .. [1] Gwet, K. L. (2008). British Journal of Mathematical and Statistical Psychology 61, 29-48.
    .. [2] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.

    Examples
    --------
    >>> ratings = Ratings.from_lists(ann=["ok"] * 9 + ["bad"], bob=["ok"] * 10)
    >>> round(gwet_ac(ratings).value, 2)  # Cohen's kappa of these is 0
    0.89
    """
    return _corrected(ratings, weights, _of_hard_units, confidence, bootstrap)


def brennan_prediger(
    ratings: Ratings, *, weights: Weights = "none", confidence: float = 0.95, bootstrap: Bootstrap | None = None
) -> Statistic:
    """Agreement beyond chance, chance being every category of the scale equally often (Randolph's free-marginal kappa).

    Parameters
    ----------
    ratings
        Two or more raters, with the categories of the scale declared; unused categories count too.
    weights
        "none", or what a near miss counts (:data:`agreement.weights.Weights`).

    Returns
    -------
    Statistic
        ``value`` at most 1, with limits from the linearized variance and Student's t over units. ``nan`` with a
        ``reason`` if no unit has two ratings, or if the scale has one category only. It is 1 where all ratings are the
        same.

    Notes
    -----
    p_e = sum(w) / q^2, q the number of categories [1]_. Gaps, weights and variance follow [2]_. Checked against
    irrCAC 0.4.4 and 1.4 (tests/agreement).

    References
    ----------
    .. [1] Brennan, R. L. & Prediger, D. J. (1981). Educational and Psychological Measurement 41, 687-699.
    .. [2] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.

    Examples
    --------
    >>> ratings = Ratings.from_lists(ann=["a", "a", "b", "b"], bob=["a", "a", "b", "a"])
    >>> brennan_prediger(ratings).value
    0.5
    """
    return _corrected(ratings, weights, _of_scale, confidence, bootstrap)


def scott_pi(
    ratings: Ratings, *, weights: Weights = "none", confidence: float = 0.95, bootstrap: Bootstrap | None = None
) -> Statistic:
    """Agreement of two raters beyond chance, chance being the shares that both together give to the categories.

    Parameters
    ----------
    ratings
        Exactly two raters. Units that only one of them rated are left out.
    weights
        "none", or what a near miss counts (:data:`agreement.weights.Weights`).

    Returns
    -------
    Statistic
        ``value`` in [-1, 1], with limits from the linearized variance and Student's t over units. ``nan`` with a
        ``reason`` if no unit was rated by both, or if all ratings are the same.

    Notes
    -----
    p_e = sum_cd w_cd p_c p_d, p_c the share of all ratings that are c [1]_: Fleiss' kappa of two raters without gaps.
    Variance by [2]_. Checked against irrCAC 1.4 (tests/agreement).

    References
    ----------
    .. [1] Scott, W. A. (1955). Public Opinion Quarterly 19, 321-325.
    .. [2] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.

    Examples
    --------
    >>> ratings = Ratings.from_lists(ann=["a", "a", "b", "b"], bob=["a", "a", "b", "a"])
    >>> round(scott_pi(ratings).value, 3)
    0.467
    """
    n_raters, n_units = len(ratings.raters), ratings.n_units
    if n_raters != 2:
        reason = f"Scott's pi needs exactly two raters, but there are {n_raters}. For more raters, use Fleiss' kappa."
        return undefined(reason, n_units=0, n_raters=n_raters, n_left_out=n_units, confidence=confidence)
    both = np.atleast_1d(ratings.rated.all(axis=1))
    if not both.any():
        reason = "No unit has ratings from both raters."
        return undefined(reason, n_units=0, n_raters=n_raters, n_left_out=n_units, confidence=confidence)
    statistic = fleiss_kappa(ratings.where(both), weights=weights, confidence=confidence, bootstrap=bootstrap)
    return replace(statistic, n_left_out=n_units - statistic.n_units)


# ---- the common part ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Sums:
    """What a unit of each pattern adds to the sums that all these coefficients are made of."""

    sample: Patterns
    q: int
    weights: Floats | None
    paired: Floats
    """(patterns,): 1 with two or more ratings, 0 otherwise."""
    agreed: Floats
    """(patterns,): the weighted share of its pairs of ratings that agree; 0 without a pair."""
    shares: Any
    """(patterns, categories): the share of its ratings that are each; sparse where there are many categories."""

    @property
    def weight(self) -> float:
        """Of all pairs of categories together."""
        return float(self.q if self.weights is None else self.weights.sum())

    def times(self, shares: Floats) -> Floats:
        """(..., categories) shares times the weights."""
        return shares if self.weights is None else shares @ self.weights


@dataclass(frozen=True, eq=False)
class _Chance:
    """Agreement by chance."""

    expected: Callable[[Floats], Floats]
    """(draws, patterns) counts -> (draws,)."""
    pull: Callable[[Floats], Floats]
    """(patterns,) counts -> (patterns,): what a unit of each does to it; their weighted mean is zero."""
    width: int
    """Numbers held for a draw."""
    undefined: str
    """Why, where chance leaves nothing to be agreed on."""


def _corrected(
    ratings: Ratings,
    weights: Weights,
    chance_of: Callable[[_Sums], _Chance],
    confidence: float,
    bootstrap: Bootstrap | None,
    *,
    named: bool = False,
) -> Statistic:
    """(p_a - p_e) / (1 - p_e) with limits."""
    n_ratings = ratings.rated.sum(axis=1)
    n_units, n_raters, total = ratings.count(n_ratings >= 2), len(ratings.raters), ratings.count(n_ratings >= 1)
    n_left_out = ratings.n_units - n_units
    problem = problem_of(ratings, weights, named=named) or (NO_PAIRS if n_units == 0 else None)
    if problem:
        return undefined(problem, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out, confidence=confidence)
    sums = _sums(ratings, sample_of(ratings, n_ratings >= 1), agreement_weights(ratings, weights))
    chance, pairs = chance_of(sums), np.stack([sums.paired, sums.agreed], axis=1)

    def coefficient(drawn: Floats) -> Floats:
        n, agreed = (drawn @ pairs).T
        with np.errstate(invalid="ignore", divide="ignore"):
            left = 1 - chance.expected(drawn)
            values: Floats = np.where(left > 1e-12, 1 - (1 - agreed / n) / left, math.nan)
        return values

    counts = sums.sample.counts
    value = float(coefficient(counts[None])[0])
    if math.isnan(value):
        reason = chance.undefined
        return undefined(reason, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out, confidence=confidence)
    bootstrap = resampling(ratings, bootstrap)
    if bootstrap is not None:
        interval = bootstrap_interval(coefficient, sums.sample, bootstrap, confidence=confidence, width=chance.width)
    else:
        interval = _linearized(sums, chance, value, total, confidence)
    return estimated(value, interval, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out, confidence=confidence)


def _linearized(sums: _Sums, chance: _Chance, value: float, total: int, confidence: float) -> Interval:
    """Limits from what each unit does to the coefficient (Gwet 2014), units being independent."""
    if total < 2:
        return no_interval("there are fewer than two units.")
    counts = sums.sample.counts
    expected = float(chance.expected(counts[None])[0])
    by_unit = (sums.agreed - expected) * sums.paired * total / float(counts @ sums.paired)
    by_unit = (by_unit - (1 - value) * chance.pull(counts)) / (1 - expected)
    se = math.sqrt(float(counts @ (by_unit - value) ** 2) / (total * (total - 1)))
    return around(value, se, t_quantile(confidence, total - 1), "linearized variance, Student's t")


def _sums(ratings: Ratings, sample: Patterns, weights: Floats | None) -> _Sums:
    q = len(ratings.categories)
    chosen = category_counts(sample.rows, q)
    n = (sample.rows != MISSING).sum(axis=1).astype(float)
    weighted = chosen if weights is None else chosen @ weights
    alike = (chosen * weighted).sum(axis=1) - n
    shares = sparse.diags_array(1 / n) @ chosen if sparse.issparse(chosen) else chosen / n[:, None]
    return _Sums(sample, q, weights, (n >= 2).astype(float), alike / np.maximum(n * (n - 1), 1), shares)


def _of_shares(sums: _Sums) -> _Chance:
    """Two ratings drawn from all ratings."""

    def expected(drawn: Floats) -> Floats:
        shares = (drawn @ sums.shares) / drawn.sum(axis=1)[:, None]
        total: Floats = (sums.times(shares) * shares).sum(axis=1)
        return total

    def pull(counts: Floats) -> Floats:
        shares = counts @ sums.shares / counts.sum()
        weighted = sums.times(shares)
        pulls: Floats = 2 * (sums.shares @ weighted - float(shares @ weighted))
        return pulls

    return _Chance(expected, pull, 2 * sums.q, _ALL_THE_SAME)


def _of_raters(sums: _Sums) -> _Chance:
    """A rating of each of two raters, drawn from their own."""
    chosen = [category_counts(column[:, None], sums.q) for column in sums.sample.rows.T if (column != MISSING).any()]
    k = len(chosen)

    def expected(drawn: Floats) -> Floats:
        total, own = np.zeros((len(drawn), sums.q)), np.zeros(len(drawn))
        for choices in chosen:
            shares = drawn @ choices
            shares = shares / shares.sum(axis=1)[:, None]
            total += shares
            own += (sums.times(shares) * shares).sum(axis=1)
        chance: Floats = ((sums.times(total) * total).sum(axis=1) - own) / (k * (k - 1))
        return chance

    def pull(counts: Floats) -> Floats:
        habits = np.stack([counts @ choices / float((counts @ choices).sum()) for choices in chosen])
        pulls = np.zeros(len(counts))
        for choices, own in zip(chosen, habits, strict=True):
            others = sums.times(habits.sum(axis=0) - own)
            there = choices.sum(axis=1)
            pulls += (choices @ others - there * float(own @ others)) * counts.sum() / float(counts @ there)
        return 2 * pulls / (k * (k - 1))

    return _Chance(expected, pull, 4 * sums.q, _ALL_THE_SAME)


def _of_hard_units(sums: _Sums) -> _Chance:
    """Ratings at random among the categories, as often as the categories are mixed."""
    factor = sums.weight / (sums.q * (sums.q - 1)) if sums.q > 1 else math.nan

    def expected(drawn: Floats) -> Floats:
        shares = (drawn @ sums.shares) / drawn.sum(axis=1)[:, None]
        chance: Floats = factor * (1 - (shares * shares).sum(axis=1))
        return chance

    def pull(counts: Floats) -> Floats:
        shares = counts @ sums.shares / counts.sum()
        pulls: Floats = -2 * factor * (sums.shares @ shares - float(shares @ shares))
        return pulls

    return _Chance(expected, pull, 2 * sums.q, _ONE_CATEGORY if sums.q < 2 else _ALL_THE_SAME)


def _of_scale(sums: _Sums) -> _Chance:
    """Every category of the scale equally often."""
    every = sums.weight / sums.q**2 if sums.q > 1 else math.nan
    return _Chance(
        lambda drawn: np.full(len(drawn), every),
        np.zeros_like,
        1,
        _ONE_CATEGORY if sums.q < 2 else _ALL_THE_SAME,
    )


_MOST_WEIGHTS = ("linear", "quadratic", "ordinal")

ROWS = (
    StatisticRow(
        percent_agreement,
        title="Percent agreement",
        meaning="share of pairs of ratings that are equal",
        place=10,
        lines=SummaryRows.WHOLE_AND_PAIRS,
        variants=(
            Variant(),
            *weighted("linear", shown=None),
            Variant({"weights": "tolerance"}, Needs.NUMBERS, Needs.TOLERANCE, "Percent agreement within the tolerance"),
        ),
        headline=True,
        behaviour=Behaviour(chance=None, constant=1.0),
    ),
    StatisticRow(
        fleiss_kappa,
        title="Fleiss' kappa",
        meaning="agreement of several raters beyond chance",
        place=30,
        variants=(Variant(), *weighted(*_MOST_WEIGHTS, shown=None)),
        headline=True,
        behaviour=Behaviour(lone=SingleRatingEffect.IN_SHARES),
    ),
    StatisticRow(
        conger_kappa,
        title="Conger's kappa",
        meaning="agreement of several raters beyond chance, with each rater's own category frequencies",
        place=40,
        variants=(
            *weighted("none", "linear", "quadratic", shown=Needs.ORDER),
            *weighted("ordinal", shown=None),
        ),
        behaviour=Behaviour(lone=SingleRatingEffect.IN_SHARES),
    ),
    StatisticRow(
        scott_pi,
        title="Scott's pi",
        meaning="agreement of two raters beyond chance, with pooled category frequencies",
        place=50,
        pairwise=True,
        lines=SummaryRows.OF_TWO,  # Fleiss' kappa is what extends it to more
        variants=weighted("none", "linear", "quadratic", shown=Needs.ORDER),
    ),
    StatisticRow(
        gwet_ac,
        title="Gwet's AC1 or AC2",
        meaning="agreement of several raters beyond chance, for skewed labels (AC1, or AC2 with weights)",
        place=60,
        variants=(
            *weighted("none", "linear", "quadratic", plain="Gwet's AC1", other="Gwet's AC2", shown=Needs.ORDER),
            *weighted("ordinal", other="Gwet's AC2", shown=None),
        ),
        headline=True,
        behaviour=Behaviour(constant=1.0, lone=SingleRatingEffect.IN_SHARES),
    ),
    StatisticRow(
        brennan_prediger,
        title="Brennan and Prediger's coefficient",
        meaning="agreement of several raters beyond choosing categories at random",
        place=70,
        variants=(
            *weighted("none", "linear", "quadratic", shown=Needs.ORDER),
            *weighted("ordinal", shown=None),
        ),
        behaviour=Behaviour(constant=1.0),
    ),
    StatisticRow(
        fleiss_kappa_category,
        title="Fleiss' kappa of one category",
        meaning="how well several raters distinguish one category from all others",
        place=300,
        lines=SummaryRows.NONE,
        behaviour=Behaviour(moved=False, lone=SingleRatingEffect.IN_SHARES),  # the category is one of the numbers
    ),
)
