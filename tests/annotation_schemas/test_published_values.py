"""The four protocols say what their papers say. Every number was typed from the paper, with the place it stands."""

from __future__ import annotations

import csv

import pytest

from annotation_schemas import judge_templates, shipped
from annotation_schemas.loader import load_schema
from annotation_schemas.model import Schema
from tests.paths import shared


def schema(name: str) -> Schema:
    return load_schema(shipped()[name]).schema_


# ---- EgoThink -------------------------------------------------------------------------------------------------------


def test_egothink_dimensions() -> None:
    # Table 4, row "#Instance", with its two header rows; 700 in all (section 3.2, Statistics)
    assert [(each.group, each.title, each.wanted) for each in schema("egothink").dimensions] == [
        ("Object", "Existence", 50),
        ("Object", "Attribute", 50),
        ("Object", "Affordance", 50),
        ("Activity", "Activity", 100),
        ("Localization", "Location", 50),
        ("Localization", "Spatial relationship", 50),
        ("Reasoning", "Counting", 50),
        ("Reasoning", "Comparison", 50),
        ("Reasoning", "Situated reasoning", 50),
        ("Forecasting", "Forecasting", 100),
        ("Planning", "Navigation", 50),
        ("Planning", "Assistance", 50),
    ]
    assert sum(each.wanted or 0 for each in schema("egothink").dimensions) == 700


def test_egothink_folders_are_those_of_the_authors() -> None:
    folder = shared("data", "egothink", "data")
    known = {each.folder for each in schema("egothink").dimensions}
    assert {path.parent.relative_to(folder).as_posix() for path in folder.rglob("annotations.json")} <= known


def test_egothink_stages() -> None:
    stages = schema("egothink").stages
    # 3.2: "at most two images per video"; "six annotators"; "two specific dimensions"
    assert stages.triage is not None
    assert stages.triage.per_source == 2
    assert stages.authoring is not None
    assert (stages.authoring.people, stages.authoring.dimensions_per_person) == (6, 2)
    # 3.2: "three additional annotators", kept only if "the three annotators all agree"
    assert stages.verification is not None
    assert stages.verification.raters == 3
    assert stages.verification.keep.rule == "unanimous"
    assert stages.verification.qualification is None
    assert stages.adjudication is None


def test_egothink_grading() -> None:
    grading = schema("egothink").stages.grading
    assert grading is not None
    # 5.2: "object and planning dimensions", "three annotators"; Table 10 names the five dimensions
    assert grading.raters == 3
    assert grading.dimensions == ("existence", "attribute", "affordance", "navigation", "assistance")
    # G.2: 1) Accuracy 2) Completeness 3) Logic 4) Language and grammar
    (score,) = grading.criteria
    assert [aspect.name for aspect in score.aspects] == ["accuracy", "completeness", "logic", "language"]
    # 4.1, Single-answer grading: "0 (wrong), 0.5 (partially correct), or 1 (correct)"
    assert score.values == (0, 0.5, 1)


def test_egothink_judges() -> None:
    judges = schema("egothink").judges
    # 4.1 and 5.2, Table 7: GPT-4, GPT-3.5-turbo, Claude-2
    assert [judge.model for judge in judges] == ["gpt-4", "gpt-3.5-turbo", "claude-2"]
    assert {judge.values for judge in judges} == {(0, 0.5, 1)}


def test_egothink_prompts_for_planning_differ() -> None:
    models = schema("egothink").models
    assert models is not None
    # Tables 5 and 6
    assert models.variants == {"planning": ("navigation", "assistance")}


# ---- EgoPlan-Bench --------------------------------------------------------------------------------------------------


def test_egoplan_item() -> None:
    item = schema("egoplan").item
    # A.3: question with goal, clip, observation image, four choices
    assert [(slot.role, slot.kind) for slot in item.assets] == [("progress", "clip"), ("observation", "image")]
    assert item.field("options").length == 4
    assert item.field("answer").secret_in == ("verification",)
    source = schema("egoplan").source
    assert source is not None
    # 3.3: "0.5 seconds preceding"; 3.2: "between 4 to 20 actions"
    assert source.media == {"clip_ends_before_action_seconds": 0.5, "goal_actions_min": 4, "goal_actions_max": 20}


def test_egoplan_verification() -> None:
    verification = schema("egoplan").stages.verification
    assert verification is not None
    # 3.3, Human Verification: pairs; 50 samples; two senior annotators; unanimous and aligned with the ground truth
    assert verification.raters == 2
    assert verification.qualification is not None
    assert (verification.qualification.items, verification.qualification.reviewers) == (50, 2)
    assert (verification.keep.rule, verification.keep.key) == ("unanimous_and_key", "answer")
    # A.3: none meets the criteria; ambiguous goal; progress cannot be assessed; more than one option
    (choice,) = verification.criteria
    assert choice.skip is not None
    assert [reason.value for reason in choice.skip.reasons] == [
        "none_fits",
        "goal_ambiguous",
        "progress_unclear",
        "several_fit",
    ]
    assert schema("egoplan").stages.adjudication is None
    assert schema("egoplan").stages.grading is None
    assert schema("egoplan").judges == ()


def test_egoplan_test_is_egoplan_with_its_answers_private() -> None:
    # 3.4: "the ground-truth answers of EgoPlan-Test are kept private"; those of EgoPlan-Val are public
    val, test = schema("egoplan"), schema("egoplan_test")
    assert (val.export.public_without, test.export.public_without) == ((), ("answer",))
    named = {"name": "egoplan", "version": val.version, "title": val.title, "export": val.export}
    assert test.model_copy(update=named) == val


def test_egoplan_models() -> None:
    models = schema("egoplan").models
    assert models is not None
    assert models.strategy == "rank_options"  # 3.5
    assert models.clips == {"recent_segments": 4, "frames_per_segment": 8, "observation_frames": 1}  # C.1


# ---- PCA-Bench ------------------------------------------------------------------------------------------------------


def test_pca_bench_item() -> None:
    # 2.5: three domains; 2.1: <image, question, action candidates, answer, reason, key concept>
    assert [each.named for each in schema("pca_bench").dimensions] == [
        "Autonomous Driving",
        "Domestic Robot",
        "Minecraft",  # so in the authors' open track; their other files have the title
    ]
    item = schema("pca_bench").item
    assert [slot.kind for slot in item.assets] == ["image"]
    assert [each.name for each in item.fields if each.authored] == [
        "question",
        "actions",
        "answer",
        "reason",
        "key_concepts",
    ]


def test_pca_bench_stages() -> None:
    stages = schema("pca_bench").stages
    assert stages.authoring is not None
    assert stages.authoring.people_per_dimension == 3  # Appendix B
    assert stages.refinement is not None  # Appendix B, second stage
    grading = stages.grading
    assert grading is not None
    # 4.1: 300 outputs, three experts, majority; 2.2: scores 0 or 1
    assert (grading.raters, grading.outputs, grading.combine) == (3, 300, "majority")
    assert {each.name: each.values for each in grading.criteria} == {
        "perception": (0, 1),
        "cognition": (0, 1),
        "action": (0, 1),
    }


def test_pca_bench_action_is_pca_bench_with_the_action_alone_against_the_key() -> None:
    # 3.2: "derived from PCA-Bench for automatic evaluate action scores offline"
    whole, action = schema("pca_bench"), schema("pca_bench_action")
    assert (action.dimensions, action.item, action.source) == (whole.dimensions, whole.item, whole.source)
    assert (action.stages.authoring, action.stages.verification) == (whole.stages.authoring, whole.stages.verification)
    assert (action.stages.grading, action.stages.coding, action.judges) == (None, None, ())
    assert (action.report.statistics, action.report.unreadable) == (("accuracy",), "wrong")


# ---- ETP-Bench ------------------------------------------------------------------------------------------------------


def test_etp_bench_dimensions() -> None:
    # Table 1
    assert [(each.group, each.title, each.wanted) for each in schema("etp_bench").dimensions] == [
        ("Object Understanding", "Type", 288),
        ("Object Understanding", "Property", 259),
        ("Spatio-temporal Perception", "Temporal", 100),
        ("Spatio-temporal Perception", "Spatial", 488),
        ("Task Understanding", "Relevant", 100),
        ("Task Understanding", "Operation", 100),
        ("Task Understanding", "Sequence", 170),
        ("Task Understanding", "Goal", 100),
        ("Embodied Reasoning", "Embodied reasoning", 270),
    ]
    assert sum(each.wanted or 0 for each in schema("etp_bench").dimensions) == 1875


def test_etp_bench_grading() -> None:
    grading = schema("etp_bench").stages.grading
    assert grading is not None
    criteria = {each.name: each for each in grading.criteria}
    assert criteria["score"].values == (0, 0.5, 1)  # Figure 3
    assert criteria["success"].values == (0, 1)  # 5.2: success rate
    assert criteria["success"].dimensions == ("embodied_reasoning",)  # 4.3
    assert criteria["score"].dimensions == schema("etp_bench").judges[0].dimensions
    (slot,) = schema("etp_bench").item.assets
    assert (slot.min, slot.max) == (1, None)  # B.2


@pytest.mark.parametrize(
    ("name", "file", "column"),
    [("egothink", "egothink_table4_statistics.csv", "n_instance"), ("etp_bench", "etp_table1_counts.csv", "n")],
)
def test_the_counts_are_those_of_the_transcribed_tables(name: str, file: str, column: str) -> None:
    with shared("data", "paper_tables", file).open(encoding="utf-8") as rows:
        assert [int(row[column]) for row in csv.DictReader(rows)] == [each.wanted for each in schema(name).dimensions]


def test_the_half_point_of_etp_bench_is_the_paper_s() -> None:
    # D.2: "If the answer contains correct and incorrect objects, give it a '0.5'."
    template = judge_templates.shipped()["etp_answer"]
    assert template.head.version == 2
    assert "Give 0.5 when it names right things and wrong ones." in template.text
    guideline = load_schema(shipped()["etp_bench"]).guideline_text
    assert "**0.5, partly right**: it names right things and wrong ones. (Ours" in guideline
