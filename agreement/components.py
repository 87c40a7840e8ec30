"""Variance components of units, raters and the rest by restricted maximum likelihood, gaps allowed.

Units enter only through the number and the raters of their ratings. So the likelihood of any number of units is a
function of a few sums (as mean squares are). One evaluation solves a system of as many equations as raters. The code
handles many samples at once: a bootstrap fits all draws together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special

from agreement.bootstrap import Patterns
from agreement.ratings import MISSING, Floats
from agreement.statistic import Interval, no_interval

_MOST = 1 - 1e-9
"""The largest share of the variance that units or raters can have; above it, the rest is rounding alone."""
_MANY = 4_000_000
"""More numbers than this are not kept for one sample but made when needed."""
_STEPS = 60
_CROWD = 100
"""Number of raters above which limits come from the curvature of the likelihood."""

Numbers = NDArray[Any]
"""Real, or complex for derivatives: the imaginary part of f(x + ih) is h f'(x), with nothing that cancels."""


@dataclass(frozen=True)
class Components:
    """Variances on the scale of the ratings; ``nan`` and a reason if they cannot be separated."""

    units: float
    raters: float
    residual: float
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class VarianceRatios:
    """The fit of each sample: variances of units and raters divided by that of the rest, and the rest."""

    units: Floats
    raters: Floats
    rest: Floats


@dataclass(frozen=True, eq=False)
class Design:
    """Patterns of ratings, made ready."""

    counts: Floats
    rated: Floats
    """(patterns, raters) 1 where there is a rating."""
    values: Floats
    """(patterns, raters) the centered rating; 0 marks a missing rating."""
    sizes: Floats
    """(patterns,) ratings."""
    two_way: bool
    effects: tuple[Floats, Floats] | None
    """Of units' patterns and of raters, if these two explain every rating; None if there is a rest."""

    @property
    def width(self) -> int:
        """Numbers that a sample needs while it is fitted."""
        k = self.rated.shape[1]
        groups = len(np.unique(self.sizes))
        return groups * (k * k if self.two_way else 1) + 20 * k * k


def design(sample: Patterns, values: Floats, *, two_way: bool) -> Design | str:
    """Prepare the patterns, or return why their variances cannot be separated.

    ``values`` is (patterns, raters), of numbers in [-1, 1].
    """
    counts = sample.counts
    mask = sample.rows != MISSING
    rated = mask.astype(float)
    sizes = rated.sum(axis=1)
    n, total = float(counts[sizes > 0].sum()), float(counts @ sizes)
    if n < 2:
        return "Fewer than two units have ratings."
    if int(mask.any(axis=0).sum()) < 2:
        return "There is only one rater."
    values = np.where(mask, values, 0.0)
    values = np.where(mask, values - float(counts @ values.sum(axis=1)) / total, 0.0)
    present = values[mask]
    if np.ptp(present) == 0:
        return "All ratings have the same single value, so the units do not differ."
    some = np.maximum(sizes, 1)
    of_raters = np.zeros(rated.shape[1])
    rank = 0
    if two_way:  # least squares: raters' effects besides those of the units
        weights = counts / some
        system = np.diag(counts @ rated) - rated.T @ (rated * weights[:, None])
        right = counts @ values - (weights * values.sum(axis=1)) @ rated
        inverse = np.linalg.pinv(system, rcond=1e-10, hermitian=True)
        of_raters = inverse @ right
        rank = int(np.linalg.matrix_rank(system, tol=1e-9 * max(1.0, float(np.abs(system).max())), hermitian=True))
    if total - n - rank < 1:
        return "Too few units have two or more ratings, so the effects of raters and units cannot be separated."
    left = np.where(mask, values - of_raters, 0.0)
    of_units = left.sum(axis=1) / some
    rest = float(counts @ (np.where(mask, left - of_units[:, None], 0.0) ** 2).sum(axis=1))
    effects = (of_units, of_raters[mask.any(axis=0)]) if rest < 1e-20 * total else None
    return Design(counts, rated, values, sizes, two_way, effects)


def fit(ready: Design, counts: Floats) -> VarianceRatios:
    """The fit of each of (samples, patterns) counts; nan where a sample says nothing.

    Variances are found by Newton steps on the profiled restricted likelihood, from the best point of a coarse grid,
    within the bounds that variances have.
    """
    if ready.effects is not None:
        return _exact(ready, counts)
    sums = _Sums(ready, counts)
    free = np.array([True, ready.two_way])
    at: Floats = np.zeros((len(counts), 2))
    best: Floats = np.full(len(counts), np.inf)
    for u in (0.02, 0.3, 0.6, 0.9, 0.99):
        for v in (0.02, 0.3, 0.7, 0.97) if ready.two_way else (0.0,):
            start = np.tile([u, v], (len(counts), 1))
            deviances = sums.criterion(start).real
            better = deviances < best
            at[better], best[better] = start[better], deviances[better]
    live = np.isfinite(best)
    at[~live] = 0.5
    for _ in range(_STEPS):
        slope = sums.slope(at, free)
        bent = np.zeros((len(at), 2, 2))
        for i in np.flatnonzero(free):
            aside = np.where(at[:, i] > 0.5, -1e-6 * (1 - at[:, i] + 1e-9), 1e-6)
            moved = at.copy()
            moved[:, i] += aside
            bent[:, :, i] = (sums.slope(moved, free) - slope) / aside[:, None]
        held = ((at <= 0) & (slope > 0)) | ((at >= _MOST) & (slope < 0)) | ~free
        step = _newton(slope, bent, held)
        size = np.ones(len(at))
        for _ in range(40):
            trial = np.clip(at + size[:, None] * step, 0.0, _MOST)
            value = sums.criterion(trial).real
            worse = ~(value <= best + 1e-13 * np.abs(best)) & live
            if not worse.any():
                break
            size[worse] /= 4
        taken = live & ~worse
        change = np.abs(trial - at).max(axis=1) * taken
        at, best = np.where(taken[:, None], trial, at), np.where(taken, value, best)
        if not (change > 1e-11).any():
            break
    gone = ~live | (at.max(axis=1) >= _MOST)
    ratio = np.where(gone[:, None], math.nan, at / (1 - at))
    rest = np.where(gone, math.nan, sums.rest(at))
    return VarianceRatios(ratio[:, 0], ratio[:, 1], rest)


def _exact(ready: Design, counts: Floats) -> VarianceRatios:
    """Where units and raters explain everything their variances are those of their effects, and there is no rest."""
    assert ready.effects is not None
    of_units, of_raters = ready.effects
    n = counts.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        units = (counts @ of_units**2 - (counts @ of_units) ** 2 / n) / (n - 1)
    raters = float(of_raters.var(ddof=1)) if ready.two_way and len(of_raters) > 1 else 0.0
    units = np.where(units > 1e-20, units, 0.0)
    return VarianceRatios(units, np.full(len(counts), raters if raters > 1e-20 else 0.0), np.zeros(len(counts)))


def _newton(slope: Floats, bent: Floats, held: NDArray[np.bool_]) -> Floats:
    """Steps downhill; directions that curve the wrong way are turned round."""
    slope = np.where(held, 0.0, slope)
    bent = (bent + np.swapaxes(bent, 1, 2)) / 2
    pair = held[:, :, None] | held[:, None, :]
    bent = np.where(pair, np.eye(2), bent)
    bent = np.where(np.isfinite(bent), bent, np.eye(2))
    values, vectors = np.linalg.eigh(bent)
    values = np.maximum(np.abs(values), 1e-8)
    step: Floats = -np.einsum("bij,bj,bkj,bk->bi", vectors, 1 / values, vectors, np.nan_to_num(slope))
    longest = np.abs(step).max(axis=1, keepdims=True)
    step *= np.minimum(1.0, 0.5 / np.maximum(longest, 1e-300))
    return step


class _Sums:
    """What the likelihood of samples needs to know of them."""

    def __init__(self, ready: Design, counts: Floats) -> None:
        self.two_way = ready.two_way
        sizes, group = np.unique(ready.sizes, return_inverse=True)
        self.sizes = sizes
        k = ready.rated.shape[1]
        per_unit = ready.values.sum(axis=1)
        groups = [np.flatnonzero(group == at) for at in range(len(sizes))]

        def by_size(numbers: Floats) -> Floats:
            return np.stack([counts[:, rows] @ numbers[rows] for rows in groups], axis=1)

        self.units = by_size(np.ones(len(group)))
        self.first, self.second = by_size(per_unit), by_size(per_unit**2)
        self.n = counts @ ready.sizes
        self.total, self.squares = counts @ per_unit, counts @ (ready.values**2).sum(axis=1)
        if not self.two_way:
            return
        self.identity = np.eye(k)
        self.given, self.of_rater = counts @ ready.rated, counts @ ready.values
        self.who = by_size(ready.rated)
        self.who_first = by_size(ready.rated * per_unit[:, None])
        self.together: Floats | None = None
        if len(sizes) * k * k <= _MANY:
            self.together = np.empty((len(counts), len(sizes), k, k))
            for at, rows in enumerate(groups):
                rated = ready.rated[rows]
                if len(rows) * k * k <= _MANY and len(counts) > 1:
                    products = (rated[:, :, None] * rated[:, None, :]).reshape(len(rows), k * k)
                    self.together[:, at] = (counts[:, rows] @ products).reshape(-1, k, k)
                else:
                    for draw in range(len(counts)):
                        self.together[draw, at] = rated.T @ (rated * counts[draw, rows, None])
        else:
            self.rated, self.counts, self.group = sparse.csr_array(ready.rated), counts, group

    def _pairs(self, weights: Numbers) -> Numbers:
        """(samples, raters, raters): units that two have both rated, weighed by their sizes."""
        if self.together is not None:
            pairs: Numbers = np.einsum("bm,bmij->bij", weights, self.together, optimize=True)
            return pairs
        matrices = [
            (self.rated.T @ self.rated.multiply((weight[self.group] * count)[:, None]).tocsr()).toarray()
            for weight, count in zip(weights, self.counts, strict=True)
        ]
        return np.stack(matrices)

    def _solve(self, at: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Logarithm of the determinant, the mean's information, and the rest's sum of squares."""
        u, v = at[:, 0] / (1 - at[:, 0]), at[:, 1] / (1 - at[:, 1])
        inside = 1 + u[:, None] * self.sizes
        shrink = u[:, None] / inside
        log_det = (self.units * np.log(inside)).sum(axis=1)
        mean = self.n - (shrink * self.sizes**2 * self.units).sum(axis=1)
        cross = self.total - (shrink * self.sizes * self.first).sum(axis=1)
        square = self.squares - (shrink * self.second).sum(axis=1)
        if self.two_way:
            system = -v[:, None, None] * self._pairs(shrink)
            diagonal = np.arange(len(self.identity))
            system[:, diagonal, diagonal] += 1 + v[:, None] * self.given
            of_mean = self.given - np.einsum("bm,bmk->bk", shrink * self.sizes, self.who)
            of_value = self.of_rater - np.einsum("bm,bmk->bk", shrink, self.who_first)
            sign, size = np.linalg.slogdet(system)
            log_det = log_det + size + (1j * np.angle(sign) if np.iscomplexobj(at) else 0.0)
            right = np.stack([of_mean, of_value], axis=2)
            left = v[:, None, None] * np.linalg.solve(system, right)
            mean = mean - (of_mean * left[:, :, 0]).sum(axis=1)
            cross = cross - (of_value * left[:, :, 0]).sum(axis=1)
            square = square - (of_value * left[:, :, 1]).sum(axis=1)
        return log_det, mean, square - cross**2 / mean

    def criterion(self, at: Numbers) -> Numbers:
        """-2 times the restricted log likelihood, the residual variance profiled out; inf if it is undefined.

        ``at`` is (samples, 2): u / (1 + u) and v / (1 + v) of the variances of units and raters over that of the rest.
        """
        with np.errstate(all="ignore"):
            log_det, mean, squares = self._solve(at)
            deviances = (self.n - 1) * np.log(squares) + log_det + np.log(mean)
        known = (squares.real > 1e-16 * np.maximum(self.squares, 1e-30)) & (mean.real > 0) & (self.n > 2)
        return np.where(known & np.isfinite(deviances), deviances, np.inf)

    def slope(self, at: Floats, free: NDArray[np.bool_]) -> Floats:
        """The criterion's derivatives."""
        slopes = np.zeros_like(at)
        for i in np.flatnonzero(free):
            moved = at.astype(complex)
            moved[:, i] += 1e-30j
            slopes[:, i] = self.criterion(moved).imag / 1e-30
        return np.nan_to_num(slopes)

    def rest(self, at: Floats) -> Floats:
        """The variance of the rest."""
        with np.errstate(all="ignore"):
            variances: Floats = self._solve(at)[2] / (self.n - 1)
        return variances


def limits(ready: Design, counts: Floats, *, absolute: bool, confidence: float) -> Interval:
    """Limits of the correlation of two ratings of a unit.

    They are where the likelihood, at its best for a given correlation, has fallen by half the quantile of chi-squared.
    With a crowd of raters that takes long and the likelihood is close to a normal one: then by its curvature,
    on the scale of the correlation's logit.
    """
    if ready.effects is not None:
        return no_interval(
            "units and raters explain every rating, so the interval would have a misleading width of zero."
        )
    solved = fit(ready, counts[None])
    from scipy import optimize  # most who import this package have no gaps

    u, v = float(solved.units[0]), float(solved.raters[0])
    if math.isnan(u):
        return no_interval("the likelihood has no maximum.")
    sums = _Sums(ready, counts[None])
    strict = v if absolute else 0.0
    value = u / (u + 1 + strict)
    if ready.two_way and ready.rated.shape[1] > _CROWD and min(u, v) > 0:
        at = np.array([[u / (1 + u), v / (1 + v)]])
        logit_slope = np.array([(1 + u) ** 2 / u, -((1 + v) ** 2) / (1 + strict) if absolute else 0.0])
        se = math.sqrt(float(logit_slope @ np.linalg.solve(_bent(sums, at) / 2, logit_slope)))
        half = float(special.ndtri((1 + confidence) / 2)) * se
        middle = float(special.logit(value))
        low, high = float(special.expit(middle - half)), float(special.expit(middle + half))
        return Interval(low, high, "curvature of the likelihood", se=value * (1 - value) * se)

    def criterion(r: float, of_raters: float) -> float:
        strict = of_raters / (1 - of_raters) if absolute else 0.0
        of_units = r / (1 - r) * (1 + strict)
        return float(sums.criterion(np.array([[of_units / (1 + of_units), of_raters]])).real[0])

    def best(r: float) -> float:
        if not ready.two_way:
            return criterion(r, 0.0)
        optimum = optimize.minimize_scalar(
            lambda of_raters: criterion(r, of_raters), bounds=(0, _MOST), method="bounded", options={"xatol": 1e-5}
        )
        return min(float(optimum.fun), criterion(r, 0.0), criterion(r, v / (1 + v)))

    least = criterion(value, v / (1 + v))
    allowed = least + float(special.chdtri(1, 1 - confidence))

    def limit(inner: float, outer: float) -> float:
        if best(outer) <= allowed:
            return outer
        return float(optimize.brentq(lambda r: best(r) - allowed, inner, outer, xtol=1e-7))

    low = limit(value, 0.0) if value > 0 else 0.0
    return Interval(low, limit(value, 1 - 1e-9), "profile likelihood")


def _bent(sums: _Sums, at: Floats) -> Floats:
    """(2, 2): the criterion's second derivatives."""
    free = np.array([True, True])
    rows = []
    for i in range(2):
        slopes = []
        for aside in (-1e-6, 1e-6):
            moved = at.copy()
            moved[:, i] += aside * (1 - at[0, i])
            slopes.append(sums.slope(moved, free)[0])
        rows.append((slopes[1] - slopes[0]) / (2e-6 * (1 - at[0, i])))
    hessian: Floats = np.stack(rows)
    return (hessian + hessian.T) / 2
