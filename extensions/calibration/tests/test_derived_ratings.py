"""Judges next to most of the people, in criteria that follow from others: worked numbers."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from db.engine import Store
from domain.records import Rating
from domain.states import Stage
from extensions.calibration.derived_ratings import MAJORITY, settled_ratings
from extensions.calibration.project_study import study_of
from extensions.calibration.report.calibration import calibration
from reports.content import Figure, ReportTable
from testkit.factories import claimed, make_items, make_person, make_predictions, make_project
from testkit.missing_extensions import needs
from tests.workflow.test_derived_criteria import EACH_HAS_ANOTHER_FAULT, LOADED, PARTS
from workflow.annotate import submissions
from workflow.results.ratings_from_files import import_ratings

PEOPLE = {
    0: EACH_HAS_ANOTHER_FAULT,
    1: ((1, 1, 1), (1, 1, 1), (0, 1, 1)),
    2: ((0, 1, 1), (0, 1, 1), (1, 1, 1)),
    3: ((0, 0, 0), (0, 0, 0), (0, 0, 0)),
    4: ((1, 1, 1), (1, 1, 0), (1, 1, 0)),
    5: ((1, 1, 1), (1, 1, 1), (1, 1, 1)),
}


MOST = (1, 1, 0, 0, 0, 1)
"""Genuine, part by part: what most people say of perception, cognition and action, then all of them."""


JUDGE = ((1, 1, 1), (1, 1, 1), (1, 1, 1), (0, 1, 0), (1, 0, 1), (1, 1, 1))


JUDGED = (1, 1, 1, 0, 0, 1)


@pytest.fixture
def graded(store: Store, tmp_path: Path) -> Store:
    """Six answers that three people graded, and a judge out of a file."""
    make_project(store, loaded=LOADED)
    ids = make_items(store, len(PEOPLE))
    make_predictions(store, ids, models=["m"])
    for number, login in enumerate(("ann", "bob", "cem")):
        person = make_person(store, login)
        for _ in ids:
            task = claimed(store, person, Stage.GRADING)
            at = ids.index(int(str(task.answer).rpartition(" ")[2]))
            values = dict(zip(PARTS, PEOPLE[at][number], strict=True))
            submissions.submit(store, person=person, task=task.id, key=f"{login}-{at}", values=values)
    path = tmp_path / "gpt.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["unit", "rater", "criterion", "value"])
        for at, bits in enumerate(JUDGE):
            rows.writerows([f"colour/{at} · m", "gpt", part, bit] for part, bit in zip(PARTS, bits, strict=True))
    import_ratings(store, by=None, project="p", path=path, refuse=lambda bad: None)
    return store


@needs("readers", "ratings")
@pytest.mark.thorough
@pytest.mark.parametrize("criteria", [None, ["genuine"]])
def test_a_judge_next_to_most_of_the_people(graded: Store, criteria: list[str] | None) -> None:
    study, source = study_of(
        graded,
        person=None,
        project="p",
        stage=Stage.GRADING,
        humans=("ann", "bob", "cem"),
        judges=("gpt",),
        criteria=criteria,
    )
    parts = {part.criterion: part for part in study.slices}
    assert list(parts) == (["genuine"] if criteria else [*PARTS, "genuine", "share"])
    part = parts["genuine"]
    assert part.humans == (MAJORITY,)
    order = [part.table.units.index(f"colour/{at} · m") for at in range(len(MOST))]
    assert part.numbers(MAJORITY)[order].tolist() == list(MOST)
    assert part.numbers("gpt")[order].tolist() == list(JUDGED)
    report = calibration(study, source)
    assert report.humans == ("ann", "bob", "cem")
    tables = [block for section in report.sections for block in section.blocks if isinstance(block, ReportTable)]
    (pairs,) = [table for table in tables if table.key == "judge_pairs"]
    (row,) = [row for row in pairs.rows if row[0] == "genuine" and row[1] == "all"]
    equal, kappa = row[4], row[5]
    assert isinstance(equal, Figure)
    assert isinstance(kappa, Figure)
    # five of six are equal; by chance 1/2 of people's and 4/6 of the judge's: 1/2
    assert equal.value == pytest.approx(5 / 6)
    assert kappa.value == pytest.approx((5 / 6 - 1 / 2) / (1 - 1 / 2))


@needs("readers", "ratings")
def test_a_part_that_could_not_be_read_is_counted(graded: Store) -> None:
    rows = [Rating("u", "ann", part, 1) for part in PARTS] + [
        Rating("u", "gpt", "perception", 1),
        Rating("u", "gpt", "cognition", "no score: truncated"),
        Rating("u", "gpt", "action", 1),
        Rating("u", "llama", "perception", 1),
    ]
    found = settled_ratings(
        LOADED.schema_,
        LOADED.schema_.report.derived[0],
        rows,
        humans=["ann"],
        machines=["gpt", "llama"],
        unparsed=["no score: truncated"],
    )
    assert [(each.rater, each.value) for each in found] == [("gpt", "no score: truncated"), (MAJORITY, 1)]


@needs("readers", "ratings")
@pytest.mark.thorough
def test_kappas_of_judge_and_majority_as_the_paper_lays_them_out(graded: Store) -> None:
    study, source = study_of(
        graded, person=None, project="p", stage=Stage.GRADING, humans=("ann", "bob", "cem"), judges=("gpt",)
    )
    report = calibration(study, source)
    tables = [block for section in report.sections for block in section.blocks if isinstance(block, ReportTable)]
    (table,) = [table for table in tables if table.key == "judge_majority"]
    found = {row[0]: row[4] for row in table.rows if row[1] == "all"}
    assert list(found) == [*PARTS, "genuine", "share"]
    # most people say of perception 1, 1, 0, 0, 1, 1 and the judge 1, 1, 1, 0, 1, 1: 5/6 next to 22/36 by chance;
    # of cognition 1, 1, 1, 0, 1, 1 and 1, 1, 1, 1, 0, 1: 4/6 next to 26/36;
    # of action 1, 1, 1, 0, 0, 1 and 1, 1, 1, 0, 1, 1: 5/6 next to 22/36
    expected = {"perception": 8 / 14, "cognition": -2 / 10, "action": 8 / 14, "genuine": 2 / 3}
    for name, kappa in expected.items():
        told = found[name]
        assert isinstance(told, Figure)
        assert told.value == pytest.approx(kappa)
