"""The calibration report of a project: who counts as a person."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from db.engine import Store
from domain.errors import RatingsError
from domain.states import Stage
from extensions.calibration.project_study import raters_of, study_of
from extensions.calibration.report.calibration import calibration
from extensions.calibration.report.study import Study
from extensions.calibration.report.whole import RatingSource
from testkit.factories import make_project
from testkit.missing_extensions import needs
from tests.workflow.test_rater_agreement import graded
from workflow.results.ratings import ratings_of
from workflow.results.ratings_from_files import import_ratings

pytestmark = needs("readers", "ratings")


@pytest.fixture
def judged(store: Store, tmp_path: Path) -> Store:
    """Four answers that two people and, from a file, two more raters graded."""
    make_project(store)
    graded(store)
    units = list(dict.fromkeys(row.unit for row in ratings_of(store, project="p", stage=Stage.GRADING)))
    path = tmp_path / "ratings.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["unit", "rater", "criterion", "value"])
        writer.writerows([unit, rater, "score", 0.5] for unit in units for rater in ("gpt", "eve"))
    done = import_ratings(store, by=None, project="p", path=path, refuse=lambda bad: None)
    assert (done.new, done.bad) == (8, [])
    return store


def asked(
    store: Store, humans: tuple[str, ...], judges: tuple[str, ...], vouched: tuple[str, ...] = ()
) -> tuple[Study, RatingSource]:
    return study_of(store, person=None, project="p", stage=Stage.GRADING, humans=humans, judges=judges, vouched=vouched)


def test_a_report_of_a_project(judged: Store) -> None:
    study, source = asked(judged, ("ann", "bob"), ("gpt",))
    assert study.left_aside == {"eve": 4}
    assert (source.what, len(source.sha256)) == ("project", 64)
    assert {about.model for about in study.about.values()} >= {"m"}
    report = calibration(study, source)
    (part,) = study.slices
    assert part.table.scale.level == "ordinal"  # as the schema declares it
    assert part.table.clusters is not None
    assert report.humans == ("ann", "bob")
    assert asked(judged, ("ann", "bob"), ("gpt",))[1] == source


def test_a_machine_among_the_people_is_refused(judged: Store) -> None:
    with pytest.raises(RatingsError, match="gpt has no account on this server, because these ratings came from a file"):
        asked(judged, ("ann", "gpt"), ("eve",))


def test_a_person_whose_ratings_came_from_a_file_is_vouched_for(judged: Store) -> None:
    study, _ = asked(judged, ("ann", "bob", "eve"), ("gpt",), vouched=("eve",))
    assert study.humans == ("ann", "bob", "eve")
    with pytest.raises(RatingsError, match="gpt has no account on this server"):
        asked(judged, ("ann", "eve", "gpt"), (), vouched=("eve",))


def test_a_person_is_no_judge(judged: Store) -> None:
    with pytest.raises(RatingsError, match="bob gave ratings with an account on this server"):
        asked(judged, ("ann",), ("bob",))


def test_names_no_one_has(judged: Store) -> None:
    with pytest.raises(RatingsError, match=r"but no rater has this name\. Choose from: ann, bob, eve, gpt"):
        asked(judged, ("ann", "carl"), ("gpt",))
    raters = raters_of(judged, person=None, project="p", stage=Stage.GRADING)
    assert (list(raters.people), list(raters.from_files)) == (["ann", "bob"], ["eve", "gpt"])
