"""How much two different categories agree: the weights of weighted coefficients."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, get_args

import numpy as np

from agreement.ratings import NAMELESS, Floats, Ratings
from domain.decimals import Tolerance, exact
from domain.errors import RatingsError

Named = Literal["none", "linear", "quadratic", "ordinal", "tolerance"]
Weights = Named | Floats | Sequence[Sequence[float]]
"""A name, or a square matrix of weights in the order of ``Ratings.categories``.

- "none": equal values agree, others do not;
- "linear": 1 - d / d_max, d being the distance of the values if they are numbers, otherwise of their positions;
- "quadratic": 1 - (d / d_max)^2;
- "tolerance": numbers agree that are within ``Scale.tolerance``, others do not; without one as "none";
- "ordinal": 1 - C(p + 1, 2) / C(q, 2), p being how many places lie between the two of q categories (Gwet 2014);
- a matrix with ones on its diagonal and nothing above one holds agreement weights. A matrix with zeros on its
diagonal and nothing below zero holds disagreement weights, which become agreement weights as 1 - d / max d.
"""

NAMED: tuple[Named, ...] = get_args(Named)

MOST_CATEGORIES = 1000
"""Beyond that a table of categories would not fit, and a kappa says nothing: the values are measurements."""


def problem_of(ratings: Ratings, weights: Weights, *, named: bool = False) -> str | None:
    """Why these ratings have no coefficient with these weights, as a sentence; None if they may have one.

    ``named`` coefficients need to know who gave which rating.

    Raises
    ------
    RatingsError
        The weights are neither a known name nor a matrix that fits the scale.
    """
    q = len(ratings.categories)
    if isinstance(weights, str):
        if weights not in NAMED:
            raise RatingsError(f"Weights must be {', '.join(NAMED[:-1])} or {NAMED[-1]}, not {weights!r}.")
        if weights != "none" and ratings.scale.level == "nominal":
            return (
                f"{weights.capitalize()} weights need ordered values, but the scale is nominal. Remove the weights, "
                "or declare an ordinal scale."
            )
    elif q:  # without any rating there is no scale to fit
        _given(weights, q)
    if named and ratings.counted:
        return NAMELESS
    if q > MOST_CATEGORIES and ratings.scale.level != "nominal":
        return (
            f"{q:,} different values are too many to treat as categories. Use alpha, Pearson's correlation or the ICC."
        )
    return None


def agreement_weights(ratings: Ratings, weights: Weights, *, symmetric: bool = True) -> Floats | None:
    """(categories, categories) weights, one on the diagonal and at most one elsewhere; None where equal counts alone.

    With ``symmetric``, a matrix that treats the two raters of a pair differently is refused.

    >>> ratings = Ratings.from_lists(ann=[1, 2, 4])
    >>> agreement_weights(ratings, "linear").round(2).tolist()
    [[1.0, 0.67, 0.0], [0.67, 1.0, 0.33], [0.0, 0.33, 1.0]]
    >>> agreement_weights(ratings, "ordinal").round(2).tolist()
    [[1.0, 0.67, 0.0], [0.67, 1.0, 0.67], [0.0, 0.67, 1.0]]
    """
    q = len(ratings.categories)
    if not isinstance(weights, str):
        given = _given(weights, q)
        if symmetric and not np.allclose(given, given.T, rtol=0, atol=1e-12):
            raise RatingsError(
                "This matrix of weights treats the two raters differently. Only Cohen's kappa of two named raters "
                "allows an asymmetric matrix. For other statistics, make the matrix symmetric."
            )
        return given
    if weights == "none" or q < 2:
        return None
    if weights == "tolerance":
        return _within(ratings)
    if weights == "ordinal":
        places = np.arange(q)
        apart = np.abs(places[:, None] - places[None, :])
        ordinal: Floats = 1 - apart * (apart + 1) / (q * (q - 1))
        return ordinal
    distance = np.abs(ratings.positions[:, None] - ratings.positions[None, :])
    relative: Floats = distance / distance.max()
    return 1 - relative if weights == "linear" else 1 - relative**2


def _within(ratings: Ratings) -> Floats | None:
    """Return 1 where two numbers are within the scale's tolerance, 0 otherwise, exactly; None without tolerance."""
    tolerance, numbers = ratings.scale.tolerance, [exact(category) for category in ratings.categories]
    known = [number for number in numbers if number is not None]
    if tolerance is None or len(known) < len(numbers):
        return None
    order = sorted(range(len(known)), key=known.__getitem__)
    matrix = np.zeros((len(known), len(known)))
    for place, at in enumerate(order):
        others = order[place:]  # the further away, the less alike
        alike = others[: _n_alike(known[at], [known[other] for other in others], tolerance)]
        matrix[at, alike] = matrix[alike, at] = 1
    return matrix


def _n_alike(number: Fraction, others: Sequence[Fraction], tolerance: Tolerance) -> int:
    """How many of several numbers, the nearest first, are within a tolerance of one."""

    def apart(other: Fraction) -> bool:
        return not tolerance.holds(number, other)

    return bisect_left(others, True, key=apart)


def _given(weights: Floats | Sequence[Sequence[float]], q: int) -> Floats:
    """A matrix of weights as agreement weights."""
    try:
        matrix = np.asarray(weights, dtype=float)
    except (TypeError, ValueError):
        raise RatingsError("A matrix of weights must be a square table of numbers.") from None
    if matrix.shape != (q, q):
        raise RatingsError(
            f"A matrix of weights needs a row and a column for each of the {q} categories. This matrix is "
            f"{' x '.join(map(str, matrix.shape)) or 'a single number'}."
        )
    diagonal = np.diagonal(matrix)
    if np.isfinite(matrix).all():
        if (diagonal == 1).all() and matrix.max() <= 1:
            return matrix
        if (diagonal == 0).all() and matrix.min() >= 0 and (matrix.max() > 0 or q == 1):
            disagreement: Floats = 1 - matrix / max(matrix.max(), np.finfo(float).tiny)
            return disagreement
    raise RatingsError(
        "A matrix of agreement weights needs ones on its diagonal and no value above 1. A matrix of disagreement "
        "weights needs zeros on its diagonal and no value below 0."
    )
