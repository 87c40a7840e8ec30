"""Agreement over the means of dimensions: ETP-Bench's Table 7, and worked numbers."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable
from pathlib import Path
from statistics import mean

import numpy as np
import pytest
from scipy import stats

from annotation_schemas.loader import load_text
from app.commands.agreement_lines import levels_table
from db.engine import Store
from domain.errors import RatingsError
from testkit.factories import make_items, make_predictions, make_project
from testkit.missing_extensions import needs
from tests.paths import shared
from tests.workflow.test_rater_agreement import only
from workflow.results import file_raters
from workflow.results.dimension_means import LEVELS, agreement_of_levels, agreement_of_means
from workflow.results.ratings_from_files import import_ratings

PERCENT = """
name: percent
version: 1
title: Percent
dimensions: [DIMENSIONS]
item:
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list, length: 2}
    - {name: answer, kind: option_of, field: options, secret_in: [grading]}
    - {name: origin, kind: text, required: false, authored: false, secret_in: [grading]}
stages:
  authoring: {}
  grading:
    raters: 2
    combine: mean
    criteria: [{name: score, kind: number, prompt: "?", min: 0, max: 100}]
"""


def project(store: Store, *dimensions: str) -> None:
    told = ", ".join(f'{{id: {name}, title: {name}, definition: "x."}}' for name in dimensions)
    make_project(store, loaded=load_text(PERCENT.replace("DIMENSIONS", told), "Be exact.", "percent"))


def bring_in(store: Store, folder: Path, rows: list[tuple[str, str, str, float]]) -> None:
    path = folder / "ratings.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["unit", "rater", "criterion", "value"])
        out.writerows(rows)
    import_ratings(store, by=None, project="p", path=path, refuse=lambda bad: None)


@needs("readers", "ratings")
def test_the_published_table(store: Store, tmp_path: Path) -> None:
    """Two answers of each aspect whose mean is the table's: ICC(1,1) 0.402 and 0.808, as the paper prints."""
    with shared("data", "paper_tables", "etp_table7_metric_vs_human.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    project(store, *(row["aspect"].lower() for row in table))
    ratings: list[tuple[str, str, str, float]] = []
    for number, row in enumerate(table):
        aspect = row["aspect"].lower()
        make_predictions(store, make_items(store, 2, dimension=aspect), models=["m"], dimension=aspect)
        for rater in ("Human", "GPT-3.5", "Rouge-L"):
            for at, off in enumerate((-7.5, 7.5)):
                value = round(float(row[rater]) + off, 6)
                ratings.append((f"{aspect}/{2 * number + at} · m", rater, "score", value))
    bring_in(store, tmp_path, ratings)
    for judge, published in (("Rouge-L", 0.402), ("GPT-3.5", 0.808)):
        found = agreement_of_means(store, person=None, project="p", raters=["Human", judge])
        icc = only(found, "icc", form="ICC(1,1)")
        assert icc.value == pytest.approx(published, abs=0.0005)
        assert (icc.n_units, icc.args["unit"], icc.args["answers"]) == (8, "dimension", 16)


@needs("readers", "ratings")
def test_a_judge_is_compared_with_people_at_three_levels_that_are_never_mixed(store: Store, tmp_path: Path) -> None:
    """Scores by a generator, every coefficient by scipy on means taken here."""
    project(store, "colour", "shape", "size")
    random = np.random.default_rng(14)
    rows: list[tuple[str, str, float, float]] = []
    ratings: list[tuple[str, str, str, float]] = []
    for number, dimension in enumerate(("colour", "shape", "size")):
        make_predictions(store, make_items(store, 5, dimension=dimension), models=["a", "b", "c"], dimension=dimension)
        for at, model in itertools.product(range(5), "abc"):
            unit = f"{dimension}/{5 * number + at} · {model}"
            ann, bob = random.integers(0, 100, 2).tolist()
            judge = round(20 * number + 10 * "abc".index(model) + float(random.integers(0, 40)), 2)
            ratings += [(unit, "ann", "score", ann), (unit, "bob", "score", bob)]
            if at or model != "c":  # the judge has no score of three answers
                ratings.append((unit, "judge", "score", judge))
                rows.append((dimension, model, (ann + bob) / 2, judge))
    bring_in(store, tmp_path, ratings)
    file_raters.mark(store, by=None, project="p", people=["ann", "bob"])
    found = agreement_of_levels(store, person=None, project="p")
    assert {(each.args["judge"], each.args["answers"]) for each in found} == {("judge", 42)}

    def means(key: Callable[[tuple[str, str, float, float]], object]) -> list[tuple[float, float]]:
        lots: dict[object, list[tuple[float, float]]] = {}
        for row in rows:
            lots.setdefault(key(row), []).append(row[2:])
        return [(mean(each[0] for each in lot), mean(each[1] for each in lot)) for lot in lots.values()]

    keys: dict[str, Callable[[tuple[str, str, float, float]], object]] = {
        "answer": id,
        "dimension": lambda row: row[:2],
        "model": lambda row: row[1],
    }
    for unit, key in keys.items():
        pairs = list(zip(*means(key), strict=True))
        of_level = [each for each in found if each.args["unit"] == unit]
        assert only(of_level, "pearson").value == pytest.approx(stats.pearsonr(*pairs).statistic)
        assert only(of_level, "spearman").value == pytest.approx(stats.spearmanr(*pairs).statistic)
        assert {each.n_units for each in of_level} == {len(pairs[0])}
    assert {each.args["unit"] for each in found if each.statistic == "percent_agreement"} == {"answer"}
    told = "\n".join(levels_table(found))
    assert "score: judge and people, on 42 answers that both graded" in told
    assert [told.count(f"\n  {level}  ") for level in LEVELS.values()] == [4, 2, 2]
    models = agreement_of_means(store, person=None, project="p", over="model")
    assert (only(models, "pearson").n_units, only(models, "pearson").args["unit"]) == (3, "model")
    with pytest.raises(RatingsError, match="two of these raters"):
        agreement_of_levels(store, person=None, project="p", raters=["ann", "bob"])


@needs("readers", "ratings")
def test_what_cannot_be_compared(store: Store, tmp_path: Path) -> None:
    project(store, "colour")
    make_predictions(store, make_items(store, 2), models=["m"])
    bring_in(store, tmp_path, [("colour/0 · m", "one", "score", 5), ("colour/1 · m", "two", "score", 5)])
    with pytest.raises(RatingsError, match="No answer has a grade for score from all of one, two"):
        agreement_of_means(store, person=None, project="p")
    with pytest.raises(RatingsError, match="There is no rater 'three'"):
        agreement_of_means(store, person=None, project="p", raters=["three"])
    with pytest.raises(RatingsError, match=r"'choice' is not a criterion with numbers. Criteria with numbers: score"):
        agreement_of_means(store, person=None, project="p", criteria=["choice"])
    with pytest.raises(RatingsError, match="All people count as one rater"):
        agreement_of_means(store, person=None, project="p", raters=["one"])
