"""Which statistics a table of ratings gets: the list behind the command, the screen and the report."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

from agreement.alpha import krippendorff_alpha
from agreement.chance import brennan_prediger, conger_kappa, fleiss_kappa, gwet_ac, percent_agreement, scott_pi
from agreement.correlation import kendall_tau, kendall_w, lins_concordance, mean_pearson, pearson, spearman
from agreement.cross_check import Peer, peers_of
from agreement.difference import bias, mae, rmse
from agreement.icc import FORMS, icc
from agreement.kappa import cohen_kappa, light_kappa
from agreement.ratings import LEVELS, Ratings, Scale
from agreement.statistic import Statistic, undefined
from agreement.table import LongTable
from agreement.weights import Named
from domain.errors import RatingsError
from domain.records import Rating

_WEIGHTS: tuple[Named, ...] = ("none", "linear", "quadratic")


TITLES = {
    "percent_agreement": "Percent agreement",
    "cohen_kappa": "Cohen's kappa",
    "light_kappa": "Cohen's kappa, mean over pairs (Light)",
    "fleiss_kappa": "Fleiss' kappa",
    "conger_kappa": "Conger's kappa",
    "scott_pi": "Scott's pi",
    "gwet_ac": "Gwet's AC1 or AC2",
    "brennan_prediger": "Brennan and Prediger's coefficient",
    "krippendorff_alpha": "Krippendorff's alpha",
    "pearson": "Pearson's correlation",
    "icc": "Intraclass correlation",
    "spearman": "Spearman's correlation",
    "kendall_tau": "Kendall's tau-b",
    "kendall_w": "Kendall's W",
    "mean_pearson": "Pearson's correlation, mean over pairs",
    "lins_concordance": "Lin's concordance",
    "bias": "Mean difference",
    "mae": "Mean absolute difference",
    "rmse": "Root mean square difference",
}
"""The statistics of a summary, as people call them."""

_OF_ANY_NUMBER: Mapping[str, Callable[..., Statistic]] = {
    "conger_kappa": conger_kappa,
    "scott_pi": scott_pi,
    "gwet_ac": gwet_ac,
    "brennan_prediger": brennan_prediger,
}
"""Weighted where the scale has an order; Scott's pi, which Fleiss' kappa extends, only for two raters."""


@dataclass(frozen=True)
class Result:
    """One line of a summary: a statistic, what it was asked, of which criterion and dimension.

    ``value``, ``low`` and ``high`` are None where they are undefined; then ``reason`` says why.
    """

    statistic: str
    args: Mapping[str, Any]
    criterion: str
    dimension: str | None
    value: float | None
    low: float | None
    high: float | None
    method: str
    n_units: int
    n_raters: int
    n_left_out: int
    reason: str | None
    peers: tuple[Peer, ...] | None = None
    """What other packages give for the same ratings; None if nobody asked them."""

    @property
    def name(self) -> str:
        """What it is, for people: the statistic and its variant."""
        variant = self.args.get("weights", self.args.get("level"))
        if "form" in self.args:
            return str(self.args["form"])
        title = TITLES[self.statistic]
        if self.statistic == "gwet_ac":
            title = "Gwet's AC1" if variant == "none" else "Gwet's AC2"
        return title if variant in (None, "none") else f"{title}, {variant}"

    @property
    def title(self) -> str:
        """Its name, and the pair of raters if it is about one."""
        return f"{self.name}: {' and '.join(self.args['pair'])}" if "pair" in self.args else self.name

    def as_json(self) -> dict[str, Any]:
        """The line as JSON values."""
        found = asdict(self)
        if self.peers is None:
            del found["peers"]
        return found


def summarise(
    rows: Iterable[Rating] | LongTable,
    *,
    scales: Mapping[str, Scale] | None = None,
    by_dimension: bool = False,
    raters: Iterable[str] | None = None,
    criteria: Iterable[str] | None = None,
    cross_check: bool = False,
    statistics: Collection[str] = (),
) -> list[Result]:
    """All statistics that fit, and the reason for each that does not.

    Parameters
    ----------
    rows
        The long table.
    scales
        The declared scale of each criterion; where it is absent, numbers are taken as interval and texts as nominal,
        and ``args`` says so.
    by_dimension
        One set per dimension instead of one over all.
    raters, criteria
        Only these, in this order; ``RatingsError`` if one of them does not occur.
    cross_check
        Ask other packages, too, for what they offer (:func:`agreement.cross_check.peers_of`).
    statistics
        Only these, by their names in ``TITLES``; none: all. The others are not computed.

    Raises
    ------
    RatingsError
        The ratings do not fit the scale, a rater rated something twice, or a name is unknown.
    """
    table = rows if isinstance(rows, LongTable) else LongTable.from_rows(rows)
    wanted = tuple(dict.fromkeys(raters)) if raters is not None else None
    _known(tuple(statistics), set(TITLES), "statistic", among="the statistics of agreement")
    if wanted is not None:
        _known(wanted, set(table.rater.names), "rater")
        table = table.of_raters(wanted)
    found: Sequence[str] = table.criterion.names
    if criteria is not None:
        criteria = tuple(criteria)
        _known(criteria, set(found), "criterion")
        found = criteria
    unknown = set(scales or {}) - set(found)
    if unknown and scales and criteria is None:
        _known(tuple(unknown), set(found), "criterion")
    results: list[Result] = []
    for criterion in found:
        of_criterion = table.of_criterion(criterion)
        whole = of_criterion.ratings(criterion, scale=(scales or {}).get(criterion))
        # The scale that all of them share: a dimension in which a value never occurs has the same categories.
        scale = replace(whole.scale, categories=whole.categories) if whole.categories else whole.scale
        for dimension, part in _parts(of_criterion, by_dimension):
            ratings = part.ratings(criterion, scale=scale) if by_dimension else replace(whole, scale=scale)
            if wanted is not None:
                ratings = ratings.of(*(rater for rater in wanted if rater in ratings.raters))
            results.extend(_results(ratings, criterion, dimension, cross_check, frozenset(statistics)))
    return results


def scale_from_text(text: str) -> tuple[str, Scale]:
    """The criterion and scale of ``CRITERION=LEVEL`` or ``CRITERION=LEVEL:value,value,...``.

    >>> scale_from_text("score=ordinal:0,0.5,1")
    ('score', Scale(level='ordinal', categories=('0', '0.5', '1'), inferred=False))
    """
    criterion, _, rest = text.rpartition("=")
    level, colon, values = rest.partition(":")
    if not criterion or level not in LEVELS:
        raise RatingsError(
            f"The scale {text!r} does not read CRITERION=LEVEL or CRITERION=LEVEL:value,value,...; LEVEL is one of "
            f"{', '.join(LEVELS)}."
        )
    categories = tuple(value.strip() for value in values.split(",")) if colon else None
    if categories is not None and "" in categories:
        raise RatingsError(f"The scale {text!r} has an empty value between its commas.")
    return criterion, Scale(level, categories)


def _parts(table: LongTable, by_dimension: bool) -> Iterator[tuple[str | None, LongTable]]:
    if not by_dimension:
        yield None, table
        return
    parts = list(table.by_dimension())
    if [dimension for dimension, _ in parts] == [None]:
        raise RatingsError("These ratings name no dimension; leave --by out, or add the column dimension.")
    for dimension, part in parts:
        yield dimension or "", part


def _results(
    table: Ratings, criterion: str, dimension: str | None, cross_check: bool, wanted: Collection[str]
) -> Iterator[Result]:
    scale = {"scale": table.scale.level, "scale_inferred": table.scale.inferred}
    several = len(table.raters) > 2
    pairs = list(combinations(table.raters, 2))

    def result(
        statistic: str, args: Mapping[str, Any], compute: Callable[[Ratings], Statistic], of: Ratings = table
    ) -> Iterator[Result]:
        if wanted and statistic not in wanted:
            return
        if len(table.raters) < 2:
            reason = "There is only one rater." if table.raters else "There are no ratings."
            value = undefined(reason, n_units=0, n_raters=len(table.raters), n_left_out=len(table.units))
        else:
            value = compute(of)
        yield Result(
            statistic,
            {**args, **scale},
            criterion,
            dimension,
            value=_number(value.value),
            low=_number(value.low),
            high=_number(value.high),
            method=value.method,
            n_units=value.n_units,
            n_raters=value.n_raters,
            n_left_out=value.n_left_out,
            reason=value.reason,
            peers=peers_of(statistic, args, of, _number(value.value)) if cross_check else None,
        )

    def of_pair(statistic: str, compute: Callable[[Ratings], Statistic], **args: Any) -> Iterator[Result]:
        for pair in pairs:
            yield from result(statistic, {**args, "pair": list(pair)}, compute, table.of(*pair))
        if not pairs:
            yield from result(statistic, args, compute)

    yield from result("percent_agreement", {} if several or not pairs else {"pair": list(pairs[0])}, percent_agreement)
    if several:
        yield from of_pair("percent_agreement", percent_agreement)
    for weights in _WEIGHTS:
        yield from of_pair("cohen_kappa", partial(cohen_kappa, weights=weights), weights=weights)
        if several:
            yield from result("light_kappa", {"weights": weights}, partial(light_kappa, weights=weights))
    yield from result("fleiss_kappa", {}, fleiss_kappa)
    ordered = table.scale.level != "nominal"
    numeric = ordered and table.numeric
    for name, coefficient in _OF_ANY_NUMBER.items():
        if name == "scott_pi" and several:
            continue
        for weights in _WEIGHTS if ordered else _WEIGHTS[:1]:
            yield from result(name, {"weights": weights}, partial(coefficient, weights=weights))
    for level in LEVELS:
        if level == "ratio" and table.scale.level != "ratio":
            continue
        yield from result("krippendorff_alpha", {"level": level}, partial(krippendorff_alpha, level=level))
    yield from of_pair("pearson", pearson)
    for form in FORMS:
        if form == "ICC(1,1)" or numeric:
            yield from result("icc", {"form": form}, partial(icc, form=form))
    if len(table.raters) < 2:
        return
    if ordered:
        yield from of_pair("spearman", spearman)
        yield from of_pair("kendall_tau", kendall_tau)
        if several:
            yield from result("kendall_w", {}, kendall_w)
    if numeric:
        if several:
            yield from result("mean_pearson", {}, mean_pearson)
        for name, of_two in _OF_TWO.items():
            yield from of_pair(name, of_two)


_OF_TWO = {"lins_concordance": lins_concordance, "bias": bias, "mae": mae, "rmse": rmse}


def _known(names: tuple[str, ...], there: set[str], what: str, among: str = "these ratings") -> None:
    for name in names:
        if name not in there:
            raise RatingsError(f"There is no {what} {name!r} among {among}; there are: {', '.join(sorted(there))}.")


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
