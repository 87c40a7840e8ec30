"""Statistics of a judge against people: values that other programs gave, each with its tolerance."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from agreement import (
    Bootstrap,
    linear_regression,
    ppi_mean,
    rogan_gladen,
)
from extensions.calibration.statistics.alternative import alternative_test
from extensions.calibration.statistics.ceiling import Ceiling, human_ceiling
from extensions.calibration.statistics.classification import all_right, pass_rates
from extensions.calibration.statistics.noise_ceiling import noise_ceiling
from tests.agreement.published import entries, golden

Case = Mapping[str, Any]


def of_alternative(data: Case, args: Case) -> Mapping[str, float]:
    people = list(data["humans"])
    units = sorted({unit for given in data["humans"].values() for unit in given} | set(data["llm"]))
    table = [[data["humans"][person].get(unit, math.nan) for person in people] for unit in units]
    asked = {name: value for name, value in args.items() if name != "rater"}
    judge = [data["llm"].get(unit, math.nan) for unit in units]
    found = alternative_test(np.array(table, dtype=float), judge, raters=people, **asked)
    values = {
        "winning_rate": found.winning_rate.value,
        "advantage_probability": found.advantage_probability.value,
    }
    for person in found.people:
        if person.rater == args.get("rater"):
            assert person.test is not None
            values |= {"p_value": person.test.p_value, "llm_advantage": person.advantage.value}
    return values


def of_ppi(data: Case, args: Case) -> Mapping[str, float]:
    found = ppi_mean(data["human"], data["judge"], data["judge_unlabelled"], **args)
    mean = found.mean
    return {"estimate": mean.value, "ci_low": mean.low, "ci_high": mean.high, "lambda": found.weight}


def of_rogan_gladen(data: Case, args: Case) -> Mapping[str, float]:
    confidence = args.get("confidence", 0.95)
    mean = rogan_gladen(data["human"], data["judge"], data["judge_unlabelled"], confidence=confidence).mean
    return {"estimate": mean.value, "ci_low": mean.low, "ci_high": mean.high}


def of_regression(data: Case, args: Case) -> Mapping[str, float]:
    found = linear_regression(data["y"], data["x"], names=data["names"])
    values = {"r_squared": found.r_squared.value}
    if "term" in args:
        term = found.term(args["term"])
        values |= {"coefficient": term.coefficient.value, "se_ols": term.se_classical, "se_hc3": term.se_hc3}
    return values


def of_confusion(data: Case, args: Case) -> Mapping[str, float]:
    majority = [int(sum(bits) * 2 > len(bits)) for bits in data["experts"][args["dimension"]]]
    found = pass_rates(majority, data["judge"][args["dimension"]])
    return {
        "tp": found.true_positive,
        "fp": found.false_positive,
        "fn": found.false_negative,
        "tn": found.true_negative,
    }


def of_genuine(data: Case, args: Case) -> Mapping[str, float]:
    majority = [[int(sum(bits) * 2 > len(bits)) for bits in data["experts"][letter]] for letter in "PCA"]
    people, judge = all_right(*majority), all_right(*(data["judge"][letter] for letter in "PCA"))
    rates = pass_rates(people, judge)
    return {"mean_from_majority": rates.true_rate.value, "mean_from_judge": rates.judged_rate.value}


def of_rates(data: Case, args: Case) -> Mapping[str, float]:
    found = pass_rates(data["human"], data["judge"])
    raw = pass_rates(data["judge_unlabelled"], data["judge_unlabelled"]).judged_rate
    return {
        "sensitivity": found.sensitivity.value,
        "specificity": found.specificity.value,
        "raw_pass_rate": raw.value,
    }


def of_ceiling(data: Case, args: Case) -> Mapping[str, float]:
    found = noise_ceiling(data["items_by_raters"], bootstrap=Bootstrap(draws=10))
    return {
        "sqrt_reliability_of_mean": found.highest.value,
        "leave_one_out_mean": found.leave_one_out.value,
    }


def of_pairwise(data: Case, args: Case) -> Ceiling:
    return human_ceiling(data["items_by_raters"], data["judge"], measure="pearson", bootstrap=Bootstrap(draws=10))


COMPUTE: Mapping[str, Callable[[Case, Case], Mapping[str, float]]] = {
    "alt_test": of_alternative,
    "confusion": of_confusion,
    "genuine_pca": of_genuine,
    "human_human_mean_pairwise_pearson": lambda data, args: {"estimate": of_pairwise(data, args).people.value},
    "judge_human_mean_pairwise_pearson": lambda data, args: {"estimate": of_pairwise(data, args).judge.value},
    "judge_rates": of_rates,
    "linear_regression": of_regression,
    "noise_ceiling": of_ceiling,
    "ppi_mean": of_ppi,
    "rogan_gladen": of_rogan_gladen,
}


@pytest.mark.parametrize(("data", "entry"), list(entries(COMPUTE)))
def test_the_value_of_other_programs(data: Case | None, entry: Case | None) -> None:
    if data is None or entry is None:
        golden()  # skips, and says why
        return
    got = COMPUTE[entry["stat"]](data, entry["args"])[entry["field"]]
    assert abs(got - entry["value"]) <= entry["abs_tol"], (got, entry)
