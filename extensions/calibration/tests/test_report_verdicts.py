"""Verdicts on judges in reports, and the numbers that stand next to them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import numpy as np
import pytest

from agreement import Scale
from domain.errors import RatingsError
from domain.records import Rating, UnitFacts
from extensions.calibration.report import files, report_html
from extensions.calibration.report.calibration import calibration
from extensions.calibration.report.ruling import rule_from_text
from extensions.calibration.report.rulings import Rulings
from extensions.calibration.report.study import StoredRule, Study
from extensions.calibration.statistics.verdict import Rule
from extensions.calibration.tests.test_report import HERE, made, report, table
from reports.content import ReportTable

pytestmark = pytest.mark.thorough


def graded(judge_right: float, n: int = 300, people_right: float = 0.9) -> list[Rating]:
    random = np.random.default_rng(11)
    rows = []
    for unit in range(n):
        truth = int(random.integers(0, 2))
        for name, right in (("ann", people_right), ("bob", people_right), ("cem", people_right), ("gpt", judge_right)):
            rows.append(Rating(f"u{unit}", name, "ok", ("no", "yes")[truth if random.random() < right else 1 - truth]))
    return rows


@pytest.mark.parametrize(
    ("judge_right", "n", "people_right", "verdict"),
    [
        (0.95, 300, 0.9, "replace"),
        (0.75, 300, 0.9, "correct"),
        (0.5, 300, 0.9, "no"),
        (0.95, 300, 0.55, "people"),
        (0.95, 20, 0.9, "open"),
    ],
)
def test_verdicts(judge_right: float, n: int, people_right: float, verdict: str) -> None:
    study = Study(graded(judge_right, n, people_right), ("ann", "bob", "cem"), ("gpt",))
    of = calibration(study, HERE, rule_from_text("margin=0.1,association=0.2"))
    (box,) = [block for block in of.section("verdict").blocks if isinstance(block, Rulings)]
    assert [each.verdict for each in box.rulings] == [verdict]


def test_no_verdict_on_units_the_judge_was_tuned_on() -> None:
    of = report(graded(0.95), tuned=True)
    (box,) = [block for block in of.section("verdict").blocks if isinstance(block, Rulings)]
    assert box.rulings[0].verdict == "open"
    assert "tuned" in box.rulings[0].why[0]


@pytest.mark.parametrize("text", ["margin", "margin=wide", "colour=0.1", "people=1", "test=perhaps"])
def test_a_rule_that_does_not_fit(text: str) -> None:
    with pytest.raises(RatingsError):
        rule_from_text(text)


def test_no_verdict_with_one_person() -> None:
    of = report(graded(0.95), humans=("ann",))
    (box,) = [block for block in of.section("verdict").blocks if isinstance(block, Rulings)]
    assert box.rulings[0].verdict == "open"


def test_ratings_of_all_kinds_make_a_report() -> None:
    """Few units, gaps, constants, scales of all levels: a reason, never a traceback."""
    for seed in range(12):
        random = np.random.default_rng(seed)
        n, k, q = int(random.choice([1, 2, 5, 15])), int(random.integers(1, 4)), int(random.integers(1, 5))
        gap, kind = float(random.choice([0, 0.3, 0.8])), seed % 4
        rows = [
            Rating(f"u{unit}", name, "c", (f"v{code}", code, float(random.normal()), code)[kind], "ab"[unit % 2])
            for name in [*(f"p{at}" for at in range(k)), "j"]
            for unit in range(n)
            if random.random() >= gap or unit == 0
            for code in [int(random.integers(0, q))]
        ]
        scales = {"c": Scale("ordinal", tuple(range(q)))} if kind == 3 else {}
        of = report(rows, humans=tuple(f"p{at}" for at in range(k)), judges=("j",), scales=scales)
        assert json.loads(files.numbers(of))
        assert report_html.page(of)


def skewed(judge: Sequence[str]) -> list[Rating]:
    """200 answers to 100 items, of which 190 are good by three people; and a judge."""
    rows = []
    for unit in range(200):
        value = "good" if unit >= 10 else "bad"
        rows += [Rating(f"u{unit}", who, "quality", value) for who in ("ann", "bob", "cem")]
        rows.append(Rating(f"u{unit}", "gpt", "quality", judge[unit]))
    return rows


def test_the_base_rate_and_a_constant_judge_stand_next_to_the_coefficients() -> None:
    about = {f"u{unit}": UnitFacts(item=f"item{unit // 2}") for unit in range(200)}
    of = report(skewed(["good"] * 200), about=about)
    (row,) = table(of, "constant")
    assert row["most frequent value"] == "good"
    assert row["share of this value among people's ratings"].value == 0.95
    assert (row["judge gives the same value as a person"].value, row["always that value"].value) == (0.95, 0.95)
    assert row["difference"].value == 0.0
    (box,) = [block for block in of.section("verdict").blocks if isinstance(block, Rulings)]
    (ruling,) = box.rulings
    assert (ruling.verdict, ruling.words) == ("no", "Not usable")
    assert "The judge gives the same value to all 200 units" in ruling.why[0]
    assert "a judge that always says good passes (3 of 3)" in of.section("alternative").lead
    # 95 of 100 items have no bad answer; the same are told wherever an interval knew them
    notes = [block.note for section in of.sections for block in section.blocks if isinstance(block, ReportTable)]
    assert any("as one cluster (quality: 100 items for 200 units)" in note for note in notes)
    assert not any(
        "as one cluster" in block.note for block in report().section("judges").blocks if isinstance(block, ReportTable)
    )


def test_small_numbers_stand_in_plain_digits() -> None:
    of = report(skewed(["good" if unit >= 10 else "bad" for unit in range(200)]))
    assert {row["p"] for row in table(of, "alternative_people")} == {"< 0.001"}
    text = report_html.page(of)
    assert not re.search(r"[0-9]e-[0-9]|\bnan\b", re.sub(r"<style.*?</style>|<svg.*?</svg>", "", text, flags=re.DOTALL))


@pytest.mark.parametrize(
    ("stored", "given", "said"),
    [
        (StoredRule(), None, "The default rule, which was not set beforehand"),
        (StoredRule(), "margin=0.1", "without proof that the rule existed before the first reply"),
        (StoredRule(Rule(margin=0.1), "2026-11-01", "2026-11-02", True), None, "set beforehand on 2026-11-01"),
        (StoredRule(Rule(margin=0.1), "2026-11-03", "2026-11-02"), None, "on 2026-11-03, after the first reply"),
        (StoredRule(Rule(margin=0.1), "2026-11-01", "2026-11-02", True), "margin=0.2", "without proof"),
    ],
)
def test_only_a_stored_rule_was_set_beforehand(stored: StoredRule, given: str | None, said: str) -> None:
    study = Study(made(), ("ann", "bob", "cem"), ("gpt",), rule=stored)
    of = calibration(study, HERE, rule_from_text(given) if given else None)
    (box,) = [block for block in of.section("verdict").blocks if isinstance(block, Rulings)]
    assert said in box.when
    assert said in report_html.page(of)
    margin = 0.1 if stored.rule and not given else 0.2 if given == "margin=0.2" else 0.1 if given else 0.05
    assert of.settings["rule"]["margin"] == margin
