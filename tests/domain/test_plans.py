"""What is frozen with a run."""

from __future__ import annotations

from dataclasses import fields

import pytest

from domain.judging import JudgePlan
from domain.runs import RunPlan


@pytest.mark.parametrize("plan", [RunPlan, JudgePlan])
def test_what_makes_no_other_rater_is_a_part_of_the_plan(plan: type[RunPlan] | type[JudgePlan]) -> None:
    """A part under another name would make everyone someone else."""
    assert {each.name for each in fields(plan)} >= plan.NOT_IDENTITY
