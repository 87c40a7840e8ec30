"""What holds for every public statistic: those of raters are those that have a row."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

import agreement
from agreement import Ratings, Scale, Statistic
from domain import extensions
from domain.statistics import STATISTICS, Needs
from tests.agreement.of_raters import FEW, OF_RATERS, OfRaters, each_of_raters, of, statistics_in, trying

Rows = list[list[float]]

GRADES = (1.0, 2.0, 3.0, 4.0)
SEEDS = range(3)


@dataclass(frozen=True)
class Judged:
    """A statistic of a judge against people, computed of columns of the same length."""

    name: str
    compute: Callable[[Any, list[list[float]]], Any]
    """(function, rows of person, other person, third person, judge) -> its result."""
    variant: str = ""
    repeated: bool = True
    """Whether all values stay if every unit is there twice."""

    @property
    def id(self) -> str:
        return f"{self.name}-{self.variant}" if self.variant else self.name

    def __call__(self, rows: list[list[float]]) -> list[Statistic]:
        return list(statistics_in(self.compute(getattr(agreement, self.name), rows)))


def _column(rows: list[list[float]], at: int) -> list[float]:
    return [row[at] for row in rows]


def _passed(rows: list[list[float]], at: int) -> list[float]:
    """1 for the upper half of the grades."""
    return [value if math.isnan(value) else float(value > 2) for value in _column(rows, at)]


def _ppi(method: str) -> Callable[[Any, Rows], Any]:
    return lambda f, rows: f(_column(rows, 0), _column(rows, 3), _column(rows, 2), method=method)


def _models(rows: Rows) -> list[str]:
    """A model for each unit, by what the second person said of it."""
    return [f"model {value}" for value in _column(rows, 1)]


def _length(value: float) -> float:
    return 10.0 if math.isnan(value) else 10 * value


def _places(rows: Rows, at: int) -> list[str | None]:
    names = {1.0: "first", 2.0: "second", 3.0: "tie", 4.0: "first"}
    return [names.get(value) for value in _column(rows, at)]


def _votes(rows: Rows) -> Any:
    """Who is compared is in the first two columns, and who is preferred in the last one."""
    pairs = zip(_column(rows, 0), _column(rows, 1), _places(rows, 3), strict=True)
    there = [each for each in pairs if each[0] != each[1] and not any(math.isnan(name) for name in each[:2])]
    names = [[f"model {each[at]:g}" for each in there] for at in (0, 1)]
    return attrgetter("pair_votes")(agreement)(*names, [each[2] for each in there])


def _ceiling(of_judge: bool) -> Callable[[Any, Rows], Any]:
    def call(f: Any, rows: Rows) -> Any:
        people = np.array(rows, dtype=float).reshape(-1, 4)[:, :3]
        return f(people, _column(rows, 3), bootstrap=FEW) if of_judge else f(people, bootstrap=FEW)

    return call


JUDGED: Sequence[Judged] = [
    *(
        Judged(
            "ppi_mean",
            _ppi(method),
            method,
            repeated=method != "ppi_plus_plus",  # the weight has n - 1
        )
        for method in ("classical", "ppi", "ppi_plus_plus")
    ),
    Judged("post_stratified_mean", lambda f, rows: f(_column(rows, 0), _column(rows, 3), _column(rows, 2))),
    Judged("weighted_mean", lambda f, rows: f(_column(rows, 0), _column(rows, 3), [0.5] * len(rows))),
    Judged("rogan_gladen", lambda f, rows: f(_passed(rows, 0), _passed(rows, 3), _passed(rows, 2))),
    *(
        each
        for each in (
            *(
                Judged(name, _ceiling(of_judge), repeated=repeated)
                for name, of_judge, repeated in (
                    ("human_ceiling", True, True),
                    ("ceiling_by_certainty", True, True),
                    ("noise_ceiling", False, False),  # mean squares have n - 1
                    ("disattenuated_correlation", True, False),
                )
            ),
            Judged(
                "bias_by_group",
                lambda f, rows: sorted(
                    f(_column(rows, 0), _column(rows, 3), _models(rows)), key=lambda bias: str(bias.group)
                ),
            ),
            # The third person's grade stands for a property of the answer.
            Judged(
                "family_bias",
                lambda f, rows: f(_column(rows, 0), _column(rows, 3), [value > 2 for value in _column(rows, 2)]),
            ),
            Judged(
                "length_bias",
                lambda f, rows: f(_column(rows, 0), _column(rows, 3), [_length(value) for value in _column(rows, 2)]),
            ),
            Judged("position_bias", lambda f, rows: f(_places(rows, 0), _places(rows, 3))),
            Judged("calibration_curve", lambda f, rows: f(_column(rows, 0), _column(rows, 3))),
            Judged(
                "drift",
                lambda f, rows: f(_column(rows, 0), _column(rows, 2), _column(rows, 3), bootstrap=FEW),
            ),
            Judged(
                "self_consistency",
                lambda f, rows: f(np.array(rows, dtype=float).reshape(-1, 4)[:, 1:], bootstrap=FEW),
                repeated=False,  # alpha has n - 1
            ),
            Judged("unparsed", lambda f, rows: f(_column(rows, 3), lowest=1, highest=4)),
            Judged("classification_rates", lambda f, rows: f(_column(rows, 0), _column(rows, 3), bootstrap=FEW)),
            Judged("pass_rates", lambda f, rows: f(_passed(rows, 0), _passed(rows, 3), bootstrap=FEW)),
            Judged(
                "alternative_test",
                lambda f, rows: f([row[:3] for row in rows], _column(rows, 3), min_items_per_rater=1),
                repeated=False,  # a test sees the number of units
            ),
            Judged(
                "compare_with_constant",
                lambda f, rows: _three(f([row[:3] for row in rows], _column(rows, 3))),
            ),
            Judged(
                "winning_rates",
                lambda f, rows: [
                    rate for _, rate in f([row[:3] for row in rows], _column(rows, 3), min_items_per_rater=1)
                ],
                repeated=False,
            ),
            Judged("win_rates", lambda f, rows: [each.rate for each in f(_votes(rows), bootstrap=FEW)]),
            Judged("davidson", lambda f, rows: _of_strengths(f(_votes(rows), bootstrap=FEW))),
            Judged(
                "logistic_regression",
                lambda f, rows: f(_passed(rows, 0), np.array(rows, dtype=float).reshape(-1, 4)[:, 2:]),
            ),
        )
        if not extensions.missing("notebook_statistics", each.name)
    ),
    Judged("clustered_mean", lambda f, rows: f(_column(rows, 0))),
    Judged(
        "linear_regression",
        lambda f, rows: f(_column(rows, 0), np.array(rows, dtype=float).reshape(-1, 4)[:, 2:]),
    ),
]
"""All statistics of columns."""


def _of_strengths(found: Any) -> list[Statistic]:
    return [*(found.of[name] for name in sorted(found.of)), found.ties]


def _three(found: Any) -> list[Statistic]:
    """What a judge is held against the constant by."""
    return [found.judge, found.constant, found.difference]


ELSEWHERE = {
    "mcnemar": "of two categories; tests/agreement/test_rater_bias.py",
    "holm": "p values",
    "mean_squares": "the sums behind icc",
    "paired": "makes ratings",
    "scale_from_text": "reads a scale",
    "summarise": "a list of statistics",
    "variance_components": "the variances behind icc; tests/agreement/test_numbers.py",
}
"""Public functions that are no statistics, and why, or where they are tested."""


each_judged = of(JUDGED)


BEFORE_RATINGS = {"agreement.sample_sizes"}
"""Modules for plans of studies, which are made before there are ratings."""


def test_every_public_function_is_listed() -> None:
    functions = {name: getattr(agreement, name) for name in agreement.__all__}
    public = {
        name
        for name, function in functions.items()
        if inspect.isfunction(function) and function.__module__ not in BEFORE_RATINGS
    }
    listed = set(STATISTICS) | {each.name for each in JUDGED} | set(ELSEWHERE)
    assert public - listed == set(), "give it a row next to the function, or list it in JUDGED or ELSEWHERE"
    of_raters = {
        name
        for name in public - set(ELSEWHERE)
        if next(iter(inspect.signature(getattr(agreement, name)).parameters), "") == "ratings"
    }
    assert of_raters - set(STATISTICS) == set()


# ---- statistics of raters --------------------------------------------------------------------------------------------


def table(seed: int, *, k: int, n: int = 14, gaps: float = 0.2, agree: float = 0.6) -> Rows:
    """Grades 1 to 4 of raters who see the same in most units; nan where one has not rated."""
    random = np.random.default_rng(seed)
    truth = random.integers(1, 5, size=n)
    rows = np.where(random.random((n, k)) < agree, truth[:, None], random.integers(1, 5, size=(n, k))).astype(float)
    rows[random.random((n, k)) < gaps] = math.nan
    rows[:3] = [[grade] * k for grade in (1.0, 2.0, 4.0)]  # every rater has rated, and differently
    return [[float(value) for value in row] for row in rows]


def ratings(rows: Rows, *, declared: Sequence[float] | None = GRADES) -> Ratings:
    scale = Scale("interval", tuple(declared)) if declared else None
    return Ratings.from_array(np.array(rows, dtype=float).reshape(len(rows), -1), scale=scale)


def raters_of(statistic: OfRaters, seed: int) -> int:
    return statistic.raters or 2 + seed % 3


def same(first: float, second: float, tolerance: float = 1e-9) -> bool:
    if math.isnan(first) or math.isnan(second):
        return math.isnan(first) and math.isnan(second)
    return math.isclose(first, second, rel_tol=tolerance, abs_tol=tolerance)


@each_of_raters
@trying("seed", SEEDS)
def test_the_order_of_units_does_not_count(statistic: OfRaters, seed: int) -> None:
    rows = table(seed, k=raters_of(statistic, seed))
    order = np.random.default_rng(seed).permutation(len(rows))
    once, again = statistic(ratings(rows)), statistic(ratings([rows[at] for at in order]))
    assert math.isfinite(once.value)
    assert [same(*pair) for pair in ((once.value, again.value), (once.low, again.low), (once.high, again.high))] == [
        True
    ] * 3


@of(each for each in OF_RATERS if each.known.swapped)
@trying("seed", SEEDS)
def test_the_order_of_raters_does_not_count(statistic: OfRaters, seed: int) -> None:
    rows = table(seed, k=raters_of(statistic, seed))
    turned = [row[::-1] for row in rows]
    assert same(statistic(ratings(rows)).value * statistic.known.swapped, statistic(ratings(turned)).value)


@each_of_raters
@trying("seed", SEEDS)
def test_what_raters_and_units_are_called_does_not_count(statistic: OfRaters, seed: int) -> None:
    before = ratings(table(seed, k=raters_of(statistic, seed)))
    names = tuple(f"person {chr(122 - at)}" for at in range(len(before.raters)))
    after = replace(before, raters=names, units=tuple(f"answer {at}" for at in range(len(before.units))))
    once, again = statistic(before), statistic(after)
    assert same(once.value, again.value)
    assert same(once.low, again.low)
    assert (once.n_units, once.n_raters, once.n_left_out) == (again.n_units, again.n_raters, again.n_left_out)


@pytest.mark.thorough
@each_of_raters
@trying("seed", SEEDS)
def test_all_units_twice_leave_the_value(statistic: OfRaters, seed: int) -> None:
    rows = table(seed, k=raters_of(statistic, seed))
    once, twice = statistic(ratings(rows)), statistic(ratings(rows + rows))
    assert (twice.n_units, twice.n_left_out) == (2 * once.n_units, 2 * once.n_left_out)
    if statistic.known.repeated:
        assert same(once.value, twice.value)
    else:
        many, more = statistic(ratings(rows * 50)), statistic(ratings(rows * 100))
        assert abs(many.value - more.value) < 0.01
        assert abs(once.value - twice.value) < 0.3


@each_of_raters
@trying("k", [2, 3, 4])
def test_perfect_agreement(statistic: OfRaters, k: int) -> None:
    k = statistic.raters or k
    found = statistic(ratings([[grade] * k for grade in (1.0, 2.0, 2.0, 4.0, 3.0, 1.0)]))
    if statistic.known.perfect is not None:
        assert found.value == pytest.approx(statistic.known.perfect, abs=1e-12)
    assert found.value <= 1


@of(each for each in OF_RATERS if each.known.chance is not None)
def test_guessing_is_worth_nothing(statistic: OfRaters) -> None:
    k = statistic.raters or 3
    guesses = np.random.default_rng(1).integers(1, 5, size=(4000, k)).astype(float)
    found = statistic(ratings(guesses.tolist()))
    # Standard errors are below 0.03 in all of them, and thrice that for the mean of k.
    assert found.value == pytest.approx(statistic.known.chance, abs=0.12)


@each_of_raters
def test_one_value_throughout(statistic: OfRaters) -> None:
    k = statistic.raters or 3
    found = statistic(ratings([[2.0] * k] * 6))
    if statistic.known.constant is None:
        assert math.isnan(found.value)
        assert (found.reason or "").endswith(".")
    else:
        assert found.value == pytest.approx(statistic.known.constant, abs=1e-12)
    assert math.isnan(found.low) or found.low < found.high


@of(each for each in OF_RATERS if each.known.moved)
@trying("seed", SEEDS)
def test_numbers_shifted_and_stretched(statistic: OfRaters, seed: int) -> None:
    rows = table(seed, k=raters_of(statistic, seed))
    moved = [[10 * value - 7 for value in row] for row in rows]
    other = ratings(moved, declared=[10 * grade - 7 for grade in GRADES])
    assert same(statistic(ratings(rows)).value, statistic(other).value, 1e-8)


@of(each for each in OF_RATERS if each.needs is Needs.NAMES and each.known.moved)
@trying("seed", SEEDS)
def test_names_may_be_any(statistic: OfRaters, seed: int) -> None:
    rows = table(seed, k=raters_of(statistic, seed))
    words = dict(zip(GRADES, ("plum", "fig", "kiwi", "date"), strict=True))
    columns = {
        f"r{at}": [None if math.isnan(value) else words[value] for value in column]
        for at, column in enumerate(zip(*rows, strict=True))
    }
    named = Ratings.from_lists(scale=Scale("nominal", tuple(words.values())), **columns)
    assert same(statistic(ratings(rows)).value, statistic(named).value)


@of(each for each in OF_RATERS if each.needs is Needs.ORDER)
@trying("seed", SEEDS)
def test_an_order_may_have_any_distances(statistic: OfRaters, seed: int) -> None:
    rows = table(seed, k=raters_of(statistic, seed))
    stretched = ratings([[value**3 for value in row] for row in rows], declared=[grade**3 for grade in GRADES])
    assert same(statistic(ratings(rows)).value, statistic(stretched).value)


# ---- statistics of a judge against people ---------------------------------------------------------------------------


def judged_rows(seed: int, n: int = 40) -> Rows:
    return table(seed, k=4, n=n, gaps=0.0, agree=0.75)


def values(found: Sequence[Statistic]) -> list[float]:
    return [each.value for each in found]


@each_judged
@trying("seed", SEEDS)
def test_of_a_judge_the_order_of_units_does_not_count(statistic: Judged, seed: int) -> None:
    rows = judged_rows(seed)
    order = np.random.default_rng(seed).permutation(len(rows))
    once, again = statistic(rows), statistic([rows[at] for at in order])
    assert once
    assert [same(*pair) for pair in zip(values(once), values(again), strict=True)] == [True] * len(once)


@of(each for each in JUDGED if each.repeated)
@trying("seed", SEEDS)
def test_of_a_judge_all_units_twice_leave_the_values(statistic: Judged, seed: int) -> None:
    rows = judged_rows(seed)
    once, twice = values(statistic(rows)), values(statistic(rows + rows))
    assert [same(*pair) for pair in zip(once, twice, strict=True)] == [True] * len(once)


@each_judged
@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([], id="nothing"),
        pytest.param([[math.nan] * 4] * 5, id="all_missing"),
        pytest.param([[2.0] * 4] * 6, id="constant"),
        pytest.param([[1.0, 2.0, 4.0, 3.0]], id="one_unit"),
    ],
)
def test_of_a_judge_there_is_a_value_or_a_reason(statistic: Judged, rows: Rows) -> None:
    for found in statistic(rows):
        assert math.isfinite(found.value) or (found.reason or "").endswith(".")
        assert math.isnan(found.low) or found.low <= found.value <= found.high
        assert not math.isnan(found.low) or found.reason
