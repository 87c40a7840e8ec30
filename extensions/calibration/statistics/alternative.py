"""The alternative annotator test: can a judge replace one of these people?"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from agreement.arrays import Bools, codes_of, numbers, same_length
from agreement.limits import wilson
from agreement.ratings import Floats, Ints, Ratings
from agreement.statistic import Statistic, Test, estimated, no_interval, undefined
from domain.english import with_noun
from domain.errors import RatingsError
from extensions.calibration.statistics.small_sample import contrast

__all__ = ["AgainstPerson", "AlternativeTest", "alternative_test", "benjamini_yekutieli", "winning_rates"]

Score = Literal["accuracy", "neg_rmse"]

EPSILONS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
"""The range over which the winning rate is shown: the choice decides the verdict."""


@dataclass(frozen=True)
class AgainstPerson:
    """The judge compared with one person, both measured against the other people."""

    rater: str
    advantage: Statistic
    """Share of the person's units on which the judge is at least as close to the others as the person is."""
    person_advantage: float
    """Share on which the person is at least as close as the judge; ties count for both."""
    test: Test | None
    """One-sided t test of person_advantage - advantage >= epsilon; None if the person has too few units."""
    rejected: bool
    """Whether the hypothesis is rejected after Benjamini-Yekutieli, so that the judge can replace this person."""
    reason: str | None = None


@dataclass(frozen=True)
class AlternativeTest:
    """What the alternative annotator test found."""

    winning_rate: Statistic
    """omega: the share of people whom the judge can replace. The judge passes at 0.5 and above."""
    advantage_probability: Statistic
    """rho: the mean over people of the judge's advantage; ranks judges, whatever epsilon is."""
    people: tuple[AgainstPerson, ...]
    epsilon: float
    possible: tuple[float, ...]
    """Possible values of omega for this number of people."""
    p_value: float = math.nan
    """The smallest q at which the test passes; nan if the test used no person."""

    @property
    def passed(self) -> bool:
        """Whether the winning rate is 0.5 or more."""
        return self.winning_rate.defined and self.winning_rate.value >= 0.5


def alternative_test(
    humans: ArrayLike | Ratings,
    judge: Sequence[Any] | Floats,
    *,
    raters: Sequence[str] | None = None,
    score: Score | Callable[[float, Floats], float] = "accuracy",
    epsilon: float = 0.2,
    q: float = 0.05,
    min_raters_per_item: int = 2,
    min_items_per_rater: int = 30,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
) -> AlternativeTest:
    """Tell whether a judge agrees with the people at least as well as each of them agrees with the others.

    Parameters
    ----------
    humans
        (units, people) values as numbers (codes will do for "accuracy"), nan where one did not grade; or the people's
        ratings. Never a machine among them.
    judge
        (units,) the judge's values, texts where the ratings are texts; nan (None) where it gave none. Such units are
        left out.
    raters
        (people,) names; those of the ratings if such are given.
    score
        How close a value is to those of the other people: "accuracy" the share that are equal, "neg_rmse" minus the
        root of the mean squared difference, or a function of a value and the others' values.
    epsilon
        How much better the person may be and still be replaced, for what the judge costs less: 0.2 against experts,
        0.15 against trained people, 0.1 against a crowd.
    q
        The false discovery rate over people.
    min_raters_per_item
        Units graded by fewer people are left out.
    min_items_per_rater
        People with fewer units are not tested, and not counted.
    clusters
        (units,) what each unit belongs to, as answers to one question: the t test then has their CR2 standard error
        (:func:`contrast`). The authors' test, None, takes units as independent.
    confidence
        Of the limits of each advantage.

    Returns
    -------
    AlternativeTest
        ``winning_rate`` and ``advantage_probability`` are ``nan`` with a ``reason`` if nobody has enough units.

    Notes
    -----
    For each person j over the units they share with another person: W_f = 1 where score(judge) >= score(j), W_h = 1
    where score(j) >= score(judge), d = W_h - W_f. The test is a one-sided one-sample t test of mean(d) >= epsilon.
    Rejections follow the Benjamini-Yekutieli procedure at q [1]_. Below 30 units the authors advise a Wilcoxon test;
    here such people are left out. omega of k people takes the values 0, 1/k, ..., 1, so it has no interval. Where
    every d is the same, p is 0 or 1. Checked against the authors' code in tests/agreement.

    References
    ----------
    .. [1] Calderon, N., Reichart, R. & Dror, R. (2025). The alternative annotator test for LLM-as-a-judge. ACL 2025,
       arXiv:2501.10970.

    Examples
    --------
    >>> people = np.tile([[1, 1, 1], [0, 0, 0], [1, 1, 0]], (20, 1))
    >>> test = alternative_test(people, np.tile([1, 0, 1], 20))
    >>> test.winning_rate.value, test.passed
    (1.0, True)
    """
    wins = _wins(humans, judge, raters, score, min_raters_per_item, clusters)
    if not 0 < q < 1:
        raise RatingsError(f"The false discovery rate q is {q:g}. Give a number between 0 and 1.")
    return _decided(wins, epsilon, q, min_items_per_rater, confidence)


def winning_rates(
    humans: ArrayLike | Ratings,
    judge: Sequence[Any] | Floats,
    *,
    epsilons: Sequence[float] = EPSILONS,
    raters: Sequence[str] | None = None,
    score: Score | Callable[[float, Floats], float] = "accuracy",
    q: float = 0.05,
    min_raters_per_item: int = 2,
    min_items_per_rater: int = 30,
) -> tuple[tuple[float, Statistic], ...]:
    """Return the winning rate of the alternative annotator test for each of several epsilons.

    Parameters
    ----------
    epsilons
        What epsilon is to be, one after the other.
    humans, judge, raters, score, q, min_raters_per_item, min_items_per_rater
        As for :func:`alternative_test`.

    Returns
    -------
    tuple
        (epsilon, winning rate) pairs; the rate never falls as epsilon grows.

    Examples
    --------
    >>> people = np.tile([[1, 1, 1], [0, 0, 0], [1, 1, 0]], (20, 1))
    >>> [rate.value for _, rate in winning_rates(people, np.tile([1, 0, 0], 20), epsilons=(0.0, 0.5))]
    [0.0, 1.0]
    """
    wins = _wins(humans, judge, raters, score, min_raters_per_item)
    return tuple((epsilon, _decided(wins, epsilon, q, min_items_per_rater, 0.95).winning_rate) for epsilon in epsilons)


@dataclass(frozen=True, eq=False)
class _Wins:
    """Where judge and person are at least as close to the others: (units,) each, for every person."""

    raters: tuple[str, ...]
    judge: tuple[Bools, ...]
    person: tuple[Bools, ...]
    n_units: int
    n_left_out: int
    clusters: tuple[Ints, ...] | None = None
    """The cluster of each unit of a person."""


def _wins(
    humans: ArrayLike | Ratings,
    judge: Sequence[Any] | Floats,
    raters: Sequence[str] | None,
    score: Score | Callable[[float, Floats], float],
    min_raters_per_item: int,
    clusters: Sequence[Hashable] | None = None,
) -> _Wins:
    if isinstance(humans, Ratings):
        raters = raters or humans.raters
    if isinstance(humans, Ratings) and not humans.numeric:
        if score == "neg_rmse":
            raise RatingsError('The ratings are text, but "neg_rmse" needs numbers. Use "accuracy".')
        table = np.where(humans.rated, humans.codes, np.nan).astype(float)
        place = {category: float(at) for at, category in enumerate(humans.categories)}
        f = np.array([math.nan if value is None else place.get(str(value), -1.0) for value in judge], dtype=float)
    else:
        table = humans.values if isinstance(humans, Ratings) else numbers(humans, "humans", axes=2)
        f = numbers(judge, "judge")
    same_length(humans=table, judge=f, clusters=clusters)
    names = tuple(raters) if raters is not None else tuple(f"h{at}" for at in range(table.shape[1]))
    if len(codes_of(names)[0]) != table.shape[1]:
        raise RatingsError(
            f"There are {table.shape[1]} columns of people's values, but {len(names)} names. Give one name for each "
            "column."
        )
    rated = ~np.isnan(table)
    usable = (rated.sum(axis=1) >= max(2, min_raters_per_item)) & ~np.isnan(f)
    table, rated, f = table[usable], rated[usable], f[usable]
    of = None if clusters is None else codes_of(clusters)[1][usable]
    of_judge, of_person = [], []
    for at in range(len(names)):
        mine = rated[:, at]
        rest = np.delete(table[mine], at, axis=1)
        judged, own = _close(f[mine], rest, score), _close(table[mine, at], rest, score)
        of_judge.append(judged >= own)
        of_person.append(own >= judged)
    belong = None if of is None else tuple(of[rated[:, at]] for at in range(len(names)))
    return _Wins(names, tuple(of_judge), tuple(of_person), int(usable.sum()), int((~usable).sum()), belong)


def _close(values: Floats, others: Floats, score: Score | Callable[[float, Floats], float]) -> Floats:
    """(units,) how close each value is to the others' values (units, others), nan where someone gave none."""
    if callable(score):
        pairs = zip(values.tolist(), others, strict=True)
        return np.array([score(value, row[~np.isnan(row)]) for value, row in pairs], dtype=float)
    there = ~np.isnan(others)
    count = there.sum(axis=1)
    if score == "accuracy":
        scores: Floats = (others == values[:, None]).sum(axis=1) / count
        return scores
    if score == "neg_rmse":
        squares = np.where(there, others - values[:, None], 0.0) ** 2
        scores = -np.sqrt(squares.sum(axis=1) / count)
        return scores
    raise RatingsError(f'Unknown score {score!r}. Give "accuracy", "neg_rmse" or a function.')


def _decided(wins: _Wins, epsilon: float, q: float, least: int, confidence: float) -> AlternativeTest:
    tests: list[Test | None] = []
    of = wins.clusters or (None,) * len(wins.raters)
    for judged, own, clusters in zip(wins.judge, wins.person, of, strict=True):
        enough = len(judged) >= max(2, least)
        tests.append(_below(own.astype(float) - judged, epsilon, clusters) if enough else None)
    rejected = iter(benjamini_yekutieli([test.p_value for test in tests if test], q))
    people = []
    for name, judged, own, test in zip(wins.raters, wins.judge, wins.person, tests, strict=True):
        n = len(judged)
        shared = with_noun(n, "unit")
        reason = (
            None
            if test
            else f"{name} shares {shared} with other people. The test needs at least {max(2, least)} units."
        )
        advantage = undefined(f"{name} shares no unit with other people.", n_units=0, n_raters=2, confidence=confidence)
        if n:
            share = float(judged.mean())
            advantage = estimated(share, wilson(share, n, confidence), n_units=n, n_raters=2, confidence=confidence)
        own_share = float(own.mean()) if n else math.nan
        people.append(
            AgainstPerson(name, advantage, own_share, test, bool(test is not None and next(rejected)), reason)
        )
    tested = [person for person in people if person.test]
    k = len(tested)
    if k == 0:
        reason = f"No person shares at least {max(2, least)} units with other people and the judge."
        none = undefined(
            reason, n_units=wins.n_units, n_raters=len(people), n_left_out=wins.n_left_out, confidence=confidence
        )
        return AlternativeTest(none, none, tuple(people), epsilon, ())
    omega = estimated(
        sum(person.rejected for person in tested) / k,
        no_interval(f"with {k} people, the winning rate has only {k + 1} possible values."),
        n_units=wins.n_units,
        n_raters=k,
        n_left_out=wins.n_left_out,
        confidence=confidence,
    )
    rho = estimated(
        float(np.mean([person.advantage.value for person in tested])),
        no_interval("there are too few people to resample, and the people's shares come from the same units."),
        n_units=wins.n_units,
        n_raters=k,
        n_left_out=wins.n_left_out,
        confidence=confidence,
    )
    possible = tuple(at / k for at in range(k + 1))
    passes_at = _adjusted([test.p_value for test in tests if test])[math.ceil(k / 2) - 1]
    return AlternativeTest(omega, rho, tuple(people), epsilon, possible, passes_at)


def _adjusted(p_values: Sequence[float]) -> list[float]:
    """The p values in order, after Benjamini and Yekutieli: each is the smallest q at which it is rejected."""
    m = len(p_values)
    steps = np.sort(p_values) * m * (1 / np.arange(1, m + 1)).sum() / np.arange(1, m + 1)
    rising: list[float] = np.minimum(1.0, np.minimum.accumulate(steps[::-1])[::-1]).tolist()
    return rising


def _below(values: Floats, bound: float, clusters: Ints | None = None) -> Test:
    """One-sided t test that the mean is below ``bound``."""
    n = len(values)
    if clusters is not None:
        difference = contrast(values - bound, clusters=clusters)
        if difference.test is not None:
            (df,) = difference.test.df
            return Test("t", difference.test.value, (df,), float(special.stdtr(df, difference.test.value)))
    gap, se = float(values.mean()) - bound, float(values.std(ddof=1)) / math.sqrt(n)
    if se == 0:
        t = math.copysign(math.inf, gap) if gap else 0.0
        return Test("t", t, (float(n - 1),), 0.0 if gap < 0 else 1.0)
    t = gap / se
    return Test("t", t, (float(n - 1),), float(special.stdtr(n - 1, t)))


def benjamini_yekutieli(p_values: Sequence[float], q: float = 0.05) -> tuple[bool, ...]:
    """Which hypotheses are rejected at false discovery rate ``q``, however the tests depend on each other.

    Parameters
    ----------
    p_values
        One per hypothesis.
    q
        The rate.

    Returns
    -------
    tuple of bool
        In the order of ``p_values``.

    Notes
    -----
    The largest i with p_(i) <= i q / (m (1 + 1/2 + ... + 1/m)); it and all smaller are rejected [1]_.

    References
    ----------
    .. [1] Benjamini, Y. & Yekutieli, D. (2001). Annals of Statistics 29, 1165-1188.

    Examples
    --------
    >>> benjamini_yekutieli([0.009, 0.04, 0.5])
    (True, False, False)
    """
    m = len(p_values)
    if not m:
        return ()
    order = np.argsort(p_values, kind="stable")
    ordered = np.asarray(p_values, dtype=float)[order]
    bounds = np.arange(1, m + 1) * q / (m * (1 / np.arange(1, m + 1)).sum())
    under = np.flatnonzero(ordered <= bounds)
    rejected = np.zeros(m, dtype=bool)
    if len(under):
        rejected[order[: under[-1] + 1]] = True
    return tuple(rejected.tolist())
