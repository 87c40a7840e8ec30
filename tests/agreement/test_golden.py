"""Values that several independent programs gave for published and made data, each with its tolerance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import pytest

from agreement import (
    Ratings,
    Scale,
    Statistic,
    cohen_kappa,
    fleiss_kappa,
    icc,
    krippendorff_alpha,
    light_kappa,
    pearson,
    percent_agreement,
)
from tests.agreement.published import golden, of_table
from tests.paths import SHARED

Case = Mapping[str, Any]

FORMS = ("ICC(1,1)", "ICC(1,k)", "ICC(3,1)", "ICC(3,k)")
LEVELS = ("nominal", "ordinal", "interval")
NAMES = "abcdefgh"


def entries() -> Iterator[Any]:
    """One parameter per expected value of a statistic that exists here."""
    if not (SHARED / "golden").is_dir():
        yield pytest.param(None, None, id="absent")
        return
    for case in golden()["cases"]:
        for entry in case["expected"]:
            if exists(entry):
                args = ",".join(f"{value}" for name, value in entry["args"].items() if name != "categories")
                yield pytest.param(case, entry, id=f"{case['id']}-{entry['stat']}-{entry['field']}-{args}")


def exists(entry: Case) -> bool:
    stat, args, field = entry["stat"], entry["args"], entry["field"]
    if field == "estimate":
        ours = stat in (
            "cohen_kappa",
            "fleiss_kappa",
            "light_kappa",
            "krippendorff_alpha",
            "percent_agreement",
            "pearson",
            "icc",
        )
    elif field in ("ci_low", "ci_high"):
        ours = stat in ("cohen_kappa", "fleiss_kappa", "pearson", "icc")
    else:
        ours = field.startswith("bootstrap_ci") and stat in ("light_kappa", "krippendorff_alpha")
    if args.get("weights") in ("matrix", "ordinal") or (stat == "fleiss_kappa" and args["weights"] != "identity"):
        return False  # weights of its own, and weighted Fleiss, are not here
    if args.get("unit") == "question" or "missing" in args:
        return False  # neither clusters nor gaps by model
    return ours and args.get("form", FORMS[0]) in FORMS and args.get("level", LEVELS[0]) in LEVELS


@pytest.mark.parametrize(("case", "entry"), list(entries()))
def test_the_published_value(case: Case | None, entry: Case | None) -> None:
    if case is None or entry is None:
        golden()  # skips, and says why
        return
    found = compute(case, entry)
    field = entry["field"]
    got = found.value if field == "estimate" else found.low if field.endswith("low") else found.high
    assert math.isfinite(got), found.reason
    assert abs(got - entry["value"]) <= entry["abs_tol"], (found, entry)


def compute(case: Case, entry: Case) -> Statistic:
    args = entry["args"]
    table = ratings(case["data"], args)
    match entry["stat"]:
        case "cohen_kappa":
            return cohen_kappa(table, weights=args["weights"])
        case "light_kappa":
            return light_kappa(table, weights=args["weights"])
        case "fleiss_kappa":
            return fleiss_kappa(table)
        case "krippendorff_alpha":
            return krippendorff_alpha(table, level=args["level"])
        case "percent_agreement":
            return percent_agreement(table)
        case "pearson":
            return pearson(table)
        case "icc":
            return icc(table, form=args["form"])
    raise AssertionError(entry["stat"])


def ratings(data: Mapping[str, Any], args: Mapping[str, Any]) -> Ratings:
    """The raters that an entry is about."""
    categories = args.get("categories") or data.get("categories")
    scale = Scale("interval", tuple(categories)) if categories else None
    if "table" in data:
        return Ratings.from_lists(scale=scale, **of_table(data["table"], categories))
    if "table_proportions" in data:
        counts = [[round(share * data["n"]) for share in row] for row in data["table_proportions"]]
        return Ratings.from_lists(**of_table(counts))
    if "x" in data:
        return Ratings.from_lists(x=data["x"], y=data["y"])
    if "experts" in data:
        return pca(data, args["dimension"])
    if "gpt35" in data:
        return models(data, args["vectors"])
    columns = dict(zip(NAMES, map(list, zip(*data["items_by_raters"], strict=True)), strict=False))
    if args.get("vectors") == "human_mean_vs_judge":
        means = [sum(row) / len(row) for row in data["items_by_raters"]]
        return Ratings.from_lists(human=means, judge=data["judge"])
    if "vectors" in args:
        words = args["vectors"].split("_")
        columns = {NAMES[int(place)]: columns[NAMES[int(place)]] for place in (words[1], words[3])}
    if "pair" in args:
        columns = {NAMES[place]: columns[NAMES[place]] for place in args["pair"]}
    return Ratings.from_lists(scale=scale, **columns)


def pca(data: Mapping[str, Any], dimension: str) -> Ratings:
    """The judge's bits against the majority of three experts."""
    majority = {key: [sum(bits) >= 2 for bits in data["experts"][key]] for key in "PCA"}
    judge = {key: [bool(bit) for bit in data["judge"][key]] for key in "PCA"}
    if dimension == "genuine":
        reference = [all(bits) for bits in zip(*majority.values(), strict=True)]
        judged = [all(bits) for bits in zip(*judge.values(), strict=True)]
    else:
        reference, judged = majority[dimension], judge[dimension]
    return Ratings.from_lists(majority=[int(bit) for bit in reference], judge=[int(bit) for bit in judged])


def models(data: Mapping[str, Any], vectors: str) -> Ratings:
    """Two judges' scores of models by dimension."""
    gpt, claude = data["gpt35"], data["claude2"]
    if vectors == "pooled_90_cells":
        pair = [[score for scores in each.values() for score in scores] for each in (gpt, claude)]
    elif vectors == "model_mean_over_dimensions":
        pair = [[sum(scores) / len(scores) for scores in zip(*each.values(), strict=True)] for each in (gpt, claude)]
    else:
        pair = [gpt[vectors], claude[vectors]]
    return Ratings.from_lists(gpt=pair[0], claude=pair[1])


def degenerate(name: str) -> Ratings:
    """The data of one of the cases that have to be handled."""
    found = next(case for case in golden()["must_handle"] if case["id"] == name)
    return ratings(found["data"], {})


def test_all_the_same_is_undefined_but_for_the_share_that_agrees() -> None:
    table = degenerate("degenerate_constant")
    pair = table.of("a", "b")
    found = [cohen_kappa(pair), fleiss_kappa(table), light_kappa(table), pearson(pair), icc(table)]
    found += [krippendorff_alpha(table, level=level) for level in ("nominal", "ordinal", "interval")]
    assert [(math.isnan(each.value), bool(each.reason)) for each in found] == [(True, True)] * len(found)
    assert percent_agreement(table).value == 1


def test_one_constant_rater_is_exactly_chance() -> None:
    table = degenerate("degenerate_one_constant_rater")
    assert cohen_kappa(table).value == 0
    assert math.isnan(pearson(table).value)
    assert krippendorff_alpha(table).value == pytest.approx(-0.17391304347826075, abs=1e-12)


def test_no_pairs_is_undefined() -> None:
    table = degenerate("degenerate_no_pairs")
    for found in (cohen_kappa(table), fleiss_kappa(table), krippendorff_alpha(table), pearson(table), icc(table)):
        assert math.isnan(found.value)
        assert found.reason
        assert found.n_left_out == 3


def test_half_points_are_values() -> None:
    table = degenerate("degenerate_non_integer_labels")
    assert [cohen_kappa(table, weights=weights).defined for weights in ("none", "linear", "quadratic")] == [True] * 3


def test_a_declared_category_that_nobody_used_counts() -> None:
    assert cohen_kappa(degenerate("unused_category"), weights="linear").value == pytest.approx(0.28, abs=1e-12)


def test_light_is_the_mean_of_the_pairs() -> None:
    case = next(case for case in golden()["cases"] if case["id"] == "egothink_shape")
    table = ratings(case["data"], {})
    pairs = [cohen_kappa(table.of(*pair)).value for pair in combinations(table.raters, 2)]
    assert light_kappa(table).value == pytest.approx(sum(pairs) / len(pairs), abs=1e-12)
