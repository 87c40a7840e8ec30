"""An answer that is stored as text keeps to the form that its item names."""

from __future__ import annotations

from typing import Any

import pytest

from annotation_schemas import registry, shipped
from annotation_schemas.answer_forms import FORMS, places_of
from annotation_schemas.keys import key_fields
from annotation_schemas.kinds import check_fields
from annotation_schemas.loader import load_schema, load_text
from domain.errors import SchemaError

ETP = load_schema(shipped()["etp_bench"]).schema_


def wrong(form: str, answer: Any, options: list[str] | None = None) -> str:
    """What is wrong with the answer of an item of ETP-Bench; empty if nothing."""
    fields = {"question": "Which?", "form": form, "answer": answer, **({"options": options} if options else {})}
    return " ".join(problem.message for problem in check_fields(ETP, fields))


FITS: list[tuple[str, Any, list[str] | None]] = [
    ("open", "A cup on the left.", None),
    ("multiple_choice", "x", ["x", "y"]),
    ("multiple_choice", "B", ["x", "y"]),
    ("multiple_choice", " Red  Cup ", ["red cup", "plate"]),
    ("multiple_choice", "cup, plate", ["cup, plate", "cup"]),  # an option with a comma of its own
    ("multi_select", "y, x", ["x", "y", "z"]),
    ("multi_select", "A,C", ["x", "y", "z"]),
    ("multi_select", "cup, plate, pan", ["cup, plate", "cup", "pan"]),
    ("ordering", "2,1", ["1", "2"]),
    ("ordering", "boil, pour", ["pour", "boil"]),
    ("ordering", "3, 1, 2", None),  # images in order
    ("property_list", "grabbable, openable", None),
    ("property_list", "CleaningTool", None),
    ("plan", None, None),
    ("plan", "1. grasp(cup)", None),
]
REFUSED: list[tuple[str, Any, list[str] | None, str]] = [
    ("multiple_choice", "Z", ["x", "y"], "enter the text or the letter of one option (x, y)"),
    ("multiple_choice", "x, y", ["x", "y"], "enter the text or the letter of one option"),
    ("multiple_choice", "x", None, "there are no options"),
    ("multi_select", "x, Z", ["x", "y"], "list only options"),
    ("multi_select", "x, A", ["x", "y"], "list each option only once"),
    ("multi_select", "A", None, "there are no options"),
    ("ordering", "7", ["1", "2"], "list all options (1, 2) once each"),
    ("ordering", "1", ["1", "2"], "all options"),
    ("ordering", "1, 1", ["1", "2"], "all options"),
    ("ordering", "1, 3", None, "list every image number once, in the right order"),
    ("property_list", "notaproperty", None, "list only these words, separated by commas: breakable, cleaningTool"),
    ("property_list", "grabbable, grabbable", None, "list each entry only once"),
    ("multiple_choice", None, ["x", "y"], "fill this in"),
    ("open", "  ", None, "fill this in"),
]


@pytest.mark.parametrize(("form", "answer", "options"), FITS, ids=str)
def test_answers_in_their_form_fit(form: str, answer: Any, options: list[str] | None) -> None:
    assert wrong(form, answer, options) == ""


@pytest.mark.parametrize(("form", "answer", "options", "says"), REFUSED, ids=str)
def test_others_are_refused_with_a_sentence(form: str, answer: Any, options: list[str] | None, says: str) -> None:
    assert wrong(form, answer, options).startswith("Answer: ")
    assert says in wrong(form, answer, options)


BOX = {"x": 0.1, "y": 0.2, "w": 0.3, "h": 0.4}


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"form": "boxes", "answer_boxes": [BOX, {**BOX, "image": 2}]}, ""),
        ({"form": "boxes", "answer_boxes": [{"x": 0, "y": 0, "w": 1, "h": 1}]}, ""),  # the whole image
        (
            {"form": "boxes"},
            "Boxes of the answer: draw the answer on the image, because this item needs a drawn answer.",
        ),
        ({"form": "boxes", "answer_boxes": []}, "Boxes of the answer: draw the answer"),
        ({"form": "boxes", "answer_boxes": [BOX], "answer": "on the left"}, "Answer: leave this field empty"),
        ({"form": "open", "answer": "Cup", "answer_boxes": [BOX]}, "Boxes of the answer: remove the drawing"),
        ({"form": "plan", "answer_boxes": [BOX]}, "Boxes of the answer: remove the drawing"),
        ({"form": "boxes", "answer_boxes": [{**BOX, "x": 0.8}]}, "extends beyond the image"),  # to 1.1
        ({"form": "boxes", "answer_boxes": [{**BOX, "x": 320, "y": 80}]}, "extends beyond the image"),  # pixels
        ({"form": "boxes", "answer_boxes": [{**BOX, "w": 0}]}, "box 1: the box has no area"),
        ({"form": "boxes", "answer_boxes": [BOX, [1, 2, 3, 4]]}, "box 2 is not a valid box"),
        ({"form": "boxes", "answer_boxes": "[1, 2, 3, 4]"}, "the value must be a list of boxes"),
    ],
    ids=str,
)
def test_an_answer_is_drawn_where_its_form_says_so_and_nowhere_else(fields: dict[str, Any], says: str) -> None:
    found = [problem.message for problem in check_fields(ETP, {"question": "Where?", **fields})]
    assert found == [] if not says else len(found) == 1 and says in found[0], found


def test_what_is_drawn_as_the_answer_is_told_to_no_model() -> None:
    assert {"answer", "answer_boxes"} <= key_fields(ETP)
    assert not {"red_boxes", "numbers"} & key_fields(ETP)


def test_a_letter_that_is_an_option_is_that_option() -> None:
    assert places_of("B", ["B", "A"]) == [0]
    assert places_of("C", ["B", "A"]) is None


def test_the_rows_are_those_of_the_registry() -> None:
    assert [row.name for row in registry.rows("answer_form")] == list(FORMS)


HEAD = """\
name: small
version: 1
title: Small
dimensions: [{id: one, title: One}]
item:
  fields:
    - {name: form, kind: choice, options: [one, several]}
    - {name: options, kind: text_list}
"""


DRAWN = """\
    - {name: boxed, kind: boxes, required: false}
    - {name: must, kind: boxes}
    - {name: taken, kind: marks, required: false}
    - {name: other, kind: text, form: form, forms: {one: text, several: drawn}, drawn: taken}
  assets: [{role: image, kind: image}]
"""


@pytest.mark.parametrize(
    ("field", "key", "says"),
    [
        ("kind: text, form: frm, forms: {}", "form", "did you mean `form`?"),
        ("kind: text, forms: {one: one}", "", "`form` is missing"),
        ("kind: text, form: form, forms: {one: one}, field: options", "forms", "add a form for `several`"),
        ("kind: text, form: form, forms: {one: one, several: several}", "", "`field` is missing"),
        ("kind: text, form: form, forms: {one: one, sevral: text}, field: options", "sevral", "not a value of `form`"),
        ("kind: text, form: form, forms: {one: won, several: text}", "forms.one", "there is no answer form `won`"),
        ("kind: text, form: form, forms: {one: words, several: text}", "options", "at least 1 entry"),
        ("kind: text, form: form, forms: {one: text, several: text}, options: [a]", "options", "uses listed words"),
        (
            "kind: text, form: form, forms: {one: text, several: text}, field: options",
            "field",
            "none of the `forms` uses entries of a list",
        ),
        ("kind: integer, form: form, forms: {one: text, several: text}", "forms", "are for text"),
        ("kind: integer, drawn: boxed", "forms", "are for text"),
        ("kind: text, drawn: boxed", "", "`form` is missing"),
        ("kind: text, form: form, forms: {one: drawn, several: text}", "", "`drawn` is missing"),
        (
            "kind: text, form: form, forms: {one: text, several: text}, drawn: boxed",
            "drawn",
            "none of the `forms` is `drawn`",
        ),
        ("kind: text, form: form, forms: {one: drawn, several: text}, drawn: boxd", "drawn", "mean `boxed`?"),
        (
            "kind: text, form: form, forms: {one: drawn, several: text}, drawn: options",
            "drawn",
            "not a field with boxes",
        ),
        ("kind: text, form: form, forms: {one: drawn, several: text}, drawn: must", "drawn", "needs `required: false`"),
        (
            "kind: text, form: form, forms: {one: drawn, several: text}, drawn: taken",
            "drawn",
            "already stores the answers of another field",
        ),
    ],
)
def test_forms_of_a_schema_that_do_not_fit_are_refused(field: str, key: str, says: str) -> None:
    with pytest.raises(SchemaError) as caught:
        load_text(HEAD + f"    - {{name: answer, {field}}}\n{DRAWN}", "", "small.yaml")
    lines = str(caught.value).splitlines()
    assert any("item.fields[2]" in line and key in line and says in line for line in lines), lines
