"""ETP-Bench: items of all aspects in and out, each in the form of its aspect, and models' answers read by it."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas import shipped
from annotation_schemas.expected_answers import GONE, JUDGED, NO_KEY, STRANGE_KEY, asked_of, held_against
from annotation_schemas.kinds import check_fields
from annotation_schemas.loader import load_schema, load_text
from db.engine import Store
from domain.errors import InvalidFileError, InvalidInputError, SchemaError
from domain.reading.answers import AnswerKind, ReadOutcome, read_answer
from exporters.items import item_files
from importers.items import read_items
from media.store import MediaStore
from testkit.samples import ETP_COUNTS, etp_boxes, etp_record, etp_records, write
from workflow.access.projects import create_project
from workflow.annotate.authoring import edit_item
from workflow.files.export import exported
from workflow.files.import_files import import_files
from workflow.files.one_import import ImportSummary
from workflow.files.project_check import check
from workflow.results import leaderboard, project_answers, score_choices

ETP = load_schema(shipped()["etp_bench"])
FORMS = ("open", "multiple_choice", "multi_select", "ordering", "property_list", "plan", "boxes")
ALLOWED = {  # the paper's B.2, D.1, D.2 and Figure 2
    "type": ["open"],
    "property": ["property_list"],
    "temporal": ["multiple_choice", "ordering"],
    "spatial": ["multiple_choice", "boxes"],  # boxes are ours
    "relevant": ["open", "multiple_choice", "boxes"],
    "operation": ["multiple_choice"],
    "sequence": ["multiple_choice", "multi_select"],
    "goal": ["multiple_choice"],
    "embodied_reasoning": ["plan"],
}


@pytest.fixture
def media(home: Path) -> MediaStore:
    return MediaStore(home / "media")


@pytest.fixture
def project(store: Store) -> Store:
    create_project(store, name="p", loaded=ETP)
    return store


def bring(store: Store, media: MediaStore, path: Path, **options: Any) -> ImportSummary:
    return import_files(store, media, by=None, project="p", format="etp_bench", path=path, **options)


def etp_files(store: Store, **options: Any) -> dict[str, bytes]:
    return dict(exported(store, by=None, project="p", format="etp_bench", **options).files)


# ---- files ----------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_all_1875_items_come_in_and_go_out_byte_for_byte(project: Store, media: MediaStore, tmp_path: Path) -> None:
    records = etp_records(ETP_COUNTS)
    assert len(records) == 1875  # Table 1
    records[7]["made_by"] = "someone"  # a key that is no field
    path = write(tmp_path / "items.json", records, indent=2, ensure_ascii=False)
    assert bring(project, media, path).items == 1875
    assert etp_files(project) == {"items.json": path.read_bytes()}
    assert bring(project, media, path).repeated == 1875
    assert edit_item(project, person=None, project="p", item="Sequence-3", fields={"answer": "A, B"}) == 2
    records[288 + 259 + 100 + 488 + 100 + 100 + 3]["answer"] = "A, B"
    assert etp_files(project) == {"items.json": json.dumps(records, indent=2, ensure_ascii=False).encode()}
    assert check(project) == []


def test_a_new_item_follows_the_file_that_is_there(project: Store, media: MediaStore, tmp_path: Path) -> None:
    records = [etp_record("Type", n, id=n) for n in range(2)]
    schema = ETP.schema_
    found = read_items(write(tmp_path / "items.json", records), format="etp_bench", schema=schema)
    (file,) = found.files
    assert [(item.external_id, item.dimension, len(item.assets)) for item in file.items] == [
        ("0", "type", 1),
        ("1", "type", 1),
    ]
    new = replace(file.items[0], external_id="type/new", fragment=None)
    (text,) = item_files([replace(file, items=[*file.items, new])], format="etp_bench", schema=schema).values()
    assert json.loads(text)[2] == {**records[0], "id": 2}


BAD: list[tuple[Any, str]] = [
    (
        etp_record("Type", 0, form="multiple_choice"),
        "Type allows open (Open), not multiple_choice; choose an allowed value",
    ),
    (etp_record("Sequence", 0, form="plan"), "multiple_choice (One of the options), multi_select (Several"),
    (etp_record("Type", 0, form="essay"), "choose one of open, multiple_choice"),
    ({**etp_record("Type", 0), "aspect": "Smell"}, "aspect is 'Smell'"),
    (etp_record("Goal", 0, answer="Maybe"), "the text or the letter of one option (Yes, No)"),
    (etp_record("Goal", 0, options=None), "there are no options to choose from"),
    (etp_record("Temporal", 0, answer="1, 3"), "list every image number once, in the right order"),
    (etp_record("Property", 0, answer="edible"), "list only these words, separated by commas: breakable"),
    (etp_record("Type", 0, images=[]), "the item has no images, but at least 1 is needed"),
    (etp_record("Type", 0, images=[{"path": 1}]), "images must be a list of paths"),
    (etp_record("Type", 0, red_boxes=[{"x": 0.9, "y": 0.9, "w": 0.5, "h": 0.5}]), "Red boxes: "),
    (etp_record("Type", 0, red_boxes=[{"x": 0.9}]), "`y` must be a number"),
    (etp_boxes(0, answer="on the left"), "Answer: leave this field empty, and draw the answer on the image"),
    (etp_record("Type", 0, answer_boxes=[{"x": 0, "y": 0, "w": 1, "h": 1}]), "Boxes of the answer: remove the drawing"),
    (
        etp_boxes(0, answer_boxes=[{"x": 12, "y": 40, "w": 64, "h": 48}]),
        "Boxes of the answer: box 1: the box extends beyond",
    ),
    (etp_boxes(0, answer_boxes=[[0.1, 0.2, 0.3, 0.4]]), "Boxes of the answer: box 1 is not a valid box"),
    (etp_record("Type", 0, numbers="1"), "Numbers: the value must be a list of marks"),
    (etp_record("Type", 0, answer=["Hat"]), "answer is not text"),
    (etp_record("Spatial", 0, options=["a", 2]), "options has an entry that is not text"),
    (etp_record("Type", 0, id={}), "id must be a whole number or text"),
    ({"id": "x"}, "aspect is missing; images is missing; question is missing; form is missing"),
    (7, "object"),
]


@pytest.mark.parametrize(("record", "says"), BAD, ids=str)
def test_a_record_that_does_not_fit_says_what_and_where(record: Any, says: str, tmp_path: Path) -> None:
    path = write(tmp_path / "items.json", [etp_record("Goal", 9), record])
    found = read_items(path, format="etp_bench", schema=ETP.schema_)
    (bad,) = found.bad
    assert (bad.path, bad.row) == ("items.json", 2)
    assert says in bad.reason
    assert len(found.files[0].items) == 1


def test_boxes_as_an_answer_come_in_and_go_out_and_an_edit_changes_the_form(
    project: Store, media: MediaStore, tmp_path: Path
) -> None:
    record = etp_boxes(0)
    path = write(tmp_path / "items.json", [record], indent=2)
    assert bring(project, media, path).items == 1
    assert etp_files(project) == {"items.json": path.read_bytes()}
    with pytest.raises(InvalidInputError, match="Boxes of the answer: remove the drawing"):
        edit_item(project, person=None, project="p", item="Relevant-0", fields={"form": "open", "answer": "Broom"})
    changed = {"form": "open", "answer": "Broom", "answer_boxes": None}
    assert edit_item(project, person=None, project="p", item="Relevant-0", fields=changed) == 2
    ((_, text),) = etp_files(project).items()
    (found,) = json.loads(text)
    assert (found["form"], found["answer"], found.get("answer_boxes")) == ("open", "Broom", None)
    with pytest.raises(InvalidInputError, match="Boxes of the answer: draw the answer"):
        edit_item(project, person=None, project="p", item="Relevant-0", fields={"form": "boxes", "answer": None})


def test_half_a_file_is_refused_with_where_and_what_to_do(project: Store, media: MediaStore, tmp_path: Path) -> None:
    whole = write(tmp_path / "items.json", etp_records({"Type": 3, "Goal": 2})).read_bytes()
    half = tmp_path / "half.json"
    half.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(
        InvalidFileError, match=r"half\.json, row 3: the file ends in the middle of this record .*Nothing was imported"
    ):
        bring(project, media, half)
    twice = write(tmp_path / "twice.json", [etp_record("Type", 0), etp_record("Type", 0)])
    with pytest.raises(InvalidFileError, match=r"row 2: id Type-0 is also in row 1"):
        bring(project, media, twice)
    assert etp_files(project) == {}


# ---- the form of an aspect ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", ALLOWED)
def test_an_aspect_takes_its_forms_and_no_other(dimension: str) -> None:
    for form in FORMS:
        found = check_fields(ETP.schema_, {"question": "?", "form": form}, dimension)
        said = [problem.message for problem in found if problem.name == "form"]
        assert bool(said) == (form not in ALLOWED[dimension]), (form, said)
    assert not [each for each in check_fields(ETP.schema_, {"question": "?", "form": "plan"}) if each.name == "form"]


def test_an_edit_into_a_form_of_another_aspect_is_refused(project: Store, media: MediaStore, tmp_path: Path) -> None:
    bring(project, media, write(tmp_path / "items.json", [etp_record("Goal", 0)]))
    with pytest.raises(InvalidInputError, match=r"Form of the answer: Goal allows multiple_choice \(One of the opt"):
        edit_item(project, person=None, project="p", item="Goal-0", fields={"form": "open"})


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ("options: [a, b], by_dimension: {two: [a]}", "`two` is not a dimension"),
        ("options: [a, b], by_dimension: {one: [c]}", "`c` is not a value of `form`"),
        ("options: [a, b], by_dimension: {one: []}", "the list is empty"),
    ],
)
def test_forms_of_aspects_that_do_not_fit_the_schema_are_refused(keys: str, says: str) -> None:
    text = "name: s\nversion: 1\ntitle: S\ndimensions: [{id: one, title: One}]\nitem:\n  fields:\n"
    with pytest.raises(SchemaError, match=says):
        load_text(text + f"    - {{name: form, kind: choice, {keys}}}\n", "", "s.yaml")
    with pytest.raises(SchemaError, match="by_dimension"):
        load_text(text + "    - {name: form, kind: text, by_dimension: {one: [a]}}\n", "", "s.yaml")
    with pytest.raises(SchemaError, match="this field has no `forms`; add `forms`"):
        load_text(text + "    - {name: answer, kind: text, read_as: form}\n", "", "s.yaml")


# ---- models' answers ------------------------------------------------------------------------------------------------

READ: list[tuple[str, str, float]] = [
    # aspect, a model's answer, whether it is the key (nan: people or a judge say)
    ("Spatial", "The bucket is on the bed, so the answer is A.", 1),
    ("Spatial", "OnTop", 1),
    ("Spatial", "B. Under", 0),
    ("Operation", "wipe", 1),
    ("Operation", "C", 0),
    ("Goal", "No", 1),
    ("Goal", "Yes, the goal has been reached.", 0),
    ("Sequence", "B, C, D", 1),
    ("Sequence", "D, B, C", 1),
    ("Sequence", "B, C", 0),
    ("Temporal", "3, 1, 2", 1),
    ("Temporal", "The order is image 3, image 1, image 2.", 1),
    ("Temporal", "1, 2, 3", 0),
    ("Property", "cookable, grabbable, sliceable", 1),  # in the order of Table 4; the key of Figure 2 has another
    ("Property", "grabbable, cookable, sliceable", 1),
    ("Property", "grabbable", 0),
    ("Type", "Fedora", float("nan")),
    ("Type", "Hat", float("nan")),
]


@pytest.mark.parametrize(("aspect", "answer", "right"), READ, ids=str)
def test_an_answer_is_read_by_the_form_of_its_item(aspect: str, answer: str, right: float) -> None:
    fields = {name: value for name, value in etp_record(aspect, 0).items() if name not in ("id", "aspect", "images")}
    asked = asked_of(ETP.schema_, fields)
    read = read_answer(answer, asked)
    assert read.outcome is ReadOutcome.READ
    said, why = held_against(read.value, asked, fields["answer"])
    assert why == ("" if math.isfinite(right) else JUDGED)
    assert said == right or (math.isnan(said) and math.isnan(right))


@pytest.mark.parametrize(
    ("aspect", "answer"), [("Spatial", "A or B"), ("Sequence", "some of them"), ("Temporal", "1, 2"), ("Goal", "")]
)
def test_what_states_no_answer_of_that_form_is_not_read(aspect: str, answer: str) -> None:
    asked = asked_of(ETP.schema_, etp_record(aspect, 0))
    assert read_answer(answer, asked).outcome in (ReadOutcome.UNREADABLE, ReadOutcome.EMPTY)


def test_keys_that_are_none_of_the_options_or_missing_say_so() -> None:
    goal, plan = etp_record("Goal", 0), etp_record("Embodied reasoning", 0)
    asked = asked_of(ETP.schema_, goal)
    assert held_against("No", asked, "Maybe")[1] == STRANGE_KEY
    assert held_against("No", asked, None)[1] == NO_KEY
    assert held_against("Perhaps", asked, "No")[1] == GONE
    assert asked_of(ETP.schema_, plan).kind is AnswerKind.TEXT
    assert held_against("1. grasp(pie)", asked_of(ETP.schema_, plan), None)[1] == NO_KEY
    sequence = asked_of(ETP.schema_, etp_record("Sequence", 0))
    assert held_against(["Take the socks"], sequence, "B, E")[1] == STRANGE_KEY


def test_answers_of_boxes_are_not_read_but_compared_by_people() -> None:
    asked = asked_of(ETP.schema_, etp_boxes(0))
    read = read_answer("[12, 40, 76, 88]", asked)
    assert (read.outcome, read.value) == (ReadOutcome.READ, "[12, 40, 76, 88]")  # the text, as with open answers
    assert held_against(read.value, asked, None)[1] == JUDGED
    bare = etp_boxes(0, answer_boxes=[])
    assert held_against(read.value, asked_of(ETP.schema_, bare), None)[1] == NO_KEY


def test_results_compare_what_has_a_closed_form_with_the_key(project: Store, media: MediaStore, tmp_path: Path) -> None:
    aspects = list(ETP_COUNTS)
    bring(project, media, write(tmp_path / "items.json", [etp_record(aspect, 0) for aspect in aspects]))
    said = {
        "Type": "Hat",
        "Property": "cookable, grabbable, sliceable",
        "Temporal": "1, 2, 3",
        "Spatial": "The answer is A.",
        "Relevant": "A broom",
        "Operation": "slice",
        "Sequence": "D, C, B",
        "Goal": "who knows",
        "Embodied reasoning": "1. grasp(fruit)",
    }
    lines = [json.dumps({"item": f"{aspect}-0", "model": "m", "text": text}) for aspect, text in said.items()]
    (tmp_path / "answers.jsonl").write_text("\n".join(lines), encoding="utf-8")
    import_files(project, media, by=None, project="p", format="predictions", path=tmp_path / "answers.jsonl")
    found = project_answers.read_project(project, person=None, project="p")
    right = {found.items[each.item].name.rpartition("-")[0]: (each.right, each.why) for each in found.answers}
    # by hand: a set of properties, an order, an option by its letter, an option, a set, no answer at all
    held = {aspect: worth for aspect, (worth, _) in right.items() if math.isfinite(worth)}
    assert held == {"Property": 1, "Temporal": 0, "Spatial": 1, "Operation": 0, "Sequence": 1}
    assert {aspect: why for aspect, (_, why) in right.items() if aspect not in held} == {
        "Type": JUDGED,
        "Relevant": JUDGED,
        "Goal": "",  # it was not read, which counts as wrong
        "Embodied reasoning": NO_KEY,
    }
    board = leaderboard.sliced_scores(found, score_choices.Scores("key"))
    line = board.whole["m"]
    assert (line.found.value, line.found.n_units, line.asked) == (3 / 6, 6, 9)
    assert line.left_out == {JUDGED: 2, NO_KEY: 1}
