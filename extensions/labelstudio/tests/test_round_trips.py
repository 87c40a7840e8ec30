"""Test that answers come back from Label Studio's form of results as they were."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from annotation_schemas.model import PREDICTION, Schema
from extensions.labelstudio import results
from extensions.labelstudio.results import NONE, NOTE, OTHER, SKIP, read_result, write_result
from extensions.labelstudio.tests.test_results import ASSETS, SIDES, asking, back

pytestmark = pytest.mark.thorough


# ---- round trips -----------------------------------------------------------------------------------------------------

WORDS = st.text(
    alphabet=st.one_of(
        st.sampled_from("$<>&\"'{},=#;ab1 \n"), st.characters(blacklist_categories=("Cs", "Cc"), max_codepoint=0x1FFFF)
    ),
    min_size=1,
    max_size=12,
).filter(lambda text: text.strip())
LISTS = st.lists(WORDS, min_size=2, max_size=6, unique=True)
SCALARS = st.one_of(
    WORDS, st.integers(-3, 12), st.sampled_from([0.5, 0.25, True, False, "true", "1", "touchstone:skip"])
)


def unique(values: list[Any]) -> list[Any]:
    """Return the values without duplicates, compared as JSON, as a schema requires."""
    return [value for at, value in enumerate(values) if not any(_same(value, other) for other in values[:at])]


def _same(one: Any, other: Any) -> bool:
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


OFFERED = st.lists(SCALARS, min_size=2, max_size=6).map(unique).filter(lambda values: len(values) > 1)


@given(OFFERED, st.data())
def test_choices_come_back(values: list[Any], data: st.DataObject) -> None:
    schema = asking({"name": "x", "kind": "choice", "options": values})
    for value in values:
        found, _, _ = back(schema, {"x": value})
        assert _same(found["x"], value)
    scale = asking({"name": "x", "kind": "scale", "values": values})
    assert _same(back(scale, {"x": values[-1]})[0]["x"], values[-1])
    many = asking({"name": "x", "kind": "multi_choice", "options": values})
    picked = [value for value in values if data.draw(st.booleans())]
    assert json.dumps(back(many, {"x": picked})[0]) == json.dumps({"x": picked})
    order = asking({"name": "x", "kind": "ordering", "options": values})
    placed = data.draw(st.permutations(values))
    assert json.dumps(back(order, {"x": placed})[0]) == json.dumps({"x": placed})


@given(LISTS, st.data())
def test_options_of_the_item_come_back(options: list[str], data: st.DataObject) -> None:
    fields = {"options": options}
    one = asking({"name": "x", "kind": "option_of", "field": "options", "skip": {"reasons": ["none_fits", "unclear"]}})
    assert back(one, {"x": options[0]}, fields=fields)[0] == {"x": options[0]}
    assert back(one, {"x": None}, {"x": "unclear"}, "Why?", fields) == ({"x": None}, {"x": "unclear"}, "Why?")
    many = asking({"name": "x", "kind": "multi_choice", "field": "options"})
    picked = [option for option in options if data.draw(st.booleans())]
    assert back(many, {"x": picked}, fields=fields)[0] == {"x": picked}
    order = asking({"name": "x", "kind": "ordering", "field": "options"})
    placed = data.draw(st.permutations(options))
    assert back(order, {"x": placed}, fields=fields)[0] == {"x": placed}


def test_entries_that_are_there_twice_are_all_put_in_order() -> None:
    order = asking({"name": "x", "kind": "ordering", "field": "options"})
    fields = {"options": ["stir", "pour", "stir", "2", "stir (2)"]}
    placed = ["pour", "stir", "2", "stir", "stir (2)"]
    assert back(order, {"x": placed}, fields=fields)[0] == {"x": placed}


def test_an_order_is_no_list_of_whole_numbers() -> None:
    # a browser sorts keys that are whole numbers by size, so 3, 1, 2 would be shown as 1, 2, 3
    order = asking({"name": "x", "kind": "ordering", "field": "options"})
    (result,) = write_result(order, "verification", "d", {"x": ["1", "3"]}, item_fields={"options": ["3", "1"]})
    assert not any(each.isdecimal() for each in result["value"]["ranker"]["x"])


SHARES = st.integers(0, 1_000_000).map(lambda number: number / 1_000_000)


@st.composite
def boxes(draw: st.DrawFn, labels: list[str]) -> list[dict[str, Any]]:
    found = []
    for _ in range(draw(st.integers(0, 4))):
        x, y = draw(st.integers(0, 999_998)), draw(st.integers(0, 999_998))
        w, h = draw(st.integers(1, 1_000_000 - x)), draw(st.integers(1, 1_000_000 - y))
        box: dict[str, Any] = {"label": draw(st.sampled_from(labels))} if labels else {}
        box |= {name: value / 1e6 for name, value in (("x", x), ("y", y), ("w", w), ("h", h))}
        image = draw(st.integers(1, 9))
        found.append(box | ({"image": image} if image > 1 else {}))
    return found


@given(boxes([]), boxes(["cup", "$hand", 'a "b" <c>', "true"]))
def test_boxes_come_back(bare: list[dict[str, Any]], named: list[dict[str, Any]]) -> None:
    assert back(asking({"name": "x", "kind": "boxes"}), {"x": bare})[0] == {"x": bare}
    labelled = asking({"name": "x", "kind": "boxes", "options": ["cup", "$hand", 'a "b" <c>', "true"]})
    assert back(labelled, {"x": named})[0] == {"x": named}


@given(st.floats(0, 1), st.floats(0, 1), st.floats(1e-3, 1), st.floats(1e-3, 1))
def test_any_place_comes_back_to_a_ten_thousandth(x: float, y: float, w: float, h: float) -> None:
    box = {"x": x, "y": y, "w": min(w, 1 - x), "h": min(h, 1 - y)}
    (found,) = back(asking({"name": "x", "kind": "boxes"}), {"x": [box]})[0]["x"]
    assert all(abs(found[name] - box[name]) <= 1e-4 for name in box)
    (point,) = back(asking({"name": "x", "kind": "marks"}), {"x": [{"number": 1, "x": x, "y": y}]})[0]["x"]
    assert abs(point["x"] - x) <= 1e-4
    assert abs(point["y"] - y) <= 1e-4


@given(st.lists(st.tuples(SHARES, SHARES, st.integers(1, 9)), max_size=5))
def test_marks_come_back(points: list[tuple[float, float, int]]) -> None:
    marks = [
        {"number": number, "x": x, "y": y} | ({"image": image} if image > 1 else {})
        for number, (x, y, image) in enumerate(points, 1)
    ]
    assert back(asking({"name": "x", "kind": "marks"}), {"x": marks})[0] == {"x": marks}


@given(st.one_of(st.integers(-(10**9), 10**9), st.floats(-1e9, 1e9)), WORDS)
def test_numbers_and_texts_come_back(number: float, text: str) -> None:
    schema = asking({"name": "x", "kind": "number"}, {"name": "y", "kind": "text"})
    values, _, note = back(schema, {"x": number, "y": text}, note=text.strip())
    assert values == {"x": number, "y": text}
    assert note == text.strip()


@given(st.lists(st.sampled_from(["yes", "no"]), min_size=3, max_size=3), WORDS, st.data())
def test_properties_and_passages_come_back(said: list[str], text: str, data: st.DataObject) -> None:
    names = ["openable", "$x", "true"]
    schema = asking({"name": "x", "kind": "property_list", "options": names})
    value = [{"name": name, "value": each} for name, each in zip(names, said, strict=True)]
    assert back(schema, {"x": value})[0] == {"x": value}
    tags = ["made_up", "$wrong"]
    graded = asking({"name": "x", "kind": "spans", "options": tags}, stage="grading")
    spans = []
    for _ in range(data.draw(st.integers(0, 3))):
        start = data.draw(st.integers(0, len(text) - 1))
        end = data.draw(st.integers(start + 1, len(text)))
        spans.append({"start": start, "end": end, "tag": data.draw(st.sampled_from(tags))})
    assert back(graded, {"x": spans}, fields={PREDICTION: text}, stage="grading")[0] == {"x": spans}


WHY = {
    "name": "x",
    "kind": "choice",
    "options": ["yes", {"value": "no", "label": "No", "reasons": ["wrong", "unclear"]}],
    "skip": {"label": "Skip", "reasons": ["tired"]},
}


@pytest.mark.parametrize(
    ("value", "reason"),
    [("yes", None), ("no", "wrong"), ("no", "because $5 <b>"), (None, "tired")],
)
def test_reasons_come_back(value: Any, reason: Any) -> None:
    schema = asking(WHY)
    given_reasons = {} if reason is None else {"x": reason}
    assert back(schema, {"x": value}, given_reasons) == ({"x": value}, given_reasons, "")


def test_reasons_stand_in_controls_of_their_own() -> None:
    result = write_result(asking(WHY), "verification", "d", {"x": "no"}, {"x": "in words"}, "A note")
    assert [(each["from_name"], each["type"], each["value"]) for each in result] == [
        ("x", "choices", {"choices": ["no"]}),
        ("x-reason-2", "choices", {"choices": [OTHER]}),
        ("x-words-2", "textarea", {"text": ["in words"]}),
        (NOTE, "textarea", {"text": ["A note"]}),
    ]
    (skipped, why) = write_result(asking(WHY), "verification", "d", {"x": None}, {"x": "tired"})
    assert (skipped["value"], why["from_name"], why["value"]) == (
        {"choices": [SKIP]},
        "x-skip",
        {"choices": ["tired"]},
    )


@pytest.mark.parametrize(
    "criterion",
    [
        {"kind": "number"},
        {"kind": "text"},
        {"kind": "multi_choice", "options": ["a", "b"]},
        {"kind": "ordering", "options": ["a", "b"]},
        {"kind": "property_list", "options": ["a", "b"]},
        {"kind": "boxes"},
        {"kind": "marks"},
        {"kind": "scale", "values": [1, 2, 3]},
    ],
    ids=lambda criterion: str(criterion["kind"]),
)
def test_every_kind_can_be_skipped(criterion: dict[str, Any]) -> None:
    schema = asking({"name": "x", **criterion, "skip": {"label": "Skip", "reasons": ["unclear", "other"]}})
    assert back(schema, {"x": None}, {"x": "other"})[:2] == ({"x": None}, {"x": "other"})


@pytest.mark.parametrize("kind", ["boxes", "marks"])
def test_that_there_is_nothing_to_mark_is_an_answer(kind: str) -> None:
    schema = asking({"name": "x", "kind": kind})
    (result,) = write_result(schema, "verification", "d", {"x": []})
    assert (result["from_name"], result["value"]) == ("x-none", {"choices": [NONE]})
    assert back(schema, {"x": []})[0] == {"x": []}
    assert read_result(schema, "verification", "d", []).values == {}


def test_what_is_not_asked_is_left_out() -> None:
    schema = asking(
        {"name": "x", "kind": "choice", "options": ["yes", "no"]},
        {"name": "y", "kind": "text", "show_if": {"x": ["no"]}},
        {"name": "z", "kind": "number", "dimensions": ["e"]},
        {"name": "w", "kind": "text", "required": False, "show_if": {"z": [1]}},
    )
    hidden = [
        {"from_name": "x", "to_name": "about", "type": "choices", "value": {"choices": ["yes"]}},
        {"from_name": "y", "to_name": "about", "type": "textarea", "value": {"text": ["left over"]}},
    ]
    assert read_result(schema, "verification", "d", hidden).values == {"x": "yes"}
    assert [part.name for part in results.parts(schema, "verification", "d")] == ["x", "y"]
    assert [part.name for part in results.parts(schema, "verification", "e")] == ["x", "y", "z", "w"]


def test_an_item_that_is_written_comes_back() -> None:
    fields = [
        {"name": "question", "kind": "text"},
        {"name": "count", "kind": "integer"},
        {"name": "colour", "kind": "choice", "options": ["red", "blue"]},
        {"name": "options", "kind": "text_list", "length": 3},
        {"name": "answer", "kind": "option_of", "field": "options"},
        {"name": "right", "kind": "options_of", "field": "options"},
        {"name": "pointed", "kind": "boxes", "options": ["A"]},
        {"name": "numbered", "kind": "marks"},
        {"name": "source", "kind": "json", "authored": False},
    ]
    made = {"name": "s", "version": 1, "title": "S", **SIDES, "item": {"assets": ASSETS, "fields": fields}}
    schema = Schema.model_validate({**made, "stages": {"authoring": {}}})
    values = {
        "question": "What costs $5?",
        "count": 3,
        "colour": "blue",
        "options": ["a", "b, c", "$d"],
        "answer": "b, c",
        "right": ["a", "$d"],
        "pointed": [{"label": "A", "x": 0.1, "y": 0.2, "w": 0.3, "h": 0.4}],
        "numbered": [{"number": 1, "x": 0.5, "y": 0.5, "image": 2}],
    }
    assert back(schema, values, stage="authoring")[0] == values
    picked = next(each for each in write_result(schema, "authoring", "d", values) if each["from_name"] == "answer")
    assert picked["value"] == {"choices": ["2"]}
    entry = {"from_name": "answer", "to_name": "about", "type": "choices", "value": {"choices": ["3"]}}
    assert "no entry 3" in read_result(schema, "authoring", "d", [entry]).problems[0].message


def test_decisions_of_seniors_come_back() -> None:
    schema = load_schema(shipped()["demo"]).schema_
    for values in (
        {"decision": "accept", "cause": "annotator_error"},
        {"decision": "edit", "cause": "wrong_key", "fields": {"answer": "A cup."}},
    ):
        assert back(schema, values, stage="adjudication")[0] == values
