"""How many units an estimate or a test needs, by formula. For notebooks: ``from agreement import sample_size_icc``."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from scipy import special

from agreement.limits import normal_quantile
from agreement.sample_sizes import (
    SampleSize,
    require_above,
    require_between,
    rounded_up,
    sample_size_mean,
    smallest_number,
)
from domain.errors import RatingsError

__all__ = [
    "calibration_split",
    "sample_size_icc",
    "sample_size_kappa",
    "sample_size_kappa_test",
    "sample_size_pearson",
    "sample_size_ppi",
    "sample_size_proportion",
]


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
    require_between("p", p, 0, 1)
    return sample_size_mean(sd=math.sqrt(p * (1 - p)), half_width=half_width, confidence=confidence)


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
    require_between("r", r, -1, 1)
    require_above("half_width", half_width)
    z = normal_quantile(confidence)
    if kind not in ("pearson", "spearman", "kendall"):
        raise RatingsError(f"Unknown correlation {kind!r}. Give pearson, spearman or kendall.")
    factor, lost = {"pearson": (1.0, 3), "spearman": (1 + r**2 / 2, 3), "kendall": (0.437, 4)}[kind]
    first = max(lost + 1, rounded_up(4 * factor * (1 - r**2) ** 2 * (z / (2 * half_width)) ** 2 + lost))

    def narrow(n: int) -> bool:
        reach = z * math.sqrt(factor / (n - lost))
        return math.tanh(math.atanh(r) + reach) - math.tanh(math.atanh(r) - reach) <= 2 * half_width

    return SampleSize(smallest_number(narrow, lost + 1), first, "limits by z (Bonett & Wright 2000)")


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
    require_between("icc", icc, -1, 1)
    require_above("full_width", full_width)
    if raters < 2:
        raise RatingsError(f"An intraclass correlation needs at least two raters, not {raters}.")
    z = normal_quantile(confidence)
    plain = 8 * z**2 * (1 - icc) ** 2 * (1 + (raters - 1) * icc) ** 2 / (raters * (raters - 1) * full_width**2) + 1
    more = 5 * icc if raters == 2 and icc >= 0.7 else 0.0
    return SampleSize(rounded_up(plain + more), rounded_up(plain), "Bonett 2002")


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
    require_above("half_width", half_width)
    n = rounded_up(normal_quantile(confidence) ** 2 * _kappa_spread(kappa, rate) / half_width**2)
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
    require_between("alpha", alpha, 0, 1)
    require_between("power", power, 0, 1)
    if kappa0 == kappa1:
        raise RatingsError(
            "The two kappas are equal, so no number of units can distinguish the kappas. Give two different kappas."
        )
    z_alpha = float(special.ndtri(1 - alpha / (2 if two_sided else 1)))
    z_power = float(special.ndtri(power))
    reach = z_alpha * math.sqrt(_kappa_spread(kappa0, rate)) + z_power * math.sqrt(_kappa_spread(kappa1, rate))
    n = rounded_up((reach / (kappa1 - kappa0)) ** 2)
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
    require_above("sd", sd)
    require_above("half_width", half_width)
    if not -1 <= correlation <= 1 or unlabelled < 0:
        raise RatingsError("Give a correlation between -1 and 1, and at least 0 judged units.")
    z = normal_quantile(confidence)

    def narrow(n: int) -> bool:
        kept = 1 - correlation**2 * unlabelled / (n + unlabelled)
        return z * sd * math.sqrt(kept / n) <= half_width

    alone = sample_size_mean(sd=sd, half_width=half_width, confidence=confidence).n
    return SampleSize(smallest_number(narrow, 1), alone, "PPI++")


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
        require_between(name, value, 0, 1, ends=True)
    if n < 2:
        raise RatingsError("Give at least two units, because the rate needs at least one pass and one failure.")
    passes = rate * math.sqrt(sensitivity * (1 - sensitivity))
    failures = (1 - rate) * math.sqrt(specificity * (1 - specificity))
    part = passes / (passes + failures) if passes + failures else 0.5
    m1 = min(n - 1, max(1, round(n * part)))
    return m1, n - m1


def _kappa_spread(kappa: float, rate: float) -> float:
    """n times the squared standard error of Cohen's kappa of two categories with equal rates."""
    require_between("rate", rate, 0, 1)
    require_between("kappa", kappa, -1, 1)
    p = np.array([rate, 1 - rate])
    expected = float(p @ p)
    joint = (1 - kappa) * np.outer(p, p) + kappa * np.diag(p)
    if (joint < 0).any():
        raise RatingsError(
            f"A kappa of {kappa:g} is not possible with a rate of {rate:g}. Give another kappa or another rate."
        )
    observed = float(np.trace(joint))
    sums = p[:, None] + p[None, :]
    total = (1 - observed) ** 2 * float((joint * sums**2).sum())
    for at in range(2):
        whole = joint[at, at]
        total += whole * ((1 - expected) - 2 * p[at] * (1 - observed)) ** 2
        total -= whole * (1 - observed) ** 2 * (2 * p[at]) ** 2
    total -= (observed * expected - 2 * expected + observed) ** 2
    return max(0.0, float(total)) / (1 - expected) ** 4
