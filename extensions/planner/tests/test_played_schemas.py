"""A protocol is played before anyone works by it: what can never happen is an error, what may be meant a warning."""

from __future__ import annotations

import re
import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas.loader import examine, load_schema, load_text
from domain.errors import SchemaError
from testkit.missing_extensions import needs
from tests.annotation_schemas.test_besides import TEXT as BESIDES
from tests.annotation_schemas.test_overlap_rules import KEPT_BY_OVERLAP
from tests.annotation_schemas.test_planted_mistakes import check_mistake, folder
from tests.annotation_schemas.test_protocol_checks import KEEP, Case, said, text
from tests.annotation_schemas.test_rules_between import text as text_between

__all__ = ["folder"]

MISTAKES = tomllib.loads((Path(__file__).parent / "mistakes.toml").read_text(encoding="utf-8"))["mistake"]

IMPOSSIBLE = [
    Case(text("{rule: majority, criteria: [choice, fits], key: answer}"), f"{KEEP}: stages.verification.keep.key",
         "even right votes reject the item"),
    Case(text("{rule: unanimous, criterion: count, value: 12}"), f"{KEEP}: stages.verification.keep.value",
         "`count` is a number from 0 to 9 in steps of 1, so no answer equals `12`"),
    Case(text("{rule: unanimous, criterion: count, value: 0.5}"), f"{KEEP}: stages.verification.keep.value",
         "so no answer equals"),
    Case(text("{rule: unanimous_and_key, criterion: count, key: note}"), f"{KEEP}: stages.verification.keep.key",
         "give the field the kind `integer`"),
    Case(text('{rule: all_of, values: {fits: "yes", why: dark}}'), f"{KEEP}: stages.verification.keep.criterion",
         "(fits: yes, why: dark) cannot occur together, because `why` is not shown"),
    Case(text("{rule: unanimous_and_key, criterion: other, key: answer}"), f"{KEEP}: stages.verification.keep.key",
         "`answer` comes from `options`, but raters choose `other` from `others`"),
    Case(text("{rule: unanimous_and_key, criterion: letters, key: letter}"), f"{KEEP}: stages.verification.keep.key",
         "(for instance `C`)"),
    Case(text("{rule: unanimous_and_key, criterion: choice, key: number}"), f"{KEEP}: stages.verification.keep.key",
         "so no answer equals the item's `number`"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}', raters=1,
              after="  adjudication: {reasons: [unclear]}\n"), f"{KEEP + 1}: stages.adjudication",
         "no item ever needs adjudication"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}',
              why='      - {name: why, kind: text, prompt: Why, show_if: {words: [any]}}',
              words="      - {name: words, kind: text, prompt: What is it}").replace(
                  # the text has to come first
                  "      - {name: fits,", "      - {name: typed, kind: text, prompt: What}\n      - {name: fits,"
              ).replace("{words: [any]}", "{typed: [any]}"), "25: stages.verification.criteria[5].show_if.typed",
         "only if they type exactly `any`"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}',
              why='      - {name: why, kind: text, prompt: Why, show_if: {fits: []}}'),
         "24: stages.verification.criteria[4].show_if", "`why` is never asked"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}',
              why='      - {name: why, kind: text, prompt: Why, show_if: {fits: ["no"], size: [1]}}'),
         "24: stages.verification.criteria[4].show_if", "no answers satisfy `fits` is one of `no` and `size`"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}', after="  adjudication: none\n"
              "  grading:\n    raters: 1\n    criteria:\n"
              "      - {name: good, kind: choice, prompt: Good, options: [g, b], dimensions: [one]}\n"),
         "33: stages.grading.criteria", "no criterion is about two, so people would get an empty form"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}', after="  adjudication: none\n"
              "  grading:\n    raters: 1\n    dimensions: [two]\n    criteria:\n"
              "      - {name: all, kind: choice, prompt: Good, options: [g, b]}\n"
              "      - {name: good, kind: choice, prompt: Good, options: [g, b], dimensions: [one]}\n"),
         "36: stages.grading.criteria[1].dimensions", "`good` is never asked, because the stage is only about two"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}', after="  adjudication: none\n"
              "  refinement:\n    criteria:\n"
              "      - {name: other_right, kind: choice, prompt: Right, options: [y, n]}\n"
              "      - {name: better, kind: choice, prompt: Better, options: [y, n], show_if: {other_right: [y]}}\n"
              "    done: {other_right: n, better: n}\n"),
         "35: stages.refinement.done", "no item of one is ever done"),
]  # fmt: skip
PART = f"{KEEP}: stages.verification.keep.parts"
IMPOSSIBLE += [
    Case(text("{rule: all_of, parts: [{criterion: fits, value: \"yes\"}, {criterion: count, at_least: 12}]}"),
         f"{PART}[1]", "`count` is a number from 0 to 9 in steps of 1, so no answer equals `at least 12`"),
    Case(text("{rule: all_of, parts: [{criterion: count, at_least: 2.2, at_most: 2.8}]}"), f"{PART}[0]",
         "so no answer equals `at least 2.2 and at most 2.8`"),
    Case(text('{rule: all_of, parts: [{criterion: choice, key: answer}, {criterion: other, key: answer}]}'),
         f"{PART}[1]", "comes from `options`, but raters choose `other` from `others`"),
    Case(text('{rule: all_of, parts: [{criterion: why, value: dark}, {criterion: fits, value: "yes"}]}'),
         f"{PART}:", "(why: dark, fits: yes) cannot occur together, because `why` is not shown"),
    Case(text('{rule: all_of, parts: [{criterion: letters, key: letter}]}'), f"{PART}[0]", "(for instance `C`)"),
    Case(text("{rule: all_of, parts: [{criterion: size, at_most: 3}]}",
              size="      - {name: size, kind: scale, prompt: How large, values: [1, 2, 3]}"),
         f"{KEEP}: stages.verification.keep:", "no votes can reject an item"),
]  # fmt: skip
MAYBE_MEANT = [
    Case(text('{rule: all_of, parts: [{criterion: fits, value: "yes"}, {criterion: count, at_most: 9}]}'),
         f"{KEEP}: warning: stages.verification.keep.parts[1]", "is at most 9, so this condition has no effect"),
    Case(text("{rule: all_of, parts: [{criterion: size, at_most: 2}]}"),
         "23: warning: stages.verification.criteria[3].show_if", "if all raters leave this criterion empty"),
    Case(text('{rule: majority, criterion: fits, value: "yes"}', raters=2), f"{KEEP}: warning: stages.verification.",
         "a majority of 2 raters means all of them"),
    Case(text('{rule: weighted, criterion: fits, value: "yes"}'), f"{KEEP}: warning: stages.verification.keep",
         "all votes have the same weight"),
    Case(text("{rule: unanimous, criterion: count, value: 3}"), f"{KEEP}: warning: stages.verification.keep.value",
         "only if raters answer `count` (a number) with exactly `3`"),
    Case(text("{rule: unanimous, criterion: size, value: 2}"), "23: warning: stages.verification.criteria[3].show_if",
         "if all raters leave this criterion empty, they agree, but the item is rejected"),
    Case(text("{rule: unanimous_and_key, criterion: choice, key: note}"), f"{KEEP}: warning: stages.",
         "`note` (of kind"),
    Case(text('{rule: unanimous, criterion: fits, value: "yes"}',
              why='      - {name: why, kind: text, prompt: Why, show_if: {choice: [any]}}'),
         "24: warning: stages.verification.criteria[4].show_if.choice", "only if an item's `options` has exactly "
         "`any`"),
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


@pytest.mark.parametrize("content", FITS, ids=lambda content: content.splitlines()[KEEP - 1].strip())
def test_rules_that_work_are_left_alone(content: str, tmp_path: Path) -> None:
    assert said(content, tmp_path) == ([], [])


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


@needs("kinds", "time_span")
def test_what_keeps_items_by_overlap(tmp_path: Path) -> None:
    """Nothing is said of what can be; what never can says what to do."""
    (tmp_path / "timed.md").write_text("# Timed\n")
    path = tmp_path / "timed.yaml"
    cases = {
        "{rule: unanimous, criterion: when, key: span}": "",
        "{rule: majority, criterion: when, key: span}": "",
        "{rule: majority, criterion: where, key: things}": "",
        '{rule: all_of, parts: [{criterion: when, key: span}, {criterion: fits, value: "yes"}]}': "",
        "{rule: unanimous, criterion: when, value: 5}": "name the item's field as `key`",
        "{rule: unanimous, criterion: when}": "name the item's field as `key`",
        "{rule: all_of, parts: [{criterion: when, at_most: 5}]}": "name the item's field as `key`",
        "{rule: unanimous, criterion: when, key: frames}": (
            "`when` uses seconds and `frames` uses frames; use the same `unit` for both"
        ),
        "{rule: unanimous, criterion: when, key: elsewhere}": "`when` is about `clip`, but `elsewhere` is about "
        "`other`",
        "{rule: unanimous, criterion: when, key: words}": "use the kind `time_span`",
        "{rule: unanimous, criterion: fits, key: span}": "use the kind `time_span`",
        "{rule: unanimous, criterion: where, key: span}": "use the kind `boxes`",
        "{rule: unanimous, criterion: where, key: plain}": "the labels of `where` and `plain` differ",
    }
    for keep, words in cases.items():
        path.write_text(KEPT_BY_OVERLAP.replace("KEEP", keep))
        try:
            found = list(examine(path).warnings)
        except SchemaError as error:
            found = str(error).splitlines()
        assert bool(found) == bool(words), (keep, found)
        assert words in "".join(found), (keep, found)


def test_answers_that_no_one_can_give_together_are_found(tmp_path: Path) -> None:
    path = tmp_path / "between.yaml"
    always = 'when: {verdict: ["yes", "no"]}, say: S}'
    rule = f"{{rule: less_than, of: [size, late], {always}"
    path.write_text(text_between(vote=rule), encoding="utf-8")
    assert examine(path).warnings == ()
    both = text_between(vote=f"{rule}, {{rule: less_than, of: [late, size], {always}")
    for old in (', required: false, show_if: {verdict: ["yes"]}', ", skip: {reasons: [dark]}"):
        assert old in both
        both = both.replace(old, "")
    path.write_text(both.replace("values: [1, 2, 3], required: false", "values: [1, 2, 3]"), encoding="utf-8")
    with pytest.raises(SchemaError, match="no answers about one satisfy all of these rules; remove or narrow a rule"):
        examine(path)


def test_a_vote_that_stands_next_to_the_options_needs_a_key_that_may_have_it(tmp_path: Path) -> None:
    path = tmp_path / "besides.yaml"
    path.write_text(BESIDES, encoding="utf-8")
    assert examine(path).warnings == ()
    old = ", none: None of these, cannot_tell: I cannot tell}"
    assert old in BESIDES
    path.write_text(BESIDES.replace(old, "}"), encoding="utf-8")
    with pytest.raises(SchemaError, match=re.escape("(for instance `none_of_these`)")):
        examine(path)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: str(mistake["what"]).replace(" ", "_"))
def test_a_planted_mistake_is_told(mistake: dict[str, Any], folder: Path) -> None:
    check_mistake(mistake, folder)
