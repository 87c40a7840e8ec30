"""Plans of studies: the simulations stand for what was asked for, and bad input is refused."""

from __future__ import annotations

import math

import pytest

from agreement import Ratings, percent_agreement
from domain.errors import RatingsError
from extensions.planner.study_plan import plan_study


@pytest.mark.thorough
def test_a_plan_agrees_with_the_standard_error_of_kappa() -> None:
    plan = plan_study(agreement=0.6, raters=(2,), units=(200,), simulations=600)
    (design,) = plan.designs
    # balanced: SE = sqrt((1 - 0.36) / 200)
    assert design.half_width == pytest.approx(1.96 * math.sqrt(0.64 / 200), rel=0.1)
    assert design.mean == pytest.approx(0.6, abs=0.02)
    assert plan.cheapest is None


@pytest.mark.parametrize("statistic", ["kappa", "fleiss", "alpha", "icc"])
def test_what_is_simulated_has_the_value_that_was_asked_for(statistic: str) -> None:
    plan = plan_study(
        statistic=statistic,  # type: ignore[arg-type]
        agreement=0.5,
        shares=(0.2, 0.3, 0.5),
        raters=(4,),
        units=(300,),
        per_unit=None if statistic == "icc" else 3,
        simulations=60,
    )
    assert plan.designs[0].mean == pytest.approx(0.5, abs=0.03)


@pytest.mark.thorough
def test_the_cheapest_design_is_the_one_with_the_fewest_ratings() -> None:
    plan = plan_study(
        statistic="alpha", agreement=0.5, raters=(2, 3), units=(50, 150, 300), half_width=0.12, simulations=200
    )
    fine = [design for design in plan.designs if design.half_width <= 0.12]
    assert plan.cheapest is not None
    assert plan.cheapest.ratings == min(design.ratings for design in fine)
    assert len(plan.designs) == 6
    widths = [design.half_width for design in plan.designs if design.raters == 2]
    assert widths == sorted(widths, reverse=True)
    nothing = plan_study(agreement=0.5, raters=(2,), units=(20,), half_width=0.01, simulations=50)
    assert nothing.cheapest is None
    own = plan_study(
        statistic=lambda ratings: percent_agreement(ratings), agreement=0, raters=(2,), units=(200,), simulations=50
    )
    assert own.designs[0].mean == pytest.approx(0.5, abs=0.03)


def test_the_ratings_of_a_plan_have_the_raters_it_names() -> None:
    seen: list[Ratings] = []

    def look(ratings: Ratings):  # type: ignore[no-untyped-def]
        seen.append(ratings)
        return percent_agreement(ratings)

    plan_study(statistic=look, agreement=0.5, raters=(5,), units=(30,), per_unit=3, simulations=20)
    assert {int(count) for table in seen for count in table.rated.sum(axis=1)} == {3}


@pytest.mark.parametrize(
    "call",
    [
        lambda: plan_study(agreement=1.5),
        lambda: plan_study(agreement=0.5, raters=(1,)),
        lambda: plan_study(agreement=0.5, shares=(1.0,)),
        lambda: plan_study(agreement=0.5, units=()),
        lambda: plan_study(agreement=0.5, statistic="r"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_planned_is_said(call: object) -> None:
    with pytest.raises(RatingsError):
        call()  # type: ignore[operator]
