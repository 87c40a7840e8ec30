"""``touchstone agreement show``."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.cli import cli
from domain.errors import TouchstoneError
from domain.records import Rating
from testkit.missing_extensions import needs
from tests.agreement.published import etp_table7, pandalm, write_csv
from tests.paths import ROOT

pytestmark = [pytest.mark.thorough, needs("readers", "ratings")]

KEYS = [
    "statistic",
    "args",
    "criterion",
    "dimension",
    "value",
    "low",
    "high",
    "method",
    "n_units",
    "n_raters",
    "n_left_out",
    "reason",
    "peers",
]
HEAD = "unit,rater,criterion,value\n"
GRADES = HEAD + "".join(
    f"u{unit},{rater},score,{value}\n"
    for unit, pair in enumerate([(0, 0), (0.5, 0.5), (1, 0.5), (1, 1), (0, 0.5), (1, 1)])
    for rater, value in zip(("ann", "bob"), pair, strict=True)
)


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(cli, ["agreement", "show", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.stdout


def listed(*arguments: str | Path) -> list[dict[str, Any]]:
    found = json.loads(run(*arguments, "--json"), parse_constant=lambda name: pytest.fail(name))
    assert all(list(each) == KEYS for each in found)
    assert all(each["reason"] for each in found if None in (each["value"], each["low"], each["high"]))
    return found


def only(found: Sequence[dict[str, Any]], statistic: str, **args: Any) -> dict[str, Any]:
    (one,) = [
        each
        for each in found
        if each["statistic"] == statistic and all(each["args"].get(name) == value for name, value in args.items())
    ]
    return one


@pytest.fixture
def grades(tmp_path: Path) -> Path:
    path = tmp_path / "grades.csv"
    path.write_text(GRADES)
    return path


def test_the_list_names_every_statistic_and_the_scale_it_took(grades: Path) -> None:
    found = listed("--ratings", grades)
    assert [
        (each["statistic"], *(each["args"].get(name) for name in ("weights", "level", "form"))) for each in found
    ] == [
        ("percent_agreement", None, None, None),
        ("cohen_kappa", "none", None, None),
        ("cohen_kappa", "linear", None, None),
        ("cohen_kappa", "quadratic", None, None),
        ("fleiss_kappa", None, None, None),
        *(
            (name, weights, None, None)
            for name in ("conger_kappa", "scott_pi", "gwet_ac", "brennan_prediger")
            for weights in ("none", "linear", "quadratic")
        ),
        ("krippendorff_alpha", None, "nominal", None),
        ("krippendorff_alpha", None, "ordinal", None),
        ("krippendorff_alpha", None, "interval", None),
        ("pearson", None, None, None),
        *(("icc", None, None, f"ICC({kind},{of})") for of in "1k" for kind in "123"),
        *((name, None, None, None) for name in ("spearman", "kendall_tau", "lins_concordance", "bias", "mae", "rmse")),
    ]
    assert {(each["args"]["scale"], each["args"]["scale_inferred"]) for each in found} == {("interval", True)}
    assert {(each["criterion"], each["dimension"], each["n_units"], each["n_raters"]) for each in found} == {
        ("score", None, 6, 2)
    }
    # p_o = 4 / 6, p_e = (2 * 1 + 1 * 3 + 3 * 2) / 36.
    assert only(found, "cohen_kappa", weights="none")["value"] == pytest.approx((4 / 6 - 11 / 36) / (1 - 11 / 36))


def test_a_declared_scale_decides_what_fits(grades: Path) -> None:
    found = listed("--ratings", grades, "--scale", "score=nominal:0,0.5,1")
    refused = {
        (each["statistic"], each["args"].get("weights"), each["args"].get("level"))
        for each in found
        if each["value"] is None
    }
    assert refused == {
        ("cohen_kappa", "linear", None),
        ("cohen_kappa", "quadratic", None),
        ("krippendorff_alpha", None, "ordinal"),
        ("krippendorff_alpha", None, "interval"),
        ("pearson", None, None),
        ("icc", None, None),
    }
    ordinal = listed("--ratings", grades, "--scale", "score=ordinal:0,0.5,1")
    assert only(ordinal, "cohen_kappa", weights="linear")["value"] is not None
    assert {(each["args"]["scale"], each["args"]["scale_inferred"]) for each in ordinal} == {("ordinal", False)}


def test_text_is_nominal(tmp_path: Path) -> None:
    rows = [
        Rating(f"u{unit}", rater, "fits", value)
        for unit in range(4)
        for rater, value in (("ann", "yes"), ("bob", "no" if unit else "yes"))
    ]
    found = listed("--ratings", write_csv(rows, tmp_path / "r.csv"))
    assert {(each["args"]["scale"], each["args"]["scale_inferred"]) for each in found} == {("nominal", True)}
    assert only(found, "percent_agreement")["value"] == 0.25
    assert "nominal" in only(found, "icc")["reason"]


def test_by_dimension_by_criterion_and_by_rater(tmp_path: Path) -> None:
    rows = [
        Rating(f"{dimension}{unit}", rater, criterion, (unit + shift) % 3, dimension)
        for dimension in ("x", "y")
        for criterion in ("score", "other")
        for unit in range(6)
        for shift, rater in enumerate(("ann", "bob", "eva"))
    ]
    path = write_csv(rows, tmp_path / "r.csv")
    found = listed("--ratings", path, "--by", "dimension")
    assert list(dict.fromkeys((each["criterion"], each["dimension"]) for each in found)) == [
        ("score", "x"),
        ("score", "y"),
        ("other", "x"),
        ("other", "y"),
    ]
    some = listed("--ratings", path, "--criterion", "other", "--raters", "eva,ann")
    assert {each["criterion"] for each in some} == {"other"}
    assert only(some, "pearson")["args"]["pair"] == ["eva", "ann"]
    assert {each["n_raters"] for each in some} == {2}


def test_three_raters_get_pairs_and_their_mean(tmp_path: Path) -> None:
    found = listed("--ratings", write_csv(pandalm(), tmp_path / "r.csv"))
    pairs = [each for each in found if each["statistic"] == "cohen_kappa" and each["args"]["weights"] == "none"]
    assert [(each["args"]["pair"], round(each["value"], 3)) for each in pairs] == [
        (["annotator1", "annotator2"], 0.852),
        (["annotator1", "annotator3"], 0.879),
        (["annotator2", "annotator3"], 0.862),
    ]
    assert round(only(found, "fleiss_kappa")["value"], 4) == 0.8642
    assert round(only(found, "light_kappa", weights="none")["value"], 4) == 0.8642


@pytest.mark.parametrize(
    ("metric", "expected"), [("GPT-3.5", [0.8077, 0.3497, 0.9575]), ("Rouge-L", [0.4018, -0.3180, 0.8398])]
)
def test_the_published_intraclass_correlation(metric: str, expected: list[float], tmp_path: Path) -> None:
    path = write_csv(etp_table7(), tmp_path / "r.csv")
    found = only(listed("--ratings", path, "--raters", f"Human,{metric}"), "icc", form="ICC(1,1)")
    assert [round(found[key], 4) for key in ("value", "low", "high")] == expected


def test_the_table_is_for_people(grades: Path) -> None:
    output = run("--ratings", grades)
    assert "score: 2 raters, interval scale (assumed; to change the level, use --scale)" in output
    assert "Cohen's kappa, quadratic: ann and bob" in output
    assert "Gwet's AC1" in output
    assert "Gwet's AC2, linear" in output
    assert "F distribution" in output
    assert "NaN" not in output
    assert not re.search(r"\bnan\b", output)


def test_the_table_gives_each_reason_once(tmp_path: Path) -> None:
    grades = [("yes", "yes", None), ("no", "yes", None), ("no", "no", "no")]
    rows = [
        Rating(f"u{unit}", rater, "fits", value)
        for unit, row in enumerate(grades)
        for rater, value in zip(("ann", "bob", "eva"), row, strict=True)
        if value is not None
    ]
    output = run("--ratings", write_csv(rows, tmp_path / "r.csv"))
    assert output.count("Linear weights need ordered values, but the scale is nominal.") == 1
    assert "undefined: Pearson's correlation; ICC(1,1)\n" not in output  # each has a reason of its own
    assert "undefined: Cohen's kappa: ann and eva; Cohen's kappa: bob and eva\n" in output


def test_a_byte_order_mark_and_other_line_ends_are_no_matter(grades: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_bytes(b"\xef\xbb\xbf" + GRADES.replace("\n", "\r\n").encode())
    assert listed("--ratings", other) == listed("--ratings", grades)


REFUSED = {
    "utf_16": (GRADES.encode("utf-16"), "UTF-16"),
    "utf_16_without_mark": (GRADES.encode("utf-16-le"), "UTF-16"),
    "latin_1": (GRADES.replace("ann", "änn").encode("latin-1"), "not UTF-8"),
    "empty": (b"", "unit, rater, criterion, value"),
    "only_a_head": (HEAD.encode(), "no rating"),
    "no_head": (GRADES.removeprefix(HEAD).encode(), "missing"),
    "no_criterion": (b"unit,rater,value\nu,a,1\n", "criterion is missing"),
    "column_twice": (b"unit,rater,criterion,value,value\nu,a,c,1,1\n", "a name is repeated"),
    "short_row": ((GRADES + "u9,ann,score\n").encode(), "row 14"),
    "long_row": ((GRADES + "u9,ann,score,1,2\n").encode(), "row 14"),
    "rated_twice": ((GRADES + "u0,ann,score,1\n").encode(), "already"),
    "open_quote": ((GRADES + 'u9,ann,score,"1\n').encode(), "row 14"),
    "zero_character": ((GRADES + "u9,ann,sc\0ore,1\n").encode(), "row 14"),
    "json": (b'[{"unit": 1}]', "missing"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", REFUSED)
def test_a_file_that_does_not_fit_is_refused_with_a_sentence(case: str, tmp_path: Path) -> None:
    data, words = REFUSED[case]
    path = tmp_path / "ratings.csv"
    path.write_bytes(data)
    result = CliRunner().invoke(cli, ["agreement", "show", "--ratings", str(path), "--json"])
    assert result.exit_code != 0
    assert isinstance(result.exception, TouchstoneError)
    sentence = str(result.exception)
    assert words in sentence
    assert sentence.startswith("ratings.csv")
    assert sentence.endswith(".")
    assert "import" not in sentence
    assert not result.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--raters", "ann,zoe"], "zoe"),
        (["--raters", "ann,,bob"], "empty name"),
        (["--raters", "ann,ann"], "twice"),
        (["--criterion", "style"], "style"),
        (["--scale", "score"], "CRITERION=LEVEL"),
        (["--scale", "score=roughly"], "roughly"),
        (["--scale", "score=ordinal:0,,1"], "empty value"),
        (["--scale", "score=ordinal:0,1"], "not on the declared scale"),
        (["--scale", "score=nominal", "--scale", "score=interval"], "two --scale options for score"),
        (["--scale", "style=nominal"], "style"),
        (["--by", "dimension"], "dimension"),
    ],
)
def test_what_is_asked_has_to_be_there(arguments: list[str], words: str, grades: Path) -> None:
    result = CliRunner().invoke(cli, ["agreement", "show", "--ratings", str(grades), *arguments])
    assert isinstance(result.exception, TouchstoneError), result.output
    assert words in str(result.exception)
    assert str(result.exception).endswith(".")


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [[], ["--ratings", "a.csv", "p"], ["--stage", "grading"]])
def test_a_file_or_a_project(arguments: list[str]) -> None:
    result = CliRunner().invoke(cli, ["agreement", "show", *arguments])
    assert result.exit_code == 2


def test_one_rater_is_a_reason_not_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text(HEAD + "u1,ann,score,1\nu2,ann,score,2\n")
    found = listed("--ratings", path)
    assert {each["value"] for each in found} == {None}
    assert {each["reason"] for each in found} == {"There is only one rater."}


@pytest.mark.slow
def test_the_real_command_says_one_sentence_and_loads_nothing_heavy(tmp_path: Path) -> None:
    missing = tmp_path / "missing.csv"
    code = (
        f"import sys; sys.argv = ['touchstone', 'agreement', 'show', '--ratings', {str(missing)!r}]\n"
        "from app.cli import main\n"
        "assert not {'scipy', 'numpy', 'pandas', 'streamlit', 'sqlmodel'} & set(sys.modules), 'imported too early'\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"touchstone: Touchstone cannot read {missing}: No such file")
    assert len(done.stderr.splitlines()) == 1
