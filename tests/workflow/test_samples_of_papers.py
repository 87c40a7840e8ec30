"""The plans of three papers, as the page for researchers prints them, draw what the papers say that people graded."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import yaml
from sqlmodel import col, select

from annotation_schemas import shipped
from annotation_schemas.loader import load_text
from db.engine import Store
from db.tables import ItemRow, PredictionRow, RunRow, TaskRow
from domain.run_kinds import RunKind
from domain.states import TaskState
from testkit import factories
from tests.paths import ROOT
from workflow.access.projects import access_to
from workflow.annotate import authoring
from workflow.annotate.sample_standing import SampleProgress
from workflow.runs import run_grading

pytestmark = pytest.mark.thorough

PAGE = (ROOT / "docs" / "researchers.md").read_text(encoding="utf-8").split("## Whom people grade")[1].split("\n## ")[0]
PLANS = {
    text.split("\n")[0].removeprefix("# "): yaml.safe_load(text)["grading"]
    for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
}


def of_paper(begins: str) -> dict[str, Any]:
    """The only plan on the page whose first line begins so."""
    (found,) = [plan for name, plan in PLANS.items() if name.startswith(begins)]
    return dict(found)


def opened(
    store: Store, schema: str, plan: Mapping[str, Any], names: Mapping[str, Sequence[str]], models: Sequence[str]
) -> tuple[SampleProgress, SampleProgress]:
    """The plan in a shipped schema, before and after a lead has opened it; ``names`` of items by dimension."""
    whole = yaml.safe_load(shipped()[schema].read_text(encoding="utf-8"))
    whole["stages"]["grading"].pop("outputs", None)
    whole["stages"]["grading"] |= plan
    factories.make_project(store, loaded=load_text(yaml.safe_dump(whole, sort_keys=False), "", schema))
    with store.write() as session:
        access = access_to(session, person=None, project="p")
        new = [authoring.NewItem(name, dimension, {}) for dimension, lot in names.items() for name in lot]
        ids = authoring.add_items(session, access=access, new=new, now=store.now())
        run = RunRow(project_id=access.project_id, kind=RunKind.IMPORT, name="answers", created_at=store.now())
        session.add(run)
        session.flush()
        session.add_all(
            PredictionRow(
                project_id=access.project_id, item_id=id, run_id=run.id, model=model, text="x", created_at=store.now()
            )
            for id in ids
            for model in models
        )
    before = run_grading.planned_sample(store, by=None, project="p")
    run_grading.draw_sample(store, by=None, project="p")
    after = run_grading.planned_sample(store, by=None, project="p")
    assert before is not None
    assert after is not None
    return before, after


def open_answers(store: Store) -> Counter[tuple[str, str]]:
    """Slots that wait for people, by dimension and model."""
    with store.read() as session:
        rows = session.exec(
            select(ItemRow.dimension, PredictionRow.model)
            .join(PredictionRow, col(PredictionRow.item_id) == ItemRow.id)
            .join(TaskRow, col(TaskRow.prediction_id) == PredictionRow.id)
            .where(TaskRow.state == TaskState.OPEN)
        )
        return Counter(rows.all())


def numbered(sizes: Mapping[str, int]) -> dict[str, list[str]]:
    return {dimension: [f"{dimension}/{at}" for at in range(n)] for dimension, n in sizes.items()}


def test_egothink(store: Store) -> None:
    """Section 5.2: three people graded GPT-4V on Object and Planning, whose five dimensions have 50 questions each in
    the table of the dataset (#Instance)."""
    sizes = {each: 50 for each in ("existence", "attribute", "affordance", "location", "spatial", "counting")}
    sizes |= {"comparison": 50, "situated": 50, "navigation": 50, "assistance": 50, "activity": 100, "forecasting": 100}
    assert sum(sizes.values()) == 700
    before, after = opened(store, "egothink", of_paper("EgoThink"), numbered(sizes), ["gpt-4v", "llava-7b", "otter"])
    assert (before.drawn, before.slots, before.missing_slots, before.short) == (250, 750, 750, 0)
    five = ("existence", "attribute", "affordance", "navigation", "assistance")
    assert open_answers(store) == {(each, "gpt-4v"): 50 * 3 for each in five}
    assert after.total("untouched") == 250


def test_pca_bench(store: Store) -> None:
    """Section 4.1: 300 outputs, equally from the domains, three experts; the open track has 317 of them."""
    sizes = {"autonomous_driving": 100, "domestic_robot": 100, "open_world_game": 117}
    models = ["gpt-4v", "qwen-vl-max", "gemini-pro-vision", "llava-13b", "qwen-vl-chat", "llava-7b"]
    before, _ = opened(store, "pca_bench", of_paper("PCA-Bench"), numbered(sizes), models)
    assert (before.passed_on, before.drawn, before.slots) == (317 * 6, 300, 900)
    by_domain: Counter[str] = Counter()
    for (domain, _), n in open_answers(store).items():
        by_domain[domain] += n
    assert by_domain == dict.fromkeys(sizes, 300)


def test_etp_bench_by_aspect(store: Store) -> None:
    """Table 1 has the sizes of the aspects; how many answers people graded for Table 7 is not published (ours: 400)."""
    sizes = {"type": 288, "property": 259, "temporal": 100, "spatial": 488, "relevant": 100, "operation": 100}
    sizes |= {"sequence": 170, "goal": 100, "embodied_reasoning": 270}
    assert sum(sizes.values()) == 1875
    before, _ = opened(store, "etp_bench", of_paper("ETP-Bench: the answers"), numbered(sizes), ["gpt-4v", "blip-2"])
    assert (before.drawn, before.slots) == (400, 1200)
    assert open_answers(store) == {(each, "gpt-4v"): 50 * 3 for each in sizes if each != "embodied_reasoning"}


def test_etp_bench_50_tasks_by_name(store: Store) -> None:
    """Section 5.2: 50 of 270 tasks, each planned with four amounts of information (Table 3)."""
    plan = of_paper("ETP-Bench: 50 tasks")
    named = [*plan["sample"]["items"], *(f"task_{at}" for at in range(47))]
    plan["sample"] = {**plan["sample"], "items": named}
    names = {"embodied_reasoning": [*named, *(f"other_{at}" for at in range(220))]}
    before, _ = opened(store, "etp_bench", plan, names, ["general", "+o", "+o+s", "+o+s+k", "blip-2"])
    assert (len(named), before.drawn, before.slots, before.troubles) == (50, 200, 600, [])
    conditions = ("general", "+o", "+o+s", "+o+s+k")
    assert open_answers(store) == {("embodied_reasoning", each): 50 * 3 for each in conditions}
