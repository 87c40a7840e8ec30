"""What a working page is sent: everything it shows, and nothing that is secret for its stage."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema, load_text
from annotation_schemas.model import LoadedSchema
from app.workbench import assets, page
from domain.errors import SchemaError
from domain.records import AssetView, Draft, NoTask, Person, Progress, TaskView, VoteView
from domain.states import Stage

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
ANN = Person(id=7, login="ann", name="Ann Author")
NUMBERS = Progress(mine_done=128, mine_left=207, kept=71, decided=100)
IMAGE = AssetView(id="Zr4kQ", role="image", kind="image", width=1600, height=1200)


def schema(name: str) -> LoadedSchema:
    return load_schema(shipped()[name])


def static(loaded: LoadedSchema, stage: Stage) -> page.Json:
    return page.static_part(loaded, stage, project="tabletop", title="Tabletop", made_up=True)


def task(stage: Stage, **changes: Any) -> TaskView:
    values: dict[str, Any] = {
        "id": "t-1",
        "project": "tabletop",
        "stage": stage,
        "dimension": "existence",
        "item": "i-1",
        "revision": 1,
        "fields": {"question": "What do I hold?", "answer": "A cup."},
        "assets": [IMAGE],
        "lease_until": NOW + timedelta(minutes=30),
    }
    return TaskView(**{**values, **changes})


def drawn(loaded: LoadedSchema, view: TaskView, **more: Any) -> page.Json:
    return page.task_page(
        person=ANN,
        csrf="token",
        static=static(loaded, view.stage),
        schema=loaded.schema_,
        task=view,
        progress=NUMBERS,
        now=NOW,
        **more,
    )


def test_a_page_is_plain_json_with_the_numbers_of_the_thin_line() -> None:
    found = json.loads(json.dumps(drawn(schema("demo"), task(Stage.VERIFICATION))))
    assert found["view"] == "task"
    assert found["progress"] == {"done": 128, "left": 207, "kept": 71, "decided": 100}
    assert found["task"]["fields"] == {"question": "What do I hold?", "answer": "A cup."}
    assert found["task"]["lease_until"] == "2026-05-04T12:30:00.000+00:00"
    assert found["now"] == "2026-05-04T12:00:00.000+00:00"


def test_fields_that_are_secret_in_a_stage_never_reach_the_page_even_if_the_task_carries_them() -> None:
    secret = {"source_dataset": "SECRET-SOURCE", "image_id": "SECRET-ID"}
    careless = task(Stage.VERIFICATION, fields={"question": "What?", "answer": "A cup.", **secret})
    text = json.dumps(drawn(schema("demo"), careless))
    assert "SECRET" not in text


DESCRIBED = """
name: described
version: 1
title: Described
source: {format: csv}
dimensions: [{id: all, title: All}]
item:
  assets:
    - {role: photo, kind: image, alt: caption}
    - {role: detail, kind: image, max: 3, alt: captions}
  fields:
    - {name: question, kind: text}
    - {name: caption, kind: long_text, required: false, secret_in: [grading]}
    - {name: captions, kind: text_list, required: false}
stages:
  verification:
    raters: 1
    criteria: [{name: ok, kind: choice, prompt: "Right?", options: ["yes", "no"]}]
    keep: {rule: unanimous, criterion: ok, value: "yes"}
  grading: {raters: 1, criteria: [{name: good, kind: scale, prompt: Good, values: [0, 1]}]}
"""


def test_images_are_described_by_the_field_that_the_schema_names_where_the_stage_shows_it() -> None:
    loaded = load_text(DESCRIBED, "", "described")
    roles = ("photo", "detail", "detail", "detail")
    pictures = [AssetView(id=str(at), role=role, kind="image") for at, role in enumerate(roles)]
    said = {"question": "What?", "caption": "A red cup.", "captions": ["The handle.", " "]}

    def alts(stage: Stage, fields: dict[str, Any]) -> list[str | None]:
        page = drawn(loaded, task(stage, dimension="all", fields=fields, assets=pictures))
        return [each["alt"] for each in page["task"]["assets"]]

    assert alts(Stage.VERIFICATION, said) == ["A red cup.", "The handle.", None, None]
    assert alts(Stage.GRADING, said) == [None, "The handle.", None, None]  # its caption is secret there
    assert alts(Stage.VERIFICATION, {"question": "What?"}) == [None] * 4


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("alt: caption}", "alt: captoin}", "`captoin` is not a text field or a list of texts"),
        ("alt: captions}", "alt: caption}", "`caption` is a single text, but an item can have several images"),
    ],
)
def test_a_description_that_cannot_be_is_refused(old: str, new: str, sentence: str) -> None:
    with pytest.raises(SchemaError, match=sentence):
        load_text(DESCRIBED.replace(old, new), "", "described")


def test_the_key_of_a_multiple_choice_item_is_absent_from_verification() -> None:
    loaded = schema("egoplan")
    secret = {field.name for field in loaded.schema_.item.fields if "verification" in field.secret_in}
    assert secret, "EgoPlan hides its key from verifiers"
    fields = {name: f"SECRET {name}" for name in secret}
    view = task(Stage.VERIFICATION, dimension=loaded.schema_.dimensions[0].id, fields=fields)
    found = drawn(loaded, view)
    assert "SECRET" not in json.dumps(found)
    assert not secret & {field["name"] for field in found["static"]["fields"]}


def test_the_options_of_an_option_of_criterion_come_with_the_item() -> None:
    loaded = schema("egoplan")
    criterion = next(each for each in page.criteria_of(loaded.schema_, Stage.VERIFICATION) if each.kind == "option_of")
    entries = ["take bowl", "open fridge", "close drawer", "pour milk"]
    view = task(Stage.VERIFICATION, dimension=loaded.schema_.dimensions[0].id, fields={criterion.field: entries})
    found = drawn(loaded, view)
    assert [option["label"] for option in found["task"]["options"][criterion.name]] == entries
    skip = next(each for each in found["static"]["criteria"] if each["name"] == criterion.name)["skip"]
    assert [reason["value"] for reason in skip["reasons"]] == [reason.value for reason in criterion.skip.reasons]  # type: ignore[union-attr]


def test_nothing_of_other_people_is_on_a_verifiers_page() -> None:
    found = drawn(schema("demo"), task(Stage.VERIFICATION))
    assert found["task"]["votes"] == []
    assert found["task"]["history"] == []
    assert found["task"]["answer"] is None
    assert "Ann Author" not in json.dumps(found), "not even one's own name is needed"


def test_grading_shows_the_answer_and_calls_the_items_own_answer_the_reference() -> None:
    found = drawn(schema("demo"), task(Stage.GRADING, answer="You hold a mug."))
    titles = {field["name"]: field["title"] for field in found["static"]["fields"]}
    assert titles == {"question": "Question", "answer": "Reference"}
    assert found["task"]["answer"] == "You hold a mug."
    (score,) = found["static"]["criteria"]
    assert [option["value"] for option in score["options"]] == [0, 0.5, 1]
    assert [aspect["name"] for aspect in score["aspects"]] == ["accuracy", "completeness", "logic", "language"]


def test_adjudication_gets_votes_causes_and_the_criteria_that_were_asked() -> None:
    votes = [VoteView("Vote A", {"fits": "yes"}, {}), VoteView("Vote B", {"fits": "no"}, {"fits": "ambiguous"}, "two")]
    found = drawn(schema("demo"), task(Stage.ADJUDICATION, votes=votes, history=["It was written."]))
    assert [vote["label"] for vote in found["task"]["votes"]] == ["Vote A", "Vote B"]
    assert found["task"]["votes"][1] == {
        "label": "Vote B",
        "values": {"fits": "no"},
        "reasons": {"fits": "ambiguous"},
        "note": "two",
    }
    assert [each["name"] for each in found["static"]["vote_criteria"]] == ["fits"]
    assert found["static"]["adjudication"]["edit"] is True
    assert "wrong_key" in [reason["value"] for reason in found["static"]["adjudication"]["reasons"]]


def test_authoring_asks_only_for_fields_that_authors_write() -> None:
    found = drawn(schema("demo"), task(Stage.AUTHORING, item=None, revision=None, fields={}), earlier=["What is here?"])
    assert [field["name"] for field in found["static"]["fields"]] == ["question", "answer"]
    question = found["static"]["fields"][0]
    assert (question["min"], question["max"]) == (5, 300)
    assert found["earlier"] == ["What is here?"]


def test_the_static_part_is_left_out_for_a_browser_that_has_it() -> None:
    loaded = schema("demo")
    first = drawn(loaded, task(Stage.VERIFICATION))
    again = drawn(loaded, task(Stage.VERIFICATION), have=first["static_hash"])
    assert first["static"]["hash"] == first["static_hash"]
    assert again["static"] is None
    assert again["static_hash"] == first["static_hash"]
    assert static(loaded, Stage.VERIFICATION) is static(loaded, Stage.VERIFICATION), "made once"
    assert static(loaded, Stage.GRADING)["hash"] != first["static_hash"]


def test_a_draft_comes_back_with_its_number() -> None:
    kept = Draft(seq=12, values={"values": {"fits": "no"}, "reasons": {}, "note": "hm"}, saved_at=NOW)
    found = drawn(schema("demo"), task(Stage.VERIFICATION, draft=kept))
    assert found["task"]["draft"] == {
        "seq": 12,
        "values": {"values": {"fits": "no"}, "reasons": {}, "note": "hm"},
        "saved_at": "2026-05-04T12:00:00.000+00:00",
    }


def test_missing_media_say_so_without_naming_a_file() -> None:
    gone = AssetView(id="a1", role="image", kind="image", missing=True)
    found = drawn(schema("demo"), task(Stage.VERIFICATION, assets=[gone]))
    (asset,) = found["task"]["assets"]
    assert asset["missing"] is True
    assert set(asset) == {"id", "role", "title", "alt", "kind", "missing", "width", "height", "group"}
    assert asset["group"] == [], "only the pool shows groups"


@pytest.mark.parametrize(
    "markdown",
    ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[x](javascript:alert(1))", "![x](http://far/x.png)"],
)
def test_a_guideline_brings_no_markup_of_its_own(markdown: str) -> None:
    html = page.guideline_html(f"# Title\n\n{markdown}\n")
    assert "<h1>Title</h1>" in html
    for forbidden in ("<script", "<img", 'href="javascript'):
        assert forbidden not in html


def test_the_pool_lists_thumbnails_dimensions_and_how_many_are_free() -> None:
    loaded = schema("demo")
    found = page.pool_page(
        person=ANN,
        csrf="token",
        static=static(loaded, Stage.AUTHORING),
        progress=NUMBERS,
        dimensions=[{"id": "existence", "title": "Existence", "left": 3}],
        dimension="existence",
        assets=[IMAGE],
        total=31,
        now=NOW,
    )
    assert found["view"] == "pool"
    assert found["pool"]["total"] == 31
    assert found["pool"]["assets"][0]["id"] == "Zr4kQ"
    assert json.loads(json.dumps(found)) == found


def test_nothing_left_says_why() -> None:
    found = page.nothing_page(
        person=ANN,
        csrf="token",
        static=static(schema("demo"), Stage.VERIFICATION),
        progress=NUMBERS,
        nothing=NoTask("waiting_for_others", "12 items wait for a second verifier."),
        now=NOW,
    )
    assert found["nothing"] == {"code": "waiting_for_others", "sentence": "12 items wait for a second verifier."}


@pytest.mark.parametrize("name", sorted(shipped()))
@pytest.mark.parametrize("stage", [Stage.AUTHORING, Stage.VERIFICATION, Stage.GRADING])
def test_every_shipped_schema_can_be_drawn(name: str, stage: Stage) -> None:
    loaded = schema(name)
    part = static(loaded, stage)
    assert json.loads(json.dumps(part)) == part
    asked = page.criteria_of(loaded.schema_, stage)
    assert [criterion["name"] for criterion in part["criteria"]] == [criterion.name for criterion in asked]
    for field in part["fields"]:
        assert stage.value not in loaded.schema_.item.field(field["name"]).secret_in


def test_the_version_of_the_scripts_changes_with_their_content() -> None:
    assert f"/workbench/{assets.version()}/${{spoken}}/workbench.js" in assets.loader()
    assert len(assets.loader()) < 300, "this much is sent with every rerun"


def test_a_text_in_a_form_is_typed_or_picked_from_what_its_form_offers() -> None:
    loaded = load_schema(shipped()["etp_bench"])
    fields = {
        each["name"]: each for each in page.static_part(loaded, Stage.AUTHORING, project="p", title="P")["fields"]
    }
    assert (fields["answer"]["kind"], fields["answer"]["field"], fields["answer"]["options"]) == ("long_text", None, [])
