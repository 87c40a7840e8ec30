"""What the server sends and what ``types.d.ts`` says that it sends: the same names, on either side."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from annotation_schemas import shipped
from app.workbench import page
from app.workbench.assets import WEB
from domain import extensions
from domain.records import Draft, GuidelineNews, NoTask, VoteView
from domain.states import Stage
from tests.app.test_workbench_page import ANN, IMAGE, NOW, NUMBERS, drawn, schema, static, task

FOLDERS = [WEB, *(each.web for each in extensions.installed().values() if each.web is not None)]
DECLARED = "".join(path.read_text(encoding="utf-8") for web in FOLDERS for path in sorted(web.glob("*types.d.ts")))


def declared(name: str) -> dict[str, bool]:
    """The keys of an interface of ``types.d.ts``, those that it extends included, and whether each has to be there."""
    found = re.search(rf"interface {name}(?: extends ([\w, ]+))? \{{(?:\}}|\n(.*?)\n\}})", DECLARED, re.DOTALL)
    assert found, f"types.d.ts has no {name}"
    own = {key: not optional for key, optional in re.findall(r"^  (\w+)(\?)?:", found[2] or "", re.MULTILINE)}
    wider = [declared(each) for each in (found[1] or "").split(", ") if each]
    return {key: there for each in [*wider, own] for key, there in each.items()}


def fits(value: Mapping[str, Any], name: str) -> None:
    known = declared(name)
    assert set(value) <= set(known), f"{name} in types.d.ts lacks {set(value) - set(known)}"
    needed = {key for key, there in known.items() if there}
    assert needed <= set(value), f"{name} in types.d.ts promises {needed - set(value)}"


@pytest.mark.parametrize("name", sorted(shipped()))
def test_the_part_that_stays_is_as_the_types_say(name: str) -> None:
    for stage in Stage:
        part = page.static_part(schema(name), stage, project="p", title="P")
        fits(part, "Static")
        for key, kind in (("fields", "Field"), ("slots", "Slot")):
            for each in part[key]:
                fits(each, kind)
        for criterion in [*part["criteria"], *part["vote_criteria"]]:
            fits(criterion, "Criterion")
            for option in criterion["options"]:
                fits(option, "Option")
            for aspect in criterion["aspects"]:
                fits(aspect, "Aspect")
        for dimension in part["dimensions"].values():
            fits(dimension, "Dimension")


def test_tasks_pools_and_reasons_for_nothing_are_as_the_types_say() -> None:
    loaded = schema("demo")
    view = replace(
        task(Stage.ADJUDICATION, votes=[VoteView("Vote A", {"fits": "yes"}, {})]),
        draft=Draft(seq=1, values={}, saved_at=NOW),
        news=GuidelineNews(number=2, why="Clearer.", changes=[("+", "One line.")]),
    )
    found = drawn(loaded, view)
    fits({**found, "menu": [], "n": 1}, "TaskPage")
    task_part = found["task"]
    for part, kind in ((task_part, "Task"), (task_part["draft"], "Draft"), (task_part["news"], "GuidelineNews")):
        fits(part, kind)
    fits(found["task"]["votes"][0], "Vote")
    fits(found["task"]["assets"][0], "Asset")
    common = {"person": ANN, "csrf": "token", "static": static(loaded, Stage.AUTHORING), "progress": NUMBERS}
    pool = page.pool_page(**common, dimensions=[], dimension="one", assets=[IMAGE], total=1)  # type: ignore[arg-type]
    fits(pool, "PoolPage")
    fits(pool["pool"], "PoolPart")
    nothing = page.nothing_page(**common, nothing=NoTask("all_done", "Done."))  # type: ignore[arg-type]
    fits(nothing, "NothingPage")
