"""Biases of a judge that could change a ranking or its scores as a whole, tested together."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from agreement.arrays import Bools, codes_of, numbers, same_length
from agreement.holm import holm
from agreement.limits import t_quantile
from agreement.ratings import Floats, Ints
from agreement.statistic import Statistic, Test
from domain.errors import RatingsError
from extensions.calibration.statistics.small_sample import contrast

Kind = Literal["family", "length", "position", "model", "leniency"]
KINDS: tuple[Kind, ...] = ("family", "length", "position", "model", "leniency")

MOST_POINTS = 5.0
"""Points, of 100 from the lowest to the highest value, that keep a bias out of a green verdict."""
ALPHA = 0.05
"""Chance of one false alarm or more among all biases of a judge on a criterion."""
LIMITS = 0.98
"""Confidence of the limits that must exclude 5 points: two one-sided tests at 1 % [1]_. A green verdict needs this of
every tested bias, so more biases do not raise the risk of a false green verdict (an intersection-union test [2]_).
benchmarks/README.md compares this level with others. At 300 questions it is the strictest at which most good judges
of every simulated kind still get a green verdict.

.. [1] Schuirmann, D. J. (1987). Journal of Pharmacokinetics and Biopharmaceutics 15, 657-680.
.. [2] Berger, R. L. & Hsu, J. C. (1996). Statistical Science 11, 283-319.
"""
_SHORT, _LONG = 0.1, 0.9
"""The shares of answers that are shorter than a short and a long one."""


@dataclass(frozen=True)
class RankingBias:
    """One bias, and its possible effect on a ranking."""

    kind: Kind
    toward: str
    """The model; of leniency the value, if values have no order; otherwise empty."""
    points: Statistic
    """Points of 100 that the judge adds beyond people, with 95 % limits and the test of 0."""
    p_corrected: float
    """After correction for all biases that were tested; nan without a test."""
    reaches: tuple[str, str, float] | None = None
    """Two models next to each other, the better first by people, that a bias within the limits could exchange, and the
    points between them."""
    exchanges: tuple[str, str] | None = None
    """Two models that the judge ranks in this order, and without the bias in the other one."""
    ranked: bool = True
    """True if the models of the answers are known."""

    @property
    def is_significant(self) -> bool:
        """Tell whether the corrected p value is below 5 %."""
        return self.p_corrected < ALPHA

    @property
    def blocks(self) -> bool:
        """Tell whether the bias keeps the judge from replacing a person: 5 points or more, or a changed order."""
        return self.is_significant and (abs(self.points.value) >= MOST_POINTS or self.exchanges is not None)

    @property
    def qualifies(self) -> bool:
        """Tell whether the bias may change a ranking: it reaches from a model to the next, or no model is known."""
        changes = self.kind != "leniency" and (self.reaches is not None or not self.ranked)
        return self.is_significant and not self.blocks and changes

    @property
    def half_width(self) -> float:
        """Half the width of the limits that have to exclude 5 points; nan without a test."""
        test = self.points.test
        if test is None:
            return math.nan
        if test.name == _EXACT:
            return _exact_half(int(test.df[0]), LIMITS)
        return t_quantile(LIMITS, test.df[0]) * self.points.se

    @property
    def limits(self) -> tuple[float, float]:
        """The limits that have to exclude 5 points."""
        return self.points.value - self.half_width, self.points.value + self.half_width

    @property
    def is_open(self) -> bool:
        """Tell whether the limits include 5 points although the bias neither blocks nor qualifies."""
        low, high = self.limits
        return not (self.blocks or self.qualifies) and not (low > -MOST_POINTS and high < MOST_POINTS)

    @property
    def bars(self) -> bool:
        """Tell whether the judge may not replace a person, not even if no model is ranked."""
        return self.blocks or (self.kind == "leniency" and self.is_open)


@dataclass(frozen=True)
class RankingBiases:
    """All biases of a judge on one criterion."""

    tested: tuple[RankingBias, ...]
    untested: tuple[Kind, ...]
    """Untested kinds, without a model, length, family or run in the other order."""
    n_units: int
    n_clusters: int | None
    """Questions behind the units; None: not known."""

    @property
    def gravest(self) -> RankingBias | None:
        """The bias that decides: one that blocks before one that qualifies, the largest first; None: none does."""
        biases = [each for each in self.tested if each.blocks or each.qualifies]
        return max(biases, key=lambda each: (each.blocks, abs(each.points.value)), default=None)

    @property
    def widest_open(self) -> RankingBias | None:
        """Return the bias of 5 points that is neither shown nor ruled out: leniency, or the widest."""
        biases = [each for each in self.tested if each.is_open]
        return max(biases, key=lambda each: (each.bars, max(map(abs, each.limits))), default=None)

    @property
    def bars(self) -> bool:
        """Tell whether any bias keeps the judge from standing in for a person."""
        return any(bias.bars for bias in self.tested)


def find_ranking_biases(
    people: ArrayLike,
    judge: ArrayLike,
    *,
    scale: tuple[float, float],
    models: Sequence[str | None] | None = None,
    family: ArrayLike | None = None,
    lengths: ArrayLike | None = None,
    shift: ArrayLike | None = None,
    clusters: Sequence[Hashable] | None = None,
    value: str = "",
) -> RankingBiases:
    """Test a judge for all biases that a verdict depends on, and hold their size against the gaps between models.

    Parameters
    ----------
    people, judge
        (n,) people's score of each unit (the mean over people), and the judge's; nan is left out.
    scale
        The lowest and the highest value. Sizes are in points: hundredths of the way from one to the other.
    models
        (n,) whose answer each unit is; None where that is not known.
    family
        (n,) 1 for answers of the judge's own family, 0 for others, nan where that is not known.
    lengths
        (n,) of the answers, above 0; nan where that is not known.
    shift
        (n,) the judge's score in one order minus that in the other; nan where one is missing.
    clusters
        (n,) the question.
    value
        Of values without an order, the one whose share the scores are; empty: the scores are numbers.

    Returns
    -------
    RankingBiases
        In the order family, length, position, models, leniency.

    Notes
    -----
    With d = judge - people, by least squares with CR2 standard errors by question (:func:`contrast`): *family* and
    *model*, the mean of d there minus its mean elsewhere; *length*, the slope of d on log2(length) times the distance
    of a long (90th percentile) from a short answer (10th); *position*, the mean shift; *leniency*, the mean of d.
    Holm's method adjusts p values of models over the models [1]_, and each p value is multiplied by the number of
    tested kinds (Bonferroni). At most 5 % of judges without a bias get a false alarm.

    A bias adds b w_m to the judge's mean of model m, w_m being 1 or 0, or the model's mean of log2(length). It
    *reaches* from model j to the next better one i if b (w_j - w_i) > 0 and, at the far limit of b, is at least the
    gap between their human means. It *exchanges* two models whose order by the judge's means changes once b w_m is
    taken off. A position bias moves a model that always holds this position; no model does if both orders are asked.
    Leniency moves all models alike. If d is constant, a share u of n questions may still differ by 100 points. The
    limits are then 100 u points away, with (1 - u)^n the level of one side.

    Checked by worked arithmetic in tests/agreement and by simulation in benchmarks/verdicts.py.

    References
    ----------
    .. [1] Holm, S. (1979). Scandinavian Journal of Statistics 6, 65-70.

    Examples
    --------
    >>> people, judge = [0, 1, 0, 1, 1, 0, 1, 0], [0, 1, 1, 1, 1, 1, 0, 0]
    >>> biases = find_ranking_biases(people, judge, scale=(0, 1), models=["a", "a", "b", "b"] * 2)
    >>> [(bias.kind, bias.toward, round(bias.points.value)) for bias in biases.tested]
    [('model', 'a', 25), ('leniency', '', 12)]
    """
    y, f = numbers(people, "people"), numbers(judge, "judge")
    same_length(people=y, judge=f, models=models, clusters=clusters)
    low, high = scale
    if not low < high:
        raise RatingsError(f"The lowest value ({low:g}) is not below the highest value ({high:g}). Correct the scale.")
    gap = (f - y) * 100 / (high - low)
    usable = ~np.isnan(gap)
    of = None if clusters is None else codes_of(clusters)[1]
    ranks = _Ranks.of(y * 100 / (high - low), f * 100 / (high - low), usable, models)
    biases: list[RankingBias] = []
    tests: dict[Kind, list[Statistic]] = {}

    def of_kind(kind: Kind, points: Statistic, toward: str, weights: Floats | None) -> None:
        if points.test is not None:
            tests.setdefault(kind, []).append(points)
            biases.append(RankingBias(kind, toward, points, math.nan, *ranks.changed(points, weights), ranks.known))

    if family is not None:
        own = numbers(family, "family")
        of_kind("family", _contrast(gap, own, of), "", ranks.mean(own))
    if lengths is not None:
        size = numbers(lengths, "lengths")
        words = np.log2(np.where(size > 0, size, np.nan))
        there = words[usable & ~np.isnan(words)]
        span = float(np.diff(np.quantile(there, [_SHORT, _LONG]))[0]) if len(there) else 0.0
        if span > 0:
            of_kind("length", _contrast(gap, words / span, of), "", ranks.mean(words / span))
    if shift is not None:
        moved = numbers(shift, "shift") * 100 / (high - low)
        of_kind("position", _contrast(moved, None, of), "", None)
    for at, model in enumerate(ranks.names if len(ranks.names) > 2 else ranks.names[:1] * (len(ranks.names) > 1)):
        is_model = np.where(ranks.of_unit < 0, np.nan, (ranks.of_unit == at).astype(float))
        of_kind("model", _contrast(gap, is_model, of), model, ranks.one(at))
    of_kind("leniency", _contrast(gap, None, of), value, np.zeros(len(ranks.names)))
    return RankingBiases(
        tuple(_corrected(biases, tests)),
        tuple(kind for kind in KINDS if kind not in tests),
        int(usable.sum()),
        None if of is None else len(np.unique(of[usable])),
    )


_EXACT = "exact"


def _exact_half(n: int, confidence: float) -> float:
    """Return the points by which a mean over n equal questions may still be wrong.

    >>> round(_exact_half(300, 0.99), 2)
    1.75
    """
    return float(100 * (1 - ((1 - confidence) / 2) ** (1 / n)))


def _contrast(gap: Floats, aspect: Floats | None, of: Ints | None) -> Statistic:
    """Return the contrast, with exact limits where nothing varies (or too few clusters do)."""
    difference = contrast(gap, aspect, clusters=of)
    if difference.test is not None or not difference.defined:
        return difference
    x = np.zeros(len(gap)) if aspect is None else aspect
    there = ~(np.isnan(gap) | np.isnan(x))
    clusters = np.arange(len(gap)) if of is None else of
    above = x > x[there].mean()
    n = min(len(np.unique(clusters[side & there])) for side in (above, ~above) if (side & there).any())
    half = _exact_half(n, difference.confidence)
    p = min(1.0, 2 * max(0.0, 1 - abs(difference.value) / 100) ** n)
    return replace(
        difference,
        low=difference.value - half,
        high=difference.value + half,
        method="exact limit of a share",
        reason=None,
        test=Test(_EXACT, difference.value, (float(n),), p),
    )


def _corrected(found: Sequence[RankingBias], tests: dict[Kind, list[Statistic]]) -> Iterator[RankingBias]:
    """The biases with p values corrected over the kinds and, within one, over the models."""
    p = {kind: iter(holm([bias.test.p_value for bias in row if bias.test])) for kind, row in tests.items()}
    for bias in found:
        yield replace(bias, p_corrected=min(1.0, len(tests) * next(p[bias.kind])))


@dataclass(frozen=True, eq=False)
class _Ranks:
    """Means of models in points, by people and by the judge, over the same units."""

    names: tuple[str, ...]
    of_unit: Ints
    """(units,) the place of each unit's model; -1 where it is not known or a score is missing."""
    usable: Bools
    people: Floats
    judge: Floats

    @classmethod
    def of(cls, people: Floats, judge: Floats, usable: Bools, models: Sequence[str | None] | None) -> _Ranks:
        of_unit = np.full(len(people), -1, dtype=np.int64)
        if models is None:
            return cls((), of_unit, usable, np.empty(0), np.empty(0))
        known = usable & np.array([model is not None for model in models], dtype=bool)
        names, of_unit[known] = codes_of([models[at] for at in np.flatnonzero(known)])
        made = cls(names, of_unit, usable, np.empty(0), np.empty(0))
        return replace(made, people=made.mean(people), judge=made.mean(judge))

    @property
    def known(self) -> bool:
        """Tell whether there are models to rank."""
        return len(self.names) > 1

    def mean(self, values: Floats) -> Floats:
        """Return the mean of these values over the answers of each model, as (models,)."""
        there = (self.of_unit >= 0) & ~np.isnan(values)
        m = len(self.names)
        count = np.bincount(self.of_unit[there], minlength=m)
        means: Floats = np.bincount(self.of_unit[there], weights=values[there], minlength=m) / np.maximum(count, 1)
        return means

    def one(self, at: int) -> Floats:
        """Return (models,) with 1 for one model and 0 for the others."""
        weights: Floats = (np.arange(len(self.names)) == at).astype(float)
        return weights

    def changed(
        self, points: Statistic, weights: Floats | None
    ) -> tuple[tuple[str, str, float] | None, tuple[str, str] | None]:
        """The two models that a bias within its limits could exchange, and those that it does exchange."""
        if not self.known:
            return None, None
        best = np.argsort(-self.people, kind="stable").tolist()
        b, far = points.value, points.high if points.value > 0 else points.low
        reaches = []
        for i, j in pairwise(best):
            between = float(self.people[i] - self.people[j])
            pull = 1.0 if weights is None else math.copysign(1.0, b) * float(weights[j] - weights[i])
            if pull > 0 and abs(far) * pull >= between:
                reaches.append((self.names[i], self.names[j], between))
        nearest = min(reaches, key=lambda each: each[2], default=None)
        if weights is None:
            return nearest, None
        without = self.judge - b * weights
        order = np.argsort(-self.judge, kind="stable").tolist()
        flipped = [
            (self.names[i], self.names[j])
            for i, j in pairwise(order)
            if self.judge[i] > self.judge[j] and without[i] < without[j]
        ]
        return nearest, flipped[0] if flipped else None
