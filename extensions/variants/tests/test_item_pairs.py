"""Variants of the same items, pair by pair: by hand, with what is no pair, and by command."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace
from pathlib import Path

import pytest
from scipy import stats
from typer.testing import CliRunner

from agreement.means import paired_difference
from annotation_schemas import shipped
from annotation_schemas.loader import examine, load_schema, load_text
from app.cli import cli
from app.services import resources
from db.engine import open_store
from domain.errors import InvalidInputError, SchemaError
from extensions.variants import item_pairs
from extensions.variants.item_pairs import NO_PARTNER, NO_SCORE, TWICE, PairFields
from tests.workflow.test_results import CLOSED, KEY, filled, made
from workflow.results import project_answers
from workflow.results.project_answers import ProjectAnswers
from workflow.results.score_choices import Scores

# of pairs 0 to 7: whether the model is right on the variant "what", and on "yes or no"
WHAT = [1, 0, 0, 0, 0, 1, 0, 0]
YES_NO = [1, 1, 1, 1, 1, 0, 0, 1]
BY = PairFields("pair", "form")


def found(*, sources: dict[int, str] | None = None) -> ProjectAnswers:
    """Items 0 to 7 ask what, 10 to 17 yes or no; 20 has no partner, 21 to 23 are one pair with two of a variant."""
    right = {at: float(value) for at, value in enumerate(WHAT)} | {10 + at: float(v) for at, v in enumerate(YES_NO)}
    right |= dict.fromkeys((20, 21, 22, 23), 1.0)
    read = made([(item, "m", value) for item, value in right.items()], sources=sources)
    told = {item: (item % 10, "yes or no" if item >= 10 else "what") for item in range(18)}
    told |= {20: (90, "what"), 21: (91, "what"), 22: (91, "what"), 23: (91, "yes or no")}
    labelled = {
        id: replace(item, labels={"pair": told[id][0], "form": told[id][1]} if id in told else {})
        for id, item in read.items.items()
    }
    return replace(read, items=labelled)


def test_a_difference_over_pairs_has_mcnemar_s_test() -> None:
    (row,) = item_pairs.differences(found(), BY, [KEY])
    assert (row.first, row.second, row.means) == ("what", "yes or no", (2 / 8, 6 / 8))
    assert (row.difference.value, row.difference.n_units) == (0.5, 8)
    assert (row.higher, row.lower, row.equal) == (5, 1, 2)
    assert row.difference.test is not None
    assert row.difference.test.p_value == pytest.approx(stats.binomtest(1, 6).pvalue)
    # Bonett and Price: one more in both cells that differ, over n + 2
    p, r = 6 / 10, 2 / 10
    assert row.difference.low == pytest.approx(p - r - 1.959964 * math.sqrt((p + r - (p - r) ** 2) / 10), abs=1e-6)
    assert row.left_out == {NO_PARTNER: 1, TWICE: 1}


def test_grades_have_a_paired_t_and_pairs_of_one_source_belong_together() -> None:
    scores = Scores("human", "score")
    grades = {at: (0.5 * (at % 3),) for at in range(8)} | {8 + at: (1.0 if at % 2 else 0.5,) for at in range(8)}
    plain = found()
    read = replace(plain, grades={"score": grades})  # answers 0 to 15 are items 0 to 7 and 10 to 17
    (row,) = item_pairs.differences(read, BY, [scores])
    first, second = [grades[at][0] for at in range(8)], [grades[8 + at][0] for at in range(8)]
    expected = stats.ttest_rel(second, first)
    assert row.difference.test is not None
    assert (row.difference.test.name, row.difference.test.p_value) == ("t", pytest.approx(expected.pvalue))
    assert row.p_adjusted == pytest.approx(expected.pvalue)
    limits = expected.confidence_interval(0.95)
    assert (row.difference.low, row.difference.high) == (pytest.approx(limits.low), pytest.approx(limits.high))
    two = {at: f"video {at % 10 // 2}" for at in range(18)}  # two pairs of each of four videos
    (row,) = item_pairs.differences(found(sources=two), BY, [KEY])
    off = [b - a - 0.5 for a, b in zip(WHAT, YES_NO, strict=True)]
    sums = [off[at] + off[at + 1] for at in range(0, 8, 2)]
    assert row.difference.se == pytest.approx(math.sqrt(4 / 3 * sum(each**2 for each in sums)) / 8)
    assert row.difference.test is not None
    assert row.difference.test.df == (3.0,)
    assert row.p_adjusted == pytest.approx(2 * stats.t.sf(0.5 / row.difference.se, 3))


def test_what_is_no_pair_is_counted_and_mistakes_are_named() -> None:
    read = found()
    (row,) = item_pairs.differences(replace(read, answers=read.answers[1:]), BY, [KEY])
    assert (row.difference.n_units, row.left_out) == (7, {NO_PARTNER: 1, TWICE: 1, NO_SCORE: 1})
    assert item_pairs.differences(read, PairFields("pair", "answer"), [KEY]) == [], "all have one key"
    with pytest.raises(InvalidInputError, match="no field or label 'paar'"):
        item_pairs.differences(read, PairFields("paar", "form"), [KEY])
    assert not paired_difference([], []).defined
    assert paired_difference([0.5, 0.5], [1, 1]).test is None
    assert item_pairs.differences(read, BY, [Scores("corrected", "score", "j", "ppi")]) == []


def test_the_schema_names_its_pairs(tmp_path: Path) -> None:
    schema = load_schema(shipped()["egothink"]).schema_
    assert item_pairs.named(schema) == PairFields("pair", "variant")
    assert item_pairs.named(schema, "image_id", "scene") == PairFields("image_id", "scene")
    text = CLOSED.replace("COMBINE", "mean")
    assert item_pairs.named(load_text(text, "g", "closed").schema_) is None
    wrong = tmp_path / "closed.yaml"
    wrong.write_text(
        text.replace("guideline: g", "guideline: g.md") + "report: {pairs: {pair: goal, variant: answer}}\n"
    )
    (tmp_path / "g.md").write_text("g")
    with pytest.raises(SchemaError, match="there is no field `goal`; use one of: answer, options"):
        examine(wrong)


def test_the_command_has_three_forms(tmp_path: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    store = open_store(None, tmp_path)
    filled(store)
    names = [each.name for each in project_answers.read_project(store, person=None, project="p").items.values()]
    store.close()
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path))
    resources.cache_clear()
    run = CliRunner()
    with pytest.raises(InvalidInputError, match="--pair NAME --variant NAME"):
        run.invoke(cli, ["variant", "show", "p"], catch_exceptions=False)
    table, marked = tmp_path / "labels.csv", ("no", "with")
    lines = [f"{name},{at // 2},{marked[at % 2]}\n" for at, name in enumerate(names)]
    table.write_text("item,pair,marks\n" + "".join(lines), encoding="utf-8")
    brought = run.invoke(cli, ["item", "import", "p", "labels", str(table)], catch_exceptions=False)
    assert f"Imported {len(names)} labeled items." in brought.stdout
    asked = ["variant", "show", "p", "--pair", "pair", "--variant", "marks", "--scores", "key"]
    rows = list(csv.DictReader(io.StringIO(run.invoke(cli, [*asked, "--format", "csv"]).stdout)))
    assert [(row["model"], row["first"], row["second"]) for row in rows] == [
        ("filed", "no", "with"),
        ("ran", "no", "with"),
    ]
    assert all(int(row["pairs"]) + int(row["left_out"]) == 2 for row in rows)
    assert "with less no" in run.invoke(cli, asked).stdout
    assert '"variant": "marks"' in run.invoke(cli, [*asked, "--format", "json"]).stdout
    resources.cache_clear()
