"""Test Label Studio results: written answers are read back unchanged, and nothing else is trusted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from annotation_schemas.model import PREDICTION, Schema
from domain.errors import NotAvailableError
from extensions.labelstudio import results
from extensions.labelstudio.results import read_result, write_result

pytestmark = pytest.mark.thorough

SIDES = {"dimensions": [{"id": "d", "title": "D"}, {"id": "e", "title": "E"}]}
ASSETS = [{"role": "clip", "kind": "clip", "min": 0}, {"role": "image", "kind": "image", "min": 1, "max": 9}]
OPTIONS = {"name": "options", "kind": "text_list"}
KEEP = {"rule": "unanimous", "criterion": "x", "value": "yes"}


def asking(*criteria: dict[str, Any], stage: str = "verification", fields: Any = (OPTIONS,), **more: Any) -> Schema:
    """Return a schema whose stage has only these criteria."""
    asked = [{"prompt": f"{each['name']}?", **each} for each in criteria]
    part = {"raters": 2, "criteria": asked} | ({"keep": KEEP} if stage == "verification" else {})
    made = {"name": "s", "version": 1, "title": "S", **SIDES, "item": {"assets": ASSETS, "fields": list(fields)}}
    return Schema.model_validate({**made, "stages": {stage: part}, **more})


def back(
    schema: Schema,
    values: dict[str, Any],
    reasons: dict[str, Any] | None = None,
    note: str = "",
    fields: dict[str, Any] | None = None,
    *,
    stage: str = "verification",
) -> tuple[dict[str, Any], dict[str, Any], str]:
    """Return the answers that are read back from written results, after conversion to JSON."""
    result = write_result(schema, stage, "d", values, reasons, note, fields)
    found = read_result(schema, stage, "d", json.loads(json.dumps(result)), fields)
    assert found.problems == (), result
    return found.values, found.reasons, found.note


YES_NO = {"name": "x", "kind": "choice", "options": ["yes", "no"]}

# ---- the form of results, as that tool writes them -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("criterion", "result", "value"),
    [
        (YES_NO, {"type": "choices", "value": {"choices": ["yes"]}}, "yes"),
        ({"name": "x", "kind": "option_of", "field": "options"}, {"type": "choices", "value": {"choices": ["a"]}}, "a"),
        ({"name": "x", "kind": "scale", "values": [1, 2, 3]}, {"type": "rating", "value": {"rating": 2}}, 2),
        (
            {"name": "x", "kind": "scale", "values": [0, 0.5, 1]},
            {"type": "choices", "value": {"choices": ["0.5"]}},
            0.5,
        ),
        (
            {"name": "x", "kind": "scale", "values": [1, 2], "labels": ["bad", "good"]},
            {"type": "choices", "value": {"choices": ["2"]}},
            2,
        ),
        (
            {"name": "x", "kind": "multi_choice", "field": "options"},
            {"type": "choices", "value": {"choices": ["c", "a"]}},
            ["a", "c"],
        ),
        ({"name": "x", "kind": "number"}, {"type": "number", "value": {"number": 2.5}}, 2.5),
        ({"name": "x", "kind": "number"}, {"type": "number", "value": {"number": 3.0}}, 3),
        ({"name": "x", "kind": "text"}, {"type": "textarea", "value": {"text": ["one", "two"]}}, "one\ntwo"),
        (
            {"name": "x", "kind": "ordering", "field": "options"},
            {"type": "ranker", "to_name": "x-list", "value": {"ranker": {"x": ["c", "a", "b"]}}},
            ["c", "a", "b"],
        ),
        (
            # 12.5 % of the width is 0.125 of it, and so on
            {"name": "x", "kind": "boxes", "options": ["cup"]},
            {
                "type": "rectanglelabels",
                "to_name": "image-image",
                "original_width": 640,
                "original_height": 480,
                "image_rotation": 0,
                "item_index": 1,
                "value": {"x": 12.5, "y": 25, "width": 50, "height": 10, "rotation": 0, "rectanglelabels": ["cup"]},
            },
            [{"label": "cup", "x": 0.125, "y": 0.25, "w": 0.5, "h": 0.1, "image": 2}],
        ),
        (
            {"name": "x", "kind": "boxes"},
            {"type": "rectangle", "value": {"x": 0, "y": 0, "width": 100, "height": 100, "rotation": 0}},
            [{"x": 0, "y": 0, "w": 1, "h": 1}],
        ),
        (
            {"name": "x", "kind": "marks"},
            {"type": "keypointlabels", "value": {"x": 50, "y": 1, "width": 0.4, "keypointlabels": ["7"]}},
            [{"number": 7, "x": 0.5, "y": 0.01}],
        ),
    ],
    ids=lambda value: value.get("kind") if isinstance(value, dict) and "kind" in value else None,
)
def test_results_of_each_kind_are_read(criterion: dict[str, Any], result: dict[str, Any], value: Any) -> None:
    found = read_result(
        asking(criterion),
        "verification",
        "d",
        [{"id": "a1", "from_name": "x", "to_name": "about", **result}],
        {"options": ["a", "b", "c"]},
    )
    assert (found.values, found.problems) == ({"x": value}, ())
    assert json.dumps(found.values["x"]) == json.dumps(value)  # 1 and 1.0 are different bytes in a release


def test_passages_are_counted_in_characters() -> None:
    schema = asking(
        {"name": "x", "kind": "spans", "options": ["wrong"]},
        stage="grading",
        fields=(),
    )
    text = "😀 red cup"
    result = [
        {
            "from_name": "x",
            "to_name": "text-prediction",
            "type": "labels",
            "value": {"start": 2, "end": 5, "text": "red", "labels": ["wrong"]},
        }
    ]
    found = read_result(schema, "grading", "d", result, {PREDICTION: text})
    assert (found.values, found.problems) == ({"x": [{"start": 2, "end": 5, "tag": "wrong"}]}, ())
    result[0]["value"] = {"start": 3, "end": 6, "text": "red", "labels": ["wrong"]}
    assert (
        "The position of passage 1 does not match “red” in the "
        "text" in read_result(schema, "grading", "d", result, {PREDICTION: text}).problems[0].message
    )


# ---- invalid results -------------------------------------------------------------------------------------------------


def choice(*chosen: Any, **more: Any) -> dict[str, Any]:
    return {"from_name": "x", "to_name": "about", "type": "choices", "value": {"choices": list(chosen)}, **more}


@pytest.mark.parametrize(
    ("result", "name", "says"),
    [
        ("no list", "result", "must be a list of answers"),
        (["no answer"], "result", "Entry 1 of the result must be an object with an answer"),
        ([choice("yes", from_name="other")], "result", "has no control for `other`"),
        ([{"type": "relation", "from_id": "a", "to_id": "b"}], "result", "has no control for entry 1"),
        ([choice("maybe")], "x", "x? “maybe” is not an option of this question"),
        ([choice("yes", "no")], "x", "Choose one; 2 are chosen"),
        ([choice("yes"), choice("no")], "x", "has two answers"),
        ([choice(7)], "x", "must be a list of text values"),
        ([choice("yes", type="rating")], "x", "type `choices`, not `rating`"),
        ([choice("yes", value={"text": ["yes"]})], "x", "has no `choices`"),
        ([choice("yes", value=["yes"])], "x", "has no `choices`"),
    ],
)
def test_what_a_result_cannot_mean_is_a_problem(result: Any, name: str, says: str) -> None:
    found = read_result(asking(YES_NO), "verification", "d", result)
    assert [problem.name for problem in found.problems] == [name]
    assert says in found.problems[0].message


BOX = {"x": 10, "y": 10, "width": 10, "height": 10, "rotation": 0, "rectanglelabels": ["cup"]}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"rotation": 30}, "rotated"),
        ({"x": "10"}, "in percent"),
        ({"width": None}, "in percent"),
        ({"x": float("nan")}, "in percent"),
        ({"rectanglelabels": ["spoon"]}, "“spoon” is not an option of this question"),
        ({"rectanglelabels": ["cup", "cup"]}, "needs one label"),
        ({"rectanglelabels": []}, "needs one label"),
    ],
)
def test_boxes_that_fit_nothing_are_problems(change: dict[str, Any], says: str) -> None:
    schema = asking({"name": "x", "kind": "boxes", "options": ["cup"]})
    entry = {"from_name": "x", "to_name": "image-image", "type": "rectanglelabels", "value": {**BOX, **change}}
    found = read_result(schema, "verification", "d", [entry])
    assert says in found.problems[0].message
    assert found.values == {}


def test_a_box_over_the_edge_by_a_rounding_is_drawn_in() -> None:
    schema = asking({"name": "x", "kind": "boxes", "options": ["cup"]})
    value = {**BOX, "x": -0.005, "width": 50.005, "y": 60, "height": 40.004}
    entry = {"from_name": "x", "to_name": "image-image", "type": "rectanglelabels", "value": value}
    (box,) = read_result(schema, "verification", "d", [entry]).values["x"]
    assert box == {"label": "cup", "x": 0, "y": 0.6, "w": 0.5, "h": 0.4}


KEYS = ("choices", "x", "number", "text", "ranker", "rectanglelabels", "y", "width", "height")
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(KEYS), inner),
    max_leaves=8,
)


@given(ANYTHING, st.sampled_from(["x", "y", "z", "v", "w", "u", "w-none", "x-skip"]))
def test_anything_may_come_and_nothing_breaks(value: Any, control: str) -> None:
    schema = asking(
        {"name": "x", "kind": "option_of", "field": "options", "skip": {"reasons": ["r"]}},
        {"name": "y", "kind": "number"},
        {"name": "z", "kind": "text"},
        {"name": "v", "kind": "ordering", "field": "options"},
        {"name": "w", "kind": "boxes", "options": ["cup"]},
        {"name": "u", "kind": "multi_choice", "field": "options"},
    )
    entry = {"from_name": control, "value": value}
    found = read_result(schema, "verification", "d", [entry], {"options": ["a", "b"]})
    assert set(found.values) <= {"x", "y", "z", "v", "w", "u"}


# ---- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("criterion", "says"),
    [
        ({"name": "steps", "kind": "plan", "options": ["useless"], "actions": [{"name": "go"}]}, "step by step"),
        ({"name": "props", "kind": "property_list", "field": "options"}, "the properties differ between items"),
        ({"name": "spots", "kind": "marks", "role": "clip"}, "no image to draw on"),
    ],
)
def test_what_label_studio_cannot_show_is_refused_by_name(criterion: dict[str, Any], says: str) -> None:
    schema = asking(criterion)
    said = results.refusal(schema, "verification", "d")
    assert said is not None
    assert f"criterion `{criterion['name']}`" in said
    assert says in said
    with pytest.raises(NotAvailableError, match=criterion["name"]):
        write_result(schema, "verification", "d", {})


def test_fixed_marks_belong_to_their_image() -> None:
    schema = load_schema(shipped()["tour"]).schema_
    fields = {
        "pointed": [
            {"label": "A", "x": 0.1, "y": 0.1, "w": 0.2, "h": 0.2},
            {"label": "B", "x": 0.3, "y": 0.1, "w": 0.2, "h": 0.2, "image": 2},
        ],
        "numbered": [{"number": 1, "x": 0.5, "y": 0.5, "image": 2}],
    }
    roles = ["clip", "image", "image"]
    assert results.drawn_on(schema, "verification", fields, roles, "image", 1) == {
        "boxes": [fields["pointed"][0]],
        "labels": {"A": "A", "B": "B"},
    }
    assert set(results.drawn_on(schema, "verification", fields, roles, "image", 2)) == {"boxes", "labels", "marks"}
    assert results.drawn_on(schema, "verification", fields, roles, "clip", 1) == {}
    assert results.drawn_on(schema, "verification", fields, roles, "image", 3) == {}


def test_boxes_that_raters_must_not_see_are_not_drawn_for_them() -> None:
    tour = load_schema(shipped()["tour"]).schema_
    parts = [part.model_copy(update={"secret_in": ("verification",)}) for part in tour.item.fields]
    schema = tour.model_copy(update={"item": tour.item.model_copy(update={"fields": tuple(parts)})})
    fields = {"pointed": [{"label": "A", "x": 0.1, "y": 0.1, "w": 0.2, "h": 0.2}]}
    assert results.drawn_on(schema, "verification", fields, ["image"], "image", 1) == {}
    assert results.drawn_on(schema, "adjudication", fields, ["image"], "image", 1)["boxes"] == fields["pointed"]
