"""A biased judge gets no green verdict, and everything that shows the verdict says why in its first sentence."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from benchmarks.verdicts import COPY, FIVE, GOOD, JUDGE, World, study_of
from extensions.calibration.report import files, standing
from extensions.calibration.report.calibration import calibration
from extensions.calibration.report.ruling import rulings_of
from extensions.calibration.report.ruling_biases import biases_of, copies_of
from extensions.calibration.report.rulings import Ruling, Rulings
from extensions.calibration.report.whole import CalibrationReport, RatingSource
from extensions.calibration.statistics.verdict import Rule

pytestmark = pytest.mark.thorough

FAMILY = "A bias blocks this judge from replacing a person: it favors its own family by"


def report(world: World, seed: int = 1) -> CalibrationReport:
    return calibration(study_of(world, seed), RatingSource("made.csv", "0" * 64, "file"))


def ruled(world: World, seed: int = 1) -> Ruling:
    """The verdict alone, without the rest of the report."""
    made = study_of(world, seed)
    return rulings_of(made, Rule(), copies_of(made))[0]


def rulings(of: CalibrationReport) -> list[Ruling]:
    return [each for block in of.section("verdict").blocks if isinstance(block, Rulings) for each in block.rulings]


@pytest.fixture(scope="module")
def biased() -> CalibrationReport:
    return report(World(family=11))


def test_a_judge_of_its_own_family_is_blocked_in_the_first_sentence_of_every_form(biased: CalibrationReport) -> None:
    (found,) = rulings(biased)
    assert found.verdict == "correct"
    assert found.why[0].startswith(FAMILY)
    assert found.why[0] == found.bias
    assert "300 questions" in found.why[0]
    assert found.counted == "300 questions, 1,800 answers"
    made = dict(files.contents(biased))
    assert FAMILY in biased.section("verdict").lead
    first = standing.first_screen(biased)
    assert first.index(FAMILY) < first.index("<li>", first.index("<li>") + 1), "the first line of the first screen"
    for name in ("report.html", "card.html", "verdict.txt"):
        words = made[name].decode()
        assert FAMILY in words, name
        assert "300 questions, 1,800 answers" in words, name
    row = next(csv.DictReader(io.StringIO(made["tables/verdicts.csv"].decode())))
    assert row["why"].startswith(FAMILY)
    assert (row["dimension"], row["questions"], row["answers"]) == ("all", "300", "1800")
    box = json.loads(made["report.json"])["sections"][0]["blocks"][0]["rulings"][0]
    assert box["bias"].startswith(FAMILY)
    assert (box["questions"], box["answers"]) == (300, 1800)
    rows = list(csv.DictReader(io.StringIO(made["tables/bias_verdict.csv"].decode())))
    family = next(row for row in rows if row["bias"] == "family")
    assert family["for the verdict"] == "blocks"
    assert float(family["low"]) > 5


@pytest.mark.parametrize(
    ("world", "said"),
    [
        (World(length=11), "it gives long answers"),
        (World(position=11), "its scores move by"),
        (World(model=11), "it favors m2 by"),
        (World(drift=16), "A bias blocks this judge"),
        (replace(FIVE, lenient=8), "it rates answers 8."),
    ],
)
def test_other_biases_block_too(world: World, said: str) -> None:
    found = ruled(world)
    assert found.verdict == "correct"
    assert said in found.why[0]


def test_a_good_judge_passes_and_a_constant_does_not() -> None:
    verdicts = [ruled(replace(GOOD, questions=600), seed) for seed in range(4)]
    assert [each.verdict for each in verdicts].count("replace") >= 3
    assert all(not each.bias for each in verdicts if each.verdict == "replace")
    assert any(
        why.startswith("10 tests for bias (") and "): none significant at 0.05" in why
        for each in verdicts
        for why in each.why
    )
    assert ruled(World(constant=True)).verdict == "no"


def test_a_near_copy_is_reported_as_one_judge() -> None:
    of = report(World(family=11, copied=True))
    (found,) = rulings(of)
    assert (found.judge, found.copies) == (JUDGE, (COPY,))
    assert found.about == "judge = copy · score"
    assert found.why[1] == (
        "copy gives nearly the same replies with the same errors as this judge, so all of these judges count as one "
        "judge."
    )
    assert FAMILY in found.why[0]
    made = study_of(World(family=11, copied=True), 1)
    named = replace(made, judges=(COPY, JUDGE), families={JUDGE: ("m0", "m1")})
    first = rulings_of(named, Rule(), copies_of(named))[0]
    assert (first.judge, first.copies) == (JUDGE, (COPY,)), "the copy whose family is known leads"
    assert FAMILY in first.why[0]
    table = next(each for each in of.tables() if each.key == "judges_alike")
    (pair,) = table.rows
    assert (pair[1], pair[-1]) == ("judge and copy", "yes")
    assert pair[-2] == pytest.approx(1.0, abs=0.05), "two near-copies are worth one judge"


def test_names_without_an_order_are_tested_by_the_most_frequent_one() -> None:
    made = study_of(World(family=11), 1)
    named = replace(
        made, rows=[replace(row, value="right" if row.value else "wrong") for row in made.rows], runs=replace(made.runs)
    )
    (part,) = named.slices
    numbers, names = biases_of(made, made.slices[0], JUDGE), biases_of(named, part, JUDGE)
    assert numbers is not None
    assert names is not None
    leniency = names.tested[-1]
    assert (leniency.kind, leniency.toward) == ("leniency", "right")
    for one, other in zip(numbers.tested, names.tested, strict=True):
        if one.kind != "position":
            assert other.points.value == pytest.approx(one.points.value)


def test_without_units_the_verdict_says_what_was_not_tested() -> None:
    made = study_of(GOOD, 1)
    bare = replace(made, about={}, families={}, runs=type(made.runs)())
    (found,) = rulings(calibration(bare, RatingSource("made.csv", "0" * 64, "file")))
    assert found.counted == "1,800 units; their questions are unknown"
    told = "1 test for bias (leniency): none significant at 0.05 after correction. Not tested: family"
    assert any(why.startswith(told) for why in found.why)


def test_a_bias_comes_first_where_people_agree_too_little() -> None:
    found = ruled(World(family=30, people_errs=0.4))
    assert found.verdict in ("open", "people")
    assert found.why[0].startswith("A bias blocks this judge")
    assert found.why[0] == found.bias
