"""Every kind of runs has a row, and every plan leads to one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from app.judging import begin as judges
from app.judging import watch
from app.running import models
from domain.judging import JudgePlan, Plan
from domain.run_kinds import RunKind, kind_of, plan_of
from domain.runs import RunPlan
from domain.shipped_extensions import COMES_WITH
from tests.paths import ROOT
from tests.test_layers import modules
from tools.floors import ROOMS
from workflow.runs.askings import asking_of

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
    assert all(asking_of(kind).kind is kind for kind in asked)
    assert all(not kind.no_one for kind in asked)
    by_others = {kind for parts in COMES_WITH.values() for kind in parts.run_kinds}
    assert all(kind.no_one for kind in RunKind if kind not in {*asked, *by_others})


@pytest.mark.parametrize(("plan", "kind"), [(RunPlan(limit=3), RunKind.MODEL), (JUDGED, RunKind.JUDGE)])
def test_a_plan_leads_to_its_kind_and_back(plan: Plan, kind: RunKind) -> None:
    assert kind_of(plan) is kind
    assert plan_of(kind, plan.dump()) == plan


def test_every_kind_in_which_someone_is_asked_has_a_list_and_a_way_to_begin_on_its_page() -> None:
    asked = {kind for kind in RunKind if kind.plan is not None and kind.page}
    assert {each.kind for each in (models.BEGINNING, judges.BEGINNING)} == asked
    assert {each.kind for each in (models.LISTING, watch.LISTING)} == asked


def compared(tree: ast.AST) -> Iterator[int]:
    """The lines in which a run's kind is compared with one by its name, or looked up under its name."""
    for node in ast.walk(tree):
        against = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
        against += [key for key in node.keys if key] if isinstance(node, ast.Dict) else []
        inside = [part for each in against for part in ast.walk(each)]
        named = [part for part in inside if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name)]
        if any(isinstance(part.value, ast.Name) and part.value.id == "RunKind" for part in named):
            yield node.lineno  # type: ignore[attr-defined]


def test_no_room_asks_what_kind_a_run_is_of() -> None:
    told = [
        f"{path.relative_to(ROOT)}:{line}"
        for room in ROOMS
        for path in modules(room)
        if "RunKind" in (text := path.read_text(encoding="utf-8"))
        for line in compared(ast.parse(text))
    ]
    assert not told, "what differs from kind to kind is in its row (domain/run_kinds.py): " + ", ".join(told)


@pytest.mark.parametrize(
    "planted",
    [
        "if run.kind is RunKind.IMPORT: pass",
        "wanted.where(RunRow.kind != RunKind.IMPORT)",
        "if found.kind not in (RunKind.MODEL, RunKind.IMPORT): pass",
        'WORDS = {RunKind.MODEL: "item"}',
    ],
)
def test_a_question_for_the_kind_is_found(planted: str) -> None:
    assert list(compared(ast.parse(planted)))


def test_runs_are_looked_up_by_their_kind() -> None:
    assert not list(compared(ast.parse("runs.of_project(session, kind=RunKind.JUDGE); row.kind.plan is JudgePlan")))
