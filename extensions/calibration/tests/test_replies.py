"""What became of judges' replies, in every file of a report; by worked arithmetic."""

from __future__ import annotations

from typing import Any

import pytest

from agreement.ratings import Scale
from domain.errors import RatingsError
from domain.records import Rating, UnitFacts
from domain.replies import AttackResult, JudgeAbout, replies_of
from extensions.calibration.report import card, files, report_html
from extensions.calibration.report.attacks import share_of
from extensions.calibration.report.calibration import calibration
from extensions.calibration.report.rulings import Rulings
from extensions.calibration.report.study import Runs, Study
from extensions.calibration.report.whole import CalibrationReport, RatingSource
from reports.content import Paragraph, ReportTable

HERE = RatingSource("made.csv", "0" * 64, "file")
FAILED = frozenset({"no score: truncated", "no score: out of range"})
GPT = ["1", "1", "1", "0", "0", "1", "no score: truncated", "no score: truncated", "no score: out of range", "1"]
"""Ten answers, of which people grade the first eight."""


def value(text: str) -> Any:
    return text if text in FAILED else float(text)


def study(**changes: Any) -> Study:
    rows = [Rating(f"q{at} · m", name, "score", float(at % 2)) for at in range(8) for name in ("ann", "bob", "cem")]
    rows += [Rating(f"q{at} · m", "gpt", "score", value(text)) for at, text in enumerate(GPT)]
    given: dict[str, Any] = {
        "scales": {"score": Scale("ordinal", (0.0, 0.5, 1.0))},
        "about": {f"q{at} · m": UnitFacts(f"q{at}", "m") for at in range(10)},
        "unparsed": FAILED,
        **changes,
    }
    return Study(given.pop("rows", rows), ("ann", "bob", "cem"), given.pop("judges", ("gpt",)), **given)


def table(of: CalibrationReport, key: str) -> list[dict[str, Any]]:
    found = next(each for each in of.tables() if each.key == key)
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def said(of: CalibrationReport, section: str) -> str:
    return " ".join(block.words for block in of.section(section).blocks if isinstance(block, Paragraph))


def test_asked_scored_failures_and_bounds() -> None:
    of = calibration(study(), HERE)
    (row,) = table(of, "replies")
    assert (row["asked"], row["rated by people"], row["scored"]) == (10, 8, 7)
    assert row["not scored"] == "2 truncated, 1 out of range"
    assert {row["why"]: row["replies"] for row in table(of, "failures")} == {"truncated": 2, "out of range": 1}
    assert row["share scored"].value == pytest.approx(0.7)
    # Wilson's limits of 7 of 10: (0.7 + 1.9208 / 10 -+ 1.96 * sqrt(0.21 / 10 + 3.8415 / 400)) / 1.38415
    assert row["share scored"].low == pytest.approx(0.39678, abs=1e-4)
    assert row["share scored"].high == pytest.approx(0.89221, abs=1e-4)
    (mean,) = table(of, "bounds")
    assert mean["of those scored"] == pytest.approx(5 / 7)
    assert mean["the rest lowest"] == pytest.approx(5 / 10)
    assert mean["the rest highest"] == pytest.approx(8 / 10)
    (gpt,) = [row for row in table(of, "raters") if row["rater"] == "gpt"]
    assert (gpt["units"], gpt["asked"], gpt["lowest possible mean"]) == (7, 10, pytest.approx(0.5))
    assert all(row["asked"] is None for row in table(of, "raters") if row["rater"] != "gpt")
    (alone,) = [row for row in table(of, "scores") if row["how"] == "judge alone"]
    assert "replies with a score: 7 of 10; the mean is 0.500 to 0.800 if the other replies had" in alone["valid if"]
    assert "was asked to rate 10 units on score, and people rated 8 of these units" in said(of, "design")
    assert "gpt, score: 7 of 10 scored; 2 truncated, 1 out of range" in of.section("design").lead
    (box,) = [block for block in of.section("verdict").blocks if isinstance(block, Rulings)]
    assert "7 of 10 scored; 2 truncated, 1 out of range" in " ".join(box.rulings[0].why)


def test_names_have_bounds_of_shares() -> None:
    found = replies_of(
        "gpt", "ok", None, values={"a": "yes", "b": "yes", "c": "no"}, failed={"d": "empty"}, scale=["yes", "no"]
    )
    assert found.words == "3 of 4 scored; 1 empty"
    assert {each.what: (each.value, each.lowest, each.highest) for each in found.bounds} == {
        "share of yes": (pytest.approx(2 / 3), 0.5, 0.75),
        "share of no": (pytest.approx(1 / 3), 0.25, 0.5),
    }
    nothing = replies_of("gpt", "s", None, values={}, failed={"d": "empty"}, scale=[0, 1])
    assert [(each.value, each.lowest, each.highest) for each in nothing.bounds] == [(None, 0.0, 1.0)]


def test_a_judge_that_has_scored_nothing_is_told() -> None:
    rows = list(study().rows)
    rows += [Rating(f"q{at} · m", "mute", "score", "no score: truncated") for at in range(8)]
    of = calibration(study(rows=rows, judges=("gpt", "mute")), HERE)
    assert "mute has not scored any unit on score" in said(of, "design")
    (box,) = [block for block in of.section("verdict").blocks if isinstance(block, Rulings)]
    (mute,) = [each for each in box.rulings if each.judge == "mute"]
    assert (mute.verdict, mute.why) == ("open", ("The judge has scored no unit: 0 of 8 scored; 8 truncated.",))
    with pytest.raises(RatingsError, match="mute has not scored any unit on score: 0 of 8 scored; 8 truncated"):
        calibration(study(rows=rows, judges=("mute",)), HERE)


def test_runs_that_ask_again_have_rows_of_their_own() -> None:
    rows = list(study().rows)
    rows += [Rating(f"q{at} · m", "gpt again", "score", 1.0 if at else "no score: truncated") for at in range(8)]
    of = calibration(study(rows=rows, runs=Runs(repeats={"gpt": ("gpt again",)})), HERE)
    assert [(row["judge"], row["asked"], row["scored"]) for row in table(of, "replies")] == [
        ("gpt", 10, 7),
        ("gpt again", 8, 7),
    ]


ABOUT = JudgeAbout(
    "gpt",
    "four (gpt-4)",
    "a" * 64,
    "pca_anchors",
    3,
    "b" * 64,
    "six_lines",
    2,
    "2026-11-01",
    "done",
    10,
    10,
    12,
    2,
    0.0123,
    2,
    "USD",
)


@pytest.mark.thorough
def test_report_and_card_say_what_a_judge_is() -> None:
    of = calibration(study(judge_runs=[ABOUT]), HERE)
    told = {row["what"]: row["is"] for row in table(of, "judges_are")}
    assert told == {
        "model": "four (gpt-4)",
        "description, SHA-256": "a" * 64,
        "template": "pca_anchors, version 3",
        "template, SHA-256": "b" * 64,
        "parser": "six_lines, version 2",
        "asked on": "2026-11-01",
        "run": "done, 10 of 10 questions asked",
        "attempts": 12,
        "attempts without a reply": 2,
        "cost": "0.0123 USD, plus 2 requests with unknown cost",
    }
    page = card.page(of)
    for words in (
        "template pca_anchors, version 3",
        f"description, SHA-256 {'a' * 12},",
        "parser six_lines, version 2",
        "score: 7 of 10 scored (2 truncated, 1 out of range)",
        "mean 0.714, or 0.500 to 0.800 if the other replies had the lowest or highest score",
    ):
        assert words in page
    for words in ("Outcomes of the judges' replies", "The judges"):
        assert words.replace("'", "&#x27;") in report_html.page(of)
    written = dict(files.contents(of))
    assert b"gpt,truncated,2" in written["tables/failures.csv"]
    assert "have no stored replies" in said(calibration(study(), HERE), "design")


def attacked(kind: str, fell: list[bool | None], judge: str = "gpt") -> list[AttackResult]:
    return [
        AttackResult(judge, "score", kind, f"q{at}", each, "truncated" if each is None else None)
        for at, each in enumerate(fell)
    ]


def test_how_often_a_judge_fell_for_it() -> None:
    found = attacked("order", [True, True, True, False, None]) + attacked("plain", [True, False, False, False, False])
    of = calibration(study(attacks=found, attacked_others=("other judge, attacked",)), HERE)
    plain, order = table(of, "attacks")
    assert (plain["kind of answer"], plain["asked"], plain["fell"]) == ("plain", 5, 1)
    assert (order["asked"], order["scored"], order["not scored"], order["fell"]) == (5, 4, "1 truncated", 3)
    assert order["share that fell"].value == 0.75
    # Wilson's limits of 3 of 4: (0.75 + 3.8415 / 8 -+ 1.96 * sqrt(0.1875 / 4 + 3.8415 / 64)) / (1 + 3.8415 / 4)
    assert order["share that fell"].low == pytest.approx(0.30064, abs=1e-4)
    assert order["share that fell"].high == pytest.approx(0.95441, abs=1e-4)
    assert order["share that fell"].n_left_out == 1
    assert order["share of plain"].value == pytest.approx(0.2)
    assert order["more than plain"].value == pytest.approx((0 + 1 + 1 + 0) / 4)
    assert "gpt scored 3 of 4 attack answers above the lowest value" in of.section("attacks").lead
    assert "other judge, attacked" in said(of, "attacks")
    assert [each.number for each in of.sections] == list(range(12))


def test_without_attacks_the_section_says_how() -> None:
    of = calibration(study(), HERE)
    assert of.section("attacks").lead == "There are too few ratings to answer this question."
    assert "--attacks" in said(of, "attacks")


def test_attacks_without_the_control_and_without_a_score() -> None:
    of = calibration(study(attacks=attacked("order", [None, None])), HERE)
    (row,) = table(of, "attacks")
    assert (row["scored"], row["share that fell"].value) == (0, None)
    assert "the plain answers without an attack have no scores" in said(of, "attacks")
    assert isinstance(next(iter(of.tables())), ReportTable)


def test_several_questions_about_an_item_are_no_independent_witnesses() -> None:
    """Ten items asked four times each, always with the same reply: as sure as ten replies, not as forty."""
    once = attacked("order", [True, False] * 5)
    alone, often = share_of(once), share_of(once * 4)
    assert (alone.value, often.value, often.n_units) == (0.5, 0.5, 40)
    assert None not in (often.low, often.high)
    assert often.high - often.low > 0.5  # Wilson's limits for 40 replies would be 0.30 apart
    nothing = share_of(attacked("order", [False] * 5) * 8)
    assert nothing.high == pytest.approx(share_of(attacked("order", [False] * 5)).high)
