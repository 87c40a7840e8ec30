"""Every statistic of raters that has a row, in all of its variants, as the property tests compute it."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from agreement import Bootstrap, Ratings, Scale, Statistic
from domain.overlap import Shape
from domain.statistics import OVERLAP, STATISTICS, Behaviour, Needs, StatisticRow, Variant

FEW = Bootstrap(draws=40)


@dataclass(frozen=True)
class OfRaters:
    """A statistic of raters in one of its variants."""

    row: StatisticRow
    variant: Variant

    @property
    def id(self) -> str:
        return "-".join([self.row.name, *(str(value) for value in self.variant.args.values())])

    @property
    def known(self) -> Behaviour:
        return self.variant.behaviour or self.row.behaviour

    @property
    def needs(self) -> Needs:
        return self.variant.needs or self.row.needs

    @property
    def raters(self) -> int | None:
        """How many it is for; None for two and more."""
        return 2 if self.row.pairwise else None

    @property
    def fitted(self) -> bool:
        """A model is fitted for each value, which takes a hundred times as long as a formula."""
        return self.variant.args.get("missing") == "reml"

    def __call__(self, ratings: Ratings) -> Statistic:
        there = inspect.signature(self.row.function).parameters
        keywords = dict(self.variant.args)
        if "category" in there:
            ratings, keywords["category"] = _with_category(ratings)
        if "bootstrap" in there:
            keywords["bootstrap"] = FEW
        if self.needs is Needs.RATIO and ratings.scale.level == "interval":
            ratings = replace(ratings, scale=replace(ratings.scale, level="ratio"))
        if self.needs in OVERLAP and ratings.numeric and ratings.scale.level != "nominal":
            ratings = _drawn(ratings, self.needs)
        found = self.row.function(ratings, **keywords)
        return found if isinstance(found, Statistic) else next(statistics_in(found))


def _with_category(ratings: Ratings) -> tuple[Ratings, Any]:
    """For a function that has to be told one: the 2 that most tables have, else the first there is."""
    if not ratings.categories:
        ratings = replace(ratings, categories=(2.0,))
    return ratings, 2.0 if 2.0 in ratings.categories else ratings.categories[0]


def _drawn(ratings: Ratings, needs: Needs) -> Ratings:
    """A span, or a box, for each number, moved by its place: those of neighbours share three fifths."""
    places = range(len(ratings.categories))
    if needs is Needs.SPANS:
        texts = [json.dumps([{"start": at, "end": at + 4}]) for at in places]
    else:
        texts = [json.dumps([{"x": at, "y": 0.0, "w": 4.0, "h": 1.0}]) for at in places]
    shape = Shape.SPANS if needs is Needs.SPANS else Shape.BOXES
    return replace(ratings, categories=tuple(texts), scale=Scale("nominal", shape=shape))


OF_RATERS: Sequence[OfRaters] = [OfRaters(row, variant) for row in STATISTICS.values() for variant in row.variants]
"""All statistics of raters that there are, in all their variants."""


def statistics_in(found: Any) -> Iterator[Statistic]:
    """All statistics in a result, in their order."""
    if isinstance(found, Statistic):
        yield found
    elif dataclasses.is_dataclass(found) and not isinstance(found, type):
        for field in dataclasses.fields(found):
            yield from statistics_in(getattr(found, field.name))
    elif isinstance(found, Mapping):
        for value in found.values():
            yield from statistics_in(value)
    elif isinstance(found, (list, tuple)):
        for value in found:
            yield from statistics_in(value)


def of(statistics: Iterable[Any]) -> pytest.MarkDecorator:
    """One test for each of them."""
    return pytest.mark.parametrize("statistic", [pytest.param(each, id=each.id) for each in statistics])


each_of_raters = of(OF_RATERS)


def trying(name: str, values: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """One test that tries each of these values in turn: a test of its own for each takes longer than most checks."""
    tried = list(values)

    def decorated(check: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(check)
        def test(**given: Any) -> None:
            for value in tried:
                try:
                    check(**given, **{name: value})
                except BaseException as error:
                    error.add_note(f"with {name} = {value!r}")
                    raise

        signature = inspect.signature(check)
        others = [each for each in signature.parameters.values() if each.name != name]
        test.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return test

    return decorated
