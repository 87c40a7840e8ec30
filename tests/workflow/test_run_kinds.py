"""Every kind of runs has a row, and every plan leads to one."""

from __future__ import annotations

import pytest

from app.judging import begin as judges
from app.judging import watch
from app.running import models
from domain.judging import JudgePlan, Plan
from domain.runs import RunKind, RunPlan
from workflow.runs.run_kinds import KINDS, asked_by

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


def test_every_kind_has_a_row() -> None:
    assert set(KINDS) == set(RunKind)
    assert all((row.asking is None) == bool(row.words.nobody) for row in KINDS.values())


@pytest.mark.parametrize(("plan", "kind"), [(RunPlan(), RunKind.MODEL), (JUDGED, RunKind.JUDGE)])
def test_a_plan_leads_to_its_kind(plan: Plan, kind: RunKind) -> None:
    assert asked_by(plan) == (kind, KINDS[kind].asking)


def test_every_kind_in_which_somebody_is_asked_has_a_list_and_a_way_to_begin_on_its_page() -> None:
    asked = {kind for kind, row in KINDS.items() if row.asking is not None}
    assert {each.kind for each in (models.BEGINNING, judges.BEGINNING)} == asked
    assert {each.kind for each in (models.LISTING, watch.LISTING)} == asked
