"""Which field of an item is the key is decided in one place, for votes, answers and what files leave out."""

from __future__ import annotations

import pytest

from annotation_schemas.keys import key_field, keys_of_votes, reference_field, votes_tell
from annotation_schemas.loader import load_text
from annotation_schemas.model import Schema
from domain.policies import targets

VOTES = """
stages:
  verification:
    raters: 2
    criteria: [{name: says, kind: text, prompt: "What is right?"}]
    keep: {rule: unanimous_and_key, criterion: says, key: truth}
"""


def schema(fields: str, stages: str = "") -> Schema:
    head = "name: s\nversion: 1\ntitle: S\nguideline: g.md\ndimensions: [{id: d, title: D, definition: D}]\n"
    item = f"item: {{assets: [{{role: image, kind: image}}], fields: [{fields}]}}\n"
    return load_text(head + item + (stages or "stages: {}\n"), "", "s.yaml").schema_


def test_the_key_of_votes_comes_before_every_other_field() -> None:
    one = schema("{name: answer, kind: text}, {name: truth, kind: text, secret_in: [verification]}", VOTES)
    assert (keys_of_votes(one), key_field(one), reference_field(one)) == (("truth",), "truth", "truth")
    assert votes_tell(one, ["truth"])
    assert not votes_tell(one, ["answer"])
    assert not votes_tell(one, [])
    (target,) = targets(one.stages.verification.keep)  # type: ignore[union-attr]
    assert target.of({"answer": "a", "truth": "t"}).value == "t"


@pytest.mark.parametrize(
    ("fields", "key", "reference"),
    [
        ("{name: answer, kind: text}", None, "answer"),
        ("{name: note, kind: text}", None, None),
        ("{name: answer, kind: text}, {name: seen, kind: text, read_as: text}", "seen", "seen"),
    ],
)
def test_without_votes_answers_are_held_against_what_the_schema_says(
    fields: str, key: str | None, reference: str | None
) -> None:
    one = schema(fields)
    assert (keys_of_votes(one), key_field(one), reference_field(one)) == ((), key, reference)
    assert not votes_tell(one, ["answer"])
