"""A judge's accuracy, precision and recall next to those of scikit-learn."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from agreement.bootstrap import Bootstrap
from agreement.cross_check import Peer, compare_values, not_installed, with_version
from extensions.calibration.statistics.classification import classification_rates


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
    scikit-learn is given the labels as texts, and ``zero_division=nan``: a rate of no units is undefined, as ours is,
    and means leave it out.
    """
    ours = _our_rates(reference, judged)
    package = with_version("scikit-learn")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = _sklearn_rates(reference, judged)
    except ImportError:
        missing = not_installed("scikit-learn")
        return {name: (value, missing) for name, value in ours.items()}
    return {
        name: (value, compare_values(package, theirs.get(name, math.nan), None, value)) for name, value in ours.items()
    }


def _our_rates(reference: Sequence[Any], judged: Sequence[Any]) -> dict[str, float | None]:
    rates = classification_rates(reference, judged, bootstrap=Bootstrap(draws=0))
    by_name = {"accuracy": rates.accuracy.value}
    for title, statistic in (
        ("precision", rates.macro_precision),
        ("recall", rates.macro_recall),
        ("F1", rates.macro_f1),
    ):
        by_name[f"macro {title}"] = statistic.value
    for of_label in rates.classes:
        for title, statistic in (("precision", of_label.precision), ("recall", of_label.recall), ("F1", of_label.f1)):
            by_name[f"{title} of {of_label.label}"] = statistic.value
    for row, label in enumerate(rates.confusion.labels):
        for column, other in enumerate(rates.confusion.labels):
            by_name[f"confusion of {label} and {other}"] = float(rates.confusion.counts[row, column])
    return {name: None if math.isnan(value) else value for name, value in by_name.items()}


def _sklearn_rates(reference: Sequence[Any], judged: Sequence[Any]) -> dict[str, float]:
    from sklearn.metrics import accuracy_score, confusion_matrix, precision_recall_fscore_support

    def missing(value: Any) -> bool:
        return value is None or (isinstance(value, float) and math.isnan(value))

    pairs = [(a, b) for a, b in zip(reference, judged, strict=True) if not (missing(a) or missing(b))]
    if not pairs:
        return {}
    same: dict[Any, str] = {}  # 1 and 1.0 are one label
    truth, given = ([same.setdefault(pair[at], str(pair[at])) for pair in pairs] for at in (0, 1))
    names = sorted({*truth, *given})
    by_name: dict[str, float] = {"accuracy": float(accuracy_score(truth, given))}
    titles = ("precision", "recall", "F1")
    of_labels = precision_recall_fscore_support(truth, given, labels=names, zero_division=math.nan)
    means = precision_recall_fscore_support(truth, given, labels=names, average="macro", zero_division=math.nan)
    for at, title in enumerate(titles):
        by_name[f"macro {title}"] = float(means[at])
        for place, name in enumerate(names):
            by_name[f"{title} of {name}"] = float(of_labels[at][place])
    for row, counts in zip(names, confusion_matrix(truth, given, labels=names).tolist(), strict=True):
        for column, count in zip(names, counts, strict=True):
            by_name[f"confusion of {row} and {column}"] = float(count)
    return by_name
