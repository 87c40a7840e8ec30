"""That none of the options fits, and that one cannot tell: answers like others, in votes, keys and models' answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation_schemas.expected_answers import asked_of, held_against
from annotation_schemas.keys import none_label
from annotation_schemas.kinds import check_answers, check_fields
from annotation_schemas.loader import examine, load_text
from annotation_schemas.model import Schema
from domain.errors import SchemaError
from domain.policies import Vote, verdict
from domain.reading.answers import ReadOutcome, read_answer
from domain.states import ItemState

TEXT = """\
name: besides
version: 1
title: Besides
dimensions: [{id: one, title: One}]
item:
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list}
    - {name: answer, kind: option_of, field: options, none: None of these, secret_in: [verification]}
stages:
  verification:
    raters: 2
    criteria:
      - {name: pick, kind: option_of, field: options, prompt: Which?, none: None of these, cannot_tell: I cannot tell}
      - {name: seen, kind: multi_choice, field: options, prompt: Seen?, none: Nothing of it, cannot_tell: Too dark}
      - {name: fits, kind: choice, prompt: Fits?, options: ["yes", "no"], cannot_tell: I cannot tell}
    keep: {rule: all_of, parts: [{criterion: pick, key: answer}, {criterion: fits, value: "yes"}]}
  adjudication: {reasons: [unclear]}
"""
ITEM: dict[str, Any] = {"question": "What is it?", "options": ["cup", "jug"], "answer": "cup"}


@pytest.fixture
def schema() -> Schema:
    return load_text(TEXT, "", "besides").schema_


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"pick": "cup", "seen": ["cup"], "fits": "yes"}, None),
        ({"pick": "none_of_these", "seen": [], "fits": "cannot_tell"}, None),
        ({"pick": "cannot_tell", "seen": ["cannot_tell"], "fits": "no"}, None),
        ({"pick": "mug", "seen": [], "fits": "yes"}, "Choose one of the listed answers."),
        (
            {"pick": "cup", "seen": ["cup", "cannot_tell"], "fits": "yes"},
            "Choose either “Too dark” or other answers.",
        ),
        ({"pick": "cup", "seen": ["none_of_these"], "fits": "yes"}, "Choose only from the listed answers."),
        ({"pick": "cup", "seen": [], "fits": "none_of_these"}, "Choose one of the listed answers."),
    ],
)
def test_they_are_answers(schema: Schema, values: dict[str, Any], says: str | None) -> None:
    stage = schema.stages.verification
    assert stage is not None
    found = [problem.message.split("? ", 1)[1] for problem in check_answers(stage.criteria, values, {}, ITEM)]
    assert found == ([says] if says else [])


@pytest.mark.parametrize(
    ("key", "votes", "state"),
    [
        ("none_of_these", [("none_of_these", "yes")] * 2, ItemState.KEPT),
        ("cup", [("none_of_these", "yes")] * 2, ItemState.REJECTED),
        ("cup", [("cup", "yes"), ("cannot_tell", "yes")], ItemState.IN_ADJUDICATION),
        ("cup", [("cannot_tell", "yes")] * 2, ItemState.REJECTED),  # an answer, on which both agree
        ("cup", [("cup", "cannot_tell")] * 2, ItemState.REJECTED),
    ],
)
def test_they_decide_as_other_values_do(schema: Schema, key: str, votes: list[Any], state: ItemState) -> None:
    stage = schema.stages.verification
    assert stage is not None
    cast = [Vote(str(at), {"pick": pick, "fits": fits}) for at, (pick, fits) in enumerate(votes)]
    assert check_fields(schema, {**ITEM, "answer": key}) == []
    found = verdict(stage.keep, cast, raters=2, item_fields={**ITEM, "answer": key}, adjudication=True)
    assert found.state is state


@pytest.mark.parametrize(
    ("text", "read", "with_none", "with_cup"),
    [
        ("None of the above.", "None of these", 1.0, 0.0),
        ("The answer is: none of these", "None of these", 1.0, 0.0),
        ("C", "None of these", 1.0, 0.0),  # models are offered it as the last option
        ("Answer: None", "None of these", 1.0, 0.0),
        ("A", "cup", 0.0, 1.0),
        ("The answer is cup.", "cup", 0.0, 1.0),
        ("None of my business, but it may be a cup or a jug.", None, None, None),
    ],
)
def test_models_answers_are_read_as_it(
    schema: Schema, text: str, read: str | None, with_none: float | None, with_cup: float | None
) -> None:
    asked = asked_of(schema, ITEM)
    found = read_answer(text, asked)
    assert (found.value if found.outcome is ReadOutcome.READ else None) == read
    if read is not None:
        assert held_against(found.value, asked, "none_of_these")[0] == with_none
        assert held_against(found.value, asked, "cup")[0] == with_cup
    plain = load_text(TEXT.replace(", none: None of these, secret", ", secret"), "", "besides").schema_
    if text == "None of the above.":
        assert read_answer(text, asked_of(plain, ITEM)).outcome is ReadOutcome.UNREADABLE, "as before"


def test_what_models_are_offered(schema: Schema) -> None:
    assert none_label(schema, "options") == "None of these"
    assert none_label(schema, "question") is None


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("- {name: question, kind: text}", "- {name: question, kind: text, none: None}", "for fields of kind"),
        ('cannot_tell: I cannot tell}\n    keep', "cannot_tell: T}\n      - {name: more, kind: choice, prompt: M, "
         "options: [a, cannot_tell], cannot_tell: T}\n    keep", "the option `cannot_tell` already exists"),
        ("prompt: Seen?,", "prompt: Seen?, min: 1,", "so nobody can choose `none`"),
        ("prompt: Fits?,", "prompt: Fits?, none_fits: T,", "unknown key"),
        ("title: Besides", "title: Besides\nsource: {format: pca_bench, fields: {options: actions}}",
         "give the position of the right option"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(old: str, new: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "besides.yaml"
    path.write_text(TEXT, encoding="utf-8")
    assert examine(path).warnings == ()
    assert old in TEXT
    path.write_text(TEXT.replace(old, new), encoding="utf-8")
    with pytest.raises(SchemaError) as caught:
        examine(path)
    assert says in str(caught.value)


def test_an_entry_that_looks_like_it_is_refused(schema: Schema) -> None:
    (problem,) = check_fields(schema, {**ITEM, "options": ["cup", "none_of_these"], "answer": "none_of_these"})
    assert "which is reserved" in problem.message
