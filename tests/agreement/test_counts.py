"""Ratings that come as counts: a table of two raters, or how many chose each category."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agreement import (
    Ratings,
    Scale,
    cohen_kappa,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    light_kappa,
    mcnemar,
    percent_agreement,
    stuart_maxwell,
)
from domain.errors import RatingsError


def test_a_table_is_its_units() -> None:
    table = Ratings.from_table([[2, 1], [0, 3]], raters=("ann", "bob"), scale=Scale("nominal", ("no", "yes")))
    assert table.raters == ("ann", "bob")
    assert table.codes.tolist() == [[0, 0], [0, 0], [0, 1], [1, 1], [1, 1], [1, 1]]
    assert table.categories == ("no", "yes")
    assert percent_agreement(table).value == pytest.approx(5 / 6)
    assert Ratings.from_table([[1, 0], [0, 1]]).categories == (1.0, 2.0)


def test_counts_are_units_without_names() -> None:
    # Diagnoses of three units by three: p_a = (1/3 + 1 + 0) / 3, the last unit having two ratings; one with none goes.
    counted = Ratings.from_counts([[2, 1, 0], [0, 0, 0], [0, 3, 0], [1, 0, 1]])
    named = Ratings.from_lists(a=[1, 2, 1], b=[1, 2, 3], c=[2, 2, None], scale=Scale("interval", (1, 2, 3)))
    assert counted.units == ("0", "2", "3")
    assert percent_agreement(counted).value == pytest.approx((1 / 3 + 1 + 0) / 3)
    for statistic in (fleiss_kappa, gwet_ac):
        one, two = statistic(counted), statistic(named)
        assert (one.value, one.se, one.n_raters) == pytest.approx((two.value, two.se, 3))


def test_counts_have_no_statistics_of_named_raters() -> None:
    pairs = Ratings.from_counts([[2, 0], [1, 1], [0, 2]])
    for statistic in (cohen_kappa, light_kappa, conger_kappa, mcnemar, stuart_maxwell):
        found = statistic(pairs)
        assert not found.defined
        assert "without rater names" in (found.reason or "")


@pytest.mark.parametrize(
    ("counts", "scale", "words"),
    [
        ([[1, 2, 3], [1, 2, 3]], None, "as many rows as columns"),
        ([[1, -2], [1, 2]], None, "0 or more"),
        ([[1, 0.5], [1, 2]], None, "whole numbers"),
        ([[1, np.nan], [1, 2]], None, "whole numbers"),
        ([["x", 1], [1, 2]], None, "numbers"),
        ([[1, 2], [3]], None, "numbers"),
        ([], None, "rows and columns"),
        ([[1, 2], [3, 4]], Scale("nominal", ("a", "b", "c")), "declares 3"),
        ([[1, 2], [3, 4]], Scale("nominal"), "declares none"),
        ([[1e300, 2], [3, 4]], None, "does not fit in memory"),
    ],
)
def test_what_is_no_table_is_refused(counts: Any, scale: Scale | None, words: str) -> None:
    with pytest.raises(RatingsError, match=words) as caught:
        Ratings.from_table(counts, scale=scale)
    assert str(caught.value).endswith(".")


def test_counts_that_would_not_fit_are_refused() -> None:
    with pytest.raises(RatingsError, match="do not fit in memory"):
        Ratings.from_counts(np.array([[60_000_000, 0], [1, 1]]))
