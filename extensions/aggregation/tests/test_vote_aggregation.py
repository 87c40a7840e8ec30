"""One label per unit: by votes, by means, by the raters' estimated errors."""

from __future__ import annotations

import builtins
import json
import math
import warnings
from typing import Any

import numpy as np
import pytest

from agreement import Ratings, Scale
from domain.errors import NotAvailableError, RatingsError
from extensions.aggregation.dawid_skene import dawid_skene
from extensions.aggregation.vote_aggregation import Method, aggregate
from tests.paths import shared

VOTES = Ratings.from_lists(
    ann=["a", "a", "b", "c", None],
    bob=["a", "b", "b", None, None],
    eva=["b", "c", "b", None, None],
    joe=["a", "b", None, "a", None],
    scale=Scale("ordinal", ("c", "b", "a")),
)
"""Units 0 to 3: a with three of four, b with two of four, b by all, a tie of a and c; no one rated the last."""


def simulated(n: int, k: int, *, q: int = 3, gaps: float = 0.3, seed: int = 0) -> tuple[Ratings, list[int]]:
    """Raters of whom the first two are right nine times in ten, the others three times in five."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, q, size=n)
    right = np.where(np.arange(k) < 2, 0.9, 0.6)
    wrong = (truth[:, None] + random.integers(1, q, size=(n, k))) % q
    given = np.where(random.random((n, k)) < right, truth[:, None], wrong).astype(float)
    given[random.random((n, k)) < gaps] = math.nan
    given[:, 0] = np.where(np.isnan(given).all(axis=1), truth, given[:, 0])
    return Ratings.from_array(given, scale=Scale("nominal")), truth.tolist()


def test_the_majority_and_its_share() -> None:
    found = aggregate(VOTES)
    assert found.values == ("a", "b", "b", None)
    assert found.certainty.tolist() == [0.75, 0.5, 1.0, 0.5]
    assert found.n_ratings.tolist() == [4, 4, 3, 2]
    assert found.ties == ("000000003",)
    assert found.n_left_out == 0
    assert found.probabilities is not None
    assert found.probabilities[1].tolist() == [0.25, 0.5, 0.25]  # c, b, a


@pytest.mark.parametrize(("ties", "value"), [("none", None), ("first", "c"), ("lowest", "c"), ("highest", "a")])
def test_a_tie_goes_by_the_rule(ties: Any, value: Any) -> None:
    assert aggregate(VOTES, ties=ties).values[3] == value


def test_numbers_are_low_and_high_whatever_their_declared_order() -> None:
    pair = Ratings.from_lists(ann=[3.0], bob=[1.0], scale=Scale("nominal", (3, 2, 1)))
    assert [aggregate(pair, ties=ties).values[0] for ties in ("first", "lowest", "highest")] == [3.0, 1.0, 3.0]


def test_a_tie_is_left_out_and_counted() -> None:
    found = aggregate(VOTES, ties="leave_out")
    assert found.values == ("a", "b", "b")
    assert (found.n_left_out, found.ties) == (1, ("000000003",))


def test_a_tie_is_drawn_the_same_again_and_either_way_in_half_of_the_seeds() -> None:
    drawn = [aggregate(VOTES, ties="random", seed=seed).values[3] for seed in range(400)]
    assert drawn[:40] == [aggregate(VOTES, ties="random", seed=seed).values[3] for seed in range(40)]
    assert set(drawn) == {"a", "c"}
    assert 150 < drawn.count("a") < 250  # 200, give or take five standard deviations of ten


def test_names_have_no_lowest() -> None:
    with pytest.raises(RatingsError, match="needs an order"):
        aggregate(Ratings.from_lists(ann=["a"], bob=["b"]), ties="lowest")


def test_reliability_by_votes_leaves_the_rater_out() -> None:
    # Others of ann: units 0 (a a against b: a), 1 (b b c: b), 2 (b b: b), 3 (a: a). She said a, a, b, c.
    assert aggregate(VOTES).reliability[0] == 0.5
    # Others of eva: units 0 (a a a), 1 (a b b: b), 2 (b b: b). She said b, c, b.
    assert aggregate(VOTES).reliability[2] == pytest.approx(1 / 3)


def test_means_with_their_standard_errors() -> None:
    found = aggregate(Ratings.from_lists(ann=[1, 2, 3, 4], bob=[3, 2, 4, None], eva=[2, 5, 5, None]), method="mean")
    assert found.values == (2.0, 3.0, 4.0, 4.0)
    assert found.se is not None
    # (1, 3, 2): s = 1, over the root of three; (2, 2, 5): s = root of three.
    assert found.se[:2].tolist() == pytest.approx([1 / math.sqrt(3), 1.0])
    assert math.isnan(found.se[3])
    # ann 1 2 3 against 2.5 3.5 4.5: a line.
    assert found.reliability[0] == pytest.approx(1)


def test_texts_have_no_mean() -> None:
    with pytest.raises(RatingsError, match="ratings are text"):
        aggregate(VOTES, method="mean")


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_means_of_tiny_and_huge_numbers(size: float) -> None:
    found = aggregate(Ratings.from_lists(ann=[size, size], bob=[size, 2 * size]), method="mean")
    assert found.values == pytest.approx((size, 1.5 * size))


# ---- Dawid & Skene --------------------------------------------------------------------------------------------------


def in_plain_loops(rows: list[tuple[int, int, int]], q: int, rounds: int) -> tuple[list[list[float]], list[float]]:
    """The formula of 1979, term by term: (units x classes) probabilities and the class shares."""
    units = sorted({unit for unit, _, _ in rows})
    raters = sorted({rater for _, rater, _ in rows})
    p = {}
    for unit in units:
        own = [given for at, _, given in rows if at == unit]
        p[unit] = [own.count(j) / len(own) for j in range(q)]
    shares: list[float] = []
    for _ in range(rounds):
        shares = [sum(p[unit][j] for unit in units) / len(units) for j in range(q)]
        errors: dict[tuple[int, int, int], float] = {}
        for rater in raters:
            for j in range(q):
                met = sum(p[unit][j] for unit, who, _ in rows if who == rater)
                for given in range(q):
                    as_given = sum(p[unit][j] for unit, who, what in rows if (who, what) == (rater, given))
                    errors[rater, j, given] = as_given / met if met else 1 / q
        for unit in units:
            raw = []
            for j in range(q):
                product = shares[j]
                for at, rater, given in rows:
                    if at == unit:
                        product *= errors[rater, j, given]
                raw.append(product)
            p[unit] = [each / sum(raw) for each in raw]
    return [p[unit] for unit in units], shares


def long(ratings: Ratings) -> list[tuple[int, int, int]]:
    return [(int(unit), int(rater), int(ratings.codes[unit, rater])) for unit, rater in np.argwhere(ratings.rated)]


@pytest.mark.parametrize("seed", range(4))
def test_dawid_skene_is_the_formula(seed: int) -> None:
    table, _ = simulated(40, 4, seed=seed)
    wanted, shares = in_plain_loops(long(table), 3, 60)
    found = dawid_skene(*zip(*long(table), strict=True), rounds=60, tolerance=0)
    assert found.probabilities == pytest.approx(np.array(wanted), abs=1e-9)
    # The loops end after an expectation, the function after the maximisation that follows.
    again = in_plain_loops(long(table), 3, 61)[1]
    assert found.shares.tolist() == pytest.approx(again, abs=1e-9)
    assert len(shares) == 3


def test_dawid_skene_comes_to_rest() -> None:
    table, truth = simulated(400, 5)
    found = aggregate(table, method="dawid_skene")
    assert found.reason is None
    assert found.rounds is not None
    assert 5 < found.rounds < 10_000
    votes = aggregate(table, ties="first")
    right = [sum(a == b for a, b in zip(each.values, truth, strict=True)) for each in (found, votes)]
    assert right[0] > right[1]
    assert found.shares is not None
    assert found.shares.sum() == pytest.approx(1)


def test_reliability_finds_the_better_raters() -> None:
    found = aggregate(simulated(2000, 5, gaps=0.1)[0], method="dawid_skene")
    assert found.reliability[:2] == pytest.approx([0.9, 0.9], abs=0.03)
    assert found.reliability[2:] == pytest.approx([0.6, 0.6, 0.6], abs=0.04)


def test_dawid_skene_1979() -> None:
    cases = json.loads(shared("golden", "agreement_golden.json").read_text(encoding="utf-8"))["cases"]
    rows = next(case for case in cases if case["id"] == "dawid_skene_1979")["data"]["ratings_item_rater_value"]
    found = dawid_skene(*zip(*rows, strict=True))
    # As printed in their table 4.
    assert found.shares.round(2).tolist() == [0.40, 0.42, 0.11, 0.07]
    assert found.converged


@pytest.mark.slow
def test_dawid_skene_and_crowd_kit_name_the_same_labels() -> None:
    aggregation = pytest.importorskip("crowdkit.aggregation", reason="crowd-kit is an extra")
    pandas = pytest.importorskip("pandas")
    table, _ = simulated(300, 5)
    peer = aggregation.DawidSkene(n_iter=600, tol=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about its use of pandas
        labels = peer.fit_predict(pandas.DataFrame(long(table), columns=["task", "worker", "label"])).sort_index()
    found = aggregate(table, method="dawid_skene")
    assert [int(value) for value in found.values] == labels.tolist()
    assert found.shares is not None
    assert found.shares.tolist() == pytest.approx(peer.priors_.sort_index().tolist(), abs=1e-5)


def test_a_rater_may_rate_twice_in_the_long_table() -> None:
    found = dawid_skene([1, 1, 1, 2, 2], ["a", "a", "b", "a", "b"], ["x", "x", "x", "y", "y"])
    assert found.labels == ("x", "y")


def test_a_class_that_no_one_gave_has_no_share() -> None:
    table = Ratings.from_lists(ann=[1, 1, 2, 2], bob=[1, 1, 2, 1], eva=[1, 2, 2, 2], scale=Scale("ordinal", (1, 2, 3)))
    found = aggregate(table, method="dawid_skene")
    assert found.shares is not None
    assert found.confusion is not None
    assert found.shares[2] == 0
    assert np.isnan(found.confusion[:, 2]).all()
    assert np.isfinite(found.reliability).all()


# ---- crowd-kit ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mace", "glad"])
def test_the_models_of_crowd_kit_find_labels_and_raters(method: Method) -> None:
    pytest.importorskip("crowdkit.aggregation", reason="crowd-kit is an extra")
    table, truth = simulated(200, 5, gaps=0.2)
    found = aggregate(table, method=method)
    assert sum(a == b for a, b in zip(found.values, truth, strict=True)) > 160
    assert found.reliability[:2].min() > found.reliability[2:].max()
    assert found.probabilities is not None
    assert found.probabilities.sum(axis=1) == pytest.approx(np.ones(200))


@pytest.mark.parametrize("method", ["mace", "glad"])
def test_without_crowd_kit_a_sentence_says_how_to_get_it(method: Method, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("crowdkit"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(NotAvailableError, match=r"pip install 'crowd-kit>="):
        aggregate(VOTES, method=method)


# ---- bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["majority", "mean", "dawid_skene", "mace", "glad"])
def test_no_ratings(method: Method) -> None:
    found = aggregate(Ratings.from_array(np.full((3, 2), math.nan)), method=method)
    assert (found.units, found.reason) == ((), "There are no ratings.")


@pytest.mark.parametrize("method", ["dawid_skene", "mace", "glad"])
@pytest.mark.parametrize(
    ("rows", "part"),
    [([[1.0], [2.0]], "one rater"), ([[1.0, math.nan], [2.0, math.nan]], "one rater"), ([[1.0, 1.0]] * 4, "same")],
)
def test_no_one_to_compare_with(method: Method, rows: list[list[float]], part: str) -> None:
    found = aggregate(Ratings.from_array(np.array(rows)), method=method)
    assert found.values == ()
    assert part in (found.reason or "")
    assert found.n_left_out == len(rows)


def test_one_rater_is_a_majority_of_unknown_reliability() -> None:
    found = aggregate(Ratings.from_lists(ann=["a", "b"]))
    assert found.values == ("a", "b")
    assert np.isnan(found.reliability).all()


@pytest.mark.parametrize(
    ("call", "part"),
    [
        (lambda: aggregate(VOTES, method="median"), "Unknown aggregation 'median'"),  # type: ignore[arg-type]
        (lambda: aggregate(VOTES, ties="coin"), "Unknown tie rule 'coin'"),  # type: ignore[arg-type]
        (lambda: dawid_skene([1], [1, 2], [1]), "columns of equal length"),
        (lambda: dawid_skene([], [], []), "no ratings"),
        (lambda: dawid_skene([1, 1], [1, 2], [1, 9], categories=[1, 2]), "does not include the value 9"),
        (lambda: dawid_skene([1, 2], [1, 1], [1, 2]), "one rater"),
    ],
)
def test_what_cannot_be_read_is_said(call: Any, part: str) -> None:
    with pytest.raises(RatingsError, match=part):
        call()
