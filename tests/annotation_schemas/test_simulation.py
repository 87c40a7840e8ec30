"""A protocol is played before anyone works by it: what can never happen is an error, what may be meant a warning."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import examine, load_schema, load_text
from domain.errors import SchemaError

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
              "models: {strategy: generate, clips: {frames: 2}}\n"), "31: models.clips.frames", "cannot say `frames`"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}', after="  adjudication: none\n"
              "models: {strategy: generate, clips: {recent_segments: few}}\n"), "31: models.clips.recent_segments",
         "no number of frames"),
    Case(text("{rule: majority, criteria: [choice, fits], key: answer}"), f"{KEEP}: stages.verification.keep.key",
         "rejected although its votes are right and unanimous"),
    Case(text("{rule: unanimous, criterion: count, value: 12}"), f"{KEEP}: stages.verification.keep.value",
         "`count` is a number from 0 to 9 in steps of 1 and can never be answered with `12`"),
    Case(text("{rule: unanimous, criterion: count, value: 0.5}"), f"{KEEP}: stages.verification.keep.value",
         "can never be answered"),
    Case(text("{rule: unanimous_and_key, criterion: count, key: note}"), f"{KEEP}: stages.verification.keep.key",
         "give the field the kind `integer`"),
    Case(text('{rule: all_of, values: {fits: "yes", why: dark}}'), f"{KEEP}: stages.verification.keep.criterion",
         "(fits: yes, why: dark) cannot be given together, because `why` is not asked"),
    Case(text("{rule: unanimous_and_key, criterion: other, key: answer}"), f"{KEEP}: stages.verification.keep.key",
         "`answer` is chosen from `options` and `other` from `others`"),
    Case(text("{rule: unanimous_and_key, criterion: letters, key: letter}"), f"{KEEP}: stages.verification.keep.key",
         "(for instance `C`)"),
    Case(text("{rule: unanimous_and_key, criterion: choice, key: number}"), f"{KEEP}: stages.verification.keep.key",
         "can never be answered with the item's `number`"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}', raters=1,
              after="  adjudication: {reasons: [unclear]}\n"), f"{KEEP + 1}: stages.adjudication",
         "nothing ever comes to adjudication"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}',
              why='      - {name: why, kind: text, prompt: Why, show_if: {words: [any]}}',
              words="      - {name: words, kind: text, prompt: What is it}").replace(
                  # the text has to come first
                  "      - {name: fits,", "      - {name: typed, kind: text, prompt: What}\n      - {name: fits,"
              ).replace("{words: [any]}", "{typed: [any]}"), "25: stages.verification.criteria[5].show_if.typed",
         "only of a rater who types exactly `any`"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}',
              why='      - {name: why, kind: text, prompt: Why, show_if: {fits: []}}'),
         "24: stages.verification.criteria[4].show_if", "`why` is never asked"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}',
              why='      - {name: why, kind: text, prompt: Why, show_if: {fits: ["no"], size: [1]}}'),
         "24: stages.verification.criteria[4].show_if", "no answers make `fits` is one of `no` and `size`"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}', after="  adjudication: none\n"
              "  grading:\n    raters: 1\n    criteria:\n"
              "      - {name: good, kind: choice, prompt: Good, options: [g, b], dimensions: [one]}\n"),
         "33: stages.grading.criteria", "nothing is asked about two, so people would get an empty form"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}', after="  adjudication: none\n"
              "  grading:\n    raters: 1\n    dimensions: [two]\n    criteria:\n"
              "      - {name: all, kind: choice, prompt: Good, options: [g, b]}\n"
              "      - {name: good, kind: choice, prompt: Good, options: [g, b], dimensions: [one]}\n"),
         "36: stages.grading.criteria[1].dimensions", "`good` is never asked: the stage is about two only"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}', after="  adjudication: none\n"
              "  refinement:\n    criteria:\n"
              "      - {name: other_right, kind: choice, prompt: Right, options: [y, n]}\n"
              "      - {name: better, kind: choice, prompt: Better, options: [y, n], show_if: {other_right: [y]}}\n"
              "    done: {other_right: n, better: n}\n"),
         "35: stages.refinement.done", "no item of one is ever done"),
    Case(text("{rule: unanimous_and_key, criterion: choice, key: answer}",
              number="    - {name: answer_index, kind: integer}").replace(
                  "title: Small", "title: Small\nsource: {format: pca_bench}"),
         "12: item.fields[3]", "`answer_index` says where the right answer stands"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}',
              after="  adjudication: none\n"
              "models: {strategy: generate, prompts: egothink, variants: {planing: [one]}}\n"),
         "31: models.variants.planing", "would silently get `general`; there are general, planning"),
]  # fmt: skip
PART = f"{KEEP}: stages.verification.keep.parts"
IMPOSSIBLE += [
    Case(text("{rule: all_of, parts: [{criterion: fits, value: \"yes\"}, {criterion: count, at_least: 12}]}"),
         f"{PART}[1]", "`count` is a number from 0 to 9 in steps of 1 and can never be answered with `at least 12`"),
    Case(text("{rule: all_of, parts: [{criterion: count, at_least: 2.2, at_most: 2.8}]}"), f"{PART}[0]",
         "can never be answered with `at least 2.2 and at most 2.8`"),
    Case(text('{rule: all_of, parts: [{criterion: choice, key: answer}, {criterion: other, key: answer}]}'),
         f"{PART}[1]", "is chosen from `options` and `other` from `others`"),
    Case(text('{rule: all_of, parts: [{criterion: why, value: dark}, {criterion: fits, value: "yes"}]}'),
         f"{PART}:", "(why: dark, fits: yes) cannot be given together, because `why` is not asked"),
    Case(text('{rule: all_of, parts: [{criterion: letters, key: letter}]}'), f"{PART}[0]", "(for instance `C`)"),
    Case(text("{rule: all_of, parts: [{criterion: size, at_most: 3}]}",
              size="      - {name: size, kind: scale, prompt: How large, values: [1, 2, 3]}"),
         f"{KEEP}: stages.verification.keep:", "no votes can reject an item"),
]  # fmt: skip
MAYBE_MEANT = [
    Case(text('{rule: all_of, parts: [{criterion: fits, value: "yes"}, {criterion: count, at_most: 9}]}'),
         f"{KEEP}: warning: stages.verification.keep.parts[1]", "is at most 9, so this decides nothing"),
    Case(text("{rule: all_of, parts: [{criterion: size, at_most: 2}]}"),
         "23: warning: stages.verification.criteria[3].show_if", "where all raters leave it"),
    Case(text('{rule: majority, criterion: fits, value: "yes"}', raters=2), f"{KEEP}: warning: stages.verification.",
         "with 2 raters a majority is all of them"),
    Case(text('{rule: weighted, criterion: fits, value: "yes"}'), f"{KEEP}: warning: stages.verification.keep",
         "every vote weighs 1"),
    Case(text("{rule: unanimous, criterion: count, value: 3}"), f"{KEEP}: warning: stages.verification.keep.value",
         "only if raters answer `count` (a number) with exactly `3`"),
    Case(text("{rule: unanimous, criterion: size, value: 2}"), "23: warning: stages.verification.criteria[3].show_if",
         "where all raters leave it, they agree, and the item is rejected"),
    Case(text("{rule: unanimous_and_key, criterion: choice, key: note}"), f"{KEEP}: warning: stages.",
         "nothing makes sure that `note`"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}',
              why='      - {name: why, kind: text, prompt: Why, show_if: {choice: [any]}}'),
         "24: warning: stages.verification.criteria[4].show_if.choice", "whose `options` has exactly `any`"),
    Case(text("{rule: unanimous_and_key, criterion: choice, key: answer}", note="    - {name: reason, kind: text}"),
         "12: warning: item.fields[4]", "`reason` may give away the right answer"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}',
              several="    - {name: several, kind: options_of, field: options}"),
         "13: warning: item.fields[5]", "while they see `several`"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}',
              after="    qualification: {items: 3, reviewers: 1, pass_mark: 0}\n"),
         "30: warning: stages.verification.qualification", "everyone passes"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}', after="  adjudication: none\n"
              "  grading:\n    raters: 2\n    criteria: [{name: good, kind: choice, prompt: Good, options: [g, b]}]\n"),
         "32: warning: stages.grading.raters", "a majority of two"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}', after="  adjudication: none\n"
              "  grading:\n    raters: 1\n    shuffle: [options]\n"
              "    criteria: [{name: good, kind: choice, prompt: Good, options: [g, b]}]\n"),
         "33: warning: stages.grading.shuffle", "nothing is shuffled"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}',
              after="  adjudication: none\nmodels: {strategy: generate, score: mean_logprob}\n"),
         "31: warning: models.score", "does nothing"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}',
              after="  adjudication: none\nmodels: {strategy: generate, clips: {recent_segments: 2}}\n"),
         "31: warning: models.clips", "the item has no clip"),
]  # fmt: skip
FITS = [
    text('{rule: majority, criterion: fits, value: "yes"}'),
    text('{rule: majority, criterion: fits, value: "yes"}', raters=4, after="  adjudication: {reasons: [unclear]}\n"),
    text('{rule: all_of, values: {fits: "yes", letters: A}}', raters=1),
    text("{rule: unanimous_and_key, criterion: choice, key: answer}", raters=2),
    text("{rule: majority, criterion: choice, key: answer}"),
    text("{rule: unanimous_and_key, criterion: count, key: number}"),
    text('{rule: unanimous, criterion: fits, value: "yes"}', raters=40),
    text("{rule: all_of, parts: [{criterion: choice, key: answer}, {criterion: count, key: number},"
         ' {criterion: fits, value: "yes"}]}', raters=2, after="  adjudication: {reasons: [unclear]}\n"),
    text("{rule: majority, parts: [{criterion: count, at_least: 4.5, at_most: 5.5}]}"),
    text('{rule: majority, parts: [{criterion: fits, value: "yes"}, {criterion: size, at_most: 2},'  # size: if it fits
         " {criterion: count, key: number}]}", after="  adjudication: {reasons: [unclear]}\n"),
    text("{rule: majority, parts: [{criterion: letters, value: A}, {criterion: count, key: number}]}",
         after="  adjudication: {reasons: [unclear]}\n"),  # three different counts
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


@pytest.mark.thorough
def test_a_long_form_is_played_in_all_its_ways(tmp_path: Path) -> None:
    """Eight questions of five answers, each asked after one answer to the one before: 5 ** 8 ways with the others."""
    chain_of = "".join(
        f"      - {{name: c{n}, kind: choice, prompt: Say, options: [v0, v1, v2, v3, v4]"
        + (f", show_if: {{c{n - 1}: [v0, v1, v2, v3, v4]}}" if n else "")
        + "}\n"
        for n in range(8)
    )
    long = text('{rule: unanimous, criterion: fits, value: "yes"}').replace("    keep:", chain_of + "    keep:")
    assert said(long, tmp_path) == ([], [])
    never = long.replace("show_if: {c6: [v0, v1, v2, v3, v4]}", 'show_if: {c0: [v0], fits: ["no"], c5: [v4]}')
    assert said(never, tmp_path) == ([], [])
    never = never.replace('fits: ["no"], c5', "size: [1], why: [dark], c5")
    errors, _ = said(never, tmp_path)
    assert [each for each in errors if "`c7` is never asked" in each] == errors
    assert errors


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("raters: 3", "raters: 1001", "stages.verification.raters: this may be at most 1,000"),
        ("{name: options, kind: text_list}", "{name: options, kind: text_list, length: 1000000000}", "at most 1,000"),
        ('["yes", "no"]', f'["yes", "no", {", ".join(f"n{n}" for n in range(999))}]', "1,001 entries; at most 1,000"),
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
    assert [each for each in warnings if "are 3 parts, and 2 dimensions with 2 each need 4" in each] == warnings
    assert warnings
    assert said(enough, tmp_path) == ([], [])


@pytest.mark.parametrize("content", FITS, ids=lambda content: content.splitlines()[KEEP - 1].strip())
def test_rules_that_work_are_left_alone(content: str, tmp_path: Path) -> None:
    assert said(content, tmp_path) == ([], [])


@pytest.mark.parametrize("name", shipped())
def test_the_schemas_that_come_along_have_neither(name: str) -> None:
    assert examine(shipped()[name]).warnings == ()


@pytest.mark.thorough
def test_every_finding_says_what_happens_and_what_to_do(tmp_path: Path) -> None:
    for case in (*IMPOSSIBLE, *MAYBE_MEANT):
        for line in chain(*said(case.content, tmp_path)):
            assert line.endswith(".")
            assert "; " in line or ", " in line, line


def test_errors_and_warnings_of_a_file_come_together(tmp_path: Path) -> None:
    content = text("{rule: majority, criteria: [choice, fits], key: answer}", note="    - {name: reason, kind: text}")
    errors, warnings = said(content, tmp_path)
    assert len(errors) == 1
    assert len(warnings) == 1
    with pytest.raises(SchemaError):
        load_schema(tmp_path / "small.yaml")
