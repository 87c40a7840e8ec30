"""A schema with all kinds of parts, edits of it, and what they come to."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import yaml

from annotation_schemas.model import Schema
from extensions.schema_migration.changes import (
    Comparison,
    Decisions,
    compare,
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


def made(*edits: Edit, version: int = 1) -> Schema:
    schema = copy.deepcopy(BASE)
    for edit in edits:
        edit(schema)
    return Schema.model_validate({**schema, "version": version})


def told(comparison: Comparison) -> list[tuple[str, str, str]]:
    """Path, row and status of all changes but that of the version."""
    return [(each.path, each.row.name, each.status.value) for each in comparison.changes if each.row.name != "version"]


def gone(name: str = "unsure") -> Schema:
    return made(take(f"{CRITERIA}.correct.options", name), version=2)


def decided(new: Schema, old: Schema | None = None, **given: list[str]) -> Comparison:
    return compare(old or made(), new, decisions=Decisions.parse(given))
