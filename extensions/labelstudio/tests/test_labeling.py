"""Test pages of Label Studio: every included schema, any texts, and no fact that a rater must not know."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from annotation_schemas import kinds, shipped
from annotation_schemas.loader import load_schema
from annotation_schemas.model import Schema
from domain.errors import NotAvailableError
from domain.records import AssetView, TaskView, VoteView
from domain.states import Stage
from extensions.labelstudio import results, ways
from extensions.labelstudio.form import plain
from extensions.labelstudio.labeling import FRAME_RATE, data, labeling
from media import clips
from media.store import MediaStore
from workflow.annotate.task_views import visible_fields

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LOADED = {name: load_schema(path).schema_ for name, path in shipped().items()}
CASES = [
    (name, stage, dimension.id)
    for name, schema in LOADED.items()
    for stage in Stage
    if getattr(schema.stages, stage.value, None) is not None
    for dimension in schema.dimensions
]
REFUSED = {
    ("egothink", "triage"): "the stage triage",
    ("pca_bench", "refinement"): "the stage refinement",
    ("pca_bench", "coding"): "the stage coding",
    ("pca_bench", "arbitration"): "the stage arbitration",
    ("questions", "authoring"): "the field `right_order`",
    ("questions", "grading"): "the criterion `plan`",
    ("etp_bench", "grading"): "the criterion `errors`",
}
"""The stages and criteria that no form there can show. Of ETP-Bench's answers, only plans."""

VALUES: Mapping[str, Any] = {
    "text": "What is it?",
    "long_text": "One\ntwo",
    "integer": 3,
    "text_list": ["open", "close", "wash"],
    "json": {"a": 1},
    "segments": [{"start": 0}],
    "boxes": [{"x": 0.1, "y": 0.1, "w": 0.1, "h": 0.1}],
    "marks": [{"number": 1, "x": 0.1, "y": 0.1}],
    "option_of": "open",
    "options_of": ["open"],
    "order_of": ["wash", "close", "open"],
}


def task(schema: Schema, stage: Stage, dimension: str, **more: Any) -> TaskView:
    """Return a task as its page shows it, without the fields that the stage hides."""
    content = {
        field.name: field.options[0].value if field.kind == "choice" else VALUES[field.kind]
        for field in schema.item.fields
    }
    return TaskView(
        id="t",
        project="p",
        stage=stage,
        dimension=dimension,
        item="i",
        revision=1,
        fields={} if stage is Stage.AUTHORING else visible_fields(schema, stage, content),
        assets=[AssetView(id=f"a-{slot.role}", role=slot.role, kind=slot.kind) for slot in schema.item.assets],
        lease_until=NOW,
        **({"answer": "It is a cup.", "place": (1, 3)} if stage is Stage.GRADING else {}),
        **more,
    )


def address(asset: AssetView) -> str:
    return f"/media-link/{asset.id}/display"


VARIABLE = re.compile(r"\$([\w\[\].{}]+)")
"""Matches a variable of Label Studio, anywhere in an attribute that it fills in."""


NEVER_FILLED_IN = ("alias", "whenChoiceValue")
"""Attributes that Label Studio uses unchanged: the stored value of a choice, and references to it."""


def variables(root: Element) -> set[str]:
    """Return the keys of a task's data that a page uses."""
    found = set()
    for element in root.iter():
        for value in (text for name, text in element.attrib.items() if name not in NEVER_FILLED_IN):
            found |= {re.split(r"[\[.]", name)[0] for name in VARIABLE.findall(value)}
    return found


def check(xml: str, shown: Mapping[str, Any]) -> Element:
    """Check what holds for every page: valid XML, unique names, and data for all of its variables."""
    root = fromstring(xml)
    names = [element.attrib["name"] for element in root.iter() if "name" in element.attrib]
    assert len(names) == len(set(names))
    controls = [element for element in root.iter() if "toName" in element.attrib]
    assert {element.attrib["toName"] for element in controls} <= set(names)
    assert variables(root) <= set(shown)
    asked = {each.attrib["whenTagName"]: each for each in root.iter() if "whenTagName" in each.attrib}
    assert set(asked) <= {each.attrib["name"] for each in root.iter("Choices")}
    # a value of "true" is a boolean there, except in `value`
    flags = {"required", "editable", "zoomControl", "rotateControl", "selectionEnabled", "canRotate"}
    for element in root.iter():
        assert {name for name, value in element.attrib.items() if value in ("true", "false")} <= flags | {"value"}
    assert all(each.attrib["frameRate"].endswith("fps") for each in root.iter("Video"))
    json.dumps(shown)
    return root


@pytest.mark.parametrize(("name", "stage", "dimension"), CASES)
def test_every_shipped_stage_is_shown_or_refused_by_name(name: str, stage: Stage, dimension: str) -> None:
    schema = LOADED[name]
    refused = REFUSED.get((name, stage.value))
    if refused and (name != "etp_bench" or dimension == "embodied_reasoning"):
        with pytest.raises(NotAvailableError, match=re.escape(refused)):
            labeling(schema, stage, dimension)
        return
    shown = data(schema, stage, task(schema, stage, dimension), address, key="k1", says="Again.")
    assert (shown["touchstone"], shown["says"]) == ("k1", "Again.")
    root = check(labeling(schema, stage, dimension), shown)
    made = {element.attrib["name"]: element.tag.lower() for element in root.iter() if "name" in element.attrib}
    known = {
        control: kind
        for part in results.parts(schema, stage.value, dimension)
        for control, kind in part.controls().items()
    }
    asked = {name: kind for name, kind in made.items() if name in known}
    assert asked == {name: known[name] for name in asked}
    assert {part.name for part in results.parts(schema, stage.value, dimension) if part.type in made.values()} <= set(
        made
    )


@pytest.mark.parametrize("name", sorted(LOADED))
def test_dimensions_that_are_asked_alike_share_a_page(name: str) -> None:
    schema = LOADED[name]
    for stage in (Stage.VERIFICATION, Stage.GRADING):
        part = getattr(schema.stages, stage.value)
        if part is None or any(criterion.dimensions for criterion in part.criteria) or name == "questions":
            continue
        assert len({labeling(schema, stage, dimension.id) for dimension in schema.dimensions}) == 1


# ---- secrets ---------------------------------------------------------------------------------------------------------


def test_nothing_secret_is_in_a_blind_task() -> None:
    schema = LOADED["egoplan"]
    content = {
        "task_goal": "make tea",
        "question": "What next?",
        "options": ["KETTLE", "cup", "leaf", "pour"],
        "answer": "KETTLE",
        "sample_id": 987654,
        "video_id": "P01_SECRET",
        "current_observation_frame": 4242,
        "task_progress_metadata": [{"narration_text": "SEGMENT"}],
        "video_source": "EPIC_SECRET",
    }
    before = task(schema, Stage.VERIFICATION, "next_action")
    view = replace(before, fields=visible_fields(schema, Stage.VERIFICATION, content), id="t-public", item="i-public")
    shown = data(schema, Stage.VERIFICATION, view, address, key="k")
    text = json.dumps(shown) + labeling(schema, Stage.VERIFICATION, "next_action")
    for secret in ("987654", "P01_SECRET", "4242", "SEGMENT", "EPIC_SECRET", "t-public", "i-public"):
        assert secret not in text
    assert text.count("KETTLE") == 2  # the option as shown and as stored; nothing marks it as the key
    assert [each["alias"] for each in shown["options_choice"]][:4] == content["options"]
    assert shown["media_progress"] == [
        {"title": "Progress", "url": "/media-link/a-progress/display", "fps": FRAME_RATE}
    ]


def test_what_is_offered_keeps_the_order_of_the_page() -> None:
    schema = LOADED["egoplan"]
    view = task(schema, Stage.VERIFICATION, "next_action")
    shuffled = ["wash", "open", "close"]
    shown = data(schema, Stage.VERIFICATION, replace(view, fields={**view.fields, "options": shuffled}), address)
    assert [each["alias"] for each in shown["options_choice"]] == [*shuffled, results.SKIP]


# ---- pictures and clips ----------------------------------------------------------------------------------------------


def test_clips_have_their_frame_rate_and_images_stand_in_order() -> None:
    schema = LOADED["tour"]
    view = task(schema, Stage.VERIFICATION, "pointing")
    assets = [
        AssetView(id="c", role="clip", kind="clip"),
        AssetView(id="one", role="image", kind="image"),
        AssetView(id="two", role="image", kind="image"),
        AssetView(id="three", role="image", kind="image", missing=True),
    ]
    shown = data(schema, Stage.VERIFICATION, replace(view, assets=assets), address, rate=lambda asset: 12.5)
    assert [each["fps"] for each in shown["media_clip"]] == [12.5]
    assert shown["images_image"] == ["/media-link/one/display", "/media-link/two/display"]
    assert shown["shown"][0] == {"title": "Image", "text": "This file has not been imported yet."}
    none = data(schema, Stage.VERIFICATION, replace(view, assets=assets[1:2]), address)
    assert none["media_clip"] == []
    with pytest.raises(NotAvailableError, match=r"the file of `image` is missing. Raters draw `objects` on this file"):
        data(schema, Stage.VERIFICATION, replace(view, assets=assets[:1]), address)


def test_a_picture_that_is_not_brought_in_is_told() -> None:
    schema = LOADED["demo"]
    view = task(schema, Stage.VERIFICATION, "counting")
    missing = [replace(asset, missing=True) for asset in view.assets]
    shown = data(schema, Stage.VERIFICATION, replace(view, assets=missing), address)
    assert shown["media_image"] == []
    assert {"title": "Image", "text": "This file has not been imported yet."} in shown["shown"]


# ---- adjudication and grading ----------------------------------------------------------------------------------------


def test_a_senior_sees_the_votes_without_names() -> None:
    schema = LOADED["jury"]
    votes = [
        VoteView("Vote A", {"image_fits": "yes", "answer_right": None}, {"answer_right": "rule_missing"}),
        VoteView("Vote B", {"image_fits": "no", "answer_right": "wrong", "difficulty": 2}, {}, note="Blurred."),
    ]
    view = task(schema, Stage.ADJUDICATION, "kitchen", votes=votes, history=["It was imported."])
    told = {each["title"]: each["text"] for each in data(schema, Stage.ADJUDICATION, view, address)["shown"]}
    assert "Skip (The guideline does not say)" in told["Vote A"]
    assert told["Vote B"].splitlines() == [
        "Does the image show what is asked about? No",
        "Is the answer right? Wrong",
        "How hard is it? Middling",
        "Blurred.",
    ]
    assert told["History so far"] == "It was imported."


def test_a_grader_sees_the_answer_and_where_it_stands() -> None:
    schema = LOADED["egothink"]
    shown = data(schema, Stage.GRADING, task(schema, Stage.GRADING, "existence"), address)
    assert shown["shown"] == [
        {"title": "Question", "text": "What is it?"},
        {"title": "Reference", "text": "One\ntwo"},
        {"title": "Answer (1 of 3)", "text": "It is a cup."},
    ]


# ---- hostile texts ---------------------------------------------------------------------------------------------------

HOSTILE = [
    "$question",
    "costs $5 & more",
    "$",
    "<b onclick='x()'>",
    '"><Choices name="x"/>',
    "${1+1}",
    "a, b",
    "true",
    "{{idx}}",
    "\x00\x07\ud800"[:2],
    "]]>",
    "&amp;",
    "touchstone:skip",
]
TEXTS = st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1, max_size=8, alphabet="$<>&\"'{}[]().,=ab \n\t\x01"))


@pytest.mark.thorough
@given(st.lists(TEXTS, min_size=2, max_size=4, unique=True), TEXTS, TEXTS)
def test_no_text_of_a_schema_breaks_a_page_or_becomes_a_variable(options: list[str], one: str, two: str) -> None:
    labels = [{"value": option, "label": option, "help": one, "reasons": [one]} for option in options]
    skip, aspect = {"label": two, "reasons": [two]}, {"name": "a", "title": one, "definition": two}
    asked = [
        {"name": "x", "kind": "choice", "options": labels, "prompt": one, "help": two, "skip": skip},
        {"name": "y", "kind": "multi_choice", "options": options, "prompt": two, "show_if": {"x": [options[0]]}},
        {"name": "z", "kind": "boxes", "options": labels, "prompt": one},
        {"name": "w", "kind": "ordering", "options": options, "prompt": two},
        {"name": "v", "kind": "property_list", "options": labels, "prompt": one},
        {"name": "u", "kind": "option_of", "field": "options", "prompt": one},
        {"name": "t", "kind": "scale", "values": options, "prompt": one, "aspects": [aspect]},
    ]  # fmt: skip
    fields = [{"name": "options", "kind": "text_list"}, {"name": "question", "kind": "text", "title": two}]
    schema = Schema.model_validate(
        {
            "name": "s",
            "version": 1,
            "title": "S",
            "dimensions": [{"id": "d", "title": one, "definition": two}],
            "item": {"assets": [{"role": "image", "kind": "image"}], "fields": fields},
            "stages": {
                "verification": {
                    "raters": 1,
                    "criteria": asked,
                    "keep": {"rule": "unanimous", "criterion": "x", "value": options[0]},
                }
            },
        }
    )
    view = task(schema, Stage.VERIFICATION, "d")
    view = replace(view, fields={"options": options, "question": one})
    shown = data(schema, Stage.VERIFICATION, view, address)
    root = check(labeling(schema, Stage.VERIFICATION, "d"), shown)
    assert variables(root) <= {"says", "about", "shown", "image_image", "options_u", "list_w"}
    for element in root.iter("Choices"):
        told = [each.attrib["alias"] for each in element.iter("Choice")]
        assert len(told) == len(set(told))
        assert not any("," in each for each in told)
    for each in root.iter("View"):
        wanted = each.attrib.get("whenChoiceValue", "").split(",")
        control = next(
            (one for one in root.iter("Choices") if one.attrib["name"] == each.attrib.get("whenTagName")), None
        )
        if control is not None:
            assert set(wanted) <= {choice.attrib["alias"] for choice in control.iter("Choice")}
    for offered in shown["options_u"]:
        assert set(offered) == {"value", "alias"}  # no `html`, which the page would render as markup
        assert not VARIABLE.search(offered["value"])
    assert {"id", "title"} >= {key for row in shown["list_w"] for key in row}


@pytest.mark.thorough
@given(st.text(max_size=20))
def test_a_text_looks_the_same_when_it_is_plain(text: str) -> None:
    made = plain(text)
    assert not VARIABLE.search(made)
    joiner = "\N{WORD JOINER}"
    kept = "".join(each for each in text if each in "\t\n\r" or (ord(each) >= 32 and each not in "\ufffe\uffff"))
    assert made.replace(joiner, "") == kept.replace(joiner, "")


def test_the_frame_rate_of_a_clip_is_counted(tmp_path: Path) -> None:
    pictures = [Image.new("RGB", (64, 48), (10 * at, 40, 90)) for at in range(11)]
    clips.write(pictures, out=tmp_path / "clip.webm", frames_per_second=12.5)
    store = MediaStore(tmp_path / "media")
    rate = store.frame_rate(store.add(tmp_path / "clip.webm").sha256)
    assert rate == pytest.approx(12.5, abs=0.05)  # times are whole milliseconds: ten steps of 80 ms
    assert store.frame_rate("0" * 64) is None


def test_each_kind_of_criterion_is_asked_there_or_says_why_not() -> None:
    for row in kinds.CRITERIA.values():
        refuses = any(each in ways.CRITERION_REFUSALS for each in type(row).__mro__)
        assert ways.way_of_criterion(row) is not None or refuses or row.only_here, row.name
