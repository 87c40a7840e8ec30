"""A verdict holds whatever value the unread replies of a judge would have had, or says why not; worked arithmetic."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agreement.losses import MOST_LOST
from app.cli import cli
from domain.records import Rating
from extensions.calibration.report import files, standing
from extensions.calibration.report.calibration import calibration
from extensions.calibration.report.ruling import rulings_of
from extensions.calibration.report.rulings import Ruling, Rulings
from extensions.calibration.report.study import Study
from extensions.calibration.report.whole import CalibrationReport, RatingSource
from extensions.calibration.statistics.verdict import Rule
from testkit.missing_extensions import needs

LOST = "no score: unreadable"
LIMITS = "Unread replies limit this verdict:"
N = 1000
"""Answers, half of them right."""


def report(lost: Collection[int], *, words: bool = False) -> CalibrationReport:
    return calibration(study_of_replies(lost, words=words), RatingSource("made.csv", "0" * 64, "file"))


def study_of_replies(lost: Collection[int], *, words: bool = False) -> Study:
    """Return a study of a judge that says what all people say, but for these replies, which are lost.

    Each person errs on 10 other answers, 5 of each value; the judge agrees with all people elsewhere.
    """
    names = ("wrong", "right") if words else (0.0, 1.0)
    rows = []
    for at in range(N):
        truth = at % 2
        for person, name in enumerate(("ann", "bob", "cem")):
            errs = N - 30 + 10 * person <= at < N - 20 + 10 * person
            rows.append(Rating(f"u{at}", name, "score", names[1 - truth if errs else truth]))
        rows.append(Rating(f"u{at}", "gpt", "score", LOST if at in lost else names[truth]))
    return Study(rows, ("ann", "bob", "cem"), ("gpt",), unparsed=frozenset({LOST}))


def ruling(of: CalibrationReport) -> Ruling:
    (found,) = (each for block in of.section("verdict").blocks if isinstance(block, Rulings) for each in block.rulings)
    return found


@pytest.fixture(scope="module")
def lossy() -> CalibrationReport:
    """Return the report of a judge that lost 60 of 500 zeros and none of 500 ones."""
    return report(range(0, 120, 2))


def test_losses_of_one_value_qualify_the_verdict_with_numbers(lossy: CalibrationReport) -> None:
    found = ruling(lossy)
    assert found.verdict == "correct"
    assert found.unread == found.why[0]
    assert found.why[0].startswith(f"{LIMITS} 60 of 1,000 replies could not be read (6.0 %).")
    assert "Losses depend on people's grade (p < 0.001): 0 lost 60 of 500, all others 0 of 500." in found.why[0]
    # A person and the truth differ on 10 of 1,000 answers, 5 of each value: both say 0 and 1 500 times, so chance
    # agreement is 0.5 and kappa (0.99 - 0.5) / 0.5 = 0.98. Two people differ on 20: 0.96. Without the lost replies,
    # 930 of 940 agree; the judge says 440 zeros, a person 440: chance (440^2 + 500^2) / 940^2 = 0.50204, kappa
    # (930 / 940 - 0.50204) / 0.49796 = 0.97864; two people 0.95727; the difference is 0.021. With ones for 60 zeros,
    # 930 of 1,000 agree and chance is 0.44 * 0.5 + 0.56 * 0.5 = 0.5: kappa 0.86, and 0.86 - 0.96 = -0.1.
    assert "the highest value, the difference between judge and people would be \N{MINUS SIGN}0.100 [" in found.why[0]
    assert "instead of 0.021 [" in found.why[0]
    assert '"usable with correction" instead of "usable as replacement"' in found.why[0]


def test_page_card_text_and_tables_say_the_same_first(lossy: CalibrationReport) -> None:
    first = standing.first_screen(lossy)
    assert first.index(LIMITS) < first.index("<li>", first.index("<li>") + 1)
    assert LIMITS.lower() in lossy.section("verdict").lead.lower()
    made = dict(files.contents(lossy))
    for name in ("report.html", "card.html", "verdict.txt"):
        assert LIMITS in made[name].decode(), name
    row = next(csv.DictReader(io.StringIO(made["tables/verdicts.csv"].decode())))
    assert row["why"].startswith(LIMITS)
    blocks = json.loads(made["report.json"])["sections"][0]["blocks"]
    (box,) = next(each for each in blocks if each["type"] == "rulings")["rulings"]
    assert box["unread"].startswith(LIMITS)


def test_losses_of_a_near_copy_limit_the_verdict_on_both() -> None:
    one = study_of_replies(range(0, 120, 2))
    whole = [replace(row, rater="same") for row in study_of_replies(()).rows if row.rater == "gpt"]
    both = replace(one, rows=[*one.rows, *whole], judges=("same", "gpt"))
    (found,) = rulings_of(both, Rule(), {"score": [("same", "gpt")]})
    assert (found.judge, found.copies, found.verdict) == ("same", ("gpt",), "correct")
    assert found.unread.startswith(f"{LIMITS} 60 of 1,000 replies of gpt could not be read (6.0 %).")


def test_a_green_verdict_that_holds_at_the_bounds_says_so() -> None:
    # 12 zeros with ones instead: 978 of 1,000 agree, kappa 0.956, and 0.956 - 0.96 is far above -0.05
    found = ruling(report(range(0, 24, 2)))
    assert (found.verdict, found.unread) == ("replace", "")
    (said,) = [each for each in found.why if "the verdict would be the same" in each.lower()]
    assert said.startswith("12 of 1,000 replies could not be read (1.2 %). Losses depend on people's grade")
    assert said.endswith("if each unread reply had the lowest value or the highest value.")


def test_few_losses_that_depend_on_nothing_leave_the_verdict_as_it_is() -> None:
    lost = range(int(MOST_LOST * N))  # as many of each value, and not above the limit
    found = ruling(report(lost))
    assert (found.verdict, found.unread) == ("replace", "")
    assert not any("verdict would be the same" in each for each in found.why)


def test_names_without_an_order_get_the_value_that_fewest_people_gave() -> None:
    found = ruling(report(range(0, 120, 2), words=True))
    assert found.verdict == "correct"
    assert "wrong lost 60 of 500" in found.why[0]
    assert (
        "the value farthest from people's values, the difference between judge and people would be "
        "\N{MINUS SIGN}0.100 [" in found.why[0]
    )


@needs("readers", "ratings")
def test_rows_of_a_judge_without_a_rating_are_unread_replies(tmp_path: Path) -> None:
    rows = ["unit,rater,criterion,value"]
    for at in range(100):
        rows += [f"u{at},{name},score,{at % 2}" for name in ("ann", "bob", "cem")]
        rows.append(f"u{at},gpt,score,{'NA' if at < 20 and at % 2 == 0 else '' if at == 20 else at % 2}")
    rows += ["u0,ann,other,NA", "u1,gpt,score,NA"]  # a person's row, and one beside a rating
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    given = ["calibration", "run", "--ratings", str(path), "--human", "ann,bob,cem", "--judge", "gpt"]
    result = CliRunner().invoke(cli, [*given, "--out", str(tmp_path / "out")], catch_exceptions=False)
    assert "ratings.csv has rows of gpt without a rating (11). These rows count as unread replies." in result.stderr
    assert "0 lost 11 of 50, all others 0 of 50" in result.stderr
    (row,) = csv.DictReader(io.StringIO((tmp_path / "out/tables/failures.csv").read_text(encoding="utf-8")))
    assert (row["why"], row["replies"]) == ("missing in the file", "11")
