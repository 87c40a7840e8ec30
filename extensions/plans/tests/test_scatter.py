"""A chart of points and fitted lines."""

from __future__ import annotations

from extensions.plans.scatter import Scatter, chart_of, together
from tests.reports.test_charts import data


def test_points_are_larger_where_more_units_are() -> None:
    drawn = chart_of(
        Scatter("s", "S", "score", "success", together([(0, 0), (1, 1), (1, 1)]), (("Fit", ((0, 0), (1, 1))),))
    )
    large, small = data(drawn, "point")
    assert (large["n"], small["n"]) == (2, 1)
    assert large["area"] == 2 * small["area"]
    assert drawn.words == "3 units. Fit goes from 0 at 0 to 1 at 1"
