"""What other packages give for the same ratings, compared with ours, and why they differ where the reason is known.

scikit-learn and krippendorff are imported inside the calls and are never needed (krippendorff is GPL-3).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agreement.bootstrap import Bootstrap
from agreement.classification import classification_rates
from agreement.ratings import LEVELS, MISSING, Ratings
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
    value: float | None
    """None where it has none, or was not asked; then ``reason`` says why."""
    differs: bool
    """Whether it is further from ours than ``TOLERANCE``, or one of the two has no value where the other has one."""
    reason: str | None = None
    """Why it differs or has no value, or how it had to be asked."""


def peers_of(statistic: str, args: Mapping[str, Any], ratings: Ratings, value: float | None) -> tuple[Peer, ...]:
    """What other packages give for a statistic.

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
    The other packages are called as their users call them, with the values themselves. Known differences: scikit-learn
    weighs by the place of a value among those that occur, not by the value, and refuses numbers that are not whole;
    it gives nan, and krippendorff an error, where all ratings are the same.

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
    package, compute = ask
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            theirs, note = compute(ratings, args)
    except ImportError:
        return (Peer(package, None, False, f"{package} is not installed. {install_hint(_EXTRA)}"),)
    except Refused as refusal:
        return (Peer(package, None, False, str(refusal)),)
    except Exception as error:
        # Whatever other people's code raises on ratings that it does not take.
        sentence = f"{package} refuses these ratings: {str(error).strip().splitlines()[0] if str(error) else error!r}"
        return (Peer(package, None, value is not None, sentence),)
    return (_compared(package, theirs, note, value, statistic, args, ratings),)


def _above_scale(args: Mapping[str, Any], ratings: Ratings) -> bool:
    """Whether the scale does not carry the variant, so that no one should be asked for it."""
    if ratings.scale.level == "nominal" and args.get("weights", "none") != "none":
        return True
    return LEVELS.index(args.get("level", "nominal")) > LEVELS.index(ratings.scale.level)


class Refused(Exception):
    """Another package was not asked, and why."""


def _compared(
    package: str,
    theirs: float,
    note: str | None,
    value: float | None,
    statistic: str,
    args: Mapping[str, Any],
    ratings: Ratings,
) -> Peer:
    if not math.isfinite(theirs):
        if value is None:
            return Peer(package, None, False, f"{package} has no value either.")
        return Peer(package, None, True, f"{package} gives no number here.")
    if value is None:
        return Peer(package, theirs, True, f"{package} gives a number where the statistic is not defined.")
    if abs(theirs - value) <= TOLERANCE:
        return Peer(package, theirs, False, note)
    reasons = list(_known(statistic, args, ratings)) or ["No reason for the difference is known."]
    return Peer(package, theirs, True, " ".join(([note] if note else []) + reasons))


def _known(statistic: str, args: Mapping[str, Any], ratings: Ratings) -> Iterator[str]:
    """Why another package differs from ours on these ratings."""
    if statistic != "cohen_kappa" or args.get("weights", "none") == "none":
        return
    both = ratings.codes[ratings.rated.all(axis=1)]
    used = np.unique(both)
    steps = np.diff(ratings.positions[used])
    unused = [str(ratings.categories[at]) for at in range(len(ratings.categories)) if at not in used]
    if unused:
        yield (
            f"scikit-learn leaves out declared values that neither rater used ({', '.join(unused[:5])}), so the "
            "others move together."
        )
    if len(steps) and np.ptp(steps) > 1e-9 * max(1.0, float(np.abs(steps).max())) and ratings.numeric:
        yield "scikit-learn weighs by the place of a value among those that occur, not by the value itself."


def _pair(ratings: Ratings) -> tuple[list[Any], list[Any]]:
    both = ratings.codes[ratings.rated.all(axis=1)]
    if not len(both):
        raise Refused("No unit was rated by both.")
    first, second = ([ratings.categories[code] for code in column] for column in both.T.tolist())
    return first, second


def _sklearn_kappa(ratings: Ratings, args: Mapping[str, Any]) -> tuple[float, str | None]:
    from sklearn.metrics import cohen_kappa_score

    weights = args.get("weights", "none")
    if not isinstance(weights, str) or weights not in ("none", "linear", "quadratic"):
        raise Refused("scikit-learn knows no other weights than none, linear and quadratic.")
    first, second = _pair(ratings)
    weighted = None if weights == "none" else weights
    ordered = ratings.numeric and list(ratings.categories) == sorted(ratings.categories)
    whole = all(isinstance(value, float) and value.is_integer() for value in (*first, *second))
    if (whole and ordered) or (weighted is None and not ratings.numeric):
        return float(cohen_kappa_score(first, second, weights=weighted)), None
    both = ratings.codes[ratings.rated.all(axis=1)]
    note = None
    if ratings.numeric and not whole:
        note = "scikit-learn refuses numbers that are not whole, so it was given their places (0, 1, 2, ...)."
    return float(cohen_kappa_score(both[:, 0], both[:, 1], weights=weighted)), note


def _sklearn_accuracy(ratings: Ratings, args: Mapping[str, Any]) -> tuple[float, str | None]:
    from sklearn.metrics import accuracy_score

    if args.get("weights", "none") != "none":
        raise Refused("scikit-learn has no weighted accuracy.")
    first, second = _pair(ratings)
    return float(accuracy_score([str(value) for value in first], [str(value) for value in second])), None


def _krippendorff(ratings: Ratings, args: Mapping[str, Any]) -> tuple[float, str | None]:
    import krippendorff

    level = args.get("level", "nominal")
    n, q = len(ratings.units), len(ratings.categories)
    needed = 8 * n * q * q
    if needed > _MOST_BYTES:
        raise Refused(f"krippendorff would need {needed / 2**30:,.0f} GiB for {n:,} units with {q:,} values.")
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

PACKAGES = ("scikit-learn", "krippendorff")
"""The packages that are asked, in the order of their columns."""


def label_peers(reference: Sequence[Any], judged: Sequence[Any]) -> Mapping[str, tuple[float | None, Peer]]:
    """Ours and scikit-learn's accuracy, confusion matrix, precision, recall and F1 of a judge against a reference.

    Parameters
    ----------
    reference, judged
        (n,) labels; units that lack one of the two are left out before anyone is asked.

    Returns
    -------
    mapping
        By name ("accuracy", "macro F1", "recall of 1", "confusion of 1 and 0", ...) our value, None where it is
        undefined, and the peer's.

    Notes
    -----
    scikit-learn is called as its users call it, with the labels as texts. It counts a rate as 0 where no unit could
    make it up, which here is undefined; and so does its mean over labels.
    """
    ours = _our_rates(reference, judged)
    package = "scikit-learn"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = _sklearn_rates(reference, judged)
    except ImportError:
        return {
            name: (value, Peer(package, None, False, f"{package} is not installed. {install_hint(_EXTRA)}"))
            for name, value in ours.items()
        }
    found: dict[str, tuple[float | None, Peer]] = {}
    for name, value in ours.items():
        other = theirs.get(name)
        differs = (value is None) != (other is None) or (
            value is not None and other is not None and abs(value - other) > TOLERANCE
        )
        reason = None
        if differs:
            empty = value is None or name.startswith("macro")
            reason = (
                "scikit-learn counts a rate that no unit makes up as 0, where it is undefined here."
                if empty and any(each is None for each in ours.values())
                else "No reason for the difference is known."
            )
        found[name] = value, Peer(package, other, differs, reason)
    return found


def _our_rates(reference: Sequence[Any], judged: Sequence[Any]) -> dict[str, float | None]:
    rates = classification_rates(reference, judged, bootstrap=Bootstrap(draws=0))
    found = {"accuracy": rates.accuracy.value}
    for title, each in (
        ("precision", rates.macro_precision),
        ("recall", rates.macro_recall),
        ("F1", rates.macro_f1),
    ):
        found[f"macro {title}"] = each.value
    for of_label in rates.classes:
        for title, each in (("precision", of_label.precision), ("recall", of_label.recall), ("F1", of_label.f1)):
            found[f"{title} of {of_label.label}"] = each.value
    for row, label in enumerate(rates.confusion.labels):
        for column, other in enumerate(rates.confusion.labels):
            found[f"confusion of {label} and {other}"] = float(rates.confusion.counts[row, column])
    return {name: None if math.isnan(value) else value for name, value in found.items()}


def _sklearn_rates(reference: Sequence[Any], judged: Sequence[Any]) -> dict[str, float | None]:
    from sklearn.metrics import accuracy_score, confusion_matrix, precision_recall_fscore_support

    def missing(value: Any) -> bool:
        return value is None or (isinstance(value, float) and math.isnan(value))

    pairs = [(a, b) for a, b in zip(reference, judged, strict=True) if not (missing(a) or missing(b))]
    if not pairs:
        return {}
    same: dict[Any, str] = {}  # 1 and 1.0 are one label
    truth, given = ([same.setdefault(pair[at], str(pair[at])) for pair in pairs] for at in (0, 1))
    names = sorted({*truth, *given})
    found: dict[str, float | None] = {"accuracy": float(accuracy_score(truth, given))}
    titles = ("precision", "recall", "F1")
    of_labels = precision_recall_fscore_support(truth, given, labels=names)
    means = precision_recall_fscore_support(truth, given, labels=names, average="macro")
    for at, title in enumerate(titles):
        found[f"macro {title}"] = float(means[at])
        for place, name in enumerate(names):
            found[f"{title} of {name}"] = float(of_labels[at][place])
    for row, counts in zip(names, confusion_matrix(truth, given, labels=names).tolist(), strict=True):
        for column, count in zip(names, counts, strict=True):
            found[f"confusion of {row} and {column}"] = float(count)
    return found
