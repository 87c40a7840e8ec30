"""Agreement by overlap: of spans of time, and of boxes on images.

Values are JSON texts (see ``domain.overlap``), on a scale that has the ``shape``. Each unit has the mean over its
pairs of raters, and a statistic is the mean over units. Nothing is corrected for chance.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from agreement.bootstrap import Bootstrap, bootstrap_interval, sample_of
from agreement.chance import NO_PAIRS
from agreement.ratings import MISSING, Ints, Ratings
from agreement.statistic import Statistic, estimated, undefined
from domain.decimals import exact
from domain.errors import RatingsError
from domain.overlap import Overlap, Shape, area_iou, time_iou
from domain.statistics import Behaviour, Needs, StatisticRow, Variant

Entries = Sequence[Mapping[str, Any]]

HALF = 0.5
"""Default IoU from which two boxes match."""


def temporal_iou(ratings: Ratings, *, confidence: float = 0.95, bootstrap: Bootstrap | None = None) -> Statistic:
    """Compute the share of the time marked by either of two raters that both marked, on average.

    Parameters
    ----------
    ratings
        Two or more raters, spans of time. Units with fewer than two ratings are left out.

    Returns
    -------
    Statistic
        ``value`` in [0, 1], with limits from resampled units (or clusters). ``nan`` with a ``reason`` if no unit has
        two ratings, or the ratings are no spans.

    Raises
    ------
    RatingsError
        A rating is no list of spans, or some are in seconds and others in frames.

    Notes
    -----
    The spans of a rating are taken together: the length of the intersection over that of the union. Two raters who both
    marked nothing have 1, by definition. Checked by hand and against a count of small steps in tests/agreement.

    Examples
    --------
    >>> from agreement import Scale
    >>> said = {"ann": ['[{"start": 0, "end": 2}]'], "bob": ['[{"start": 1, "end": 3}]']}
    >>> round(temporal_iou(Ratings.from_lists(scale=Scale("nominal", shape=Shape.SPANS), **said)).value, 3)
    0.333
    """
    return _mean(ratings, Shape.SPANS, time_iou, "", confidence, bootstrap)


def box_f1(
    ratings: Ratings, *, threshold: float = HALF, confidence: float = 0.95, bootstrap: Bootstrap | None = None
) -> Statistic:
    """Compute the share of two raters' boxes that match, 2 m / (n + n'), on average.

    Parameters
    ----------
    ratings
        Two or more raters, boxes. Units with fewer than two ratings are left out.
    threshold
        The least IoU of two boxes that may match, above 0 and at most 1 (:func:`matched`).

    Returns
    -------
    Statistic
        ``value`` in [0, 1], with limits from resampled units (or clusters). ``nan`` with a ``reason`` if no unit has
        two ratings, or the ratings are no boxes.

    Raises
    ------
    RatingsError
        A rating is no list of boxes, or the threshold is invalid.

    Notes
    -----
    m matches of n and n' boxes. It is the same whichever of the two is the reference. Two raters who both drew nothing
    have 1, by definition. Checked by hand and against all matchings of small cases in tests/agreement.
    """
    _check(threshold)

    def shared(one: Entries, other: Entries) -> float:
        drawn = len(one) + len(other)
        return 2 * len(matched(one, other, threshold)) / drawn if drawn else 1.0

    return _mean(ratings, Shape.BOXES, shared, "", confidence, bootstrap)


def box_iou(
    ratings: Ratings, *, threshold: float = HALF, confidence: float = 0.95, bootstrap: Bootstrap | None = None
) -> Statistic:
    """Compute the mean IoU of two raters' matching boxes, on average.

    Parameters, errors and matches are those of :func:`box_f1`. Pairs of raters without a match are ignored, and a
    unit without matches is left out. So the value is never below ``threshold``; read it next to the F1.
    """
    _check(threshold)

    def closeness(one: Entries, other: Entries) -> float:
        matches = matched(one, other, threshold)
        return sum(iou for _, _, iou in matches) / len(matches) if matches else math.nan

    reason = f"No boxes from two raters match with an IoU of {threshold:g} or more."
    return _mean(ratings, Shape.BOXES, closeness, reason, confidence, bootstrap)


def matched(one: Entries, other: Entries, threshold: float = HALF) -> list[tuple[int, int, float]]:
    """Which box of one rater belongs to which of another, by their places, and their IoU.

    Two boxes may match if they have the same label, are on the same image, and have at least this IoU, exactly. Each
    matches one other at most. Of all such matchings it is one whose IoUs have the greatest sum.

    >>> left, right = {"x": 0.0, "y": 0.0, "w": 0.4, "h": 0.4}, {"x": 0.5, "y": 0.0, "w": 0.4, "h": 0.4}
    >>> matched([left, right], [right])
    [(1, 0, 1.0)]
    """
    enough = Overlap(exact(threshold) or Fraction(threshold))
    matches = [
        (at, to, area_iou(a, b)) for at, a in enumerate(one) for to, b in enumerate(other) if enough.one_thing(a, b)
    ]
    if len({at for at, _, _ in matches}) == len({to for _, to, _ in matches}) == len(matches):
        return matches  # no box has a choice
    from scipy.optimize import linear_sum_assignment  # slow to load, and seldom needed

    ious = np.zeros((len(one), len(other)))
    for at, to, iou in matches:
        ious[at, to] = iou
    pairs = zip(*linear_sum_assignment(ious, maximize=True), strict=True)
    return [(int(at), int(to), float(ious[at, to])) for at, to in pairs if ious[at, to]]


def _mean(
    ratings: Ratings,
    shape: Shape,
    compare: Callable[[Entries, Entries], float],
    nothing: str,
    confidence: float,
    bootstrap: Bootstrap | None,
) -> Statistic:
    """Return the mean over units of their pairs' mean; ``nothing`` is the reason if ``compare`` always gives nan."""
    n_raters, n = len(ratings.raters), ratings.n_units
    if ratings.scale.shape is not shape:
        reason = (
            f"These ratings are not {_WORDS[shape]}, because their scale is "
            f"{ratings.scale.shape or ratings.scale.level}. Choose a statistic for this scale."
        )
        return undefined(reason, n_units=0, n_raters=n_raters, n_left_out=n, confidence=confidence)
    answers = [_read(text, shape) for text in ratings.categories]
    if len({"start" in span for spans in answers for span in spans}) > 1 and shape is Shape.SPANS:
        raise RatingsError("Some time spans are in seconds and some in frames. Give all spans in the same unit.")

    @cache
    def of_pair(one: int, other: int) -> float:
        return compare(answers[one], answers[other])

    def of_unit(row: Ints) -> float:
        codes = sorted(row[row != MISSING].tolist())
        values = [value for pair in combinations(codes, 2) if not math.isnan(value := of_pair(*pair))]
        return sum(values) / len(values) if values else math.nan

    usable = ~np.isnan(np.array([of_unit(row) for row in ratings.codes], dtype=float))
    n_units = ratings.count(usable)
    if not n_units:
        reason = nothing if (ratings.rated.sum(axis=1) > 1).any() else NO_PAIRS
        return undefined(reason, n_units=0, n_raters=n_raters, n_left_out=n, confidence=confidence)
    sample = sample_of(ratings, usable)
    shares = np.array([of_unit(row) for row in sample.rows])
    interval = bootstrap_interval(
        lambda drawn: drawn @ shares / drawn.sum(axis=1), sample, bootstrap, confidence=confidence
    )
    value = float(sample.counts @ shares / n_units)
    return estimated(value, interval, n_units=n_units, n_raters=n_raters, n_left_out=n - n_units, confidence=confidence)


_WORDS = {Shape.SPANS: "spans of time", Shape.BOXES: "boxes"}
_KEYS = {Shape.SPANS: (("start", "end"), ("first", "last")), Shape.BOXES: (("x", "y", "w", "h"),)}


def _read(text: Any, shape: Shape) -> Entries:
    """Return the entries of a rating's list; raise ``RatingsError`` if the rating is no list."""
    try:
        entries = json.loads(text)
    except (TypeError, ValueError):
        entries = None
    if not isinstance(entries, list) or not all(_is_entry(entry, shape) for entry in entries):
        forms = " or ".join(f"{{{', '.join(keys)}}}" for keys in _KEYS[shape])
        raise RatingsError(
            f"The rating {str(text)[:80]!r} is not a JSON list of {_WORDS[shape]}, each with {forms}. Correct the "
            "rating."
        )
    return entries


def _is_entry(entry: Any, shape: Shape) -> bool:
    def number(value: Any) -> bool:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)

    return isinstance(entry, dict) and any(all(number(entry.get(key)) for key in keys) for keys in _KEYS[shape])


def _check(threshold: float) -> None:
    if not 0 < threshold <= 1:
        raise RatingsError(f"The IoU threshold must be above 0 and at most 1, not {threshold!r}.")


_BEHAVIOUR = Behaviour(chance=None, constant=1.0, moved=False)
_NOT_CORRECTED = "not corrected for chance, and does not show which rater is right"
_BY_THRESHOLD = f"This statistic depends on the threshold, is {_NOT_CORRECTED}."

ROWS = (
    StatisticRow(
        temporal_iou,
        title="Temporal IoU",
        meaning="time that both raters marked, as a share of the time that either rater marked",
        place=190,
        needs=Needs.SPANS,
        shown=Needs.SPANS,
        variants=(Variant(shown=Needs.SPANS),),
        headline=True,
        caution=f"This statistic is {_NOT_CORRECTED}. Two long spans of a short clip always overlap.",
        behaviour=_BEHAVIOUR,
    ),
    StatisticRow(
        box_f1,
        title="F1 of boxes",
        meaning="share of two raters' boxes that match: same image, same label, and an IoU of at least the threshold",
        place=200,
        needs=Needs.BOXES,
        shown=Needs.BOXES,
        variants=(Variant({"threshold": HALF}, shown=Needs.BOXES, title=f"F1 of boxes (IoU ≥ {HALF:g})"),),
        headline=True,
        caution=_BY_THRESHOLD,
        behaviour=_BEHAVIOUR,
    ),
    StatisticRow(
        box_iou,
        title="IoU of matched boxes",
        meaning="mean IoU of two raters' boxes that match",
        place=210,
        needs=Needs.BOXES,
        shown=Needs.BOXES,
        variants=(Variant({"threshold": HALF}, shown=Needs.BOXES, title=f"IoU of matched boxes (IoU ≥ {HALF:g})"),),
        headline=True,
        caution=f"Boxes without a match do not count, so the mean is never below the threshold. {_BY_THRESHOLD}",
        behaviour=_BEHAVIOUR,
    ),
)
