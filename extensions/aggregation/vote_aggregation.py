"""One label or number per unit from several raters, and how reliable each rater seems to be."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from agreement.ratings import MISSING, Floats, Ints, Ratings
from domain.errors import NotAvailableError, RatingsError
from domain.installation import install_hint
from extensions.aggregation.dawid_skene import TIE, fit_classes, most_likely, why_not_fitted

__all__ = ["Aggregation", "aggregate"]

Method = Literal["majority", "mean", "dawid_skene", "mace", "glad"]
Ties = Literal["none", "first", "lowest", "highest", "random", "leave_out"]


@dataclass(frozen=True, eq=False)
class Aggregation:
    """Aggregated ratings, one value for each unit.

    Sequences about units follow ``units``, those about raters follow ``raters``. If no result is possible, ``reason``
    says why and ``units`` is empty.
    """

    method: str
    units: tuple[str, ...]
    values: tuple[Any, ...]
    """The label, or the mean; None for a tie that the rule leaves open."""
    certainty: Floats
    """(units,): the share of the votes, or the probability, that the most likely label has; nan for means."""
    probabilities: Floats | None
    """(units, categories): the share of the votes, or the probability, of each label; None for means."""
    se: Floats | None
    """(units,): the standard error of a mean, nan for a single rating; None for labels."""
    n_ratings: Ints
    """(units,): the ratings behind each."""
    ties: tuple[str, ...]
    """The units whose most likely labels are level, those left out included."""
    n_left_out: int
    """Units that were rated, but are not here."""
    categories: tuple[Any, ...]
    raters: tuple[str, ...]
    reliability: Floats
    """(raters,): estimated reliability of each rater; nan without enough data."""
    reliability_is: str
    """Meaning of the numbers in ``reliability``."""
    shares: Floats | None = None
    """(categories,): the estimated share of each class, by Dawid & Skene."""
    confusion: Floats | None = None
    """(raters, true class, given class), by Dawid & Skene; nan where the rater met no unit of the class."""
    rounds: int | None = None
    """Of the iteration, where there is one."""
    reason: str | None = None
    """Why there are no units, or what to keep in mind about them."""

    def of_unit(self) -> Mapping[str, Any]:
        """The value of each unit by its name."""
        return dict(zip(self.units, self.values, strict=True))


def aggregate(ratings: Ratings, *, method: Method = "majority", ties: Ties = "none", seed: int = 0) -> Aggregation:
    """Combine several raters' labels into one value for each unit.

    Parameters
    ----------
    ratings
        Any number of raters; cells may be empty. A mean needs numbers.
    method
        "majority" counts votes; "mean" averages numbers; "dawid_skene" weighs each vote by the confusion matrix of
        its rater; "mace" and "glad" are those of the package crowd-kit, which is an extra: MACE parts raters into those
        who know and those who guess, GLAD gives every rater an ability and every unit a difficulty.
    ties
        Treatment of a unit with several most likely labels. "none" keeps it without a value; "leave_out" leaves it
        out and counts it. "first" takes the first label in the declared order, "lowest" and "highest" the outer one
        on an ordered scale, "random" draws one. ``ties`` lists these units. Means have no ties.
    seed
        Of the random rule, and of MACE.

    Returns
    -------
    Aggregation
        Without units and with a ``reason`` where the method can say nothing about these ratings.

    Raises
    ------
    RatingsError
        There is no such method or rule, or the scale does not fit it.
    NotAvailableError
        MACE or GLAD are asked for, and crowd-kit is not installed.

    Notes
    -----
    Reliability depends on the method. Majority: the share of a rater's votes that equal the majority of the *other*
    raters. Mean: the correlation with the mean of the others. Dawid & Skene: the probability of a right answer over
    the estimated class shares. MACE: the probability of not guessing. GLAD: the ability alpha. It is an estimate from
    agreement alone: raters who err together look reliable. Dawid & Skene: [1]_, see :func:`dawid_skene`; MACE: [2]_;
    GLAD: [3]_.

    References
    ----------
    .. [1] Dawid, A. P. & Skene, A. M. (1979). Applied Statistics 28, 20-28.
    .. [2] Hovy, D. et al. (2013). Learning whom to trust with MACE. NAACL-HLT, 1120-1130.
    .. [3] Whitehill, J. et al. (2009). Whose vote should count more. NeurIPS 22, 2035-2043.

    Examples
    --------
    >>> ratings = Ratings.from_lists(ann=["a", "a", "b"], bob=["a", "b", "b"], eva=["a", "b", None])
    >>> aggregate(ratings).values
    ('a', 'b', 'b')
    >>> aggregate(ratings.of("ann", "bob"), ties="first").ties
    ('000000001',)
    """
    if method not in _METHODS:
        raise RatingsError(f"Unknown aggregation {method!r}. Choose one of {', '.join(get_args(Method))}.")
    if ties not in get_args(Ties):
        raise RatingsError(f"Unknown tie rule {ties!r}. Choose one of {', '.join(get_args(Ties))}.")
    if method != "mean" and ties in ("lowest", "highest") and not _ordered(ratings):
        raise RatingsError(
            f"The tie rule {ties!r} needs an ordered scale, but the scale is nominal. Choose first, random, none or "
            "leave_out."
        )
    kept = ratings.of(*ratings.raters)  # without unrated units
    if not kept.units:
        return _nothing(ratings, method, "There are no ratings.")
    return _METHODS[method](kept, ties, seed)


def _majority(ratings: Ratings, ties: Ties, seed: int) -> Aggregation:
    votes = _votes(ratings)
    return _labelled(
        ratings,
        "majority",
        votes / votes.sum(axis=1, keepdims=True),
        ties,
        seed,
        reliability=_with_others(ratings, votes),
        reliability_is="share of votes equal to the majority of the other raters, excluding ties",
    )


def _mean(ratings: Ratings, ties: Ties, seed: int) -> Aggregation:
    values = ratings.values
    n = ratings.rated.sum(axis=1)
    # Squares of huge numbers would overflow; a power of two changes no digit.
    scale = 2.0 ** np.clip(np.frexp(np.nanmax(np.abs(values)))[1], -1000, 1000)
    relative = values / scale
    means = np.nansum(relative, axis=1) / n
    squares = np.nansum((relative - means[:, None]) ** 2, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        se = np.where(n > 1, np.sqrt(squares / (n - 1) / n), math.nan) * scale
    return Aggregation(
        method="mean",
        units=ratings.units,
        values=tuple((means * scale).tolist()),
        certainty=np.full(len(n), math.nan),
        probabilities=None,
        se=se,
        n_ratings=n,
        ties=(),
        n_left_out=0,
        categories=ratings.categories,
        raters=ratings.raters,
        reliability=_correlation_with_others(relative),
        reliability_is="Pearson's correlation with the mean of the other raters",
    )


def _dawid_skene(ratings: Ratings, ties: Ties, seed: int) -> Aggregation:
    q = len(ratings.categories)
    used = int(np.unique(ratings.codes[ratings.rated]).size)
    problem = why_not_fitted(int(ratings.rated.any(axis=0).sum()), used, q)
    if problem:
        return _nothing(ratings, "dawid_skene", problem)
    unit, rater = np.nonzero(ratings.rated)
    shape = (len(ratings.units), len(ratings.raters), q)
    p, shares, confusion, rounds, converged = fit_classes(
        unit, rater, ratings.codes[unit, rater], shape, rounds=10_000, tolerance=1e-10
    )
    right = np.diagonal(confusion, axis1=1, axis2=2)
    known = np.isfinite(right) & (shares > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        reliability = np.where(known, right * shares, 0).sum(axis=1) / (known * shares).sum(axis=1)
    aggregate = _labelled(
        ratings,
        "dawid_skene",
        p,
        ties,
        seed,
        reliability=reliability,
        reliability_is="probability of the right label, given the estimated class shares",
    )
    reason = None if converged else f"The estimate did not converge after {rounds:,} rounds."
    return replace(aggregate, shares=shares, confusion=confusion, rounds=rounds, reason=reason)


def _mace(ratings: Ratings, ties: Ties, seed: int) -> Aggregation:
    def fit(aggregation: Any, table: Any) -> tuple[Any, Any]:
        model = aggregation.MACE(random_state=seed)
        p = model.fit_predict_proba(table)
        # (raters in the order in which they occur, guessing or knowing); the rows need not sum to one.
        spamming = np.asarray(model.spamming_)
        knowing = spamming[:, 1] / spamming.sum(axis=1)
        return p, dict(zip(table["worker"].unique().tolist(), knowing.tolist(), strict=True))

    return _by_crowdkit(
        ratings, "mace", fit, ties, seed, "probability that the rater knows the label instead of guessing (MACE)"
    )


def _glad(ratings: Ratings, ties: Ties, seed: int) -> Aggregation:
    def fit(aggregation: Any, table: Any) -> tuple[Any, Any]:
        model = aggregation.GLAD()
        p = model.fit_predict_proba(table)
        return p, model.alphas_.to_dict()

    return _by_crowdkit(
        ratings,
        "glad",
        fit,
        ties,
        seed,
        "ability alpha (GLAD); a rater with a negative value is wrong more often than right",
    )


def _by_crowdkit(
    ratings: Ratings,
    method: Method,
    fit: Callable[[Any, Any], tuple[Any, Any]],
    ties: Ties,
    seed: int,
    reliability_is: str,
) -> Aggregation:
    """One of crowd-kit's models on the same ratings, as codes."""
    q = len(ratings.categories)
    used = int(np.unique(ratings.codes[ratings.rated]).size)
    problem = why_not_fitted(int(ratings.rated.any(axis=0).sum()), used, q)
    if problem:
        return _nothing(ratings, method, problem)
    try:
        import pandas as pd
        from crowdkit import aggregation
    except ImportError as error:
        raise NotAvailableError(
            f"{method.upper()} needs the package crowd-kit, which is not installed. {install_hint('aggregation')}"
        ) from error
    unit, rater = np.nonzero(ratings.rated)
    table = pd.DataFrame({"task": unit, "worker": rater, "label": ratings.codes[unit, rater]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about its own use of pandas
        probabilities, reliability = fit(aggregation, table)
    p = probabilities.reindex(index=range(len(ratings.units)), columns=range(q)).fillna(0.0).to_numpy(dtype=float)
    return _labelled(
        ratings,
        method,
        p,
        ties,
        seed,
        reliability=np.array([reliability.get(at, math.nan) for at in range(len(ratings.raters))], dtype=float),
        reliability_is=reliability_is,
    )


_METHODS: Mapping[Method, Callable[[Ratings, Ties, int], Aggregation]] = {
    "majority": _majority,
    "mean": _mean,
    "dawid_skene": _dawid_skene,
    "mace": _mace,
    "glad": _glad,
}


def _labelled(
    ratings: Ratings,
    method: Method,
    p: Floats,
    ties: Ties,
    seed: int,
    *,
    reliability: Floats,
    reliability_is: str,
) -> Aggregation:
    """The most likely label of each unit under a rule for ties."""
    level = p >= p.max(axis=1, keepdims=True) - TIE
    tied = level.sum(axis=1) > 1
    chosen = most_likely(p)
    if ties == "random":
        draws = np.random.default_rng(seed).random(p.shape)
        chosen = np.where(level, draws, -1.0).argmax(axis=1)
    elif ties in ("lowest", "highest"):
        place = np.broadcast_to(ratings.positions, p.shape)
        outer = np.where(level, place, math.inf if ties == "lowest" else -math.inf)
        chosen = outer.argmin(axis=1) if ties == "lowest" else outer.argmax(axis=1)
    kept = ~tied if ties == "leave_out" else np.ones(len(p), dtype=bool)
    values = [ratings.categories[at] for at in chosen]
    if ties == "none":
        values = [None if at_level else value for value, at_level in zip(values, tied, strict=True)]
    return Aggregation(
        method=method,
        units=_where(ratings.units, kept),
        values=_where(values, kept),
        certainty=p.max(axis=1)[kept],
        probabilities=p[kept],
        se=None,
        n_ratings=ratings.rated.sum(axis=1)[kept],
        ties=_where(ratings.units, tied),
        n_left_out=int((~kept).sum()),
        categories=ratings.categories,
        raters=ratings.raters,
        reliability=reliability,
        reliability_is=reliability_is,
    )


def _nothing(ratings: Ratings, method: str, reason: str) -> Aggregation:
    return Aggregation(
        method=method,
        units=(),
        values=(),
        certainty=np.empty(0),
        probabilities=None,
        se=None,
        n_ratings=np.empty(0, dtype=np.int64),
        ties=(),
        n_left_out=int(ratings.rated.any(axis=1).sum()),
        categories=ratings.categories,
        raters=ratings.raters,
        reliability=np.full(len(ratings.raters), math.nan),
        reliability_is="",
        reason=reason,
    )


def _votes(ratings: Ratings) -> Floats:
    """(units, categories): how many raters chose each."""
    n, q = len(ratings.units), len(ratings.categories)
    if n * q > 50_000_000:
        raise RatingsError(f"The ratings have {q:,} different values, like a measurement. Use the mean instead.")
    unit, rater = np.nonzero(ratings.rated)
    return np.bincount(unit * q + ratings.codes[unit, rater], minlength=n * q).reshape(n, q).astype(float)


def _with_others(ratings: Ratings, votes: Floats) -> Floats:
    """(raters,): the share of votes that equal the majority of the others; units without one say nothing."""
    agreements = np.full(len(ratings.raters), math.nan)
    for at, codes in enumerate(ratings.codes.T):
        there = np.flatnonzero(codes != MISSING)
        others = votes[there].copy()
        others[np.arange(len(there)), codes[there]] -= 1
        most = others.max(axis=1)
        clear = (most > 0) & ((others >= most[:, None] - TIE).sum(axis=1) == 1)
        if clear.any():
            agreements[at] = (others.argmax(axis=1) == codes[there])[clear].mean()
    return agreements


def _correlation_with_others(values: Floats) -> Floats:
    """(raters,): Pearson's correlation of each column with the mean of the other columns."""
    there = np.isfinite(values)
    filled = np.where(there, values, 0.0)
    total, n = filled.sum(axis=1), there.sum(axis=1)
    correlations = np.full(values.shape[1], math.nan)
    for at in range(values.shape[1]):
        both = there[:, at] & (n > 1)
        if both.sum() < 3:
            continue
        own = filled[both, at]
        others = (total[both] - own) / (n[both] - 1)
        if np.ptp(own) > 1e-12 and np.ptp(others) > 1e-12:
            correlations[at] = np.corrcoef(own, others)[0, 1]
    return correlations


def _ordered(ratings: Ratings) -> bool:
    return ratings.numeric or ratings.scale.level != "nominal"


def _where(values: Sequence[Any], kept: NDArray[np.bool_]) -> tuple[Any, ...]:
    return tuple(value for value, there in zip(values, kept, strict=True) if there)
