"""What statistics must do with degenerate data, required in words: each clause is read, computed and held or not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from domain.errors import RatingsError
from tests.agreement.golden.entries import Unknown, compute

Data = Mapping[str, Any]

NAMES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "percent agreement": ("percent_agreement", {}),
    "cohen kappa": ("cohen_kappa", {"weights": "none"}),
    "linear kappa": ("cohen_kappa", {"weights": "linear"}),
    "quadratic kappa": ("cohen_kappa", {"weights": "quadratic"}),
    "fleiss": ("fleiss_kappa", {"weights": "identity"}),
    "conger": ("conger_kappa", {"weights": "identity"}),
    "light": ("light_kappa", {"weights": "none"}),
    "scott": ("scott_pi", {"weights": "identity"}),
    "alpha": ("krippendorff_alpha", {"level": "nominal"}),
    "gwet ac": ("gwet_ac", {"weights": "identity"}),
    "brennan-prediger": ("brennan_prediger", {"weights": "identity"}),
    "pearson": ("pearson", {}),
    "spearman": ("spearman", {}),
    "kendall": ("kendall_tau_b", {}),
    "icc": ("icc", {"form": "ICC(1,1)"}),
}
"""What the words call statistics."""

ALIASES: Mapping[str, str] = {
    "cohen": "cohen kappa",
    "cohen's kappa": "cohen kappa",
    "kappa": "cohen kappa",
    "unweighted kappa": "cohen kappa",
    "linear weighted kappa": "linear kappa",
    "quadratic weighted kappa": "quadratic kappa",
    "fleiss kappa": "fleiss",
    "fleiss' kappa": "fleiss",
    "conger kappa": "conger",
    "light kappa": "light",
    "scott pi": "scott",
    "scott's pi": "scott",
    "krippendorff": "alpha",
    "krippendorff alpha": "alpha",
    "krippendorff's alpha": "alpha",
    "gwet": "gwet ac",
    "gwet ac1": "gwet ac",
    "ac1": "gwet ac",
    "bp": "brennan-prediger",
    "kendall tau": "kendall",
    "kendall tau-b": "kendall",
    "icc(1,1)": "icc",
}
"""Other words for them."""

OF_PAIRS = frozenset({"cohen_kappa", "pearson", "spearman", "kendall_tau_b", "scott_pi"})

NUMBER = r"(-?\d+(?:\.\d+)?)"
TOLERANCE = 1e-9


def behaves(data: Data, must: str) -> list[str]:
    """What is not as the words require; nothing if all is.

    Raises
    ------
    Unknown
        A clause is not understood, so it cannot be held.
    """
    wrong: list[str] = []
    clauses = [clause.strip(" .") for clause in re.split(r";\s*|\.\s+|\.$", must) if clause.strip(" .")]
    if not clauses:
        raise Unknown("There are no words that say what must be.")
    for clause in clauses:
        for pattern, hold in CLAUSES:
            found = re.fullmatch(pattern, clause, flags=re.IGNORECASE)
            if found:
                wrong += hold(data, *found.groups())
                break
        else:
            raise Unknown(f"Nothing here knows how to hold {clause!r}.")
    return wrong


def _named(text: str) -> list[tuple[str, str, dict[str, Any]]]:
    """The statistics that a list of names means: name, statistic, arguments."""
    found = []
    for part in re.split(r"\s*(?:/|,(?!\d)|\band\b)\s*", text.strip()):
        name = part.strip().lower()
        if not name:
            continue
        name = ALIASES.get(name, name)
        if name not in NAMES:
            raise Unknown(f"There is no statistic called {part!r}.")
        stat, args = NAMES[name]
        found.append((name, stat, dict(args)))
    return found


def _values(data: Data, stat: str, args: Mapping[str, Any]) -> list[float | str]:
    """The value, or the reason why there is none: one, or one for each pair of more raters if it is for two."""
    rows = data.get("items_by_raters")
    width = len(rows[0]) if rows else 0
    each: Sequence[Mapping[str, Any]] = [{}]
    if stat in OF_PAIRS and width > 2:
        each = [{"pair": [first, second]} for first in range(width) for second in range(first + 1, width)]
    return [_value(data, stat, {**args, **pair}) for pair in each]


def _value(data: Data, stat: str, args: Mapping[str, Any]) -> float | str:
    try:
        return compute(data, stat, "estimate", args)
    except Unknown:
        raise
    except RatingsError as error:
        return str(error)


def _undefined(data: Data, names: str) -> list[str]:
    wrong = []
    for name, stat, args in _named(names):
        for value in _values(data, stat, args):
            if isinstance(value, float):
                wrong.append(f"{name} is {value!r}, and must be undefined")
            elif not value.strip():
                wrong.append(f"{name} is undefined, but gives no reason")
    return wrong


def _all_undefined(data: Data) -> list[str]:
    return _undefined(data, "/".join(name for name in NAMES if not name.endswith("ic kappa")))


def _is(data: Data, names: str, number: str) -> list[str]:
    wrong = []
    for name, stat, args in _named(names):
        for value in _values(data, stat, args):
            if not isinstance(value, float) or abs(value - float(number)) > TOLERANCE:
                wrong.append(f"{name} is {value!r}, and must be {number}")
    return wrong


def _is_exactly(data: Data, names: str, number: str) -> list[str]:
    return [
        f"{name} is {value!r}, and must be exactly {number}"
        for name, stat, args in _named(names)
        for value in _values(data, stat, args)
        if value != float(number)
    ]


def _is_with_categories(data: Data, names: str, number: str) -> list[str]:
    """With the categories that occur, and more until there are two."""
    used = list(dict.fromkeys(value for row in data["items_by_raters"] for value in row if value is not None))
    more = [f"not {value}" if isinstance(value, str) else value + 1 for value in used[-1:]] if len(used) < 2 else []
    return _is({**data, "categories": [*used, *more]}, names, number)


def _is_defined(data: Data, names: str, bound: str | None) -> list[str]:
    wrong = []
    for name, stat, args in _named(names):
        for value in _values(data, stat, args):
            if not isinstance(value, float):
                wrong.append(f"{name} must be defined: {value}")
            elif bound is not None and value > float(bound):
                wrong.append(f"{name} is {value!r}, and must be at most {bound}")
    return wrong


def _is_accepted(data: Data) -> list[str]:
    return _is_defined(data, "/".join(NAMES), None)


def _without(data: Data, dropped: str, number: str) -> list[str]:
    """What linear kappa would be, had the unused category not been declared and weights gone by place."""
    categories = [value for value in data["categories"] if value != float(dropped)]
    if len(categories) == len(data["categories"]):
        return [f"{dropped} is not among the categories"]
    place = {value: at for at, value in enumerate(categories)}
    rows = [[None if value is None else place[value] for value in row] for row in data["items_by_raters"]]
    other = {"items_by_raters": rows, "categories": list(range(len(categories)))}
    wrong = _is(other, "linear kappa", number)
    declared = _values(data, *NAMES["linear kappa"])
    if declared == _values(other, *NAMES["linear kappa"]):
        wrong.append(f"linear kappa does not see that {dropped} is declared")
    return wrong


def _moves(data: Data, names: str) -> list[str]:
    wrong = []
    used = {value for row in data["items_by_raters"] for value in row if value is not None}
    fewer = {**data, "categories": [value for value in data["categories"] if value in used]}
    for name, stat, args in _named(names):
        if _values(data, stat, args) == _values(fewer, stat, args):
            wrong.append(f"{name} does not move with the category list")
    return wrong


CLAUSES: Sequence[tuple[str, Callable[..., list[str]]]] = (
    (r"(.+?) (?:is|are) undefined(?:: return no number with a reason| with a reason)?", _undefined),
    (r"undefined with a reason", _all_undefined),
    (rf"(.+?) (?:is|are) {NUMBER} when the category list has two or more entries", _is_with_categories),
    (rf"(.+?) (?:is|are) exactly {NUMBER}", _is_exactly),
    (rf"(?:with the declared categories, )?(.+?) (?:is|are|=) {NUMBER}", _is),
    (rf"(.+?) (?:is|are) defined(?: \(and at most {NUMBER}\))?", _is_defined),
    (r"must be accepted(?: \(.*\))?", _is_accepted),
    (rf"if the unused {NUMBER} is dropped silently it becomes {NUMBER}", _without),
    (r"(.+?) also moves? with the category list", _moves),
)
"""The forms of clauses, and how each is held."""
