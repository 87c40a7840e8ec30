"""Files of golden values that are made here, of random ratings with gaps, from other packages and worked formulas."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from testkit.missing_extensions import needs
from tests.agreement.golden import command as golden

pytestmark = needs("notebook_statistics", "aggregate")

Table = list[list[float | None]]
SEEDS = range(6)


def table(seed: int, *, n: int = 40, k: int = 4, gaps: float = 0.2) -> Table:
    """Halves of points by raters who often agree; null where one has not rated."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, 5, size=(n, 1))
    noise = random.integers(-1, 2, size=(n, k)) * (random.random((n, k)) < 0.5)
    values = np.clip(truth + noise, 0, 4) / 2 + 0.5
    return [
        [None if gone else float(value) for value, gone in zip(row, lost, strict=True)]
        for row, lost in zip(values, random.random((n, k)) < gaps, strict=True)
    ]


def entry(stat: str, value: float, field: str = "estimate", tolerance: float = 1e-9, **args: Any) -> dict[str, Any]:
    return {"stat": stat, "args": args, "field": field, "value": float(value), "abs_tol": tolerance}


def failures(data: Any, entries: list[dict[str, Any]]) -> list[str]:
    found = list(golden.checks([{"id": "random", "data": data, "expected": entries}], []))
    assert len(found) == len(entries)
    return [f"{check.what}: {check.failure}" for check in found if check.failure]


def pairs_of(rows: Table) -> Iterator[tuple[list[int], list[float], list[float]]]:
    """The columns of every pair, and their values where both have rated."""
    for a, b in combinations(range(len(rows[0])), 2):
        both = [(row[a], row[b]) for row in rows if row[a] is not None and row[b] is not None]
        yield (
            [a, b],
            [float(first) for first, _ in both if first is not None],
            [float(second) for _, second in both if second is not None],
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_alpha_by_krippendorff(seed: int) -> None:
    krippendorff = pytest.importorskip("krippendorff", reason="krippendorff is an extra")
    rows = table(seed)
    values = np.array(rows, dtype=float)
    entries = [
        entry(
            "krippendorff_alpha",
            krippendorff.alpha(reliability_data=values.T, level_of_measurement=level),
            level=level,
        )
        for level in ("nominal", "ordinal", "interval", "ratio")
    ]
    assert failures({"items_by_raters": rows}, entries) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_kappas_of_pairs_by_scikit_learn(seed: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is an extra")
    rows = table(seed)
    scale = [0.5, 1, 1.5, 2, 2.5]
    entries, light = [], []
    for pair, first, second in pairs_of(rows):
        a, b = ([scale.index(value) for value in column] for column in (first, second))
        for weights in ("none", "linear", "quadratic"):
            value = metrics.cohen_kappa_score(a, b, labels=range(5), weights=None if weights == "none" else weights)
            entries.append(
                entry("cohen_kappa", value, weights=weights, categories=scale, pair=pair, missing="pairwise")
            )
            if weights == "quadratic":
                light.append(value)
    entries.append(entry("light_kappa", float(np.mean(light)), weights="quadratic", categories=scale))
    assert failures({"items_by_raters": rows}, entries) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_correlations_by_scipy(seed: int) -> None:
    rows = table(seed)
    entries = []
    for pair, first, second in pairs_of(rows):
        chosen: dict[str, Any] = {"pair": pair, "missing": "pairwise"}
        pearson = stats.pearsonr(first, second)
        interval = pearson.confidence_interval(0.9)
        entries += [
            entry("pearson", pearson.statistic, **chosen),
            entry("pearson", pearson.pvalue, "p_value", **chosen),
            entry("pearson", interval.low, "ci_low", confidence=0.9, method="fisher_z", **chosen),
            entry("pearson", interval.high, "ci_high", confidence=0.9, method="fisher_z", **chosen),
            entry("spearman", stats.spearmanr(first, second).statistic, **chosen),
            entry("kendall_tau_b", stats.kendalltau(first, second).statistic, **chosen),
        ]
    complete = [row for row in rows if None not in row]
    a, b = [float(row[0] or 0) for row in complete], [float(row[2] or 0) for row in complete]
    entries.append(entry("pearson", stats.pearsonr(a, b).statistic, pair=[0, 2], missing="listwise"))
    assert failures({"items_by_raters": rows}, entries) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_intraclass_correlations_by_the_mean_squares(seed: int) -> None:
    rows = table(seed)
    x = np.array([row for row in rows if None not in row], dtype=float)
    n, k = x.shape
    units, raters, mean = x.mean(axis=1), x.mean(axis=0), x.mean()
    b = k * ((units - mean) ** 2).sum() / (n - 1)
    j = n * ((raters - mean) ** 2).sum() / (k - 1)
    w = ((x - units[:, None]) ** 2).sum() / (n * (k - 1))
    e = (((x - units[:, None] - raters + mean) ** 2).sum()) / ((n - 1) * (k - 1))
    forms = {
        "ICC(1,1)": (b - w) / (b + (k - 1) * w),
        "ICC(2,1)": (b - e) / (b + (k - 1) * e + k * (j - e) / n),
        "ICC(3,1)": (b - e) / (b + (k - 1) * e),
        "ICC(1,k)": (b - w) / b,
        "ICC(2,k)": (b - e) / (b + (j - e) / n),
        "ICC(3,k)": (b - e) / b,
    }
    entries = [entry("icc", value, form=form, missing="listwise") for form, value in forms.items()]
    f = b / e
    low, high = (f / stats.f.ppf(0.975, n - 1, (n - 1) * (k - 1)), f * stats.f.ppf(0.975, (n - 1) * (k - 1), n - 1))
    entries += [
        entry("icc", f, "F", form="ICC(3,1)", missing="listwise"),
        entry("icc", stats.f.sf(f, n - 1, (n - 1) * (k - 1)), "p_value", form="ICC(3,1)", missing="listwise"),
        entry("icc", (low - 1) / (low + k - 1), "ci_low", form="ICC(3,1)", missing="listwise"),
        entry("icc", (high - 1) / (high + k - 1), "ci_high", form="ICC(3,1)", missing="listwise"),
        entry("anova_mean_square", b, "BMS", missing="listwise"),
    ]
    assert failures({"items_by_raters": rows}, entries) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_coefficients_with_gaps_by_their_formulas(seed: int) -> None:
    rows = table(seed, gaps=0.3)
    scale = [0.5, 1.0, 1.5, 2.0, 2.5]
    q = len(scale)
    r = np.array([[sum(value == grade for value in row) for grade in scale] for row in rows], dtype=float)
    size = r.sum(axis=1)
    r, size = r[size > 0], size[size > 0]
    apart = np.abs(np.subtract.outer(np.arange(q), np.arange(q)))
    entries = []
    for name, w in (
        ("identity", (apart == 0).astype(float)),
        ("linear", 1 - apart / (q - 1)),
        ("quadratic", 1 - (apart / (q - 1)) ** 2),
        ("ordinal", np.where(apart == 0, 1, 1 - apart * (apart + 1) / 2 / math.comb(q, 2))),
    ):
        paired = size >= 2
        agreed = (r * ((r @ w) - 1)).sum(axis=1)[paired] / (size * (size - 1))[paired]
        pa = agreed.mean()
        pi = (r / size[:, None]).mean(axis=0)
        expected = {
            "fleiss_kappa": pi @ w @ pi,
            "gwet_ac": w.sum() * (pi * (1 - pi)).sum() / (q * (q - 1)),
            "brennan_prediger": w.sum() / q**2,
        }
        entries += [entry(stat, (pa - pe) / (1 - pe), weights=name, categories=scale) for stat, pe in expected.items()]
    assert failures({"items_by_raters": rows}, entries) == []
    counts = [[int(value) for value in row] for row in r]
    assert failures({"counts": counts, "categories": scale}, entries) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_a_table_is_its_ratings(seed: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is an extra")
    random = np.random.default_rng(seed)
    counts = random.integers(0, 9, size=(4, 4)) + 6 * np.eye(4, dtype=int)
    a, b = zip(*((i, j) for i in range(4) for j in range(4) for _ in range(counts[i, j])), strict=True)
    entries = [
        entry("cohen_kappa", metrics.cohen_kappa_score(a, b), weights="none"),
        entry("cohen_kappa", metrics.cohen_kappa_score(a, b, weights="linear"), weights="linear"),
        entry("percent_agreement", metrics.accuracy_score(a, b)),
        entry("pearson", stats.pearsonr(a, b).statistic),
    ]
    assert failures({"table": counts.tolist()}, entries) == []
    shares = {"table_proportions": (counts / counts.sum()).tolist(), "n": int(counts.sum())}
    assert failures(shares, entries) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_dawid_skene_by_crowd_kit(seed: int) -> None:
    aggregation = pytest.importorskip("crowdkit.aggregation", reason="crowd-kit is an extra")
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(seed)
    truth = random.integers(0, 3, size=200)
    rows = [
        [int(unit), int(rater), int(truth[unit] if random.random() < 0.8 else random.integers(0, 3))]
        for unit in range(200)
        for rater in range(5)
        if random.random() < 0.7
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about its use of pandas
        model = aggregation.DawidSkene(n_iter=200, tol=1e-10)
        model.fit(pandas.DataFrame(rows, columns=["task", "worker", "label"]))
    entries = [
        entry("dawid_skene", model.priors_[label], "class_share", 1e-3, **{"class": label}) for label in range(3)
    ]
    entries.append(entry("dawid_skene", 0, "labels_differing_from_peer", 0))
    assert failures({"ratings_item_rater_value": rows}, entries) == []


@pytest.mark.parametrize("seed", range(2))
def test_clusters_are_resampled_whole(seed: int) -> None:
    random = np.random.default_rng(seed)
    question = np.repeat(np.arange(40), 5)
    human = (random.integers(0, 3, size=40)[question] + (random.random(200) < 0.3)) % 3
    right = random.choice([0.95, 0.4], size=40)[question]  # some questions are harder than others
    judge = np.where(random.random(200) < right, human, (human + 1) % 3)

    def kappa(a: Any, b: Any) -> float:
        cells = np.bincount(a * 3 + b, minlength=9).reshape(3, 3) / len(a)
        chance = cells.sum(axis=1) @ cells.sum(axis=0)
        return float((np.trace(cells) - chance) / (1 - chance))

    units = [np.flatnonzero(question == each) for each in range(40)]
    drawn = []
    for _ in range(6000):
        chosen = np.concatenate([units[at] for at in random.integers(0, 40, size=40)])
        drawn.append(kappa(human[chosen], judge[chosen]))
    data = {"human": human.tolist(), "judge": judge.tolist(), "question": [f"q{at}" for at in question]}
    args: dict[str, Any] = {"weights": "none", "unit": "question"}
    counted = {**args, "min_resamples": 2000, "confidence": 0.95, "method": "percentile, items resampled"}
    entries = [
        entry("cohen_kappa", kappa(human, judge), **args),
        entry("cohen_kappa", float(np.std(drawn)), "bootstrap_se", 0.006, **args, min_resamples=2000),
        entry("cohen_kappa", float(np.quantile(drawn, 0.025)), "bootstrap_ci_low", 0.025, **counted),
        entry("cohen_kappa", float(np.quantile(drawn, 0.975)), "bootstrap_ci_high", 0.025, **counted),
    ]
    assert failures(data, entries) == []
    by_row = entry("cohen_kappa", float(np.std(drawn)), "bootstrap_se", 0.006, weights="none", min_resamples=2000)
    assert len(failures(data, [by_row])) == 1  # rows on their own claim too much
