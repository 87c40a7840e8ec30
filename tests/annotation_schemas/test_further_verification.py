"""Several stages of verification in a schema: what is wrong with one, with its line, its key and what to do."""

from __future__ import annotations

import pytest

from annotation_schemas.loader import load_text
from domain.errors import SchemaError

RIGHT = """\
name: rounds
version: 1
title: Rounds
dimensions: [{id: colour, title: Colour}]
item:
  fields: [{name: question, kind: text}]
stages:
  verification:
    raters: 2
    criteria: [{name: clear, kind: choice, prompt: "Clear?", options: ["yes", "no"]}]
    keep: {rule: unanimous, criterion: clear, value: "yes"}
  verification_2:
    title: Content
    raters: 3
    criteria: [{name: right, kind: choice, prompt: "Right?", options: ["yes", "no"], skip: {reasons: [dark]}}]
    keep: {rule: majority, criterion: right, value: "yes"}
  adjudication: {reasons: [hard]}
"""
TWO, THREE = "stages.verification_2", "stages.verification_3"
WRONG = {
    ("verification_2:", "verification_3:"): (12, THREE, "needs an earlier stage `verification_2`; rename this stage"),
    ("criterion: right,", "criterion: clear,"): (
        16, f"{TWO}.keep.criterion", "this name is a criterion of `verification`"
    ),
    ("name: right,", "name: clear,"): (
        15, f"{TWO}.criteria[0].name", "`clear` appears twice; rename or remove the duplicate"
    ),
    ("    raters: 2\n", "    raters: 2\n    again: true\n"): (10, "stages.verification.again", "remove `again`"),
    ("title: Content", "title: verification"): (13, f"{TWO}.title", "`verification` has the same title"),
    ("    raters:", "    contested: drop\n    raters:"): (
        19, "stages.adjudication", "no item reaches adjudication; set `adjudication: none`"
    ),
    ("rule: majority, criterion: right, value: \"yes\"", "rule: unanimous_and_key, criterion: right, key: question"): (
        16, f"{TWO}.keep.key", "give the field `secret_in: [verification_2]`"
    ),
    ("title: Content", "contested: drop\n    skips: {after: 1, then: adjudicate}"): (
        14, f"{TWO}.skips.then", "let skips `retire` an item"
    ),
    ("title: Content", "by: boss"): (13, f"{TWO}.by", "known values: annotator, senior, lead"),
}  # fmt: skip


def test_it_is_right_and_each_mistake_says_what_to_do() -> None:
    stages = load_text(RIGHT, "", "rounds.yaml").schema_.stages
    assert list(stages.verifications) == ["verification", "verification_2"]
    assert [stages.title_of(name) for name in stages.verifications] == ["Verification", "Content"]
    for (old, new), (line, key, words) in WRONG.items():
        with pytest.raises(SchemaError) as caught:
            load_text(RIGHT.replace(old, new), "", "rounds.yaml")
        said = next((each for each in str(caught.value).splitlines() if f":{line}: {key}: " in each), str(caught.value))
        assert f":{line}: {key}: " in said, said
        assert words in said
