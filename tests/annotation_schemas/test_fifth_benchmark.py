"""A benchmark that Touchstone did not have in mind needs a YAML file and a guideline, and no code."""

from __future__ import annotations

from annotation_schemas import registry
from annotation_schemas.kinds import check_answers, check_fields
from annotation_schemas.loader import load_schema
from tests.paths import ROOT

LOADED = load_schema(ROOT / "tests" / "annotation_schemas" / "files" / "fifth_benchmark.yaml")


def test_it_loads_with_its_guideline() -> None:
    assert LOADED.schema_.title == "Fifth benchmark: chart questions"
    assert "bears the answer out" in LOADED.guideline_text


def test_its_judge_gets_the_name_and_parser_of_its_template() -> None:
    (judge,) = LOADED.schema_.judges
    assert (judge.name, judge.criteria, judge.parser) == ("verify_reference", ("answer_correct",), "last_line")


def test_its_forms_are_checked() -> None:
    item = {"question": "What was sold in May?", "answer": "12"}
    assert check_fields(LOADED.schema_, item) == []
    criteria = registry.criteria_of(LOADED.schema_, "verification")
    assert check_answers(criteria, {"answer_correct": "yes", "difficulty": 4}, {}, item) == []
    assert check_answers(criteria, {"answer_correct": "no"}, {}, item) == []
    assert [each.name for each in check_answers(criteria, {"answer_correct": "yes"}, {}, item)] == ["difficulty"]


def test_it_can_be_verified_judged_and_exported() -> None:
    registry.require_available(LOADED.schema_, "verification")
    registry.require_available(LOADED.schema_, "judges")
    assert registry.require_row("format", LOADED.schema_.export.formats[0]).name == "jsonl"
