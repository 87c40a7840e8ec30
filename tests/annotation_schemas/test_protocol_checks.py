"""What cannot work in a protocol is an error, and what has no effect or may be meant is a warning."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import examine, load_text
from domain.errors import SchemaError
from testkit.missing_extensions import needs

HEAD = """\
name: small
version: 1
title: Small
dimensions: [{id: one, title: One}, {id: two, title: Two}]
item:
  assets: [{role: image, kind: image}]
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list}
    - {name: others, kind: text_list}
    - {name: number, kind: integer, secret_in: [verification]}
    - {name: note, kind: text, secret_in: [verification]}
    - {name: several, kind: options_of, field: options, secret_in: [verification]}
    - {name: letter, kind: choice, options: [A, B, C], secret_in: [verification]}
    - {name: answer, kind: option_of, field: options, secret_in: [verification]}
"""
CRITERIA = """\
stages:
  verification:
    raters: RATERS
    criteria:
      - {name: choice, kind: option_of, field: options, prompt: Which}
      - {name: other, kind: option_of, field: others, prompt: Which other}
      - {name: fits, kind: choice, prompt: Fits, options: ["yes", "no"]}
      - {name: size, kind: scale, prompt: How large, values: [1, 2, 3], show_if: {fits: ["yes"]}}
      - {name: why, kind: choice, prompt: Why, options: [dark, old], show_if: {fits: ["no"]}}
      - {name: count, kind: number, prompt: How many, min: 0, max: 9, step: 1}
      - {name: words, kind: text, prompt: What is it, required: false}
      - {name: seen, kind: multi_choice, field: options, prompt: Which are there}
      - {name: letters, kind: choice, prompt: Which letter, options: [A, B]}
"""
KEEP = 29
"""The line of `keep`."""


def text(keep: str, *, raters: int = 3, after: str = "  adjudication: none\n", **replaced: str) -> str:
    found = HEAD + CRITERIA.replace("RATERS", str(raters)) + f"    keep: {keep}\n" + after
    for old, new in replaced.items():
        assert f"name: {old}," in found
        line = next(line for line in found.splitlines() if f"name: {old}," in line)
        found = found.replace(line, new)
    return found


def said(content: str, tmp_path: Path) -> tuple[list[str], list[str]]:
    """Errors and warnings about a file, without its folder."""
    path = tmp_path / "small.yaml"
    path.write_text(content, encoding="utf-8")
    try:
        lines = list(examine(path).warnings)
    except SchemaError as error:
        lines = str(error).splitlines()
    lines = [line.removeprefix(f"{tmp_path}/") for line in lines]
    return [line for line in lines if ": warning: " not in line], [line for line in lines if ": warning: " in line]


class Case(NamedTuple):
    """A rule, and what the one line about it must begin with and say; the level stands in the beginning."""

    content: str
    begins: str
    says: str


IMPOSSIBLE = [
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}', after="  adjudication: none\n"
              "models: {strategy: generate, clips: {frames: 2}}\n"), "31: models.clips.frames",
              "`frames` is not a setting for clips"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}', after="  adjudication: none\n"
              "models: {strategy: generate, clips: {recent_segments: few}}\n"), "31: models.clips.recent_segments",
         "not a number of frames"),
    Case(text("{rule: unanimous_and_key, criterion: choice, key: answer}",
              number="    - {name: answer_index, kind: integer}").replace(
                  "title: Small", "title: Small\nsource: {format: pca_bench}"),
         "12: item.fields[3]", "`answer_index` gives the position of the right answer"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}',
              after="  adjudication: none\n"
              "models: {strategy: generate, prompts: egothink, variants: {planing: [one]}}\n"),
         "31: models.variants.planing", "would silently use `general`; use one of: general, planning"),
]  # fmt: skip
MAYBE_MEANT = [
    Case(text("{rule: unanimous_and_key, criterion: choice, key: answer}", note="    - {name: reason, kind: text}"),
         "12: warning: item.fields[4]", "`reason` may reveal the right answer"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}',
              several="    - {name: several, kind: options_of, field: options}"),
         "13: warning: item.fields[5]", "but already see the author's choice in `several`"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}', after="  adjudication: none\n"
              "  grading:\n    raters: 2\n    criteria: [{name: good, kind: choice, prompt: Good, options: [g, b]}]\n"),
         "32: warning: stages.grading.raters", "with two people, two different grades have no majority"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}', after="  adjudication: none\n"
              "  grading:\n    raters: 1\n    shuffle: [options]\n"
              "    criteria: [{name: good, kind: choice, prompt: Good, options: [g, b]}]\n"),
         "33: warning: stages.grading.shuffle", "so Touchstone shuffles no options"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}',
              after="  adjudication: none\nmodels: {strategy: generate, score: mean_logprob}\n"),
         "31: warning: models.score", "has no effect"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}',
              after="  adjudication: none\nmodels: {strategy: generate, clips: {recent_segments: 2}}\n"),
         "31: warning: models.clips", "items have no clip"),
]  # fmt: skip


@pytest.mark.parametrize("case", IMPOSSIBLE, ids=lambda case: case.says[:40])
def test_what_can_never_happen_is_an_error(case: Case, tmp_path: Path) -> None:
    errors, _ = said(case.content, tmp_path)
    assert [line for line in errors if line.startswith(f"small.yaml:{case.begins}") and case.says in line], errors
    # a project that was made with it before this was checked still opens
    assert load_text(case.content, "", "stored").schema_.name == "small"


@pytest.mark.parametrize("case", MAYBE_MEANT, ids=lambda case: case.says[:40])
def test_what_may_be_meant_is_a_warning(case: Case, tmp_path: Path) -> None:
    errors, warnings = said(case.content, tmp_path)
    assert errors == []
    assert [line for line in warnings if line.startswith(f"small.yaml:{case.begins}") and case.says in line], warnings


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("raters: 3", "raters: 1001", "stages.verification.raters: the number must be at most 1,000"),
        ("{name: options, kind: text_list}", "{name: options, kind: text_list, length: 1000000000}", "at most 1,000"),
        ('["yes", "no"]', f'["yes", "no", {", ".join(f"n{n}" for n in range(999))}]', "1,001 entries, but at most"),
        ("{name: seen, kind: multi_choice,", "{name: seen, kind: multi_choice, min: 1001,", "at most 1,000 entries"),
        ("      - {name: seen,", "      - {name: drawn, kind: boxes, prompt: Draw, min: 1001, options: [a]}\n"
         "      - {name: seen,", "at most 1,000 entries"),
    ],
    ids=lambda given: given[:20],
)  # fmt: skip
def test_more_than_anyone_could_answer_is_refused_at_once(old: str, new: str, says: str, tmp_path: Path) -> None:
    content = text('{rule: unanimous, criterion: fits, value: "yes"}')
    assert old in content
    errors, _ = said(content.replace(old, new), tmp_path)
    assert [each for each in errors if says in each], errors


def test_writers_who_are_too_few_are_told(tmp_path: Path) -> None:
    after = "  adjudication: none\n  authoring: {people: 1, dimensions_per_person: %d, people_per_dimension: 2}\n"
    short, enough = (text('{rule: unanimous, criterion: fits, value: "yes"}', after=after % n) for n in (3, 4))
    errors, warnings = said(short, tmp_path)
    assert errors == []
    assert [each for each in warnings if "is 3, but 2 dimensions times 2 people per dimension is 4" in each] == warnings
    assert warnings
    assert said(enough, tmp_path) == ([], [])


USED = {"quorum": "gold", "panel": "qualification", "egoplan": "qualification", "egoplan_test": "qualification"}
"""Keys of extensions in shipped schemas."""
SHIPPED = [
    pytest.param(name, marks=needs("schema_keys", f"stages.*.{USED[name]}") if name in USED else ())
    for name in shipped()
]


@pytest.mark.parametrize("name", SHIPPED)
def test_the_schemas_that_come_along_have_neither(name: str) -> None:
    assert examine(shipped()[name]).warnings == ()


@pytest.mark.thorough
def test_every_finding_says_what_happens_and_what_to_do(tmp_path: Path) -> None:
    for case in (*IMPOSSIBLE, *MAYBE_MEANT):
        for line in chain(*said(case.content, tmp_path)):
            assert line.endswith(".")
            assert "; " in line or ", " in line, line
