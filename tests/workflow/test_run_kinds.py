"""Every kind of runs has a row, and every plan leads to one."""

from __future__ import annotations

import pytest

from app.judging import begin as judges
from app.judging import watch
from app.running import models
from domain.judging import JudgePlan, Plan
from domain.run_kinds import RunKind, kind_of, plan_of
from domain.runs import RunPlan
from workflow.runs.run_kinds import Asking, asking_of

JUDGED = JudgePlan(
    template="t",
    template_version=1,
    template_hash="",
    template_text="",
    parser="p",
    parser_version=1,
    values=(),
    criteria={},
)


def test_someone_is_asked_or_a_sentence_says_that_no_one_is() -> None:
    asked = [kind for kind in RunKind if kind.plan is not None]
    assert {RunKind.MODEL, RunKind.JUDGE} <= set(asked)
    assert all(isinstance(asking_of(kind), Asking) for kind in asked)
    assert all(not kind.no_one for kind in asked)
    assert all(kind.no_one and not kind.asking for kind in RunKind if kind not in asked)


@pytest.mark.parametrize(("plan", "kind"), [(RunPlan(limit=3), RunKind.MODEL), (JUDGED, RunKind.JUDGE)])
def test_a_plan_leads_to_its_kind_and_back(plan: Plan, kind: RunKind) -> None:
    assert kind_of(plan) is kind
    assert plan_of(kind, plan.dump()) == plan


def test_every_kind_in_which_someone_is_asked_has_a_list_and_a_way_to_begin_on_its_page() -> None:
    asked = {kind for kind in RunKind if kind.plan is not None}
    assert {each.kind for each in (models.BEGINNING, judges.BEGINNING)} == asked
    assert {each.kind for each in (models.LISTING, watch.LISTING)} == asked
