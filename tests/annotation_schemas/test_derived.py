"""Criteria that follow from others."""

from __future__ import annotations

import pytest

from annotation_schemas import derived, shipped
from annotation_schemas.loader import load_schema, load_text
from annotation_schemas.model import Schema
from domain.errors import SchemaError

TEXT = """
name: three
version: 1
title: Three bits
dimensions:
  - {id: road, title: Road, definition: "A road."}
  - {id: home, title: Home, definition: "A home."}
item:
  fields: [{name: question, kind: text}]
stages:
  grading:
    raters: 3
    combine: COMBINE
    criteria:
      - {name: perception, kind: scale, prompt: "Seen?", values: [0, 1]}
      - {name: cognition, kind: scale, prompt: "Understood?", values: [0, 0.5, 1]}
      - {name: action, kind: scale, prompt: "Done?", values: [0, 1], dimensions: [road]}
      - {name: style, kind: scale, prompt: "Well put?", values: [1, 2, 3, 4, 5], dimensions: [home]}
      - {name: minutes, kind: number, prompt: "How long?"}
      - {name: note, kind: text, prompt: "Anything else?", required: false}
report:
  derived: DERIVED
"""


def schema(rules: str, combine: str = "majority") -> Schema:
    text = TEXT.replace("DERIVED", rules).replace("COMBINE", combine)
    return load_text(text, "", "three").schema_


@pytest.mark.parametrize(
    ("settled", "expected"),
    [
        ({"perception": 1, "cognition": 1, "action": 1}, 1),
        ({"perception": 1, "cognition": 0.5, "action": 1}, 0),
        ({"perception": 0, "cognition": 1, "action": 1}, 0),
        ({"perception": 0, "cognition": None, "action": 1}, None),
        ({"perception": 0, "action": 1}, None),
    ],
)
def test_all_of(settled: dict[str, float | None], expected: float | None) -> None:
    made = schema("[{name: genuine, all_of: [perception, cognition, action]}]")
    rule = derived.find(made, "genuine")
    assert rule is not None
    assert derived.value(made, rule, settled) == expected
    assert derived.ends(made, rule) == (0, 1)
    assert derived.dimensions(made, rule) == {"road"}


@pytest.mark.parametrize(
    ("perception", "cognition", "action", "expected"),
    [
        *((p, c, a, float(a == 1 and (p, c) != (1, 1))) for p in (0, 1) for c in (0, 0.5, 1) for a in (0, 1)),
        (None, 0, 1, None),
        (0, 0, None, None),
    ],
)
def test_all_of_but_not_all_of(
    perception: float | None, cognition: float | None, action: float | None, expected: float | None
) -> None:
    made = schema("[{name: fluke, all_of: [action], not_all_of: [perception, cognition]}]")
    rule = derived.find(made, "fluke")
    assert rule is not None
    assert rule.parts == ("action", "perception", "cognition")
    settled = {"perception": perception, "cognition": cognition, "action": action}
    assert derived.value(made, rule, settled) == expected
    assert derived.ends(made, rule) == (0, 1)
    assert derived.dimensions(made, rule) == {"road"}


def test_mean_of() -> None:
    made = schema("[{name: quality, mean_of: [perception, style]}]", combine="mean")
    rule = derived.find(made, "quality")
    assert rule is not None
    assert derived.value(made, rule, {"perception": 1, "style": 4}) == 2.5
    assert derived.value(made, rule, {"perception": 1, "style": None}) is None
    assert derived.ends(made, rule) == (0.5, 3)
    assert derived.dimensions(made, rule) == {"home"}
    open_ended = schema("[{name: both, mean_of: [perception, minutes]}]")
    assert derived.ends(open_ended, open_ended.report.derived[0]) == (None, None)


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (
            "[{name: genuine, all_of: [perception, cognitoin]}]",
            "`cognitoin` is not a grading criterion; did you mean",
        ),
        ("[{name: action, all_of: [perception]}]", "`action` is already a rated criterion"),
        ("[{name: a, all_of: [perception], mean_of: [action]}]", "give exactly one of `all_of` and `mean_of`"),
        ("[{name: a}]", "give exactly one of `all_of` and `mean_of`"),
        ("[{name: a, mean_of: [note]}]", "the values of `note` are not numbers"),
        ("[{name: a, all_of: [minutes]}]", "`minutes` has no highest value; add a `max` to this criterion"),
        (
            "[{name: a, all_of: [action, style]}]",
            "no dimension has all these criteria; list criteria of a single dimension",
        ),
        ("[{name: a, mean_of: [action, action]}]", "`action` appears twice"),
        ("[{name: a, mean_of: [action]}, {name: a, mean_of: [style]}]", "`a` appears twice"),
        ("[{name: Big, mean_of: [action]}]", "`Big` must have only lowercase letters"),
        ("[{name: a, mean_of: [action], not_all_of: [perception]}]", "`not_all_of` needs `all_of`"),
        ("[{name: a, not_all_of: [perception]}]", "give exactly one of `all_of` and `mean_of`"),
        ("[{name: a, all_of: [action], not_all_of: [action]}]", "`action` appears twice"),
        ("[{name: a, all_of: [action], not_all_of: [minutes]}]", "`minutes` has no highest value"),
    ],
)
def test_what_does_not_fit_is_said(rules: str, said: str) -> None:
    with pytest.raises(SchemaError) as caught:
        schema(rules)
    assert said in str(caught.value)


def test_all_of_needs_settled_values() -> None:
    with pytest.raises(SchemaError, match="needs settled values; set `combine: majority` in grading"):
        schema("[{name: a, all_of: [perception]}]", combine="mean")


def test_the_statistic_needs_a_rule() -> None:
    text = TEXT.replace("COMBINE", "majority").replace("derived: DERIVED", "statistics: [derived]")
    with pytest.raises(SchemaError, match="`derived` needs criteria; add criteria under `report: derived`"):
        load_text(text, "", "three")


def test_schemas_without_any_keep_their_hash() -> None:
    without = TEXT.replace("COMBINE", "majority").replace("  derived: DERIVED", "  unit: prediction")
    empty = TEXT.replace("COMBINE", "majority").replace("  derived: DERIVED", "  unit: prediction\n  derived: []")
    assert load_text(without, "", "three").hash == load_text(empty, "", "three").hash


def test_the_genuine_pca_score_is_as_published() -> None:
    made = load_schema(shipped()["pca_bench"]).schema_
    rule, fluke = made.report.derived
    assert (rule.name, rule.all_of) == ("genuine", ("perception", "cognition", "action"))  # section 2.4
    assert (fluke.name, fluke.all_of, fluke.not_all_of) == ("fluke", ("action",), ("perception", "cognition"))
    assert made.stages.grading is not None
    assert (made.stages.grading.raters, made.stages.grading.combine) == (3, "majority")  # section 4.1


def test_a_schema_of_before_still_names_the_statistic() -> None:
    text = shipped()["pca_bench"].read_text(encoding="utf-8")
    head, _, tail = text.partition("  statistics: [percent_agreement, cohen_kappa, derived]")
    head = head[: head.index("  coding:")] + head[head.index("\njudges:") :]  # which came later, and is of `genuine`
    before = head + "  statistics: [percent_agreement, cohen_kappa, genuine_pca]\n" + tail[tail.index("\nexport:") :]
    assert load_text(before, "", "pca_bench").schema_.report.derived == ()
