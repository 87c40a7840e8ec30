"""Made-up items fit the schemas that they are made up for, and votes on them come to what they are meant to."""

from __future__ import annotations

import pytest

from annotation_schemas import made_up, shipped
from annotation_schemas.kinds import check_fields
from annotation_schemas.loader import load_schema, load_text
from annotation_schemas.model import Schema
from domain.policies import item_state
from domain.states import ItemState

RULED = """
name: ruled
version: 1
title: Ruled
dimensions:
  - {id: one, title: One, definition: "One."}
  - {id: two, title: Two, definition: "Two."}
item:
  assets: [{role: before, kind: image, max: 3}, {role: walk, kind: clip, min: 0}]
  fields:
    - {name: sort, kind: choice, options: [a, b], by_dimension: {two: [b]}}
    - {name: begins, kind: decimal, unit: s}
    - {name: ends, kind: decimal, unit: s, max: 9}
    - {name: boxed, kind: boxes, role: before, options: [cup], min_length: 2}
    - {name: short, kind: text, min_length: 4, max_length: 9}
    - {name: sure, kind: text, read_as: yes_no, required: false}
  rules:
    - {rule: less_than, of: [begins, ends], say: "It ends after it begins."}
stages: {authoring: {}}
"""


def test_items_keep_to_limits_rules_and_what_a_dimension_may_have() -> None:
    schema = load_text(RULED, "", "ruled.yaml").schema_
    for dimension, sort in (("one", "a"), ("two", "b")):
        item = made_up.item(schema, dimension, number=3)
        assert item.problems == ()
        assert item.fields["sort"] == sort
        assert float(item.fields["begins"]) < float(item.fields["ends"]) <= 9
        assert [box["label"] for box in item.fields["boxed"]] == ["cup", "cup"]
        assert 4 <= len(item.fields["short"]) <= 9
        assert item.fields["sure"] == "yes"
    assert [(slot.role, n) for slot, n in made_up.media(schema)] == [("before", 2), ("walk", 1)]


def test_what_no_made_up_value_can_be_is_said() -> None:
    impossible = RULED.replace("max: 9}", "max: 99}").replace("unit: s}", "unit: s, min: 50}")
    schema = load_text(impossible, "", "ruled.yaml").schema_
    assert made_up.item(schema, "one").problems == ("Ends: It ends after it begins.",)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["etp_bench", "pca_bench", "panel", "jury", "questions", "tour", "egoplan"])
def test_the_schemas_that_come_along_have_items_votes_and_answers(name: str) -> None:
    schema: Schema = load_schema(shipped()[name]).schema_
    for dimension in schema.dimensions:
        item = made_up.item(schema, dimension.id)
        assert check_fields(schema, dict(item.fields), dimension.id) == []
    stage = schema.stages.verification
    assert stage is not None
    settled = [ItemState.KEPT, *([ItemState.IN_ADJUDICATION] if schema.stages.adjudication else [])]
    for state in settled:
        ballots = made_up.votes(schema, item, state)
        assert ballots is not None
        assert len(ballots) == stage.raters
        come = item_state(
            stage.keep,
            [ballot.vote() for ballot in ballots],
            raters=stage.raters,
            item_fields=item.fields,
            adjudication=schema.stages.adjudication is not None,
            skips=stage.skips,
        )
        assert come.state is state
