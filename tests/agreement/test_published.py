"""Real ratings give the numbers that their authors, or other programs, found."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from agreement import Bootstrap, Ratings, Result, Scale, cohen_kappa, icc, pearson, summarise
from agreement.correlation import kendall_tau, spearman
from domain.records import Rating
from tests.agreement.published import etp_table7, llmbar, pandalm, recipes, tifa, tifa_metric


def value(results: Sequence[Result], statistic: str, **args: object) -> float:
    """The one result that was asked like this."""
    found = [
        each
        for each in results
        if each.statistic == statistic and all(each.args.get(name) == wanted for name, wanted in args.items())
    ]
    assert len(found) == 1, found
    assert found[0].value is not None, found[0].reason
    return found[0].value


def test_pandalm() -> None:
    results = summarise(pandalm(), scales={"preference": Scale("nominal", (0, 1, 2))})
    kappas = {
        tuple(each.args["pair"]): each.value
        for each in results
        if each.args.get("weights") == "none" and "pair" in each.args
    }
    assert {pair: round(kappa or 0, 3) for pair, kappa in kappas.items()} == {
        ("annotator1", "annotator2"): 0.852,
        ("annotator1", "annotator3"): 0.879,
        ("annotator2", "annotator3"): 0.862,
    }
    assert round(value(results, "fleiss_kappa"), 4) == 0.8642
    assert round(value(results, "krippendorff_alpha", level="nominal"), 4) == 0.8642
    assert value(results, "light_kappa", weights="none") == pytest.approx(0.864209, abs=1e-6)
    refused = {each.statistic for each in results if each.value is None}
    assert refused == {"cohen_kappa", "light_kappa", "krippendorff_alpha", "pearson", "icc"}
    assert all(each.reason for each in results if each.value is None)


def test_tifa() -> None:
    results = summarise(tifa(), scales={"faithfulness": Scale("interval", (1, 2, 3, 4, 5))})
    assert value(results, "percent_agreement") == 0.55125
    for level, published in (("nominal", 0.3750), ("ordinal", 0.7186), ("interval", 0.6795)):
        assert round(value(results, "krippendorff_alpha", level=level), 4) == published
    for weights, published in (("none", 0.3751), ("linear", 0.5330), ("quadratic", 0.6801)):
        assert round(value(results, "cohen_kappa", weights=weights), 4) == published
    assert {each.n_units for each in results} == {800}


def test_tifa_metric_against_people() -> None:
    """The release prints Pearson's 0.5967 under the name of Spearman."""
    table = Ratings.from_rows(tifa_metric("tifa_mplug-large"), scale=Scale("interval"))
    found = [round(of(table).value, 4) for of in (pearson, spearman, kendall_tau)]
    assert found == [0.5967, 0.5922, 0.4717]


@pytest.mark.parametrize(
    ("judge", "plain", "swapped"),
    [
        ("GPT-4/CoT", 0.8777, 0.8970),
        ("ChatGPT/Rating", 0.4328, 0.3066),
        ("Falcon/CoT", 0.1034, 0.1883),
        ("GPT-4/Metrics_Reference", 0.8977, 0.9382),
    ],
)
def test_llmbar(judge: str, plain: float, swapped: float) -> None:
    """The kappas of the release compare gold 1 and 2 with verdicts 0 and 1; these compare like with like."""
    whole = Ratings.from_rows(llmbar(), scale=Scale("nominal", ("1", "2")))
    found = [cohen_kappa(whole.of("gold", rater)).value for rater in (judge, f"{judge} swapped")]
    assert [round(value, 4) for value in found] == [plain, swapped]


PUBLISHED_RECIPES = {
    "grammar": 0.41512699786609375,
    "fluency": 0.43239839448968664,
    "verbosity": 0.3991422935197101,
    "structure": 0.3985577014111057,
    "success": 0.3627155704454662,
    "overall": 0.4351007794425691,
}


def test_recipes() -> None:
    rows = recipes()
    named = {criterion.lower(): criterion for criterion in dict.fromkeys(row.criterion for row in rows)}
    for published, expected in PUBLISHED_RECIPES.items():
        criterion = next(name for lower, name in named.items() if published in lower)
        # Every place in the lists is a rater: which pairs of people that makes does not touch alpha.
        table = Ratings.from_rows(
            (row for row in rows if row.criterion == criterion), scale=Scale("ordinal", (1, 2, 3, 4, 5, 6))
        )
        from agreement import krippendorff_alpha

        assert krippendorff_alpha(table, level="ordinal", bootstrap=Bootstrap(50)).value == pytest.approx(
            expected, abs=1e-12
        )


@pytest.mark.parametrize(
    ("metric", "expected", "average"),
    [("GPT-3.5", (0.8077, 0.3497, 0.9575), 0.8936), ("Rouge-L", (0.4018, -0.3180, 0.8398), 0.5733)],
)
def test_etp_table_7(metric: str, expected: tuple[float, float, float], average: float) -> None:
    rows = etp_table7()
    of_all = summarise(rows, raters=["Human", metric])
    (found,) = [each for each in of_all if each.statistic == "icc" and each.args["form"] == "ICC(1,1)"]
    assert found.n_units == 8
    assert tuple(round(number or 0, 4) for number in (found.value, found.low, found.high)) == expected
    table = Ratings.from_rows(rows).of("Human", metric)
    assert round(icc(table, form="ICC(1,k)").value, 4) == average


def test_a_dimension_in_which_a_value_never_occurs_has_the_same_scale() -> None:
    rows = [
        Rating(f"{dimension}{unit}", rater, "score", score, dimension)
        for dimension, scores in {"x": [(1, 1), (1, 4), (4, 4)], "y": [(1, 1), (2, 3), (4, 4)]}.items()
        for unit, pair in enumerate(scores)
        for rater, score in zip(("ann", "bob"), pair, strict=True)
    ]
    results = summarise(rows, by_dimension=True)
    assert [each.dimension for each in results if each.args.get("form") == "ICC(1,1)"] == ["x", "y"]
    # In x only 1 and 4 occur; by place 4 would be next to 1. d_o = 3 / 3; d_e = (2/3 * 2/3 + 1/3 * 1/3) * 3 = 5/3.
    linear = [each.value for each in results if each.statistic == "cohen_kappa" and each.args["weights"] == "linear"]
    assert linear[0] == pytest.approx(1 - 1 / (5 / 3))
