"""Shares and means over parts, by scipy, by hand and by simulation."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from scipy import stats

from agreement.means import mean_of_parts, paired_difference, share
from domain.errors import RatingsError
from tests.paths import shared

NAN = float("nan")


@pytest.mark.parametrize(("right", "n"), [(3, 4), (0, 7), (7, 7), (412, 500)])
def test_a_share_has_scipy_s_wilson_limits(right: int, n: int) -> None:
    found = share([1] * right + [0] * (n - right) + [NAN, NAN])
    limits = stats.binomtest(right, n).proportion_ci(method="wilson")
    assert found.value == right / n
    assert (found.low, found.high) == pytest.approx((limits.low, limits.high), abs=1e-12)
    assert (found.n_units, found.n_left_out) == (n, 2)


def test_questions_about_one_video_say_less() -> None:
    hits = [1, 1, 0, 0, 1, 1, 1, 1]
    alone, together = share(hits), share(hits, clusters=list("aabbccdd"))
    # each pair is alike, so there are 4 things: se^2 = 4/3 sum (2 (x - 0.75) / 8)^2 = 4/3 (3 (1/16)^2 + (3/16)^2)
    assert together.se == pytest.approx(math.sqrt(4 / 3 * (3 / 256 + 9 / 256)))
    assert together.high - together.low > alone.high - alone.low


def test_a_share_is_of_zeros_and_ones() -> None:
    with pytest.raises(RatingsError, match="zeros and ones"):
        share([0, 0.5])
    assert share([NAN]).reason == "There are no values."


def test_every_part_counts_alike() -> None:
    # parts: 1, 1, 1, 0 (mean 3/4, s^2 = 1/4) and 0, 1 (mean 1/2, s^2 = 1/2)
    found = mean_of_parts([1, 1, 1, 0, 0, 1], list("aaaabb"))
    variance = (0.25 / 4 + 0.5 / 2) / 4
    assert found.value == pytest.approx(0.625)
    assert found.se == pytest.approx(math.sqrt(variance))
    df = (0.25 / 4 + 0.5 / 2) ** 2 / ((0.25 / 4) ** 2 / 3 + (0.5 / 2) ** 2 / 1)
    assert found.high - found.value == pytest.approx(stats.t.ppf(0.975, df) * math.sqrt(variance))


def test_clusters_of_one_unit_change_nothing() -> None:
    values, parts = [1, 0.5, 0, 0, 1, 0.5, 1], list("aaabbbb")
    plain, clustered = mean_of_parts(values, parts), mean_of_parts(values, parts, clusters=list("tuvwxyz"))
    assert (plain.value, plain.low, plain.high) == pytest.approx((clustered.value, clustered.low, clustered.high))


def test_clusters_over_parts_go_together() -> None:
    # the same two videos in both parts, every time 1 and 0: the whole moves with the video
    found = mean_of_parts([1, 0, 1, 0], list("aabb"), clusters=list("vwvw"))
    # influence of each unit: +-0.5 / (2 * 2) * sqrt(2); a video's: twice that
    assert found.se == pytest.approx(math.sqrt(2 * (2 * 0.125 * math.sqrt(2)) ** 2))


def test_a_part_without_a_value_leaves_no_mean() -> None:
    found = mean_of_parts([1, 0, NAN], ["a", "a", "b"])
    assert not found.defined
    assert found.reason == "There are no values in b."
    single = mean_of_parts([1, 0, 1], ["a", "a", "b"])
    assert (single.value, math.isnan(single.low)) == (0.75, True)
    assert single.reason == "No interval: a part has only one unit."
    assert mean_of_parts([1, 1, 0, 0], list("aabb")).reason == (
        "No interval: values within the parts do not vary, so the interval would have a misleading width of zero."
    )


def test_egothink_s_printed_average_is_the_mean_over_dimensions() -> None:
    with shared("data", "paper_tables", "egothink_table3_gpt4_scores.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 21
    apart = []
    for row in rows:
        dimensions = [name for name in row if name not in ("model", "group", "Average_printed")]
        found = mean_of_parts([float(row[name]) for name in dimensions], dimensions)
        assert len(dimensions) == 12
        if abs(found.value - float(row["Average_printed"])) > 0.0501:
            apart.append(row["model"])
    assert apart == ["ShareGPT4V-7B"]  # whose printed 51.9 is no mean of its row


def test_limits_hold_the_truth_as_often_as_they_say() -> None:
    random = np.random.default_rng(5)
    truth = [0.9, 0.6, 0.3]
    parts = [at for at, n in enumerate((20, 40, 60)) for _ in range(n)]
    held = 0
    for _ in range(1000):
        hits = random.random(len(parts)) < np.array(truth)[parts]
        found = mean_of_parts(hits.astype(float), parts)
        held += found.low <= 0.6 <= found.high
    assert 930 <= held <= 970


def test_a_paired_difference_is_that_of_scipy() -> None:
    first, second = [0.5, 1, 0, 0.5, 1, 0, NAN], [1, 1, 0.5, 0.5, 0.5, 1, 1]
    found, expected = paired_difference(first, second), stats.ttest_rel(second[:6], first[:6])
    limits = expected.confidence_interval(0.95)
    assert found.test is not None
    assert (found.test.value, found.test.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    assert (found.low, found.high) == pytest.approx((limits.low, limits.high))
    assert (found.n_units, found.n_left_out) == (6, 1)
    right = paired_difference([0] * 9 + [1, 1], [1] * 7 + [0, 0, 0, 1])  # seven gained, one lost
    assert right.test is not None
    assert right.test.p_value == pytest.approx(stats.binomtest(1, 8).pvalue)
    assert right.value == pytest.approx(6 / 11)


def test_a_paired_difference_of_clusters_has_their_error() -> None:
    first, second = [0, 0, 0, 1], [1, 1, 0, 0]
    found = paired_difference(first, second, clusters=["v", "v", "w", "w"])
    # differences 1, 1, 0, -1 around 1/4: 3/2 in one video, -3/2 in the other
    assert found.se == pytest.approx(math.sqrt(2 / 1 * (1.5**2 + 1.5**2)) / 4)
    assert found.test is not None
    assert found.test.df == (1.0,)
    assert paired_difference(first, second, clusters=["v"] * 4).test is None, "one cluster says nothing of its spread"
