"""``python -m agreement.golden``: what it holds, what it reports, and what it does with files that are none."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import agreement.golden
from testkit.missing_extensions import needs, needs_every
from tests.agreement.golden import behaviour
from tests.agreement.golden import command as golden
from tests.agreement.golden.entries import SHAPES, TABLE, Unknown, compute, shape_of
from tests.agreement.of_raters import trying
from tests.paths import ROOT, shared

pytestmark = [pytest.mark.thorough, needs("notebook_statistics", "aggregate")]

Entry = dict[str, Any]

PAIR = {"items_by_raters": [[1, 1], [1, 1], [2, 2], [2, 1]], "categories": [1, 2]}
"""po = 3/4, pe = 1/2 * 3/4 + 1/2 * 1/4 = 1/2, so kappa = 1/2."""
GAPS = {"items_by_raters": [[1, 1, None], [2, 2, 2], [1, 2, 1], [None, 1, None]]}


def expected(stat: str, value: float, field: str = "estimate", tolerance: float = 1e-12, **args: Any) -> Entry:
    return {"stat": stat, "args": args, "field": field, "value": value, "abs_tol": tolerance, "peers": {}}


def content(*entries: Entry, data: Any = PAIR, must_handle: list[Any] | None = None) -> dict[str, Any]:
    case = {"id": "made", "title": "", "source": "", "data": data, "expected": list(entries)}
    return {"schema": 1, "cases": [case], "must_handle": must_handle or []}


def failures(found: dict[str, Any]) -> list[str]:
    return [
        f"{check.what}: {check.failure}"
        for check in golden.checks(found["cases"], found["must_handle"])
        if check.failure is not None
    ]


def run(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str], str]:
    code = golden.main([str(path)])
    printed = capsys.readouterr()
    return code, printed.out.splitlines(), printed.err


def write(path: Path, found: Any) -> Path:
    path.write_text(json.dumps(found), encoding="utf-8")
    return path


KAPPA = expected("cohen_kappa", 0.5, weights="none")
"""Worked out beside ``PAIR``."""


def test_what_holds_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(write(tmp_path / "g.json", content(KAPPA)), capsys) == (0, ["1 passed, 0 failed"], "")


def test_what_does_not_hold_says_got_wanted_and_tolerance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = {**KAPPA, "value": 0.6, "abs_tol": 0.05}
    code, lines, _ = run(write(tmp_path / "g.json", content(KAPPA, wrong)), capsys)
    assert code == 1
    assert lines[-1] == "1 passed, 1 failed"
    assert lines[0].startswith('FAILED made: cohen_kappa estimate {"weights": "none"}: got 0.5')
    assert lines[0].endswith("wanted 0.6, tolerance 0.05")


def test_it_runs_as_a_module(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "agreement.golden", str(write(tmp_path / "g.json", content(KAPPA)))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1 passed, 0 failed\n", "")


def test_an_installed_package_says_where_it_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agreement.golden.SOURCE", tmp_path)
    assert agreement.golden.main(["g.json"]) == 2
    assert "source tree. Run the command in the source tree" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("entry", "data", "part"),
    [
        (expected("cohens_kappa", 0.5), PAIR, "no statistic 'cohens_kappa'"),
        (expected("cohen_kappa", 0.5, "value", weights="none"), PAIR, "no field 'value'"),
        (expected("cohen_kappa", 0.5, weights="none", colour="red"), PAIR, "no argument 'colour'"),
        (expected("cohen_kappa", 0.5, weights="cubic"), PAIR, 'no weights "cubic"'),
        (expected("cohen_kappa", 0.5, "ci_low", weights="none", method="bca"), PAIR, 'no method "bca"'),
        (expected("cohen_kappa", 0.5, "ci_low", weights="none", confidence=95), PAIR, "no confidence 95"),
        (expected("cohen_kappa", 0.5), PAIR, "needs the argument 'weights'"),
        (expected("cohen_kappa", 0.5, weights="none", pair=[0, 2]), PAIR, "no rater 2"),
        (expected("cohen_kappa", 0.5, weights="matrix"), PAIR, "no disagreement_weights"),
        (expected("cohen_kappa", 0.5, weights="none"), {"triples": []}, "no shape of data with the keys triples"),
        (expected("cohen_kappa", 0.5, weights="none"), {**PAIR, "hidden": 1}, "no shape of data"),
        (expected("cohen_kappa", 0.5, weights="none"), [], "not a JSON object"),
        (expected("cohen_kappa", 0.5, weights="none"), {"same_as": "nobody"}, "the same as those of 'nobody'"),
        (expected("cohen_kappa", 0.5, weights="none"), {"same_as": "made"}, "the same as those of 'made'"),
        (expected("cohen_kappa", 0.5, weights="none"), {"items_by_raters": [[1], [1, 2]]}, "differ in length"),
        (expected("cohen_kappa", 0.5, weights="none"), {"items_by_raters": 7}, "do not fit the statistic"),
        (expected("cohen_kappa", 0.5, weights="none", categories=[1]), PAIR, "not on the declared scale"),
        (expected("kendall_w", 0.5, tie_correction=False), PAIR, "no tie_correction false"),
        (expected("dawid_skene", 0.5, "class_share"), PAIR, "needs the argument 'class'"),
    ],
)
def test_what_is_not_known_fails(entry: Entry, data: Any, part: str) -> None:
    found = failures(content(entry, data=data))
    assert len(found) == 1
    assert part in found[0]


@pytest.mark.parametrize("key", ["stat", "args", "field", "value", "abs_tol"])
def test_an_entry_without_a_key_fails(key: str) -> None:
    entry = {name: value for name, value in KAPPA.items() if name != key}
    assert f"the key {key} is missing" in failures(content(entry))[0]


@pytest.mark.parametrize("key", ["id", "data", "expected"])
def test_a_case_without_a_key_fails(key: str) -> None:
    found = content(KAPPA)
    del found["cases"][0][key]
    assert len(failures(found)) == 1
    assert "is missing" in failures(found)[0]


@pytest.mark.parametrize("value", [None, "0.5", True, [0.5], float("nan")])
def test_a_value_that_is_no_number_fails(value: Any) -> None:
    assert "not both numbers" in failures(content({**KAPPA, "value": value}))[0]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "not JSON, or ends too early"),
        ('{"cases": [', "not JSON, or ends too early"),
        ("[]", "no list under the key cases"),
        ('{"cases": {}}', "no list under the key cases"),
        ('{"cases": [], "must_handle": 1}', "must_handle"),
        ("[" * 100_000, "too deep"),
    ],
)
def test_a_file_of_another_kind_gets_a_sentence(
    text: str, part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "g.json"
    path.write_text(text, encoding="utf-8")
    code, lines, error = run(path, capsys)
    assert (code, lines) == (2, [])
    assert part in error
    assert "Traceback" not in error


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "cannot be read" in run(tmp_path / "none.json", capsys)[2]
    (tmp_path / "picture.json").write_bytes(b"\xff\xfe\x00\x81")
    assert "UTF-8" in run(tmp_path / "picture.json", capsys)[2]


JUNK = (None, "x", -1, 0, 1e308, [], {}, [[]], True, [None], {"a": 1}, 2.5, 10**400, [[1, 2], [3]], "quadratic")


def places(found: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to everything in a file."""
    inside = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    return [way for key, each in inside for way in [(*before, key), *places(each, (*before, key))]]


@trying("seed", range(200))
def test_whatever_a_file_holds_is_a_line(seed: int) -> None:
    chance = random.Random(seed)
    alternative = {"humans": {name: {f"i{at}": at % 3 for at in range(40)} for name in "abc"}, "llm": {"i1": 1}}
    experts = {"experts": {"P": [[1, 1, 0], [0, 1, 0]]}, "judge": {"P": [1, 0]}}
    data, entry = chance.choice(
        [
            (PAIR, KAPPA),
            (GAPS, expected("icc", 0.5, form="ICC(2,1)", missing="reml")),
            ({"x": [[1], [2], [4]], "y": [1, 0, 1]}, expected("linear_regression", 1, "se_hc3", term="x1")),
            ({"human": [1, 0], "judge": [1, 0], "judge_unlabelled": [1]}, expected("ppi_mean", 1, method="ppi")),
            (alternative, expected("alt_test", 1, "p_value", rater="a", epsilon=0.1)),
            (experts, expected("confusion", 1, "tp", dimension="P")),
            ({"models": ["m"], "a": {"d": [1]}, "b": {"d": [2]}}, expected("pearson", 1, vectors="d")),
            ({"ratings_item_rater_value": [[1, 1, 1], [1, 2, 2]]}, expected("dawid_skene", 1, "class_share")),
            ({}, expected("sample_size_icc", 51, "n", icc=0.8, raters=2, full_width=0.2)),
        ]
    )
    made = {"id": "m", "data": data, "must": "cohen/alpha are undefined; percent agreement is 1"}
    found = copy.deepcopy(content(entry, data=data, must_handle=[made]))
    for _ in range(chance.randint(1, 3)):
        way = chance.choice([each for each in places(found) if len(each) > 1])
        holder = found
        for key in way[:-1]:
            holder = holder[key]
        if chance.random() < 0.3:
            del holder[way[-1]]
        else:
            holder[way[-1]] = copy.deepcopy(chance.choice(JUNK))
    for check in golden.checks(found["cases"], found["must_handle"]):
        assert check.what


# ---- data ------------------------------------------------------------------------------------------------------------


def test_every_shape_is_told_apart() -> None:
    for name, (needed, _) in SHAPES.items():
        if name != "evaluators":
            assert shape_of(dict.fromkeys(needed)) == name
    assert shape_of({"models": ["m"], "gpt": [1.0], "claude": {"d": [1.0]}}) == "evaluators"


@pytest.mark.parametrize(
    ("data", "args"),
    [
        (PAIR, {}),
        ({"x": [1, 1, 2, 2], "y": [1, 1, 2, 1]}, {}),
        ({"human": [1, 1, 2, 2], "judge": [1, 1, 2, 1]}, {}),
        ({"human": [1, 1, 2, 2], "judge": [1, 1, 2, 1], "question": [7, 7, 8, 9]}, {}),
        ({"items_by_raters": [[9, 1, 1], [9, 1, 1], [9, 2, 2], [9, 2, 1]]}, {"pair": [1, 2]}),
        ({"items_by_raters": [[9, 1, 1], [9, 1, 1], [9, 2, 2], [9, 2, 1]]}, {"vectors": "rater_1_vs_2"}),
        ({"items_by_raters": [[9, 1, 1], [9, 1, 1], [9, 2, 2], [9, 2, 1]]}, {"vectors": ["rater_1", "rater_2"]}),
        ({"items_by_raters": [[1, 1], [1, 1], [2, 2], [2, 1], [1, None]]}, {"missing": "pairwise"}),
        (
            {"items_by_raters": [[1, 1, 5], [1, 1, 5], [2, 2, 5], [2, 1, 5], [1, 2, None]]},
            {"pair": [0, 1], "missing": "listwise"},
        ),
        ({"items_by_raters": [["a", "a"], ["a", "a"], ["b", "b"], ["b", "a"]]}, {}),
        (
            {
                "ratings_item_rater_value": [
                    [unit, rater, value]
                    for rater, column in (("x", [1, 1, 2, 2]), ("y", [1, 1, 2, 1]))
                    for unit, value in enumerate(column)
                ]
            },
            {},
        ),
        ({"models": list("mnop"), "gpt": [1, 1, 2, 2], "claude": [1, 1, 2, 1]}, {"vectors": ["gpt", "claude"]}),
        ({"models": list("mnop"), "gpt": {"d": [1, 1, 2, 2]}, "cla": {"d": [1, 1, 2, 1]}}, {"vectors": "d"}),
        (
            {"experts": {"P": [[1, 1, 0], [1, 1, 1], [2, 2, 1], [2, 1, 2]]}, "judge": {"P": [1, 1, 2, 1]}},
            {"dimension": "P", "reference": "majority of 3"},
        ),
    ],
)
def test_the_same_ratings_in_every_shape(data: Any, args: Any) -> None:
    assert compute(data, "cohen_kappa", "estimate", {"weights": "none", **args}) == pytest.approx(0.5, abs=1e-12)


def test_people_against_a_judge_by_their_mean() -> None:
    data = {"items_by_raters": [[1, 3], [2, 4], [5, None]], "judge": [2, 3, 5]}
    found = compute(data, "pearson", "estimate", {"vectors": "human_mean_vs_judge"})
    assert found == pytest.approx(1, abs=1e-12)  # 2, 3, 5 against 2, 3, 5


@needs("notebook_statistics", "pass_rates")
def test_genuine_is_all_dimensions_together() -> None:
    data = {
        "experts": {"P": [[1, 1, 0], [1, 1, 1], [0, 0, 1]], "C": [[1, 1, 1], [0, 0, 1], [1, 1, 1]]},
        "judge": {"P": [1, 1, 1], "C": [1, 1, 1]},
    }
    assert compute(data, "genuine_pca", "mean_from_majority", {}) == pytest.approx(1 / 3)
    assert compute(data, "genuine_pca", "mean_from_judge", {}) == 1
    with pytest.raises(Unknown, match="majority of 5"):
        compute(data, "cohen_kappa", "estimate", {"weights": "none", "dimension": "P", "reference": "majority of 5"})


def test_limits_as_other_programs_print_them() -> None:
    few = {"table": [[5, 0], [1, 4]]}  # kappa 0.8, and 1.96 standard errors more are beyond 1
    args = {"weights": "none"}
    se = compute(few, "cohen_kappa", "se", args)
    high = compute(few, "cohen_kappa", "ci_high", {**args, "method": "normal"})
    assert high == pytest.approx(0.8 + 1.959963984540054 * se, abs=1e-12)
    assert high > 1
    perfect = {"table": [[5, 0], [0, 5]]}
    assert compute(perfect, "gwet_ac", "ci_low", {"weights": "identity", "method": "t"}) == 1


@needs("notebook_statistics", "dawid_skene")
def test_dawid_skene_of_gaps() -> None:
    assert compute(GAPS, "dawid_skene", "labels_differing_from_peer", {}) == 0
    shares = [compute(GAPS, "dawid_skene", "class_share", {"class": each}) for each in (1, 2)]
    assert sum(shares) == pytest.approx(1)


# ---- behaviour in words ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("must", "wrong"),
    [
        ("percent agreement is 0.75", []),
        ("percent agreement is 0.7", ["percent agreement is 0.75, and must be 0.7"]),
        ("Cohen kappa is exactly 0.5; alpha is defined (and at most 1)", []),
        ("alpha is defined (and at most 0)", ["alpha is"]),
        ("cohen/fleiss are undefined", ["cohen kappa is 0.5, and must be undefined", "fleiss is"]),
    ],
)
def test_words_are_held(must: str, wrong: list[str]) -> None:
    found = behaviour.behaves(PAIR, must)
    assert len(found) == len(wrong)
    assert all(each.startswith(start) for each, start in zip(found, wrong, strict=True))


@pytest.mark.parametrize("must", ["", "kappa should be nice", "sigma is undefined", "percent agreement is 0.75; or so"])
def test_words_that_are_not_understood_are_no_pass(must: str) -> None:
    with pytest.raises(Unknown):
        behaviour.behaves(PAIR, must)
    made = {"id": "odd", "data": PAIR, "must": must}
    assert len(failures(content(must_handle=[made]))) == 1


# ---- the published file ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shared("golden", "agreement_golden.json").read_text(encoding="utf-8"))
    return found


@needs_every("notebook_statistics")
def test_nothing_fails(published: dict[str, Any]) -> None:
    found = list(golden.checks(published["cases"], published["must_handle"]))
    assert [f"{check.what}: {check.failure}" for check in found if check.failure] == []
    assert len(found) == sum(len(case["expected"]) for case in published["cases"]) + len(published["must_handle"])


def test_every_statistic_and_field_of_the_format_is_in_the_table() -> None:
    text = shared("golden", "README.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| ") and not line.startswith("| stat")]
    assert len(rows) > 30
    for _, stat, fields, args, *_ in rows:
        row = TABLE[stat.strip()]
        assert {field.strip() for field in fields.split(",")} <= set(row.fields), stat
        named = {part.partition(":")[0].strip() for part in args.split(";") if part.strip()}
        assert named <= set(row.args), stat
    assert {row[1].strip() for row in rows} == set(TABLE)


@needs_every("notebook_statistics")
@pytest.mark.parametrize("seed", range(2))
def test_altered_values_are_reported_exactly(published: dict[str, Any], seed: int) -> None:
    altered = copy.deepcopy(published)
    entries = [entry for case in altered["cases"] for entry in case["expected"]]
    chosen = set(random.Random(seed).sample(range(len(entries)), 25))
    for at in chosen:
        entries[at]["value"] += 4 * entries[at]["abs_tol"] + 1e-6
    found = list(golden.checks(altered["cases"], altered["must_handle"]))
    assert {at for at, check in enumerate(found) if check.failure} == chosen


def test_every_altered_value_is_reported(published: dict[str, Any]) -> None:
    altered = copy.deepcopy(published)
    for case in altered["cases"]:
        for entry in case["expected"]:
            entry["value"] -= 4 * entry["abs_tol"] + 1e-6
    found = list(golden.checks(altered["cases"], []))
    assert [check.what for check in found if not check.failure] == []


def test_altered_words_are_reported(published: dict[str, Any]) -> None:
    handled = copy.deepcopy(published["must_handle"])
    for case in handled:
        case["must"] = case["must"].replace("0.28", "0.29").replace("exactly 0", "exactly 1").replace("is 1", "is 0.9")
    found = [check.what.partition(":")[0] for check in golden.checks([], handled) if check.failure]
    assert found == ["degenerate_constant", "degenerate_one_constant_rater", "unused_category"]
