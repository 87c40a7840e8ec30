"""What a model's reply proposes for an image: an item's fields, why not, or what is wrong with it, by its kind."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema, load_text
from annotation_schemas.model import WORDING_RULES
from domain import strict_json
from extensions.drafting import proposal_reply
from extensions.drafting.proposal_reply import ProposalReply, asked_fields, lacking, left_fields, question, read_reply

PCA = load_schema(shipped()["pca_bench"]).schema_
DRIVING = "autonomous_driving"
GOOD: dict[str, Any] = {
    "question": "You drive at 40 km/h. What do you do?",
    "actions": ["brake", "keep going", "turn left"],
    "answer": "brake",
    "reason": "The light is red.",
    "key_concepts": ["red light"],
}


def said(why_not: str = "", **changed: Any) -> str:
    return json.dumps({"proposal": {**GOOD, **changed}, "why_not": why_not})


def without(name: str) -> str:
    return json.dumps({"proposal": {key: value for key, value in GOOD.items() if key != name}, "why_not": ""})


def read(text: str) -> ProposalReply:
    return read_reply(text, PCA, DRIVING)


def test_a_proposal_has_the_fields_that_authors_write_and_a_refusal_its_reason() -> None:
    assert [each.name for each in asked_fields(PCA)] == list(GOOD)  # `version`, `ability` and so on are not authored
    assert read(said()) == ProposalReply(GOOD)
    assert read(f"```json\n{said()}\n```").fields == GOOD
    assert read('{"proposal": null, "why_not": " It shows a wall. "}') == ProposalReply(why_not="It shows a wall.")


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("", [strict_json.NO_JSON]),
        ("It shows a street.", [strict_json.NO_JSON]),
        (f"Here it is: {said()}", [strict_json.NO_JSON]),
        (said()[:-20], [strict_json.CUT]),
        (said()[: said().index("brake") + 2], [strict_json.CUT]),
        (said().replace('"answer":', '"answer": "x", "answer":'), [strict_json.TWICE]),
        ("{" * 100_000, [strict_json.NO_JSON]),
        ('{"a": "' + "x" * 1_000_000 + '"}', [strict_json.TOO_LONG]),
        (json.dumps(GOOD), [strict_json.FORMLESS]),
        (json.dumps([said()]), [strict_json.FORMLESS]),
        (json.dumps({"proposal": [], "why_not": ""}), [strict_json.FORMLESS]),
        (json.dumps({"proposal": GOOD, "why_not": None}), [strict_json.FORMLESS]),
        (json.dumps({"proposal": {}, "why_not": ""}), [strict_json.FORMLESS] * 5),  # five fields are missing
        (without("answer"), [strict_json.FORMLESS]),
        (said(version="1"), [strict_json.FORMLESS]),  # a field, and none that authors write
        (said(answer=0), [strict_json.FORMLESS]),
        (said(answer=None), [strict_json.FORMLESS]),
        (said(actions="brake; go"), [strict_json.FORMLESS]),
        (said(actions=["brake", 2]), [strict_json.FORMLESS]),
        (said(reason="\ud800"), [strict_json.FORMLESS]),
        (said(reason="a\0b"), [strict_json.FORMLESS]),
        (said(answer="stop"), [proposal_reply.NO_OPTION]),
        (said(answer="Brake"), [proposal_reply.NO_OPTION]),
        (said(actions=["brake", "go", "Brake"]), [proposal_reply.SAME_OPTION]),
        (said(actions=["brake", "go  on", "Go on "]), [proposal_reply.SAME_OPTION]),
        (said(actions=["brake", "go", "go"], answer="stop"), [proposal_reply.SAME_OPTION, proposal_reply.NO_OPTION]),
        (said(actions=["brake"]), [proposal_reply.UNFIT]),
        (said(question=" "), [proposal_reply.UNFIT]),
        (said(question="x" * 2001), [proposal_reply.UNFIT]),
        (said(key_concepts=[]), [proposal_reply.UNFIT]),
        ('{"proposal": null, "why_not": " "}', [proposal_reply.NEITHER]),
        (said("It is too dark."), [proposal_reply.BOTH]),
    ],
)
def test_what_is_wrong_is_told_by_kind_and_nothing_of_it_is_taken(text: str, kinds: list[str]) -> None:
    found = read(text)
    assert [fault.kind for fault in found.faults] == kinds
    assert (found.fields, found.why_not) == ({}, "")
    assert all(fault.what.endswith(".") for fault in found.faults)


OWN = """
name: own
version: 1
title: Own
dimensions: [{id: a, title: A, definition: "About a."}, {id: b, title: B}]
item:
  assets: [{role: image, kind: image}]
  rules: [{rule: different, of: [first, second], say: "The two are to differ."}]
  fields:
    - {name: question, kind: text, wording: {ends_with: "?", stops: true}}
    - {name: first, kind: integer, required: false}
    - {name: weight, kind: decimal, required: false, min: 1, max: 9}
    - {name: second, kind: integer, required: false}
    - {name: sort, kind: choice, options: [{value: x, label: An x}, {value: y, label: A y}],
       by_dimension: {a: [x]}}
    - {name: area, kind: boxes, role: image}
stages: {authoring: {}}
"""


def test_the_rules_of_the_schema_hold_and_what_is_drawn_is_left_to_people() -> None:
    schema = load_text(OWN, "", "own").schema_
    assert [each.name for each in left_fields(schema)] == ["area"]

    def kinds(**changed: Any) -> list[str]:
        fields = {"question": "How many?", "first": 1, "second": None, "weight": "1.50", "sort": "x", **changed}
        return [each.kind for each in read_reply(json.dumps({"proposal": fields, "why_not": ""}), schema, "a").faults]

    assert kinds() == []  # without the required `area`
    assert kinds(second=1) == [proposal_reply.RULE]
    assert kinds(weight="10") == [proposal_reply.UNFIT]
    assert kinds(weight=2) == [strict_json.FORMLESS]
    assert kinds(first=True) == [strict_json.FORMLESS]
    assert kinds(sort="y") == [proposal_reply.NO_OPTION]  # of dimension b alone
    assert kinds(sort="z") == [proposal_reply.NO_OPTION]
    assert kinds(question="Count them") == [proposal_reply.WORDING]
    text = question("{dimension} {situation} {fields} {form}", schema, "a", situation="{fields}")
    assert text.startswith('A. About a. {fields} - "question" (Question): a text.')
    assert '"x": An x' in text
    assert "A y" not in text
    assert 'ends with "?"' in text
    assert set(proposal_reply._RULES) == set(WORDING_RULES)
    assert '"actions" (Action candidates): a list of texts, at least 2 entries, none twice.' in question(
        "{fields}", PCA, DRIVING
    )


@pytest.mark.parametrize("name", sorted(shipped()))
def test_every_schema_has_a_form_that_its_own_example_keeps_to(name: str) -> None:
    schema = load_schema(shipped()[name]).schema_
    if not asked_fields(schema):
        pytest.fail(f"{name} has no field for a model")
    example = json.loads(proposal_reply.form(schema).split("\n", 1)[0])
    form = proposal_reply.json_schema(schema)
    jsonschema.Draft202012Validator.check_schema(form)
    jsonschema.validate(example, form)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**example, "more": 1}, form)


def test_a_prompt_has_a_place_for_the_fields_and_none_that_nothing_fills() -> None:
    assert lacking(proposal_reply.OURS.read_text()) is None
    assert "has no {fields}" in str(lacking("Write one."))
    assert "has the unknown placeholder {field}" in str(lacking("{fields} {field}"))
