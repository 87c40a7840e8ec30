"""Intraclass correlations: from mean squares where everyone rated everything, from a mixed model where not."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from scipy import special

from agreement.bootstrap import (
    Bootstrap,
    Patterns,
    bootstrap_interval,
    check_confidence,
    patterns,
    resampling,
    sample_of,
)
from agreement.components import Components, Design, design, fit, limits
from agreement.correlation import not_for_numbers, without
from agreement.one_way import one_way
from agreement.ratings import Floats, Ratings, standardised
from agreement.statistic import Interval, Statistic, Test, estimated, no_interval
from domain.errors import RatingsError
from domain.statistics import Behaviour, Needs, SingleRatingEffect, StatisticRow, Variant

Form = Literal["ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)"]
FORMS: tuple[Form, ...] = get_args(Form)
Missing = Literal["available", "listwise", "reml"]

Some = Floats | float

_NOTHING = 1e-24
"""A mean square of values in [-1, 1] that is rounding alone."""


@dataclass(frozen=True)
class MeanSquares:
    """The analysis of variance of a complete table of units and raters."""

    units: float
    """Between units: BMS of Shrout & Fleiss."""
    within: float
    """Within units: WMS."""
    raters: float
    """Between raters: JMS."""
    error: float
    """The rest: EMS."""
    n: int
    k: int


def mean_squares(values: Floats, times: Floats | None = None) -> MeanSquares:
    """Mean squares between units, within units, between raters, and of the rest.

    ``values`` is (units, raters), complete, at least 2 x 2 (Shrout & Fleiss 1979, table 3). ``times`` is the number of
    units that each row stands for, if more than one.

    Raises
    ------
    RatingsError
        The table is smaller, or has gaps.
    """
    values = np.asarray(values, dtype=float)
    n, k = values.shape if values.ndim == 2 else (0, 0)
    n = n if times is None else int(times.sum())
    if min(n, k) < 2 or not np.isfinite(values).all():
        raise RatingsError("Mean squares need a complete table with at least two units and two raters.")

    def total(squares: Floats) -> float:
        return float(squares.sum() if times is None else (times @ squares).sum())

    of_rater = values.mean(axis=0) if times is None else times @ values / n
    grand = values.mean() if times is None else of_rater.mean()
    of_units = k * total((values.mean(axis=1) - grand) ** 2)
    of_raters = n * ((of_rater - grand) ** 2).sum()
    within = total((values - values.mean(axis=1, keepdims=True)) ** 2)
    rest = total((values - values.mean(axis=1, keepdims=True) - of_rater + grand) ** 2)
    return MeanSquares(
        units=float(of_units / (n - 1)),
        within=float(within / (n * (k - 1))),
        raters=float(of_raters / (k - 1)),
        error=float(rest / ((n - 1) * (k - 1))),
        n=n,
        k=k,
    )


def icc(
    ratings: Ratings,
    *,
    form: Form = "ICC(1,1)",
    missing: Missing = "available",
    confidence: float = 0.95,
    bootstrap: Bootstrap | None = None,
) -> Statistic:
    """Compute the share of the variance of ratings that lies between units.

    Parameters
    ----------
    ratings
        Two or more raters with numbers.
    form
        Sources of variation in addition to the units, and number of ratings used:

        - "ICC(1,1)": every unit may have raters of its own, and all that they differ in is error.
        - "ICC(2,1)": the same raters throughout, drawn from raters like these; how strict each is counts as error
          (absolute agreement).
        - "ICC(3,1)": the same raters throughout, and only these; how strict each is does not count (consistency).
        - "k" instead of the second 1: not one rating but the mean of the k raters is used.
    missing
        "available" uses as many ratings as the mean squares of a form allow. Forms of 1 ignore who rated and use
        every unit with two ratings or more; the others leave out incomplete units. "listwise" leaves incomplete units
        out for every form. Units left out are counted. "reml" uses all ratings and estimates the variances of units,
        raters and the rest by restricted maximum likelihood.

    Returns
    -------
    Statistic
        ``value`` at most 1; from mean squares negative values are results and stay, from the mixed model variances
        below zero do not exist and ``value`` is at least 0. ``test`` is F of no difference between units (not of reml).
        ``nan`` with a ``reason`` for texts or a nominal scale, too few raters or units, or if nothing varies.

        ``method`` names the claim of the limits if there is a choice. The analytic limits of ICC(2,1) and ICC(2,k)
        speak of raters like these. Resampled units speak of these raters only, whatever the form: if three raters
        differ in strictness, such limits cover the value for all raters like them far less often than stated.

    Notes
    -----
    With mean squares B between units, W within units, J between raters and E of the rest, n units and k raters
    [1]_ [2]_:

    - (1,1) (B - W) / (B + (k - 1) W), (1,k) (B - W) / B;
    - (2,1) (B - E) / (B + (k - 1) E + k (J - E) / n), (2,k) (B - E) / (B + (J - E) / n);
    - (3,1) (B - E) / (B + (k - 1) E), (3,k) (B - E) / B, which is Cronbach's alpha.

    Limits of forms 1 and 3 from the F distribution of B / W and B / E; of (2,1) by Satterthwaite's approximation; of
    (2,k) by the Spearman-Brown step-up k r / (1 + (k - 1) r) of those of (2,1). Checked against psych 2.2.9, irr
    0.84.1 and pingouin 0.6.1 in tests/agreement. In simulated studies of 50, 150 and 500 units
    (benchmarks/coverage.py) 95 % limits of (1,1) and (3,1) hold the truth in 94 to 96 %. Those of (2,1) hold that of
    all raters like these in 92 to 96 % with 10 or 30 raters. With only three raters who differ much (SD 0.4 of that
    of the units) it is 93, 92 and 83 %: more units do not replace missing raters. These limits are reported because
    no other method is better.

    Where units have different numbers m of ratings, forms of 1 have B and W of the one-way analysis of variance, with
    n - 1 and N - n degrees of freedom for N ratings, and in place of k the number (N - sum m^2 / N) / (n - 1) [4]_.
    The limits are then approximate, and hold the truth in 94 to 96 % of simulated studies of 30 and 150 units with
    two to four ratings. (1,k) is the reliability of the mean of that many ratings.

    With gaps, "reml" has the variances u of units, v of raters and e of the rest from :func:`variance_components`:
    (1,1) and (3,1) are u / (u + e), without and with raters in the model, (2,1) is u / (u + v + e) [3]_. Raters are
    random in the model of form 3, too, as in psych. For (2,k) and (3,k) k is the number of raters, for (1,k) the
    harmonic mean of the ratings of a unit. Limits are those of the profile likelihood (above a hundred raters, of its
    curvature); in 300 simulated studies each of 30 and 50 units, 3 and 10 raters and up to 30 % gaps, those of (2,1)
    and (3,1) held the truth in 95 to 97 %. Like all limits of (1,1), they are too narrow if raters differ in
    strictness. Checked against lme4 1.1-31 in tests/agreement.

    References
    ----------
    .. [1] Shrout, P. E. & Fleiss, J. L. (1979). Psychological Bulletin 86, 420-428.
    .. [2] McGraw, K. O. & Wong, S. P. (1996). Psychological Methods 1, 30-46.
    .. [3] ten Hove, D., Jorgensen, T. D. & van der Ark, L. A. (2022). Psychological Methods, 10.1037/met0000391.
    .. [4] Donner, A. (1986). International Statistical Review 54, 67-82.

    Examples
    --------
    >>> ratings = Ratings.from_lists(ann=[1, 2, 3, 4], bob=[1, 2, 4, 4])
    >>> round(icc(ratings).value, 3)
    0.936
    >>> two_of_three = Ratings.from_lists(ann=[1, 2, None, 4], bob=[1, None, 4, 4], cy=[None, 2, 3, None])
    >>> round(icc(two_of_three).value, 3)
    0.936
    """
    check_confidence(confidence)
    if form not in FORMS:
        raise RatingsError(f"{form} is not a form of the ICC. Use one of these forms: {', '.join(FORMS)}.")
    if missing not in get_args(Missing):
        raise RatingsError(f"`missing` must be {' or '.join(get_args(Missing))}, not {missing!r}.")
    problem = not_for_numbers(ratings, "An intraclass correlation")
    if problem is None and len(ratings.raters) < 2:
        problem = "There is only one rater." if ratings.raters else "There are no ratings."
    if problem:
        return without(problem, ratings, confidence)
    if missing == "reml":
        return _mixed(ratings, form, confidence, resampling(ratings, bootstrap))
    if missing == "available" and form.startswith("ICC(1") and not ratings.rated.all():
        resample = resampling(ratings, bootstrap)
        return one_way(ratings, average=form.endswith("k)"), confidence=confidence, resample=resample)
    return _listwise(ratings, form, confidence, resampling(ratings, bootstrap))


def variance_components(ratings: Ratings, *, raters: bool = True) -> Components:
    """Estimate the variances of units, raters and the rest from all ratings.

    Parameters
    ----------
    ratings
        Two or more raters with numbers; gaps are welcome.
    raters
        Whether raters have a variance of their own. If not, it counts as part of the rest.

    Returns
    -------
    Components
        ``nan`` throughout with a ``reason`` where the ratings cannot tell the three apart.

    Notes
    -----
    Ratings are mean + unit + rater + rest, all three random, normal and independent; the variances maximise the
    restricted likelihood [1]_. It is computed through one system of as many equations as raters (or units, if they are
    fewer), so its cost hardly grows with the number of units. On complete tables without a negative mean-square
    estimate the result equals that of mean squares. Checked against lme4 1.1-31 in tests/agreement.

    References
    ----------
    .. [1] Patterson, H. D. & Thompson, R. (1971). Biometrika 58, 545-554.

    Examples
    --------
    >>> ratings = Ratings.from_lists(ann=[1, 2, 3, 4], bob=[1, 2, 4, None], cy=[2, None, 4, 5])
    >>> round(variance_components(ratings).units, 3)
    1.943
    """
    problem = not_for_numbers(ratings, "A variance")
    if problem is None and len(ratings.raters) < 2:
        problem = "There is only one rater." if ratings.raters else "There are no ratings."
    ready = problem or _ready(ratings, patterns(ratings.codes, times=ratings.times), two_way=raters)
    if isinstance(ready, str):
        return Components(math.nan, math.nan, math.nan, ready)
    solved = fit(ready, ready.counts[None])
    u, v, rest = float(solved.units[0]), float(solved.raters[0]), float(solved.rest[0])
    if math.isnan(rest):
        return Components(u, v, rest, "The likelihood has no maximum.")
    numbers = np.array(ratings.categories, dtype=float)
    square = (float(numbers.max()) / 2 - float(numbers.min()) / 2) ** 2
    if ready.effects is not None:  # there is no rest to compare with
        return Components(u * square, v * square, 0.0)
    return Components(u * rest * square, v * rest * square, rest * square)


def _listwise(ratings: Ratings, form: Form, confidence: float, resample: Bootstrap | None) -> Statistic:
    complete = ratings.rated.all(axis=1)
    n, k = ratings.count(complete), len(ratings.raters)
    if n < 2:
        return without("Fewer than two units have ratings from all raters.", ratings, confidence, n_units=n)
    values = standardised(ratings.values[complete])
    if (values == values[0, 0]).all():
        reason = "All ratings have the same single value, so the units do not differ."
        return without(reason, ratings, confidence, n_units=n)
    squares = mean_squares(values, None if ratings.times is None else ratings.times[complete].astype(float))
    of_sources = (squares.units, squares.within, squares.raters, squares.error)
    b, w, j, e = (square if square > _NOTHING else 0.0 for square in of_sources)
    noise, freedom = (w, n * (k - 1)) if form.startswith("ICC(1") else (e, (n - 1) * (k - 1))
    value = float(_from_squares(form, b, w, j, e, n, k))
    if math.isnan(value):
        reason = "The unit means differ too little for the formula, so the ratio is undefined."
        return without(reason, ratings, confidence, n_units=n)
    test = None
    if noise:
        f = b / noise
        test = Test("F", f, (n - 1.0, float(freedom)), float(special.fdtrc(n - 1, freedom, f)))
    if resample is not None:
        sample = sample_of(ratings, complete)
        interval = _of_these_raters(_bootstrap_listwise(ratings, form, sample, resample, confidence), form)
    else:
        interval = _limits(form, value, (b, w, j, e), n, k, confidence)
    return estimated(
        value,
        interval,
        n_units=n,
        n_raters=k,
        n_left_out=ratings.n_units - n,
        confidence=confidence,
        test=test,
    )


def _from_squares(form: Form, b: Some, w: Some, j: Some, e: Some, n: Some, k: int) -> Floats:
    """The intraclass correlation; nan where it has no denominator."""
    noise = w if form.startswith("ICC(1") else e
    strict = (j - e) / n if form.startswith("ICC(2") else 0.0
    below = np.asarray(b + strict if form.endswith("k)") else b + (k - 1) * noise + k * strict)
    # If the terms cancel, the rest is rounding error.
    size = b + k * noise + (k * (j + e) / n if form.startswith("ICC(2") else 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        value: Floats = np.where(below > np.maximum(_NOTHING, 1e-13 * size), (b - noise) / below, math.nan)
    return value


def _limits(
    form: Form, value: float, squares: tuple[float, float, float, float], n: int, k: int, confidence: float
) -> Interval:
    b, w, j, e = squares
    noise = w if form.startswith("ICC(1") else e
    upper = (1 + confidence) / 2
    if b == 0:
        return no_interval("the unit means are equal, so the interval would have a misleading width of zero.")
    single: Form = "ICC(2,1)"
    if form.startswith("ICC(2"):
        if e == 0 and j == 0:
            return no_interval("the raters agree completely, so the interval would have a misleading width of zero.")
        r = float(_from_squares(single, b, w, j, e, n, k))
        a = k * r * j + (n * (1 + (k - 1) * r) - k * r) * e
        under = (n - 1) * (k * r * j) ** 2 + ((n * (1 + (k - 1) * r) - k * r) * e) ** 2
        freedom = (k - 1) * (n - 1) * a**2 / under if under > 0 else 0.0
        if not freedom > 0:
            return no_interval("the degrees of freedom of Satterthwaite's approximation are undefined.")
        method = "F with Satterthwaite's degrees of freedom" + (", stepped up" if form.endswith("k)") else "")
        method += "; for raters like these"
    else:
        if noise == 0:
            return no_interval("the raters agree completely, so the interval would have a misleading width of zero.")
        single = form
        freedom = float(n * (k - 1) if form.startswith("ICC(1") else (n - 1) * (k - 1))
        method = "F distribution"
    ends = b / float(special.fdtri(n - 1, freedom, upper)), b * float(special.fdtri(freedom, n - 1, upper))
    low, high = (float(_from_squares(single, end, w, j, e, n, k)) for end in ends)
    if form == "ICC(2,k)":
        low, high = (_stepped_up(end, k) for end in (low, high))
    if not (low <= value <= high and math.isfinite(high - low)):
        return no_interval("the limits from the formula do not include the value.")
    return Interval(low, high, method)


def _stepped_up(single: float, k: float) -> float:
    """Return the reliability of the mean of k ratings, given that of one rating, ``single`` (Spearman-Brown)."""
    below = 1 + (k - 1) * single
    return k * single / below if below > 0 else -math.inf


def _of_these_raters(interval: Interval, form: Form) -> Interval:
    if not form.startswith("ICC(2") or math.isnan(interval.low):
        return interval
    return replace(interval, method=f"{interval.method}; for these raters only")


def _bootstrap_listwise(
    ratings: Ratings, form: Form, sample: Patterns, bootstrap: Bootstrap, confidence: float
) -> Interval:
    """All draws at once: mean squares are functions of sums over units."""
    numbers = standardised(np.array(ratings.categories, dtype=float))
    values = numbers[sample.rows]
    values = values - np.average(values.mean(axis=1), weights=sample.counts)
    k = values.shape[1]
    totals = values.sum(axis=1)
    spread = ((values - totals[:, None] / k) ** 2).sum(axis=1)  # within the unit
    sums = np.column_stack([np.ones(len(values)), totals, totals**2, spread, values])

    def of_counts(counts: Floats) -> Floats:
        draws = counts @ sums
        n, total, squared, inside = np.moveaxis(draws[:, :4], -1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            of_units = (squared - total**2 / n) / k
            of_raters = (draws[:, 4:] ** 2).sum(axis=1) / n - total**2 / (n * k)
            b, j = of_units / (n - 1), of_raters / (k - 1)
            w, e = inside / (n * (k - 1)), (inside - of_raters) / ((n - 1) * (k - 1))
            b, w, j, e = (np.where(square > 1e-14, square, 0.0) for square in (b, w, j, e))
            values = _from_squares(form, b, w, j, e, n, k)
        return np.where(n > 1, values, math.nan)

    return bootstrap_interval(of_counts, sample, bootstrap, confidence=confidence, width=k + 12)


# --------------------------------------------------------------------------------------------------------- mixed model


def _ready(ratings: Ratings, sample: Patterns, *, two_way: bool) -> Design | str:
    numbers = np.append(standardised(np.array(ratings.categories, dtype=float)), 0.0)
    return design(sample, numbers[sample.rows], two_way=two_way)


def _mixed(ratings: Ratings, form: Form, confidence: float, resample: Bootstrap | None) -> Statistic:
    rated = ratings.rated.any(axis=1)
    n_units = ratings.count(rated)
    sample = sample_of(ratings, rated)
    ready = _ready(ratings, sample, two_way=not form.startswith("ICC(1"))
    if isinstance(ready, str):
        return without(ready, ratings, confidence, n_units=n_units)
    absolute, average = form.startswith("ICC(2"), form.endswith("k)")
    k = float(len(ratings.raters))
    if form.startswith("ICC(1"):
        k = n_units / float((sample.counts / ready.sizes).sum())
    rest = 0.0 if ready.effects is not None else 1.0

    def of_counts(counts: Floats) -> Floats:
        solved = fit(ready, counts)
        noise = rest + (solved.raters if absolute else 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            values: Floats = solved.units / (solved.units + noise / (k if average else 1))
        return values

    value = float(of_counts(sample.counts[None])[0])
    if math.isnan(value):
        return without(
            "The estimated differences between units, and between raters, are zero.",
            ratings,
            confidence,
            n_units=n_units,
        )
    if resample is not None:
        interval = bootstrap_interval(of_counts, sample, resample, confidence=confidence, width=ready.width)
        interval = _of_these_raters(interval, form)
    else:
        interval = limits(ready, sample.counts, absolute=absolute, confidence=confidence)
        if not math.isnan(interval.low):
            low, high = (_stepped_up(end, k) if average else end for end in (interval.low, interval.high))
            claim = "; for raters like these" if absolute else ""
            interval = Interval(low, high, interval.method + claim)
    return estimated(
        value,
        interval,
        n_units=n_units,
        n_raters=len(ratings.raters),
        n_left_out=ratings.n_units - n_units,
        confidence=confidence,
    )


ROWS = (
    StatisticRow(
        icc,
        title="Intraclass correlation",
        meaning="intraclass correlation, six forms",
        place=100,
        needs=Needs.NUMBERS,
        variants=(
            Variant({"form": FORMS[0]}, title=FORMS[0]),
            *(Variant({"form": form}, title=form, shown=Needs.NUMBERS) for form in FORMS[1:]),
            *(
                Variant(
                    {"form": form, "missing": "reml"},
                    title=form,
                    shown=None,
                    behaviour=Behaviour(chance=None, repeated=False, lone=SingleRatingEffect.A_UNIT),
                )
                for form in FORMS
            ),
        ),
        headline=True,
        behaviour=Behaviour(repeated=False),
    ),
)
