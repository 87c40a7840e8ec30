"""Which statistics a table of ratings gets: the list behind the command, the screen and the report."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from itertools import combinations, groupby, zip_longest
from typing import Any

from agreement.cross_check import Peer, SecondOpinion, peers_of, second_opinion
from agreement.ratings import LEVELS, Ratings, Scale
from agreement.statistic import Statistic, undefined
from agreement.table import LongTable
from domain.errors import RatingsError
from domain.overlap import Shape
from domain.records import Rating
from domain.statistics import STATISTICS, Needs, StatisticRow, SummaryRows, Variant, summarised


@dataclass(frozen=True)
class Result:
    """One line of a summary: a statistic with its arguments, criterion and dimension.

    ``value``, ``low`` and ``high`` are None if undefined, and ``reason`` says why.
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
    """Results of other packages for the same ratings; None without a cross-check."""

    @property
    def name(self) -> str:
        """Title for people: the statistic and its variant."""
        return STATISTICS[self.statistic].title_of(self.args)

    @property
    def title(self) -> str:
        """Its name, and the pair of raters if it is about one."""
        return f"{self.name}: {' and '.join(self.args['pair'])}" if "pair" in self.args else self.name

    @property
    def where(self) -> str:
        """The criterion and dimension, as the beginning of a line."""
        return f"{self.criterion}{f' in {self.dimension}' if self.dimension else ''}, "

    @property
    def caution(self) -> str:
        """Caution about the value; empty if no caution is needed."""
        return STATISTICS[self.statistic].caution

    def as_json(self) -> dict[str, Any]:
        """The line as JSON values."""
        values = asdict(self) | ({"caution": self.caution} if self.caution else {})
        if self.peers is None:
            del values["peers"]
        return values


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
        The declared scale of each criterion; without a scale, numbers count as interval and texts as nominal, as
        noted in ``args``.
    by_dimension
        One set per dimension instead of one over all.
    raters, criteria
        Only these, in this order; ``RatingsError`` if one of them does not occur.
    cross_check
        Also run the statistics that other packages offer (:func:`agreement.cross_check.peers_of`).
    statistics
        Only these, by their names in :func:`domain.statistics.summarised`; none: all. The others are not computed.

    Raises
    ------
    RatingsError
        The ratings do not fit the scale, a rater rated something twice, or a name is unknown.
    """
    table = rows if isinstance(rows, LongTable) else LongTable.from_rows(rows)
    wanted = tuple(dict.fromkeys(raters)) if raters is not None else None
    _known(tuple(statistics), set(summarised()), "statistic", among="the agreement statistics")
    if wanted is not None:
        _known(wanted, set(table.rater.names), "rater")
        table = table.of_raters(wanted)
    names: Sequence[str] = table.criterion.names
    if criteria is not None:
        criteria = tuple(criteria)
        _known(criteria, set(names), "criterion")
        names = criteria
    unknown = set(scales or {}) - set(names)
    if unknown and scales and criteria is None:
        _known(tuple(unknown), set(names), "criterion")
    results: list[Result] = []
    for criterion in names:
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


def opinion_of(results: Iterable[Result]) -> SecondOpinion:
    """Return what other packages say of the coefficients of a summary that was made with ``cross_check``."""
    return second_opinion((f"{result.where}{result.title}", result.value, result.peers or ()) for result in results)


def scale_from_text(text: str) -> tuple[str, Scale]:
    """The criterion and scale of ``CRITERION=LEVEL`` or ``CRITERION=LEVEL:value,value,...``; the level may be a shape.

    >>> scale_from_text("score=ordinal:0,0.5,1")
    ('score', Scale(level='ordinal', categories=('0', '0.5', '1'), inferred=False))
    """
    criterion, _, rest = text.rpartition("=")
    level, colon, values = rest.partition(":")
    if criterion and not colon and level in list(Shape):
        return criterion, Scale("nominal", shape=Shape(level))
    if not criterion or level not in LEVELS:
        raise RatingsError(
            f"Write the scale {text!r} as CRITERION=LEVEL or CRITERION=LEVEL:value,value,... LEVEL is one of "
            f"{', '.join(LEVELS)}. Without values, LEVEL can also be {' or '.join(Shape)}."
        )
    categories = tuple(value.strip() for value in values.split(",")) if colon else None
    if categories is not None and "" in categories:
        raise RatingsError(
            f"The scale {text!r} has an empty value between its commas. Remove the extra comma, or add a value."
        )
    return criterion, Scale(level, categories)


def _parts(table: LongTable, by_dimension: bool) -> Iterator[tuple[str | None, LongTable]]:
    if not by_dimension:
        yield None, table
        return
    parts = list(table.by_dimension())
    if [dimension for dimension, _ in parts] == [None]:
        raise RatingsError("These ratings have no dimensions. Remove --by, or add a column named dimension.")
    for dimension, part in parts:
        yield dimension or "", part


_KEPT = 2_000_000
"""Units of pairs of raters, all pairs together, that are kept while a table is measured: some 50 MB."""


def _results(
    table: Ratings, criterion: str, dimension: str | None, cross_check: bool, wanted: Collection[str]
) -> Iterator[Result]:
    scale = {"scale": table.scale.shape or table.scale.level, "scale_inferred": table.scale.inferred}
    several = len(table.raters) > 2
    pairs = list(combinations(table.raters, 2))
    of_pair = cache(table.of) if len(pairs) * len(table.units) <= _KEPT else table.of

    def result(
        statistic: str, args: Mapping[str, Any], compute: Callable[[Ratings], Statistic], of: Ratings = table
    ) -> Iterator[Result]:
        if wanted and statistic not in wanted:
            return
        if len(table.raters) < 2:
            reason = "There is only one rater." if table.raters else "There are no ratings."
            value = undefined(reason, n_units=0, n_raters=len(table.raters), n_left_out=table.n_units)
        else:
            value = compute(of)
        if table.scale.tolerance and args.get("weights") == "tolerance":
            args = {**args, "tolerance": table.scale.tolerance.in_words()}
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

    def lines(row: StatisticRow, variant: Variant) -> Iterator[Result]:
        compute = partial(row.function, **variant.args)
        whole = pairs if row.lines is SummaryRows.PAIRS else []
        if not whole:
            alone = row.lines is SummaryRows.WHOLE_AND_PAIRS and len(pairs) == 1
            yield from result(row.name, {**variant.args, **({"pair": list(pairs[0])} if alone else {})}, compute)
        for pair in pairs if several and row.lines is SummaryRows.WHOLE_AND_PAIRS else whole:
            yield from result(row.name, {**variant.args, "pair": list(pair)}, compute, of_pair(*pair))

    for row, variant in _variants():
        if _fits(row, variant, table):
            yield from lines(row, variant)


def _variants() -> Iterator[tuple[StatisticRow, Variant]]:
    """Every statistic of a summary with each of its variants; those with the same place take turns."""
    for _, group in groupby(summarised().values(), key=lambda row: row.place):
        together = list(group)
        for turn in zip_longest(*(row.variants for row in together)):
            yield from ((row, variant) for row, variant in zip(together, turn, strict=True) if variant is not None)


def _fits(row: StatisticRow, variant: Variant, table: Ratings) -> bool:
    """Whether a summary of these ratings has the statistic at all, be it undefined."""
    if table.scale.shape:
        return row.shown is Needs.of_shape(table.scale.shape)
    n_raters, level = len(table.raters), table.scale.level
    given = {Needs.NAMES}
    given |= {Needs.ORDER} if level != "nominal" else set()
    given |= {Needs.NUMBERS} if level != "nominal" and table.numeric else set()
    given |= {Needs.RATIO} if level == "ratio" else set()
    given |= {Needs.TOLERANCE} if Needs.NUMBERS in given and table.scale.tolerance else set()
    if n_raters < 2 and row.shown is not Needs.NAMES:
        return False
    of_so_many = {SummaryRows.OF_TWO: n_raters <= 2, SummaryRows.OF_SEVERAL: n_raters > 2}
    return of_so_many.get(row.lines, True) and row.shown in given and variant.shown in given


def _known(names: tuple[str, ...], there: set[str], what: str, among: str = "these ratings") -> None:
    for name in names:
        if name not in there:
            raise RatingsError(f"There is no {what} {name!r} among {among}. Choose from: {', '.join(sorted(there))}.")


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
