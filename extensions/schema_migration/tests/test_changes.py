"""Single changes of a schema with all kinds of parts, each with its class as written by hand, both ways."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema, load_text
from annotation_schemas.model import Schema
from domain import typed_json
from domain.errors import InvalidInputError
from extensions.schema_migration.changes import (
    CHANGE_KINDS,
    WAYS,
    AffectedCounts,
    Change,
    Comparison,
    Decision,
    Decisions,
    Status,
    compare,
    targets,
)

BASE = yaml.safe_load(
    """
name: living
version: 1
title: Living
source: {format: jsonl, id: id}
dimensions:
  - {id: bars, title: Bars, wanted: 3}
  - {id: lines, title: Lines, wanted: 3}
item:
  assets:
    - {role: chart, kind: image, max: 3}
    - {role: clip, kind: clip, min: 0}
  fields:
    - {name: question, kind: text, max_length: 200}
    - {name: options, kind: text_list, required: false}
    - {name: others, kind: text_list, required: false}
    - {name: answer, kind: option_of, field: options, required: false, secret_in: [verification]}
    - {name: level, kind: choice, options: [{value: easy, label: Easy}, hard], required: false}
    - {name: note, kind: text, required: false}
    - {name: count, kind: integer, required: false}
stages:
  triage: {reasons: [dark]}
  authoring: {people: 3}
  verification:
    raters: 2
    criteria:
      - name: correct
        kind: choice
        prompt: Is it right?
        options: [{value: "yes", label: "Yes"}, {value: "no", label: "No", reasons: [wrong, odd]}, unsure]
        skip: {reasons: [unclear]}
      - {name: size, kind: scale, prompt: How large, values: [1, 2, 3], labels: [S, M, L], required: false}
      - {name: width, kind: number, prompt: How wide, min: 0, max: 10, unit: cm, required: false}
      - {name: seen, kind: multi_choice, field: options, prompt: Which, required: false}
      - {name: why, kind: text, prompt: Why, show_if: {correct: ["no"]}, required: false}
    keep: {rule: unanimous, criterion: correct, value: "yes"}
    skips: {after: 2, then: retire}
  adjudication: {reasons: [unclear, wrong]}
  refinement:
    criteria: [{name: other, kind: choice, prompt: Also right, options: ["no", "yes"]}]
    done: {other: "no"}
  grading:
    raters: 1
    criteria: [{name: good, kind: scale, prompt: Good, values: [0, 0.5, 1]}]
  coding:
    raters: 2
    criteria: [{name: error, kind: choice, prompt: What, options: [misread, guessed]}]
    of: {score: key}
judges:
  - {name: first, criteria: [good], template: egothink_single, sees: [question, answer, prediction],
     fills: {ref_answer_1: answer, answer: prediction}, values: [0, 0.5, 1]}
models: {strategy: generate, prompts: plain}
report: {statistics: [percent_agreement]}
export: {formats: [jsonl]}
"""
)

Edit = Callable[[Any], Any]
VOTES = "stages.verification"


def of(schema: Any, *names: str) -> Any:
    """The part at a path of keys and names."""
    for name in names:
        if isinstance(schema, dict):
            schema = schema[name]
        else:
            schema = next(
                each for each in schema
                if each == name or (isinstance(each, dict) and name in (each.get("name"), each.get("id"),
                                                                        each.get("role"), each.get("value")))
            )  # fmt: skip
    return schema


def put(path: str, value: Any) -> Edit:
    """Set the key at a path; None takes it out."""

    def edit(schema: Any) -> None:
        *names, key = path.split(".")
        part = of(schema, *names)
        if value is None:
            del part[key]
        else:
            part[key] = copy.deepcopy(value)

    return edit


def take(path: str, name: str) -> Edit:
    """Take an entry out of a list."""

    def edit(schema: Any) -> None:
        listed = of(schema, *path.split("."))
        listed.remove(of(listed, name))

    return edit


def add(path: str, value: Any) -> Edit:
    """Put an entry at the end of a list."""
    return lambda schema: of(schema, *path.split(".")).append(copy.deepcopy(value))


def all_of(*edits: Edit) -> Edit:
    def edit(schema: Any) -> None:
        for each in edits:
            each(schema)

    return edit


FITS, ASKS, NO = "compatible", "compatible with a decision", "incompatible"
CRITERIA = f"{VOTES}.criteria"
NEW_CRITERION = {"name": "clear", "kind": "choice", "prompt": "Clear?", "options": ["a", "b"]}

ONE_BY_ONE: dict[str, tuple[Edit, tuple[str, str, str], tuple[str, str]]] = {
    # name: the edit; path, row and status of the change; row and status of its reverse
    "title": (put("title", "T"), ("title", "words", FITS), ("words", FITS)),
    "other name": (put("name", "other"), ("name", "other_schema", NO), ("other_schema", NO)),
    "label of a dimension": (
        put("dimensions.bars.title", "B"),
        ("dimensions.bars.title", "words", FITS),
        ("words", FITS),
    ),
    "definition": (
        put("dimensions.bars.definition", "B"),
        ("dimensions.bars.definition", "words", FITS),
        ("words", FITS),
    ),
    "target": (put("dimensions.bars.wanted", 9), ("dimensions.bars.wanted", "target", FITS), ("target", FITS)),
    "group": (put("dimensions.bars.group", "G"), ("dimensions.bars.group", "figures", FITS), ("figures", FITS)),
    "folder": (put("dimensions.bars.folder", "b"), ("dimensions.bars.folder", "exports", FITS), ("exports", FITS)),
    "dimension": (
        add("dimensions", {"id": "pies", "title": "Pies"}),
        ("dimensions.pies", "added_dimension", FITS),
        ("removed_dimension", ASKS),
    ),
    "dimensions in another order": (
        lambda schema: schema["dimensions"].reverse(),
        ("dimensions", "order_of_entries", FITS),
        ("order_of_entries", FITS),
    ),
    "asset that may be absent": (
        add("item.assets", {"role": "map", "kind": "image", "min": 0}),
        ("item.assets.map", "added_asset", FITS),
        ("removed_asset", NO),
    ),
    "asset that is needed": (
        add("item.assets", {"role": "map", "kind": "image"}),
        ("item.assets.map", "asset_limits", ASKS),
        ("removed_asset", NO),
    ),
    "asset kind": (
        put("item.assets.chart.kind", "clip"),
        ("item.assets.chart.kind", "asset_kind", NO),
        ("asset_kind", NO),
    ),
    "fewer images": (
        put("item.assets.chart.max", 1),
        ("item.assets.chart.max", "asset_limits", ASKS),
        ("wider_item", FITS),
    ),
    "clip needed": (
        put("item.assets.clip.min", 1),
        ("item.assets.clip.min", "asset_limits", ASKS),
        ("wider_item", FITS),
    ),
    "field that may be empty": (
        add("item.fields", {"name": "origin", "kind": "text", "required": False}),
        ("item.fields.origin", "added_field", FITS),
        ("removed_field", ASKS),
    ),
    "field that is needed": (
        add("item.fields", {"name": "origin", "kind": "text"}),
        ("item.fields.origin", "field_needed", ASKS),
        ("removed_field", ASKS),
    ),
    "field title": (put("item.fields.note.title", "N"), ("item.fields.note.title", "words", FITS), ("words", FITS)),
    "field must be filled": (
        put("item.fields.note.required", True),
        ("item.fields.note.required", "field_needed", ASKS),
        ("wider_item", FITS),
    ),
    "text to long text": (
        put("item.fields.note.kind", "long_text"),
        ("item.fields.note.kind", "field_kind_fits", FITS),
        ("field_kind", NO),
    ),
    "text to integer": (
        put("item.fields.note.kind", "integer"),
        ("item.fields.note.kind", "field_kind", NO),
        ("field_kind", NO),
    ),
    "choice to text": (
        all_of(put("item.fields.level.kind", "text"), put("item.fields.level.options", None)),
        ("item.fields.level.kind", "field_kind_fits", FITS),
        ("field_kind", NO),
    ),
    "option of a field": (
        add("item.fields.level.options", "odd"),
        ("item.fields.level.options.odd", "wider_item", FITS),
        ("removed_value", ASKS),
    ),
    "label of an option of a field": (
        put("item.fields.level.options.easy.label", "E"),
        ("item.fields.level.options.easy.label", "words", FITS),
        ("words", FITS),
    ),
    "list that is chosen from": (
        put("item.fields.answer.field", "others"),
        ("item.fields.answer.field", "taken_from", NO),
        ("taken_from", NO),
    ),
    "shorter text": (
        put("item.fields.question.max_length", 100),
        ("item.fields.question.max_length", "field_limits", ASKS),
        ("wider_item", FITS),
    ),
    "longer than": (
        put("item.fields.question.min_length", 5),
        ("item.fields.question.min_length", "field_limits", ASKS),
        ("wider_item", FITS),
    ),
    "entries of a list": (
        put("item.fields.options.length", 4),
        ("item.fields.options.length", "field_limits", ASKS),
        ("wider_item", FITS),
    ),
    "entries that differ": (
        put("item.fields.options.distinct", True),
        ("item.fields.options.distinct", "field_limits", ASKS),
        ("wider_item", FITS),
    ),
    "values by dimension": (
        put("item.fields.level.by_dimension", {"bars": ["easy"]}),
        ("item.fields.level.by_dimension", "field_limits", ASKS),
        ("wider_item", FITS),
    ),
    "secret": (
        put("item.fields.note.secret_in", ["grading"]),
        ("item.fields.note.secret_in", "shown", FITS),
        ("shown", FITS),
    ),
    "not authored": (
        put("item.fields.note.authored", False),
        ("item.fields.note.authored", "handing_out", FITS),
        ("handing_out", FITS),
    ),
    "reason of triage": (
        add("stages.triage.reasons", "blurred"),
        ("stages.triage.reasons.blurred", "added_reason", FITS),
        ("removed_reason", FITS),
    ),
    "authors": (
        put("stages.authoring.people", 4),
        ("stages.authoring.people", "handing_out", FITS),
        ("handing_out", FITS),
    ),
    "raters": (put(f"{VOTES}.raters", 3), (f"{VOTES}.raters", "raters_raised", ASKS), ("raters_lowered", ASKS)),
    "prompt": (put(f"{CRITERIA}.correct.prompt", "P"), (f"{CRITERIA}.correct.prompt", "words", FITS), ("words", FITS)),
    "help": (put(f"{CRITERIA}.correct.help", "P"), (f"{CRITERIA}.correct.help", "words", FITS), ("words", FITS)),
    "label of an option": (
        put(f"{CRITERIA}.correct.options.yes.label", "Ja"),
        (f"{CRITERIA}.correct.options.yes.label", "words", FITS),
        ("words", FITS),
    ),
    "option": (
        add(f"{CRITERIA}.correct.options", "partly"),
        (f"{CRITERIA}.correct.options.partly", "added_option", FITS),
        ("removed_option", ASKS),
    ),
    "reason of an option": (
        add(f"{CRITERIA}.correct.options.no.reasons", "old"),
        (f"{CRITERIA}.correct.options.no.reasons.old", "added_reason", FITS),
        ("removed_reason", FITS),
    ),
    "reason of a skip": (
        add(f"{CRITERIA}.correct.skip.reasons", "old"),
        (f"{CRITERIA}.correct.skip.reasons.old", "added_reason", FITS),
        ("removed_reason", FITS),
    ),
    "no skip": (
        put(f"{CRITERIA}.correct.skip", None),
        (f"{CRITERIA}.correct.skip", "removed_skip", ASKS),
        ("wider_criterion", FITS),
    ),
    "step of a scale": (
        all_of(put(f"{CRITERIA}.size.values", [1, 2, 3, 4]), put(f"{CRITERIA}.size.labels", ["S", "M", "L", "XL"])),
        (f"{CRITERIA}.size.values.4", "added_option", FITS),
        ("removed_option", ASKS),
    ),
    "labels of a scale": (
        put(f"{CRITERIA}.size.labels", ["s", "m", "l"]),
        (f"{CRITERIA}.size.labels", "words", FITS),
        ("words", FITS),
    ),
    "no labels of a scale": (
        put(f"{CRITERIA}.size.labels", None),
        (f"{CRITERIA}.size.labels", "words", FITS),
        ("words", FITS),
    ),
    "scale turned round": (
        all_of(put(f"{CRITERIA}.size.values", [3, 2, 1]), put(f"{CRITERIA}.size.labels", ["L", "M", "S"])),
        (f"{CRITERIA}.size.values", "figures", FITS),
        ("figures", FITS),
    ),
    "smaller greatest": (
        put(f"{CRITERIA}.width.max", 5),
        (f"{CRITERIA}.width.max", "criterion_limits", ASKS),
        ("wider_criterion", FITS),
    ),
    "larger least": (
        put(f"{CRITERIA}.width.min", 1),
        (f"{CRITERIA}.width.min", "criterion_limits", ASKS),
        ("wider_criterion", FITS),
    ),
    "in steps": (
        put(f"{CRITERIA}.width.step", 0.5),
        (f"{CRITERIA}.width.step", "criterion_limits", ASKS),
        ("wider_criterion", FITS),
    ),
    "unit": (put(f"{CRITERIA}.width.unit", "mm"), (f"{CRITERIA}.width.unit", "unit", ASKS), ("unit", ASKS)),
    "answers from another list": (
        put(f"{CRITERIA}.seen.field", "others"),
        (f"{CRITERIA}.seen.field", "taken_from", NO),
        ("taken_from", NO),
    ),
    "choice to scale": (
        all_of(
            put(f"{CRITERIA}.correct.kind", "scale"),
            put(f"{CRITERIA}.correct.options", None),
            put(f"{CRITERIA}.correct.values", ["yes", "unsure", "no"]),
        ),
        (f"{CRITERIA}.correct.kind", "criterion_kind_fits", FITS),
        ("criterion_kind_fits", FITS),
    ),
    "number to text": (
        all_of(
            put(f"{CRITERIA}.width.kind", "text"),
            *(put(f"{CRITERIA}.width.{key}", None) for key in ("min", "max", "unit")),
        ),
        (f"{CRITERIA}.width.kind", "criterion_kind", NO),
        ("criterion_kind", NO),
    ),
    "must be answered": (
        put(f"{CRITERIA}.size.required", True),
        (f"{CRITERIA}.size.required", "asked_more", ASKS),
        ("asked_less", FITS),
    ),
    "asked in one dimension": (
        put(f"{CRITERIA}.size.dimensions", ["bars"]),
        (f"{CRITERIA}.size.dimensions", "asked_less", FITS),
        ("asked_more", ASKS),
    ),
    "asked on a condition": (
        put(f"{CRITERIA}.size.show_if", {"correct": ["yes"]}),
        (f"{CRITERIA}.size.show_if", "asked_less", FITS),
        ("asked_more", ASKS),
    ),
    "criterion": (
        add(CRITERIA, NEW_CRITERION),
        (f"{CRITERIA}.clear", "added_criterion", ASKS),
        ("removed_criterion", ASKS),
    ),
    "keep rule": (
        put(f"{VOTES}.keep.rule", "majority"),
        (f"{VOTES}.keep.rule", "keep_rule", ASKS),
        ("keep_rule", ASKS),
    ),
    "value that keeps": (
        put(f"{VOTES}.keep.value", "no"),
        (f"{VOTES}.keep.value", "keep_rule", ASKS),
        ("keep_rule", ASKS),
    ),
    "what skips do": (
        put(f"{VOTES}.skips.then", "adjudicate"),
        (f"{VOTES}.skips.then", "skips", ASKS),
        ("skips", ASKS),
    ),
    "no skips": (put(f"{VOTES}.skips", None), (f"{VOTES}.skips", "skips", ASKS), ("skips", ASKS)),
    "gold": (put(f"{VOTES}.gold", {"rate": 0.1}), (f"{VOTES}.gold", "gates", FITS), ("gates", FITS)),
    "qualification": (
        put(f"{VOTES}.qualification", {"items": 5, "reviewers": 1, "pass_mark": 0.8}),
        (f"{VOTES}.qualification", "gates", FITS),
        ("gates", FITS),
    ),
    "order": (put(f"{VOTES}.order", "priority"), (f"{VOTES}.order", "handing_out", FITS), ("handing_out", FITS)),
    "no adjudication": (
        put("stages.adjudication", None),
        ("stages.adjudication", "settling", ASKS),
        ("settling", ASKS),
    ),
    "reason of a decision": (
        add("stages.adjudication.reasons", "old"),
        ("stages.adjudication.reasons.old", "added_reason", FITS),
        ("removed_reason", FITS),
    ),
    "by leads": (put("stages.adjudication.by", "lead"), ("stages.adjudication.by", "gates", FITS), ("gates", FITS)),
    "no refinement": (
        put("stages.refinement", None),
        ("stages.refinement", "removed_stage", NO),
        ("added_stage", FITS),
    ),
    "end of refinement": (
        put("stages.refinement.until", "one_round"),
        ("stages.refinement.until", "refinement_end", ASKS),
        ("refinement_end", ASKS),
    ),
    "no coding": (put("stages.coding", None), ("stages.coding", "removed_stage", NO), ("added_stage", FITS)),
    "code": (
        add("stages.coding.criteria.error.options", "other"),
        ("stages.coding.criteria.error.options.other", "added_option", FITS),
        ("removed_option", ASKS),
    ),
    "no arbitration": (
        put("stages.coding.arbitration", False),
        ("stages.coding.arbitration", "settling", ASKS),
        ("settling", ASKS),
    ),
    "what is coded": (
        put("stages.coding.outputs", 50),
        ("stages.coding.outputs", "which_work", FITS),
        ("which_work", FITS),
    ),
    "mean of grades": (
        put("stages.grading.combine", "mean"),
        ("stages.grading.combine", "figures", FITS),
        ("figures", FITS),
    ),
    "sample of grading": (
        put("stages.grading.sample", {"outputs": 10}),
        ("stages.grading.sample", "grading_sample", NO),
        ("grading_sample", NO),
    ),
    "people answer": (
        put("stages.answering", {"people": 2, "criteria": [{"name": "mine", "kind": "text", "prompt": "A"}]}),
        ("stages.answering", "added_stage", FITS),
        ("removed_stage", NO),
    ),
    "judge": (put("judges.first.values", [0, 1]), ("judges.first.values", "judges", FITS), ("judges", FITS)),
    "models": (put("models.temperature", 0.5), ("models.temperature", "models", FITS), ("models", FITS)),
    "report": (put("report.by", "dimension"), ("report.by", "figures", FITS), ("figures", FITS)),
    "exports": (
        put("export.public_without", ["answer"]),
        ("export.public_without", "exports", FITS),
        ("exports", FITS),
    ),
    "wording": (
        put("item.fields.question.wording", {"ends_with": "?", "stops": ["ends_with"]}),
        ("item.fields.question.wording", "wording", FITS),
        ("wording", FITS),
    ),
    "floors": (
        put("export.floors", [{"criterion": "size", "statistic": "gwet_ac", "at_least": 0.5}]),
        ("export.floors.size.gwet_ac", "floors_raised", FITS),
        ("floors_lowered", FITS),
    ),
    "limits for shortcuts": (
        put("export.shortcuts", {}),
        ("export.shortcuts", "shortcuts_stricter", FITS),
        ("shortcuts_looser", FITS),
    ),
    "imports": (put("source.id", "key"), ("source.id", "imports", FITS), ("imports", FITS)),
}


def made(*edits: Edit, version: int = 1) -> Schema:
    schema = copy.deepcopy(BASE)
    for edit in edits:
        edit(schema)
    return Schema.model_validate({**schema, "version": version})


def told(comparison: Comparison) -> list[tuple[str, str, str]]:
    """Path, row and status of all changes but that of the version."""
    return [(each.path, each.row.name, each.status.value) for each in comparison.changes if each.row.name != "version"]


@pytest.mark.parametrize("name", list(ONE_BY_ONE))
def test_each_change_is_of_its_class_both_ways(name: str) -> None:
    edit, there, back = ONE_BY_ONE[name]
    old, new = made(), made(edit, version=2)
    assert told(compare(old, new)) == [there]
    assert told(compare(new, old)) == [(there[0], *back)]


def test_the_schema_that_is_changed_is_one() -> None:
    load_text(yaml.safe_dump(BASE), "", "living.yaml")


def test_there_are_sixty_and_every_kind_of_change_is_among_them_or_in_a_test_of_its_own() -> None:
    assert len(ONE_BY_ONE) >= 60
    seen = {row for _, there, back in ONE_BY_ONE.values() for row in (there[1], back[0])}
    apart = {"version", "same_version", "guideline", "renamed", "key_field", "added_verification", "added_round",
             "plan_rules", "reading", "unit_of_field", "shortcuts_otherwise"}  # fmt: skip
    assert set(CHANGE_KINDS) == seen | apart


@pytest.mark.thorough
def test_a_schema_differs_from_every_other_and_not_from_itself() -> None:
    schemas = [load_schema(path).schema_ for path in shipped().values()]
    for one, other in itertools.product(schemas, repeat=2):
        assert bool(compare(one, other).changes) == (one is not other)


def test_no_change_is_lost() -> None:
    """Whatever of the edits is there alone is there, too, where all others are made before and after."""
    for name in ("option", "target", "prompt"):
        edit, there, _ = ONE_BY_ONE[name]
        others = [ONE_BY_ONE[other][0] for other in ("title", "raters", "criterion", "report")]
        assert told(compare(made(*others), made(*others, edit, version=2))) == [there]


def test_another_schema_needs_another_version() -> None:
    found = compare(made(), made(put("title", "T")))
    assert told(found)[0] == ("version", "same_version", NO)
    nothing = Nothing()
    assert compare(made(), made(put("title", "T")), uses=nothing).incompatible, "whatever is stored"


def test_the_guideline_is_compatible_by_itself() -> None:
    found = compare(made(), made(version=2), old_guideline="One.", new_guideline="One.\nTwo.")
    assert [(each.path, each.row.name, each.old, each.new) for each in found.changes] == [
        ("version", "version", 1, 2),
        ("guideline", "guideline", "1 lines", "2 lines"),
    ]
    assert found.can_be_taken


def test_another_key_is_incompatible() -> None:
    key = {"rule": "unanimous_and_key", "criterion": "seen2", "key": "answer"}
    asks = {"name": "seen2", "kind": "option_of", "field": "options", "prompt": "Which"}
    with_key = [add(CRITERIA, asks), put(f"{VOTES}.keep", key)]
    second = add("item.fields", {"name": "second", "kind": "option_of", "field": "options", "required": False,
                                 "secret_in": ["verification"]})  # fmt: skip
    old = made(*with_key, second)
    assert told(compare(old, made(*with_key, second, put(f"{VOTES}.keep.key", "second"), version=2))) == [
        (f"{VOTES}.keep.key", "key_field", NO)
    ]
    assert (f"{VOTES}.keep.key", "keep_rule", ASKS) in told(compare(made(add(CRITERIA, asks), second), old))
    read = made(put("item.fields.note.read_as", "text"), take("item.fields", "answer"), put("judges", []), version=2)
    assert ("item.fields.answer", "key_field", NO) in told(compare(made(), read))


def test_parts_of_a_keep_rule_are_told_apart_by_their_criteria() -> None:
    def keeps(least: float, *more: dict[str, Any]) -> Edit:
        parts = [{"criterion": "correct", "value": "yes"}, {"criterion": "width", "at_least": least}, *more]
        return put(f"{VOTES}.keep", {"rule": "unanimous", "parts": parts})

    assert told(compare(made(keeps(2)), made(keeps(3, {"criterion": "size", "value": 1}), version=2))) == [
        (f"{VOTES}.keep.parts.width.at_least", "keep_rule", ASKS),
        (f"{VOTES}.keep.parts.size", "keep_rule", ASKS),
    ]


def test_verification_that_comes_later_asks_about_the_items_that_are_there() -> None:
    without = [put("stages.verification", None), put("stages.adjudication", None)]
    found = compare(made(*without), made(version=2))
    assert told(found) == [
        ("stages.verification", "added_verification", ASKS),
        ("stages.adjudication", "added_stage", FITS),
    ]
    assert ("stages.verification", "removed_stage", NO) in told(compare(made(), made(*without, version=2)))


def test_a_further_verification_asks_what_becomes_of_what_is_kept() -> None:
    criterion = {"name": "worth", "kind": "choice", "prompt": "Is it?", "options": ["yes", "no"]}
    keep = {"rule": "unanimous", "criterion": "worth", "value": "yes"}
    second = put("stages.verification_2", {"raters": 1, "criteria": [criterion], "keep": keep})
    found = compare(made(), made(second, version=2))
    assert told(found) == [("stages.verification_2", "added_round", ASKS)]
    for way in ("send_on", "leave"):
        assert decided(made(second, version=2), **{way: ["verification_2"]}).can_be_taken
    assert told(compare(made(second), made(version=2))) == [("stages.verification_2", "removed_stage", NO)]


def test_a_criterion_of_a_new_dimension_alone_is_asked_of_no_old_item() -> None:
    pies = add("dimensions", {"id": "pies", "title": "Pies"})
    some = put(f"{CRITERIA}.size.dimensions", ["bars"])
    more = put(f"{CRITERIA}.size.dimensions", ["bars", "pies"])
    assert (f"{CRITERIA}.size.dimensions", "asked_less", FITS) in told(compare(made(some), made(pies, more, version=2)))
    lines = put(f"{CRITERIA}.size.dimensions", ["bars", "lines"])
    assert (f"{CRITERIA}.size.dimensions", "asked_more", ASKS) in told(compare(made(some), made(lines, version=2)))


# ---- what is stored -------------------------------------------------------------------------------------------------


class Nothing:
    """A project in which nothing is stored."""

    def behind(self, change: Change) -> AffectedCounts:
        return AffectedCounts()


class Two:
    """A project with two votes behind everything."""

    def behind(self, change: Change) -> AffectedCounts:
        return AffectedCounts(votes=2)


@pytest.mark.parametrize("name", [name for name, (_, there, _) in ONE_BY_ONE.items() if there[2] != FITS])
def test_what_no_one_has_used_may_change(name: str) -> None:
    edit, (path, row, status), _ = ONE_BY_ONE[name]
    unused = told(compare(made(), made(edit, version=2), uses=Nothing()))
    assert unused == [(path, row, NO if row == "other_schema" else FITS)]
    assert told(compare(made(), made(edit, version=2), uses=Two())) == [(path, row, status)]


# ---- decisions ------------------------------------------------------------------------------------------------------


def gone(name: str = "unsure") -> Schema:
    return made(take(f"{CRITERIA}.correct.options", name), version=2)


def decided(new: Schema, old: Schema | None = None, **given: list[str]) -> Comparison:
    return compare(old or made(), new, decisions=Decisions.parse(given))


def test_a_removed_option_is_mapped_or_asked_again() -> None:
    asked = compare(made(), gone())
    (change,) = asked.missing
    assert change.asks == ("--map correct:unsure=OTHER", "--rename-option correct:unsure=NEW",
                           "--ask-again correct:unsure")  # fmt: skip
    assert targets(asked, change, WAYS["map"]) == ("yes", "no")
    for given, value in (({"map": ["correct:unsure=no"]}, "no"), ({"ask_again": ["correct:unsure"]}, None),
                         ({"ask_again": ["correct"]}, None),
                         ({"map": [f"{CRITERIA}.correct.options.unsure=yes"]}, "yes")):  # fmt: skip
        found = decided(gone(), **given)
        assert found.can_be_taken
        said = next(each.decided for each in found.changes if each.row.name == "removed_option")
        assert said is not None
        assert (said.way.name, said.value) == (next(iter(given)), value)


def test_a_value_keeps_the_type_that_the_new_schema_gives_it() -> None:
    less = all_of(put(f"{CRITERIA}.size.values", [1, 2]), put(f"{CRITERIA}.size.labels", ["S", "M"]))
    found = decided(made(less, version=2), map=["size:3=2"])
    assert [each.decided.value for each in found.changes if each.decided] == [2]


def test_a_rename_takes_every_reference_along() -> None:
    """The criterion that decides, the condition, the field that a judge sees: nothing but the rename differs."""
    text = yaml.safe_dump({**BASE, "version": 2})
    new = Schema.model_validate(yaml.safe_load(text.replace("correct", "right")))
    assert told(decided(new, rename_criterion=["correct=right"])) == [(f"{CRITERIA}.correct", "renamed", ASKS)]
    other = text.replace("field: options", "field: choices").replace("name: options", "name: choices")
    new = Schema.model_validate(yaml.safe_load(other))
    assert told(decided(new, rename_field=["options=choices"])) == [("item.fields.options", "renamed", ASKS)]
    options = {"value": "not", "label": "No"}, {"value": "yes", "label": "Yes"}
    new = made(
        put(f"{CRITERIA}.correct.options.no.value", "not"),
        put(f"{CRITERIA}.why.show_if", {"correct": ["not"]}),
        put("stages.refinement.criteria.other.options", list(options)),
        put("stages.refinement.done", {"other": "not"}),
        version=2,
    )
    assert told(decided(new, rename_option=["correct:no=not", "other:no=not"])) == [
        (f"{CRITERIA}.correct.options.no", "renamed", ASKS),
        ("stages.refinement.criteria.other.options.no", "renamed", ASKS),
    ]
    new = made(put("dimensions.bars.id", "columns"), version=2)
    assert told(decided(new, rename_dimension=["bars=columns"])) == [("dimensions.bars", "renamed", ASKS)]
    new = made(put("item.assets.chart.role", "figure"), version=2)
    assert told(decided(new, rename_asset=["chart=figure"])) == [("item.assets.chart", "renamed", ASKS)]
    assert told(compare(made(), new))[0] == ("item.assets.chart", "removed_asset", NO)


def test_a_renamed_field_that_files_would_call_otherwise_says_so() -> None:
    """The files of this benchmark call it `note`: a lead who renames it may want them to stay so."""
    new = made(put("item.fields.note.name", "remark"), version=2)
    (change,) = (each for each in decided(new, rename_field=["note=remark"]).changes if each.row.name == "renamed")
    assert "`remark: note` in `source: fields` of the new schema" in change.sentence
    kept = made(put("item.fields.note.name", "remark"), put("source.fields", {"remark": "note"}), version=2)
    (change,) = (each for each in decided(kept, rename_field=["note=remark"]).changes if each.row.name == "renamed")
    assert "source" not in change.sentence


def test_what_may_only_have_another_name_is_said_so() -> None:
    new = made(put("item.fields.note.name", "notes"), version=2)
    (change,) = compare(made(), new).missing
    assert change.sentence.endswith("If it is `notes` now, say `--rename-field note=notes`.")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"map": ["correct:maybe=no"]}, "--map correct:maybe=no fits no change; did you mean `correct:unsure`? It can"),
        ({"map": ["correct:unsure=partly"]}, "--map correct:unsure=partly: there is no `partly`; there are yes, no."),
        ({"map": ["correct:unsure"]}, "--map takes CRITERION:OPTION=OTHER; `correct:unsure` was given."),
        ({"ask_again": ["correct:unsure=no"]}, "--ask-again takes CRITERION[:OPTION]; `correct:unsure=no` was given."),
        ({"mapp": ["correct:unsure=no"]}, "There is no decision `mapp`; did you mean `map`?; known: "),
        ({"recompute": ["verification"]}, "--recompute verification fits no change. No change takes it."),
        ({"map": ["correct:unsure=no"], "ask_again": ["correct:unsure"]},
         "--ask-again correct:unsure: something else was decided about that already."),
        ({"rename_option": ["correct:unsure=no"]}, "--rename-option correct:unsure=no: `no` was there before."),
        ({"rename_option": ["correct:yes=no"]}, "--rename-option correct:yes=no: `yes` is still there."),
        ({"rename_option": ["nothing:yes=no"]}, "there is no criterion or field `nothing` in both schemas."),
        ({"rename_field": ["questions=text"]}, "the schema of before has no `questions`; did you mean `question`?"),
        ({"rename_field": ["question=text"]}, "--rename-field question=text: `question` is still there."),
    ],
)  # fmt: skip
def test_a_decision_that_fits_nothing_is_refused(given: dict[str, list[str]], sentence: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        decided(gone(), **given)
    assert sentence in str(refused.value)


def test_every_decision_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(InvalidInputError) as refused:
        decided(gone(), map=["correct:a=b", "correct:c=d"], rename_field=["a=b"])
    assert len(refused.value.problems) == 3


def test_a_name_that_a_field_and_a_criterion_share_needs_the_path() -> None:
    both = all_of(
        add("item.fields", {"name": "size", "kind": "choice", "options": ["a", "b", "c"], "required": False}),
        put(f"{CRITERIA}.size.values", ["a", "b", "c"]),
    )
    less = all_of(both, take("item.fields.size.options", "c"), put(f"{CRITERIA}.size.values", ["a", "b"]),
                  put(f"{CRITERIA}.size.labels", ["S", "M"]))  # fmt: skip
    with pytest.raises(InvalidInputError, match=r"fits several; say which: item\.fields\.size\.options\.c, "):
        decided(made(less, version=2), made(both), map=["size:c=a"])
    paths = ["item.fields.size.options.c=a", f"{CRITERIA}.size.values.c=b"]
    assert decided(made(less, version=2), made(both), map=paths).can_be_taken


def test_a_value_that_is_filled_in_has_to_fit() -> None:
    new = made(add("item.fields", {"name": "year", "kind": "integer"}), version=2)
    assert [each.decided.value for each in decided(new, fill=["year=2024"]).changes if each.decided] == [2024]
    with pytest.raises(InvalidInputError, match="--fill year=soon: "):
        decided(new, fill=["year=soon"])


def test_decisions_are_stored_as_they_were_made() -> None:
    given = {"map": ["correct:unsure=no"], "recompute": ["verification"], "rename_field": ["a=b"]}
    made_ = Decisions.parse(given)
    assert Decisions.from_json(made_.as_json()) == made_
    assert str(Decision(WAYS["map"], "correct:unsure", "no")) == "--map correct:unsure=no"
    assert [str(each) for each in made_.made][1:] == ["--recompute verification", "--rename-field a=b"]


def test_one_decision_about_a_stage_is_about_all_that_asks_for_it_there() -> None:
    new = made(
        put(f"{VOTES}.keep.rule", "majority"), put(f"{VOTES}.keep.value", "no"), put(f"{VOTES}.raters", 1), version=2
    )
    assert len(compare(made(), new).missing) == 3
    assert decided(new, recompute=["verification"]).can_be_taken


def test_every_row_says_what_follows_and_how_to_decide() -> None:
    used = {way for row in CHANGE_KINDS.values() for way in row.decisions}
    assert used == set(WAYS.values())
    for row in CHANGE_KINDS.values():
        assert row.meaning.endswith("."), row.name
        assert bool(row.decisions) == (row.status is Status.DECISION) or row.name in ("renamed", "removed_asset"), (
            row.name
        )


def test_rows_are_themselves_in_another_process() -> None:
    """A look or a change that is done elsewhere gets its decisions as JSON, and rows are told apart by ``is``."""
    for row in (*WAYS.values(), *CHANGE_KINDS.values()):
        assert typed_json.decode(typed_json.encode(row)) is row
