"""The tools on the page Models."""

from __future__ import annotations

import hashlib

import pytest

from app.running import description
from app.running.plan import plan_pairs
from db.engine import Store
from domain.records import ProjectView
from domain.roles import Role
from inference import spec as specs
from tests.app.homes import Home
from tests.app.test_models_page import SPEC, Open, first_home, home, items, show, store, words
from workflow.runs import run_views

__all__ = ["first_home", "home", "items", "show", "store"]


@pytest.mark.thorough
def test_tools_that_run_are_those_of_the_operator_s_folder(
    show: Open, store: Store, home: Home, items: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_TOOLS", str(home.path / "tools"))
    test = show()
    test.text_area(key=description.TEXT).set_value(specs.spec_as_yaml(SPEC)).run()
    test.selectbox(key="models.strategy").select("holmes").run()
    assert "models.tools" not in {box.key for box in test.selectbox}, "there is none"
    (home.path / "tools").mkdir()
    lab = home.path / "tools" / "lab.yaml"
    lab.write_text("tools: [{name: ocr, description: Reads., shell: true}]")
    test.run()
    test.button(key="models.see").click().run()
    assert "This item has no stored results of tools, and the run has no tool set." in words(test)
    test.selectbox(key="models.tools").select("lab").run()
    assert "lab.yaml:1: tools[0].shell: unknown key" in words(test)
    lab.write_text("tools: [{name: ocr, description: Reads., command: [./read.sh, '<b>']}]")
    test.run()
    assert "tool ocr: ./read.sh &lt;b&gt;, at most 60 s and 100,000 bytes" in words(test)
    test.button(key="models.see").click().run()
    next(button for button in test.button if button.key.startswith("models.start")).click().run()
    (view,) = run_views.runs_of(store, by=None, project="tiny")
    assert view.plan.tools_hash == hashlib.sha256(lab.read_bytes()).hexdigest()
    assert ("Hash of the tools", view.plan.tools_hash) in plan_pairs(
        view.plan, ProjectView("tiny", "Tiny", False, None, Role.LEAD)
    )
