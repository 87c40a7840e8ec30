"""What other packages give for the same ratings, compared with ours, and why they differ where the reason is known.

scikit-learn and krippendorff are imported inside the calls and are never needed (krippendorff is GPL-3).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.ratings import LEVELS, MISSING, Floats, Ratings
from domain.installation import install_hint

TOLERANCE = 1e-9
"""A larger difference than that is one."""

_MOST_BYTES = 2**30
"""Of memory that another package may take."""

_EXTRA = "peers"


@dataclass(frozen=True)
class Peer:
    """The value of another package for the same ratings."""

    package: str
    """The package with its version, such as "scikit-learn 1.9.1"."""
    value: float | None
    """None where it has none, or was not asked; then ``reason`` says why."""
    differs: bool
    """Whether it is further from ours than ``TOLERANCE``, or one of the two has no value where the other has one."""
    reason: str | None = None
    """Why it differs or has no value, or how it had to be asked."""


def peers_of(statistic: str, args: Mapping[str, Any], ratings: Ratings, value: float | None) -> tuple[Peer, ...]:
    """Return the values that other packages give for a statistic.

    Parameters
    ----------
    statistic, args
        The statistic by its name in :data:`domain.statistics.STATISTICS`, and its variant ("weights", "level").
    ratings
        The ratings that ours was computed from.
    value
        Ours; None if it is undefined.

    Returns
    -------
    tuple of Peer
        One for each package that offers it; none if no package does, or if the scale does not carry the variant.

    Notes
    -----
    krippendorff is given the values themselves. scikit-learn weighs by the position of a value in a list. So it is
    given a list, unused values included, with positions as far apart as the values. If all ratings are equal,
    scikit-learn gives nan, krippendorff an error, and this package no value.

    Examples
    --------
    >>> peers_of("icc", {"form": "ICC(1,1)"}, Ratings.from_lists(ann=[1, 2], bob=[1, 2]), 1.0)
    ()
    """
    ask = _ASKED.get(statistic)
    if ask is None or (statistic != "krippendorff_alpha" and len(ratings.raters) != 2):
        return ()
    if value is None and _above_scale(args, ratings):
        return ()
    name, compute = ask
    package = with_version(name)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            theirs, note = compute(ratings, args)
    except ImportError:
        return (not_installed(name),)
    except CannotCompare as refusal:
        return (Peer(package, None, False, str(refusal)),)
    except Exception as error:
        # Whatever other people's code raises on ratings that it does not take.
        sentence = f"{name} rejected these ratings: {str(error).strip().splitlines()[0] if str(error) else error!r}"
        return (Peer(package, None, value is not None, sentence),)
    return (compare_values(package, theirs, note, value),)


def _above_scale(args: Mapping[str, Any], ratings: Ratings) -> bool:
    """Return whether the scale does not support the variant, so that no package is asked for it."""
    if ratings.scale.level == "nominal" and args.get("weights", "none") != "none":
        return True
    return LEVELS.index(args.get("level", "nominal")) > LEVELS.index(ratings.scale.level)


@dataclass(frozen=True)
class SecondOpinion:
    """Touchstone's coefficients next to those of other packages for the same ratings."""

    packages: tuple[str, ...]
    """Those that were asked, with their versions."""
    n_compared: int
    largest: float
    """The largest difference among those that do not differ."""
    differences: tuple[str, ...]
    """A sentence with both values for each coefficient that differs: an error in one of the two."""
    not_compared: tuple[str, ...]
    """Reasons why a package was not asked, or is not installed."""

    @property
    def sentence(self) -> str:
        """The result in one sentence."""
        if not self.n_compared:
            return "No other installed package computes these coefficients."
        names = " and ".join(self.packages)
        if self.differences:
            return f"Coefficients that differ from {names}: {len(self.differences):,} of {self.n_compared:,}."
        within = 10.0 ** math.ceil(math.log10(self.largest)) if self.largest > 1e-12 else 1e-12
        verb = "coefficient is" if self.n_compared == 1 else "coefficients are"
        return f"{self.n_compared:,} {verb} equal to the results of {names} to within {within:.0e}."


def second_opinion(lines: Iterable[tuple[str, float | None, Sequence[Peer]]]) -> SecondOpinion:
    """Return what other packages say of all coefficients of a table.

    ``lines`` are (title, our value or None where it is undefined, what the packages gave).

    >>> second_opinion([("kappa", 0.5, [Peer("scikit-learn 1.9.1", 0.5, False)])]).sentence
    '1 coefficient is equal to the results of scikit-learn 1.9.1 to within 1e-12.'
    """
    packages: dict[str, None] = {}
    differences, reasons = [], dict[str, None]()
    n, largest = 0, 0.0
    for title, value, peers in lines:
        for peer in peers:
            if peer.differs:
                ours = "undefined" if value is None else f"{value:.12g}"
                theirs = "no value" if peer.value is None else f"{peer.value:.12g}"
                differences.append(
                    f"{title}: {ours} in Touchstone, {theirs} in {peer.package}. {peer.reason or ''}".strip()
                )
            elif peer.value is None:
                if value is not None:
                    reasons[peer.reason or ""] = None
                continue
            elif value is not None:
                largest = max(largest, abs(peer.value - value))
            packages[peer.package] = None
            n += 1
    return SecondOpinion(tuple(sorted(packages)), n, largest, tuple(differences), tuple(reasons))


class CannotCompare(Exception):
    """Another package was not asked, and why."""


def compare_values(package: str, theirs: float, note: str | None, value: float | None) -> Peer:
    """Return what a package gave, and whether it differs from our value (None: undefined)."""
    if not math.isfinite(theirs):
        if value is None:
            return Peer(package, None, False, f"{package} also gives no value.")
        return Peer(
            package,
            None,
            True,
            (f"{package} gives no number, but Touchstone does. Report this difference to the Touchstone developers."),
        )
    if value is None:
        return Peer(
            package,
            theirs,
            True,
            (
                f"{package} gives a number, but Touchstone does not. Report this difference to the Touchstone "
                "developers."
            ),
        )
    if abs(theirs - value) <= TOLERANCE:
        return Peer(package, theirs, False, note)
    by = abs(theirs - value)
    return Peer(
        package,
        theirs,
        True,
        (
            f"The values differ by {by:.2g}, so one of the two values is wrong. Report this difference to the "
            "Touchstone developers."
        ),
    )


def not_installed(package: str) -> Peer:
    """Return that a package could not be asked."""
    return Peer(package, None, False, f"{package} is not installed. {install_hint(_EXTRA)}")


def with_version(package: str) -> str:
    """Return a package's name with its version."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return package


def _pair(ratings: Ratings) -> tuple[list[Any], list[Any]]:
    both = ratings.codes[ratings.rated.all(axis=1)]
    if not len(both):
        raise CannotCompare("No unit has ratings from both raters.")
    first, second = ([ratings.categories[code] for code in column] for column in both.T.tolist())
    return first, second


def _sklearn_kappa(ratings: Ratings, args: Mapping[str, Any]) -> tuple[float, str | None]:
    from sklearn.metrics import cohen_kappa_score

    weights = args.get("weights", "none")
    if not isinstance(weights, str) or weights not in ("none", "linear", "quadratic"):
        raise CannotCompare("scikit-learn supports only the weights none, linear and quadratic.")
    both = ratings.where(ratings.rated.all(axis=1))
    if not len(both.codes):
        raise CannotCompare("No unit has ratings from both raters.")
    if weights == "none":
        return float(cohen_kappa_score(*both.codes.T, sample_weight=both.times)), None
    places = _even_places(ratings.positions)
    labels = np.arange(int(places.max()) + 1)
    first, second = places[both.codes].T
    return float(cohen_kappa_score(first, second, labels=labels, weights=weights, sample_weight=both.times)), None


_MOST_PLACES = 2_000


def _even_places(positions: Floats) -> NDArray[np.int64]:
    """Return whole numbers as far apart as the values of the scale.

    scikit-learn weighs by the place of a label in its list. With a label for every step, also for those that nobody
    used, the places are as far apart as the values.
    """
    exact = [Fraction(float(position)).limit_denominator(10_000) for position in positions]
    gaps = [position - min(exact) for position in exact]
    divisor = math.lcm(*(gap.denominator for gap in gaps))
    whole = [int(gap * divisor) for gap in gaps]
    step = math.gcd(*whole) or 1
    places = np.array([distance // step for distance in whole], dtype=np.int64)
    close = np.allclose([float(position) for position in exact], positions, rtol=0, atol=1e-12)
    if not close or places.max() > _MOST_PLACES:
        raise CannotCompare(
            "scikit-learn computes weights from list positions, but the list for these values would be too long."
        )
    return places


def _sklearn_accuracy(ratings: Ratings, args: Mapping[str, Any]) -> tuple[float, str | None]:
    from sklearn.metrics import accuracy_score

    if args.get("weights", "none") != "none":
        raise CannotCompare("scikit-learn has no weighted accuracy.")
    both = ratings.where(ratings.rated.all(axis=1))
    first, second = _pair(both)
    return float(accuracy_score(list(map(str, first)), list(map(str, second)), sample_weight=both.times)), None


def _krippendorff(ratings: Ratings, args: Mapping[str, Any]) -> tuple[float, str | None]:
    import krippendorff

    if ratings.times is not None:
        raise CannotCompare("krippendorff needs one row per unit, but these ratings are counted by pattern.")
    level = args.get("level", "nominal")
    n, q = len(ratings.units), len(ratings.categories)
    needed = 8 * n * q * q
    if needed > _MOST_BYTES:
        raise CannotCompare(f"krippendorff would need {needed / 2**30:,.0f} GiB for {n:,} units with {q:,} values.")
    if level in ("interval", "ratio"):
        table = ratings.values
    else:  # names, and places in the order
        table = np.where(ratings.codes == MISSING, math.nan, ratings.codes.astype(float))
    return float(krippendorff.alpha(reliability_data=table.T, level_of_measurement=level)), None


_ASKED: Mapping[str, tuple[str, Callable[[Ratings, Mapping[str, Any]], tuple[float, str | None]]]] = {
    "cohen_kappa": ("scikit-learn", _sklearn_kappa),
    "percent_agreement": ("scikit-learn", _sklearn_accuracy),
    "krippendorff_alpha": ("krippendorff", _krippendorff),
}

OFFERED = frozenset(_ASKED)
"""The statistics of a summary that another package offers."""

PACKAGES = ("scikit-learn", "krippendorff")
"""The packages that are asked, in the order of their columns."""
