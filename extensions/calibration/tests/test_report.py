"""The calibration report: what it says, and the files it is written to."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pypdf import PdfReader
from scipy import stats
from typer.testing import CliRunner

from agreement import Ratings, Scale, cohen_kappa, krippendorff_alpha
from app.cli import cli
from domain.errors import RatingsError
from domain.records import Rating, UnitFacts
from extensions.calibration.report import card, files, pdf, report_html
from extensions.calibration.report.calibration import calibration
from extensions.calibration.report.study import Runs, Study
from extensions.calibration.report.whole import CalibrationReport, RatingSource
from reports.content import Figure, ReportTable, as_json
from testkit.missing_extensions import needs

pytestmark = pytest.mark.thorough

HERE = RatingSource("made.csv", "0" * 64, "file")
VALUES = ("bad", "fair", "good")


def made(n: int = 120, *, seed: int = 7, names: Sequence[str] = ("ann", "bob", "cem", "gpt")) -> list[Rating]:
    """People who mostly agree, and a judge that does less so; some gaps, two dimensions."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, 3, n)
    rows = []
    for rater, right in zip(names, (0.85, 0.8, 0.8, 0.65), strict=True):
        for unit in range(n):
            if random.random() < 0.06:
                continue
            code = truth[unit] if random.random() < right else random.integers(0, 3)
            rows.append(Rating(f"u{unit:03}", rater, "quality", VALUES[code], "odd" if unit % 2 else "even"))
    return rows


def report(rows: Sequence[Rating] | None = None, **changes: Any) -> CalibrationReport:
    given: dict[str, Any] = {"humans": ("ann", "bob", "cem"), "judges": ("gpt",), **changes}
    return calibration(Study(rows if rows is not None else made(), **given), HERE)


def table(of: CalibrationReport, key: str) -> list[dict[str, Any]]:
    found = next(each for each in of.tables() if each.key == key)
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def in_lists(rows: Sequence[Rating], *raters: str, dimension: str | None = None) -> Ratings:
    """The same ratings by another path: lists per rater."""
    units = sorted({row.unit for row in rows if dimension in (None, row.dimension)})
    given = {(row.unit, row.rater): row.value for row in rows}
    return Ratings.from_lists(**{rater: [given.get((unit, rater)) for unit in units] for rater in raters})


def same(figure: Figure, statistic: Any) -> bool:
    pairs = [(figure.value, statistic.value), (figure.low, statistic.low), (figure.high, statistic.high)]
    return all(a == pytest.approx(b, abs=1e-12) for a, b in pairs) and figure.n_units == statistic.n_units


# ---- numbers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [None, "odd"])
def test_numbers_are_those_of_the_functions(dimension: str | None) -> None:
    rows = made()
    of = report(rows)
    (alpha,) = [
        row["value"]
        for row in table(of, "people")
        if row["statistic"].startswith("Krippendorff") and row["dimension"] == (dimension or "all")
    ]
    people = in_lists(rows, "ann", "bob", "cem", dimension=dimension)
    assert alpha.value == pytest.approx(krippendorff_alpha(people, level="nominal").value, abs=1e-12)
    for person in ("ann", "bob", "cem"):
        (row,) = [
            row
            for row in table(of, "judge_pairs")
            if row["person"] == person and row["dimension"] == (dimension or "all")
        ]
        assert same(row["Cohen's kappa"], cohen_kappa(in_lists(rows, person, "gpt", dimension=dimension)))


def test_the_judge_is_never_among_the_people() -> None:
    rows = made()
    perfect = [row for row in rows if row.rater != "gpt"]
    perfect += [Rating(row.unit, "gpt", row.criterion, row.value, row.dimension) for row in rows if row.rater == "ann"]
    assert table(report(rows), "people") == table(report(perfect), "people")


def test_confusion_by_hand() -> None:
    votes = {"u1": "aab", "u2": "aaa", "u3": "bbb", "u4": "ab-", "u5": "bba"}  # u4 has no majority
    judge = {"u1": "a", "u2": "b", "u3": "b", "u4": "a", "u5": "?"}
    rows = [
        Rating(unit, name, "c", vote)
        for unit, cast in votes.items()
        for name, vote in zip(("ann", "bob", "cem"), cast, strict=True)
        if vote != "-"
    ]
    rows += [Rating(unit, "gpt", "c", value) for unit, value in judge.items()]
    of = report(rows, unparsed=frozenset("?"))
    found = {(row["most people"], row["judge says"]): row["units"] for row in table(of, "confusion")}
    assert found == {("a", "a"): 1, ("a", "b"): 1, ("b", "a"): 0, ("b", "b"): 1}
    (gpt,) = [row for row in table(of, "design") if row["rater"] == "gpt"]
    assert (gpt["rated"], gpt["unreadable"]) == (4, 1)


def test_the_same_ratings_give_the_same_bytes() -> None:
    one, other = report(), report()
    assert files.numbers(one) == files.numbers(other)
    assert report_html.page(one) == report_html.page(other)
    assert card.page(one) == card.page(other)


# ---- names ----------------------------------------------------------------------------------------------------------


def test_a_name_no_one_has() -> None:
    with pytest.raises(RatingsError, match=r"--human names 'eve', but no rater has this name. Choose from: ann, bob"):
        report(humans=("ann", "eve"))
    with pytest.raises(RatingsError, match=r"--judge names 'eve'"):
        report(judges=("eve",))


def test_no_one_is_both() -> None:
    with pytest.raises(RatingsError, match="You named gpt as a person and as a judge"):
        report(humans=("ann", "gpt"))
    with pytest.raises(RatingsError, match="You named bob as"):
        report(runs=Runs(repeats={"gpt": ("bob",)}))


def test_who_is_neither_is_told() -> None:
    of = report(humans=("ann", "bob"))
    assert "Excluded raters, because you did not name them as people or judges: cem (" in report_html.page(of)


# ---- files ----------------------------------------------------------------------------------------------------------

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def hostile() -> CalibrationReport:
    names = (HOSTILE, "\"quotes\" & 'more'", "=cmd()", "裁判 \N{GRINNING FACE} שופט")
    return report(made(names=names), humans=names[:3], judges=names[3:])


def test_html_escapes_and_asks_no_one(hostile: CalibrationReport) -> None:
    for page in (report_html.page(hostile), card.page(hostile)):
        assert "<script" not in page
        assert "&lt;script&gt;" in page or page == card.page(hostile)
        assert not re.search(r"<(link|img|iframe|object|embed|script|base|form)\b|@import|url\(", page)
        assert set(re.findall(r"https?://[^\"'\s<]+", page)) <= {"http://www.w3.org/2000/svg"}
        assert not re.search(r"\b(?:src|srcset|action|data)=", page)
        assert all(target.startswith("#") for target in re.findall(r'href="([^"]*)"', page))


def test_charts_write_names_in_their_own_script(hostile: CalibrationReport) -> None:
    words = [unescape(word) for word in re.findall(r"<text[^>]*>([^<]*)</text>", report_html.page(hostile))]
    assert any("裁判 \N{GRINNING FACE} שופט" in word for word in words)


@pytest.mark.browser
@pytest.mark.essential
def test_pdf_has_the_text_of_the_page_and_the_card_is_one_page(hostile: CalibrationReport) -> None:
    for of in (report(), hostile):
        read = PdfReader(io.BytesIO(pdf.printed(report_html.page(of))))
        assert read.metadata is not None
        assert str(read.metadata["/CreationDate"]).startswith("D:20000101000000"), "no moment stands in it"
        text = "\n".join(page.extract_text() for page in read.pages)
        assert "Krippendorff" in text
        for section in of.sections:
            assert section.title in text
        assert len(PdfReader(io.BytesIO(pdf.printed(card.page(of)))).pages) == 1
    assert "<script>" in text


def test_csv_equals_json(tmp_path: Path) -> None:
    of = report()
    written = files.write(of, tmp_path)
    tree = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)
    tables = [block for section in tree["sections"] for block in section["blocks"] if block["type"] == "table"]
    assert {f"{each['key']}.csv" for each in tables} == {path.name for path in written if path.suffix == ".csv"}
    compared = 0
    for each in tables:
        with (tmp_path / "tables" / f"{each['key']}.csv").open(encoding="utf-8", newline="") as file:
            lines = list(csv.DictReader(file))
        assert len(lines) == len(each["rows"])
        for line, row in zip(lines, each["rows"], strict=True):
            cells: list[str] = []
            for cell in row:
                parts = [cell[part] for part in files.FIGURE] if isinstance(cell, dict) else [cell]
                cells += ["" if part is None else str(part) for part in parts]
            compared += len(cells)
            assert list(line.values()) == cells
    assert compared > 200


def test_a_table_cell_is_no_formula() -> None:
    text = files.csv_text(ReportTable("t", "T", ("rater",), (("=1+1",), ("-0.5",), ("@x",))))
    assert text.splitlines() == ["rater", "'=1+1", "-0.5", "'@x"]


def test_nothing_in_the_json_is_nan() -> None:
    assert as_json(Figure(float("nan"), float("inf"), None, "none", 0))["value"] is None


# ---- the command ----------------------------------------------------------------------------------------------------


def csv_of(rows: Sequence[Rating], path: Path) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["unit", "rater", "criterion", "value", "dimension"])
        writer.writerows([row.unit, row.rater, row.criterion, row.value, row.dimension] for row in rows)
    return path


def run(*arguments: str | Path) -> Any:
    return CliRunner().invoke(cli, ["calibration", "run", *map(str, arguments)])


@needs("readers", "ratings")
def test_command(tmp_path: Path) -> None:
    path = csv_of(made(), tmp_path / "ratings.csv")
    out = tmp_path / "out"
    done = run("--ratings", path, "--human", "ann,bob,cem", "--judge", "gpt", "--out", out)
    assert done.exit_code == 0, done.output
    assert {"verdict.txt", "report.html", "report.json", "card.html", "tables"} == {each.name for each in out.iterdir()}
    source = json.loads((out / "report.json").read_text(encoding="utf-8"))["source"]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert source == {"name": "ratings.csv", "sha256": digest, "what": "file", "counted": ""}


@needs("readers", "ratings")
def test_command_with_a_name_no_one_has(tmp_path: Path) -> None:
    path = csv_of(made(), tmp_path / "ratings.csv")
    done = run("--ratings", path, "--human", "ann,eve", "--judge", "gpt", "--out", tmp_path / "out")
    assert isinstance(done.exception, RatingsError)
    assert not (tmp_path / "out").exists()


# ---- sections -------------------------------------------------------------------------------------------------------


def test_same_footing_by_hand() -> None:
    """Judge with people and people with people, as means over pairs of Cohen's kappa from lists."""
    rows = [row for row in made() if row.unit not in {f"u{n:03}" for n in range(110, 120)}]
    units: dict[str, set[str]] = {}
    for row in rows:
        units.setdefault(row.unit, set()).add(row.rater)
    rows = [row for row in rows if units[row.unit] == {"ann", "bob", "cem", "gpt"}]
    found = {row["who"]: row["value"].value for row in table(report(rows), "ceiling") if row["dimension"] == "all"}
    people = [("ann", "bob"), ("ann", "cem"), ("bob", "cem")]
    mine = [cohen_kappa(in_lists(rows, name, "gpt")).value for name in ("ann", "bob", "cem")]
    theirs = [cohen_kappa(in_lists(rows, *pair)).value for pair in people]
    assert found["judge with a person"] == pytest.approx(np.mean(mine), abs=1e-12)
    assert found["person with a person"] == pytest.approx(np.mean(theirs), abs=1e-12)
    assert found["difference"] == pytest.approx(np.mean(mine) - np.mean(theirs), abs=1e-12)


def test_all_sections_are_there_and_say_why_not() -> None:
    of = report()
    assert [each.number for each in of.sections] == list(range(12))
    assert "named with --repeat" in files.numbers(of).replace("name the second run with", "named with")
    assert of.section("drift").lead == "There are too few ratings to answer this question."


def numeric(n: int = 90) -> tuple[list[Rating], dict[str, UnitFacts]]:
    """Scores 0 to 4 of three models; the judge gives model b one point more and is else right but for noise."""
    random = np.random.default_rng(3)
    rows, about = [], {}
    for at in range(n):
        unit, model = f"u{at:03}", "abc"[at % 3]
        about[unit] = UnitFacts(item=f"q{at // 3}", model=model, length=float(10 + at % 7))
        truth = random.integers(0, 4)
        for name in ("ann", "bob", "cem"):
            if at < 60:  # the rest is judged only
                rows.append(Rating(unit, name, "score", int(np.clip(truth + random.integers(-1, 2), 0, 4))))
        rows.append(Rating(unit, "gpt", "score", int(truth + (model == "b"))))
        rows.append(Rating(unit, "gpt_again", "score", int(truth + (model == "b") if at % 10 else 0)))
        rows.append(Rating(unit, "gpt_old", "score", int(truth)))
    return rows, about


def test_a_favoured_model_is_found() -> None:
    rows, about = numeric()
    of = report(rows, about=about)
    gap = {
        row["model"]: row["points"]
        for row in table(of, "bias_models")
        if row["what"] == "difference from all other models"
    }
    assert gap["b"].low is not None
    assert gap["b"].low > 0.3
    assert gap["a"].high is not None
    assert gap["a"].high < 0
    people: dict[str, list[float]] = {}
    for row in rows:
        if row.rater in ("ann", "bob", "cem"):
            people.setdefault(row.unit, []).append(row.value)
    judge = {row.unit: row.value for row in rows if row.rater == "gpt"}
    (overall,) = table(of, "bias")
    expected = np.mean([judge[unit] - np.mean(votes) for unit, votes in people.items()])
    assert overall["judge minus people"].value == pytest.approx(expected, abs=1e-12)
    assert overall["judge minus people"].n_units == 60
    assert "clusters" in overall["judge minus people"].method or "cluster" in overall["judge minus people"].method


def test_a_judge_stands_next_to_people_level_by_level() -> None:
    rows, about = numeric()
    rows = [replace(row, dimension="far" if int(row.unit[1:]) % 2 else "near") for row in rows]
    people: dict[str, list[float]] = {}
    for row in rows:
        if row.rater in ("ann", "bob", "cem"):
            people.setdefault(row.unit, []).append(row.value)
    judge = {row.unit: row.value for row in rows if row.rater == "gpt"}
    keys = {
        "answer by answer": lambda unit: unit,
        "means of a model in a dimension": lambda unit: (about[unit].model, int(unit[1:]) % 2),
        "means of a model": lambda unit: about[unit].model,
    }
    found = table(report(rows, about=about), "judge_levels_1")
    assert [row["level"] for row in found] == list(keys)
    for row, key in zip(found, keys.values(), strict=True):
        lots: dict[Any, list[tuple[float, float]]] = {}
        for unit, votes in people.items():
            lots.setdefault(key(unit), []).append((float(np.mean(votes)), judge[unit]))
        means = np.array([np.mean(lot, axis=0) for lot in lots.values()])
        assert row["Pearson's r"].value == pytest.approx(stats.pearsonr(*means.T).statistic)
        assert row["Spearman's rho"].value == pytest.approx(stats.spearmanr(*means.T).statistic)
        assert row["Pearson's r"].n_units == len(means)
    assert not [each for each in report().tables() if each.key.startswith("judge_levels")], "names have no means"


def test_corrected_scores_use_what_people_did_not_grade() -> None:
    rows, about = numeric()
    of = report(rows, about=about)
    scores = {(row["model"], row["how"]): row["score"] for row in table(of, "scores")}
    judge = {row.unit: row.value for row in rows if row.rater == "gpt"}
    b = [unit for unit in judge if about[unit].model == "b"]
    assert scores["b", "judge alone"].value == pytest.approx(np.mean([judge[unit] for unit in b]), abs=1e-12)
    assert scores["b", "judge alone"].n_units == 30
    assert scores["b", "people alone"].n_units == 20
    assert abs(scores["b", "PPI++"].value - scores["b", "people alone"].value) < 0.5


def test_runs_of_a_judge() -> None:
    rows, about = numeric()
    of = report(rows, about=about, runs=Runs(repeats={"gpt": ("gpt_again",)}, earlier={"gpt": ("gpt_old",)}))
    by_name = {row["statistic"]: row["value"] for row in table(of, "repeats")}
    values = {(row.unit, row.rater): row.value for row in rows}
    equal = [values[f"u{n:03}", "gpt"] == values[f"u{n:03}", "gpt_again"] for n in range(90)]
    assert by_name["The same in all runs"].value == pytest.approx(np.mean(equal), abs=1e-12)
    assert {row["what"] for row in table(of, "drift")} >= {"change", "change of the mean rating"}
    assert "gpt_again" not in {row["rater"] for row in table(of, "raters")}


def test_swapped_answers() -> None:
    """A judge that takes the first answer nine times out of ten, whatever it is."""
    rows = []
    for n in range(100):
        rows += [Rating(f"u{n}", name, "better", "left" if n % 2 else "right") for name in ("ann", "bob")]
        rows.append(Rating(f"u{n}", "gpt", "better", "left" if n % 10 else "right"))
        rows.append(Rating(f"u{n}", "gpt_swapped", "better", "right" if n % 10 else "left"))
    of = report(
        rows,
        humans=("ann", "bob"),
        scales={"better": Scale("nominal", ("left", "right"))},
        runs=Runs(swapped={"gpt": ("gpt_swapped",)}),
    )
    found = {row["what"]: row["value"].value for row in table(of, "position")}
    assert found["the same verdict in both orders"] == 0.0
    assert found["leans toward the first position"] == pytest.approx(0.9)
    shift = {row["value given"]: row["difference"].value for row in table(of, "position_shift")}
    assert shift == {"left": pytest.approx(0.8), "right": pytest.approx(-0.8)}
