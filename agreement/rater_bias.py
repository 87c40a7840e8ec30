"""Whether one of two raters uses a category more than the other: what a kappa hides."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from agreement.bootstrap import Bootstrap, bootstrap_interval, resampling, sample_of
from agreement.limits import normal_quantile
from agreement.ratings import NAMELESS, Floats, Ratings
from agreement.statistic import Interval, Statistic, Test, estimated, undefined
from agreement.weights import MOST_CATEGORIES
from domain.statistics import Behaviour, StatisticRow, SummaryRows

_FEW = 25
"""With fewer differing units McNemar's test is the exact one."""


def mcnemar(ratings: Ratings, *, confidence: float = 0.95, bootstrap: Bootstrap | None = None) -> Statistic:
    """Test how much more often the second of two raters chooses the second of two categories.

    Parameters
    ----------
    ratings
        Exactly two raters and two categories. Units that only one of them rated are left out.

    Returns
    -------
    Statistic
        ``value`` in [-1, 1]: the second rater's share of the second category less the first rater's. ``test`` is
        McNemar's, "chi2" with one degree of freedom, or "binomial" (exact, two-sided; its ``value`` the smaller number
        of the two) where the raters differ on fewer than 25 units; None where they never differ. It takes units as
        independent, also where the limits come from clusters.

    Notes
    -----
    With b and c units on which only the second or only the first rater chose the second category, the difference is
    (b - c) / n. The test is chi2 = (b - c)^2 / (b + c), without continuity correction [1]_. Limits are Wald's with
    one more unit in each of the two cells [2]_. Checked by worked arithmetic and against scipy's binomial test in
    tests/agreement.

    References
    ----------
    .. [1] McNemar, Q. (1947). Psychometrika 12, 153-157.
    .. [2] Bonett, D. G. & Price, R. M. (2012). Journal of Educational and Behavioral Statistics 37, 479-488.

    Examples
    --------
    >>> ratings = Ratings.from_lists(ann=[0, 0, 0, 1, 1], bob=[0, 1, 1, 1, 1])
    >>> mcnemar(ratings).value
    0.4
    >>> mcnemar(ratings).test.p_value
    0.5
    """
    q = len(ratings.categories)
    problem = _not_two(ratings, "McNemar's test")
    if problem is None and q != 2:
        problem = (
            f"McNemar's test needs exactly two categories, but there are {q}. For more categories, use Stuart and "
            "Maxwell's test."
        )
    both = np.atleast_1d(ratings.rated.all(axis=1))
    n, n_raters = ratings.count(both), len(ratings.raters)
    n_left_out = ratings.n_units - n
    if problem:
        return undefined(problem, n_units=0, n_raters=n_raters, n_left_out=ratings.n_units, confidence=confidence)
    sample = sample_of(ratings, both)
    apart = (sample.rows[:, 1] - sample.rows[:, 0]).astype(float)
    more, less = float(sample.counts @ (apart > 0)), float(sample.counts @ (apart < 0))
    value = (more - less) / n
    bootstrap = resampling(ratings, bootstrap)
    if bootstrap is None:
        p, r = (more + 1) / (n + 2), (less + 1) / (n + 2)
        half = normal_quantile(confidence) * math.sqrt((p + r - (p - r) ** 2) / (n + 2))
        se = math.sqrt((more + less) / n - value**2) / math.sqrt(n)
        interval = Interval(max(-1.0, p - r - half), min(1.0, p - r + half), "adjusted Wald (Bonett & Price)", se=se)
    else:
        interval = bootstrap_interval(
            lambda drawn: drawn @ apart / drawn.sum(axis=1), sample, bootstrap, confidence=confidence
        )
    test = _mcnemar_test(more, less)
    return estimated(
        value, interval, n_units=n, n_raters=n_raters, n_left_out=n_left_out, confidence=confidence, test=test
    )


def stuart_maxwell(ratings: Ratings, *, confidence: float = 0.95, bootstrap: Bootstrap | None = None) -> Statistic:
    """Compare two raters' shares of the categories and test for no difference.

    Parameters
    ----------
    ratings
        Exactly two raters. Units that only one of them rated are left out.

    Returns
    -------
    Statistic
        ``value`` in [0, 1]: half the sum of the absolute differences of the two raters' shares. This is the smallest
        share of units that one of them would have to rate differently for equal shares; chance alone makes it
        positive. Limits by bootstrap over units. ``test`` is Stuart and Maxwell's, "chi2"; None where the raters
        never differ. It takes units as independent, also where the limits come from clusters.

    Notes
    -----
    chi2 = d' S^- d with d the differences of the two raters' counts, S_ii = n_i. + n_.i - 2 n_ii and S_ij = -(n_ij +
    n_ji) [1]_ [2]_. Its degrees of freedom are the rank of S, which is the number of categories less one if differing
    ratings link them all. For two categories it is McNemar's. Checked against the closed form for three categories in
    [3]_ (tests/agreement).

    References
    ----------
    .. [1] Stuart, A. (1955). Biometrika 42, 412-416.
    .. [2] Maxwell, A. E. (1970). British Journal of Psychiatry 116, 651-655.
    .. [3] Fleiss, J. L. & Everitt, B. S. (1971). British Journal of Mathematical and Statistical Psychology 24,
       117-123.

    Examples
    --------
    >>> ratings = Ratings.from_lists(ann=[1, 1, 2, 2, 3, 3], bob=[1, 2, 2, 3, 3, 3])
    >>> round(stuart_maxwell(ratings).value, 3)
    0.167
    >>> stuart_maxwell(ratings).test.df
    (2.0,)
    """
    q = len(ratings.categories)
    problem = _not_two(ratings, "Stuart and Maxwell's test")
    if problem is None and q > MOST_CATEGORIES:
        problem = f"{q:,} different values are too many to treat as categories. Use the mean difference."
    both = np.atleast_1d(ratings.rated.all(axis=1))
    n, n_raters = ratings.count(both), len(ratings.raters)
    n_left_out = ratings.n_units - n
    if problem:
        return undefined(problem, n_units=0, n_raters=n_raters, n_left_out=ratings.n_units, confidence=confidence)
    sample = sample_of(ratings, both)
    rows, m = sample.rows, len(sample.rows)
    apart = np.zeros((m, q))
    np.add.at(apart, (np.arange(m), rows[:, 0]), 1.0)
    np.add.at(apart, (np.arange(m), rows[:, 1]), -1.0)

    def distance(drawn: Floats) -> Floats:
        shares: Floats = np.abs(drawn @ apart).sum(axis=1) / (2 * drawn.sum(axis=1))
        return shares

    value = float(distance(sample.counts[None])[0])
    interval = bootstrap_interval(distance, sample, resampling(ratings, bootstrap), confidence=confidence, width=2 * q)
    table = np.zeros((q, q))
    np.add.at(table, (rows[:, 0], rows[:, 1]), sample.counts)
    test = _stuart_maxwell_test(table)
    return estimated(
        value, interval, n_units=n, n_raters=n_raters, n_left_out=n_left_out, confidence=confidence, test=test
    )


def _not_two(ratings: Ratings, name: str) -> str | None:
    n_raters = len(ratings.raters)
    if ratings.counted:
        return NAMELESS
    if n_raters != 2:
        return f"{name} needs exactly two raters, but there are {n_raters}. Test each pair of raters."
    if not ratings.rated.all(axis=1).any():
        return "No unit has ratings from both raters."
    return None


def _mcnemar_test(more: float, less: float) -> Test | None:
    differing = more + less
    if differing == 0:
        return None
    if differing < _FEW:
        smaller = min(more, less)
        p_value = min(1.0, 2 * float(special.bdtr(smaller, int(differing), 0.5)))
        return Test("binomial", smaller, (differing,), p_value)
    chi2 = (more - less) ** 2 / differing
    return Test("chi2", chi2, (1.0,), float(special.chdtrc(1, chi2)))


def _stuart_maxwell_test(table: Floats) -> Test | None:
    differing = table + table.T
    np.fill_diagonal(differing, 0.0)
    spread = np.diag(differing.sum(axis=1)) - differing
    apart = table.sum(axis=1) - table.sum(axis=0)
    rank = int(np.linalg.matrix_rank(spread, hermitian=True)) if spread.any() else 0
    if rank == 0:
        return None
    chi2 = max(0.0, float(apart @ np.linalg.pinv(spread, hermitian=True) @ apart))
    return Test("chi2", chi2, (float(rank),), float(special.chdtrc(rank, chi2)))


ROWS = (
    StatisticRow(
        stuart_maxwell,
        title="Stuart and Maxwell's difference of shares",
        meaning="how much two raters differ in their use of the categories",
        place=320,
        pairwise=True,
        lines=SummaryRows.NONE,
        behaviour=Behaviour(perfect=0.0, chance=None, constant=0.0),
    ),
)
