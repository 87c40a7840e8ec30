"""Whatever the arrays hold, a judge's statistics give a number or a reason, and the order of units changes nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import agreement
from agreement import (
    Bootstrap,
    Statistic,
    clustered_mean,
    linear_regression,
    post_stratified_mean,
    ppi_mean,
    rogan_gladen,
    weighted_mean,
)
from domain import extensions
from domain.errors import RatingsError
from extensions.calibration.statistics.alternative import alternative_test
from extensions.calibration.statistics.ceiling import ceiling_by_certainty, human_ceiling
from extensions.calibration.statistics.classification import classification_rates, pass_rates
from extensions.calibration.statistics.judge_bias import (
    bias_by_group,
    calibration_curve,
    family_bias,
    length_bias,
    position_bias,
)
from extensions.calibration.statistics.judge_drift import drift, self_consistency, unparsed
from extensions.calibration.statistics.noise_ceiling import disattenuated_correlation, noise_ceiling
from extensions.calibration.statistics.verdict import judge_verdict

pytestmark = pytest.mark.thorough

FEW = Bootstrap(draws=30)
Call = Callable[[Any, Any, Any], Any]

CALLS: Mapping[str, Call] = {
    "alternative": lambda people, judge, _: alternative_test(people, judge, min_items_per_rater=2),
    "alternative_rmse": lambda people, judge, _: alternative_test(
        people, judge, score="neg_rmse", min_items_per_rater=2
    ),
    "bias_by_group": lambda people, judge, names: bias_by_group(people[:, 0], judge, (judge > 0).tolist()),
    "bias_by_group_clustered": lambda people, judge, names: bias_by_group(
        people[:, 0], judge, np.arange(len(judge)).tolist(), clusters=names
    ),
    "calibration_curve": lambda people, judge, names: calibration_curve(people[:, 0], judge, clusters=names),
    "calibration_bins": lambda people, judge, _: calibration_curve(people[:, 0], judge, bins=3, given="human"),
    "certainty": lambda people, judge, names: ceiling_by_certainty(people, judge, clusters=names, bootstrap=FEW),
    "classification": lambda people, judge, _: classification_rates(people[:, 0], judge, bootstrap=FEW),
    "classification_clustered": lambda people, judge, names: classification_rates(
        people[:, 0], judge, clusters=names, bootstrap=FEW
    ),
    "clustered_mean": lambda people, judge, names: clustered_mean(judge, clusters=names),
    "disattenuated": lambda people, judge, names: disattenuated_correlation(
        people, judge, clusters=names, bootstrap=FEW
    ),
    "drift": lambda people, judge, names: drift(people, judge, people[:, 0], margin=0.1, clusters=names, bootstrap=FEW),
    "drift_kappa": lambda people, judge, _: drift(people, people[:, 0], judge, measure="quadratic", bootstrap=FEW),
    "family": lambda people, judge, names: family_bias(people[:, 0], judge, people[:, -1] > 1, clusters=names),
    "length": lambda people, judge, names: length_bias(people[:, 0], judge, people[:, -1] + 1, clusters=names),
    "noise_ceiling": lambda people, judge, names: noise_ceiling(people, clusters=names, bootstrap=FEW),
    "pass_rates": lambda people, judge, _: pass_rates(people[:, 0], judge),
    "pass_rates_clustered": lambda people, judge, names: pass_rates(people[:, 0], judge, clusters=names, bootstrap=FEW),
    "position": lambda people, judge, names: position_bias(places(people[:, 0]), places(judge), clusters=names),
    "post_stratified": lambda people, judge, _: post_stratified_mean(people[:, 0], judge, people[:, -1]),
    "ppi": lambda people, judge, names: ppi_mean(
        people[:, 0], judge, people[:, -1], clusters=names, clusters_unlabelled=names
    ),
    "ppi_plain": lambda people, judge, _: ppi_mean(people[:, 0], judge, people[:, -1], method="ppi"),
    "regression": lambda people, judge, names: linear_regression(judge, people, clusters=names),
    "regression_hc3": lambda people, judge, _: linear_regression(judge, people),
    **(
        {}
        if extensions.missing("notebook_statistics", "logistic_regression")
        else {
            "logistic": lambda people, judge, names: attrgetter("logistic_regression")(agreement)(
                bits(judge), people, clusters=names
            )
        }
    ),
    "rogan_gladen": lambda people, judge, _: rogan_gladen(bits(people[:, 0]), bits(judge), bits(people[:, -1])),
    "self_consistency": lambda people, judge, names: self_consistency(people, clusters=names, bootstrap=FEW),
    "unparsed": lambda people, judge, names: unparsed(judge, highest=3, clusters=names),
    "weighted_mean": lambda people, judge, names: weighted_mean(
        people[:, 0], judge, np.full(len(judge), 0.5), clusters=names
    ),
    **{
        f"ceiling_{measure}_{reference}": lambda people, judge, names, m=measure, r=reference: human_ceiling(  # type: ignore[misc]
            people, judge, measure=m, reference=r, clusters=names, bootstrap=FEW
        )
        for measure in ("agreement", "kappa", "linear", "quadratic", "pearson")
        for reference in ("each", "others")
    },
}


def bits(values: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(values), np.nan, values > 1)


def places(values: np.ndarray) -> list[str | None]:
    words: list[str | None] = ["first", "second", "tie", "tie"]
    return [None if math.isnan(value) else words[int(value)] for value in values]


@st.composite
def studies(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Scores 0 to 3 of one to three people and a judge, with gaps, and the cluster of each unit."""
    k, n = draw(st.integers(1, 3)), draw(st.integers(0, 9))
    score = st.sampled_from([0.0, 1.0, 2.0, 3.0, math.nan])
    rows = draw(st.lists(st.lists(score, min_size=k + 1, max_size=k + 1), min_size=n, max_size=n))
    names = draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    table = np.array(rows, dtype=float).reshape(n, k + 1)
    return table[:, :-1], table[:, -1], names


def statistics(found: Any) -> Iterator[Statistic]:
    if isinstance(found, Statistic):
        yield found
    elif isinstance(found, tuple | list):
        for each in found:
            yield from statistics(each)
    elif is_dataclass(found):
        for field in fields(found):
            yield from statistics(getattr(found, field.name))


@pytest.mark.parametrize("name", CALLS)
@settings(max_examples=30, deadline=None)
@given(study=studies())
def test_a_number_or_a_reason(name: str, study: tuple[Any, Any, Any]) -> None:
    for found in statistics(CALLS[name](*study)):
        if math.isnan(found.value):
            assert found.reason
            assert math.isnan(found.low)
            assert math.isnan(found.high)
        elif math.isnan(found.low):
            assert found.reason
            assert math.isnan(found.high)
        else:
            assert math.isfinite(found.low)
            assert found.low <= found.high
        assert not math.isinf(found.value)
        assert found.n_units >= 0


@pytest.mark.parametrize("name", CALLS)
@settings(max_examples=8, deadline=None)
@given(study=studies(), data=st.data())
def test_the_order_of_units_changes_no_value(name: str, study: tuple[Any, Any, Any], data: st.DataObject) -> None:
    people, judge, names = study
    order = data.draw(st.permutations(range(len(judge))))
    if name == "bias_by_group_clustered":
        return  # groups are numbered by the order itself
    once = CALLS[name](people, judge, names)
    again = CALLS[name](people[order], judge[order], [names[at] for at in order])
    mine = sorted((each.value, each.n_units) for each in statistics(once) if each.defined)
    other = sorted((each.value, each.n_units) for each in statistics(again) if each.defined)
    assert mine == [pytest.approx(each, abs=1e-9) for each in other]


NONSENSE: list[Any] = [
    [],
    None,
    "abc",
    5,
    [[1, 2], [3]],
    ["a", "b"],
    [1e300, -1e300, 1e300],
    [math.nan] * 3,
    [1, 0, 1],
    [[1, 1], [0, 1], [1, math.nan]],
    np.zeros((3, 0)),
]

ANY: Mapping[str, Callable[[Any, Any], Any]] = {
    "alternative": lambda a, b: alternative_test(a, b, score="neg_rmse", min_items_per_rater=2),
    "bias_by_group": lambda a, b: bias_by_group(a, b, a),
    "calibration_curve": lambda a, b: calibration_curve(a, b, bins=2),
    "ceiling": lambda a, b: human_ceiling(a, b, measure="quadratic"),
    "classification": classification_rates,
    "clustered_mean": lambda a, b: clustered_mean(a, clusters=b),
    "disattenuated": disattenuated_correlation,
    "drift": lambda a, b: drift(a, b, b),
    "length": lambda a, b: length_bias(a, b, b),
    "pass_rates": pass_rates,
    "position": position_bias,
    "ppi": lambda a, b: ppi_mean(a, b, b),
    "regression": lambda a, b: linear_regression(b, a),
    "rogan_gladen": lambda a, b: rogan_gladen(a, b, b),
    "self_consistency": lambda a, _: self_consistency(a),
    "unparsed": lambda a, _: unparsed(a),
}


@pytest.mark.parametrize("name", ANY)
def test_nonsense_is_answered_by_a_sentence(name: str) -> None:
    for a in NONSENSE:
        for b in NONSENSE:
            try:
                found = list(statistics(ANY[name](a, b)))
            except RatingsError as error:
                said = str(error)
            else:
                said = "." if all(each.defined or each.reason for each in found) else "no reason"
            assert said.endswith("."), (a, b, said)


@settings(max_examples=40, deadline=None)
@given(study=studies())
def test_a_verdict_is_always_one_of_four(study: tuple[Any, Any, Any]) -> None:
    people, judge, _ = study
    one = human_ceiling(people, judge, bootstrap=FEW)
    found = judge_verdict(people=one.people, ceiling=one, association=one.judge)
    assert found.outcome == "not enough data"  # nine units are never enough
    assert found.reasons
