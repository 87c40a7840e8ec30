"""Answers that are sets: people, keys, qualification and models are compared in any order."""

from __future__ import annotations

import json
import unicodedata
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas.expected_answers import asked_of, held_against
from annotation_schemas.loader import load_text
from annotation_schemas.model import tolerances_of
from db import item_revisions, items
from db.engine import Store
from domain.errors import InvalidFileError
from domain.policies import Target
from domain.states import ItemState, Stage
from media.store import MediaStore
from testkit.factories import claimed, make_items, make_people, make_project
from testkit.missing_extensions import needs
from workflow.annotate import submissions
from workflow.files.export import export
from workflow.files.import_files import import_files
from workflow.results.rater_agreement import measurable_ratings

SCHEMA = """
name: sets
version: 1
title: Sets
dimensions: [{id: colour, title: Colour, definition: "Colors."}]
item:
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list}
    - {name: answer, kind: options_of, field: options, required: false, secret_in: [verification]}
stages:
  verification:
    raters: 3
    criteria: [{name: seen, kind: multi_choice, field: options, prompt: Which}]
    keep: {rule: unanimous_and_key, criterion: seen, key: answer}
  adjudication: none
models: {strategy: generate}
"""
OPTIONS = ["caf\u00e9", "tea", "milk"]


@pytest.mark.parametrize("key", [*permutations(OPTIONS[:2]), (), (unicodedata.normalize("NFD", "caf\u00e9"),)])
def test_three_right_raters_keep_an_item_whatever_the_order_of_its_key(store: Store, key: tuple[str, ...]) -> None:
    make_project(store, loaded=load_text(SCHEMA, "", "sets"))
    make_items(store, 1, fields={"question": "Which?", "options": OPTIONS, "answer": list(key)})
    vote = [option for option in OPTIONS if option in {unicodedata.normalize("NFC", each) for each in key}]
    for person in make_people(store, "ann", "bea", "cem"):
        submissions.submit(
            store, person=person, task=claimed(store, person).id, key=person.login, values={"seen": vote}
        )
    with store.read() as session:
        (item,) = items.of_project(session, project_id=1)
        assert item.state is ItemState.KEPT


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (["a", "b"], ["b", "a"], True),
        (["a", "b", "a"], ["b", "a"], True),
        ([], [], True),
        ([], ["a"], False),
        (["a"], ["a", "b"], False),
        (["1"], [1], False),
        ([1], [True], False),
        (["a"], None, False),
    ],
)
def test_every_comparison_of_a_set_is_the_same(one: Any, other: Any, equal: bool) -> None:
    schema = load_text(SCHEMA, "", "sets").schema_
    (stage,) = schema.stages.verifications.values()
    assert stage is not None
    within = tolerances_of(stage.criteria)
    assert Target("seen", other, tolerance=within["seen"]).met_by(one) is equal
    assert Target("seen", tolerance=within["seen"]).alike(one, other) is equal


def test_a_model_that_says_none_is_right_where_the_key_is_the_empty_set() -> None:
    schema = load_text(SCHEMA, "", "sets").schema_
    asked = asked_of(schema, {"options": OPTIONS})
    assert held_against([], asked, []) == (1.0, "")
    assert held_against(["tea"], asked, []) == (0.0, "")


@pytest.mark.parametrize("options", [OPTIONS, [unicodedata.normalize("NFD", option) for option in OPTIONS]])
@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(
    ("kind", "key", "wanted"),
    [
        ("options_of", ["tea", "caf\u00e9"], [1, 0]),
        ("option_of", "caf\u00e9", 0),
        ("order_of", ["milk", "caf\u00e9", "tea"], [2, 0, 1]),
    ],
)
def test_a_key_in_another_unicode_form_is_stored_as_its_options_are(
    store: Store, tmp_path: Path, kind: str, key: Any, wanted: Any, form: Any, options: list[str]
) -> None:
    schema = (
        SCHEMA[: SCHEMA.index("stages:")].replace("options_of", kind).replace("verification", "grading")
        + "stages: {grading: {raters: 2, criteria: [{name: good, kind: scale, prompt: Good, values: [0, 1]}]}}"
    )
    make_project(store, loaded=load_text(schema, "", "sets"))
    spelled = json.loads(unicodedata.normalize(form, json.dumps(key, ensure_ascii=False)))
    row = {"id": "a", "question": "Q?", "options": options, "answer": spelled}
    path = tmp_path / "items.jsonl"
    path.write_text(json.dumps(row) + "\n")
    media = MediaStore(tmp_path / "media")
    import_files(store, media, by=None, project="p", format="jsonl", path=path)
    with store.read() as session:
        (item,) = items.of_project(session, project_id=1)
        fields, _ = item_revisions.present_contents(session, ids=[item.id], project_id=1)[item.id]
    assert fields["answer"] == ([options[at] for at in wanted] if isinstance(wanted, list) else options[wanted])
    export(store, by=None, project="p", format="jsonl", out=tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_bytes() == path.read_bytes()


@needs("readers", "ratings")
@pytest.mark.parametrize("offered", ["field: options", 'options: ["caf\u00e9", Tea, milk]'])
def test_imported_sets_agree_with_people_in_any_order_and_form(store: Store, tmp_path: Path, offered: str) -> None:
    options = ["caf\u00e9", "Tea", "milk"]
    schema = SCHEMA.replace("kind: multi_choice, field: options", f"kind: multi_choice, {offered}")
    make_project(store, loaded=load_text(schema, "", "sets"))
    names = make_items(store, 3, fields={"question": "Which?", "options": options, "answer": ["caf\u00e9", "Tea"]})
    (person,) = make_people(store, "ann")
    for _ in names:
        task = claimed(store, person)
        submissions.submit(
            store, person=person, task=task.id, key=task.id, values={"seen": ["Tea", "cafe\u0301", "Tea"]}
        )
    said = [["Tea", "cafe\u0301"], ["tea", "caf\u00e9", "tea"], ["milk"]]
    rows = [
        {"unit": f"colour/{n}", "rater": "tool", "criterion": "seen", "value": json.dumps(value)}
        for n, value in enumerate(said)
    ]
    path = tmp_path / "ratings.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_files(store, MediaStore(tmp_path / "media"), by=None, project="p", format="ratings", path=path)
    measured_rows, _ = measurable_ratings(store, person=None, project="p", stage=Stage.VERIFICATION)
    assert {(row.unit, row.rater): row.value for row in measured_rows} == {
        **{(f"colour/{n}", "ann"): "options 1, 2" for n in range(3)},
        ("colour/0", "tool"): "options 1, 2",
        ("colour/1", "tool"): "options 1, 2",
        ("colour/2", "tool"): "options 3",
    }


@needs("readers", "ratings")
def test_an_imported_rating_that_is_none_of_the_items_options_is_refused(store: Store, tmp_path: Path) -> None:
    make_project(store, loaded=load_text(SCHEMA, "", "sets"))
    make_items(store, 1, fields={"question": "Which?", "options": OPTIONS, "answer": []})
    path = tmp_path / "ratings.csv"
    path.write_text('unit,rater,criterion,value\ncolour/0,tool,seen,"[""B""]"\n')
    with pytest.raises(InvalidFileError, match="seen is 'B', not one of the item's options: caf\u00e9, tea, milk"):
        import_files(store, MediaStore(tmp_path / "media"), by=None, project="p", format="ratings", path=path)
