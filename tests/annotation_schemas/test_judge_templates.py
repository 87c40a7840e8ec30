"""Judge templates: a head and a text that have to fit each other."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from annotation_schemas.judge_templates import FOLDER, parse_template, shipped
from annotation_schemas.loader import load_schema, load_text
from domain.errors import SchemaError

GOOD = """---
id: likeness
version: 2
meaning: how like
variables: [answer]
parser: double_brackets
values: [0, 1]
---
=== user ===
How like is {answer}? {"a": 1}
"""


def test_a_template_is_read_with_its_hash() -> None:
    template = parse_template(GOOD, name="t.txt")
    assert (template.head.id, template.head.version, template.head.values) == ("likeness", 2, (0, 1))
    assert template.prompt.user == 'How like is {answer}? {"a": 1}'
    assert template.hash == hashlib.sha256(GOOD.encode()).hexdigest()
    assert parse_template(GOOD.replace("\n", "\r\n"), name="t.txt").hash == template.hash


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("---\nid", "id", r"t\.txt:1: the head is missing\. Begin the template with a head"),
        ("parser:", "parse:", r"t\.txt:6: parse: unknown key; did you mean `parser`\?"),
        ("[answer]", "[answer, question]", r"t\.txt:5: variables: the text has no placeholder `\{question\}`"),
        (
            "How like",
            "{how} like",
            r"t\.txt:5: variables: the text has the placeholder `\{how\}`, which is missing in `variables`; "
            r"add the placeholder's name",
        ),
        ("values: [0, 1]", "values: []", r"t\.txt:7: values: give at least one value"),
        ("version: 2", "version: two", r"t\.txt:3: version: the value must be a whole number"),
    ],
)
def test_what_does_not_fit_is_said_with_its_line(old: str, new: str, said: str) -> None:
    with pytest.raises(SchemaError, match=said):
        parse_template(GOOD.replace(old, new, 1), name="t.txt")


def test_ours_keep_to_the_published_scales() -> None:
    # EgoThink Table 7; PCA-Bench Table 5; ETP-Bench Figure 3
    published = {"egothink_single": (0, 0.5, 1), "pca_anchors": (0, 1), "etp_answer": (0, 0.5, 1)}
    assert {name: shipped()[name].head.values for name in published} == published


def test_every_file_is_named_for_its_template() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(shipped())


JUDGED = """
name: judged
version: 1
title: Judged
dimensions: [{id: one, title: One, definition: "All of them."}]
item:
  assets: [{role: image, kind: image}]
  fields: [{name: question, kind: text}, {name: answer, kind: text}]
stages:
  verification:
    raters: 1
    criteria:
      - {name: fits, kind: choice, prompt: "Fits?", options: [{value: "yes", label: "Yes"}, {value: "no", label: "No"}]}
    keep: {rule: unanimous, criterion: fits, value: "yes"}
  grading: {raters: 1, criteria: [{name: score, kind: scale, prompt: "How good?", values: [0, 0.5, 1]}]}
judges: [JUDGE]
export: {formats: [ratings]}
"""
FILLED = "fills: {ref_answer_1: answer, answer: prediction}"
SINGLE = "criterion: score, template: egothink_single"


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        (f"{SINGLE}, sees: [question, answer, prediction], {FILLED}", ""),
        # the template says by itself that `answer` is what it grades
        (f"{SINGLE}, sees: [question, answer, prediction], fills: {{ref_answer_1: answer}}", ""),
        ("criterion: fits, template: verify_reference, sees: [image, question, answer]", ""),
        # the reference would be graded against itself
        (
            f"{SINGLE}, sees: [question, answer], fills: {{ref_answer_1: answer, answer: answer}}",
            "no placeholder of the template egothink_single contains the model's answer",
        ),
        (f"{SINGLE}, sees: [question, answer], fills: {{ref_answer_1: answer}}", "add `prediction` to `sees`"),
        (
            f"{SINGLE}, sees: [question, answer, prediction, dimension], {FILLED}",
            "`dimension` is in `sees`, but the template `egothink_single` has no matching placeholder",
        ),
        (
            f"{SINGLE}, sees: [image, question, answer, prediction], {FILLED}",
            "`image` is in `sees`, but the template `egothink_single` shows no pictures",
        ),
        ("criterion: fits, template: verify_reference, sees: [question, answer]", "`sees` lists no picture; add image"),
        (
            "criterion: fits, template: verify_reference, sees: [image, question, answer, prediction]",
            "`prediction` is in `sees`, but the template `verify_reference` has no matching placeholder",
        ),
        (
            "criterion: score, template: verify_reference, sees: [image, question, answer]",
            "no placeholder of the template verify_reference contains the model's answer",
        ),
        (
            f"criterion: fits, template: egothink_single, sees: [question, answer, prediction], {FILLED}",
            "`answer` contains a model's answer, but the criterion is about items",
        ),
    ],
)
def test_a_schemas_judge_is_shown_what_it_grades_and_all_that_it_sees(tmp_path: Path, judge: str, said: str) -> None:
    path = tmp_path / "judged.yaml"
    path.write_text(JUDGED.replace("JUDGE", f"{{{judge}}}"))
    if not said:
        assert load_schema(path).schema_.judges
        return
    with pytest.raises(SchemaError) as refused:
        load_schema(path)
    assert said in str(refused.value)
    assert f"judged.yaml:{1 + path.read_text().splitlines().index(f'judges: [{{{judge}}}]')}:" in str(refused.value)


def test_a_stored_schema_opens_whatever_its_judges_see() -> None:
    """Its judges are refused as they begin; the project is there."""
    judge = "{criterion: score, template: egothink_single, sees: [question, answer], fills: {ref_answer_1: answer}}"
    assert load_text(JUDGED.replace("JUDGE", judge), "", "judged").schema_.judges


def test_all_of_ours_say_what_they_grade() -> None:
    assert {name for name, each in shipped().items() if each.grades is None} == {"better_of_two"}
    assert shipped()["better_of_two"].head.pair


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (
            "grades: reply",
            r"t\.txt:6: grades: the text has no placeholder `\{reply\}`; name a placeholder of the text, or `item`",
        ),
        ("grades: answer\npair: true", r"t\.txt:6: grades: a comparison always grades `answer_a` and `answer_b`"),
    ],
)
def test_what_a_template_grades_is_one_of_its_placeholders(head: str, said: str) -> None:
    with pytest.raises(SchemaError, match=said):
        parse_template(GOOD.replace("parser:", f"{head}\nparser:"), name="t.txt")
