"""Boxes and marks among the ratings: they come in and go out whole. Boxes are compared by overlap, and no one makes a
coefficient of them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db.engine import Store
from domain.errors import RatingsError
from domain.records import BadRow
from domain.states import Stage
from exporters.tables import ratings_csv
from testkit.factories import make_project
from testkit.missing_extensions import needs
from workflow.results.rater_agreement import agreement_of, measurable_ratings
from workflow.results.ratings import ratings_of
from workflow.results.ratings_from_files import import_ratings

BOXES = [
    {"label": "cup", "x": 0.123457, "y": 0.0, "w": 0.3, "h": 1.0},
    {"label": "hand", "x": 0, "y": 0, "w": 1, "h": 1},
]
WITHOUT_CUP = BOXES[1:]
MARKS = [{"number": 2, "x": 0.5, "y": 0.25, "image": 3}]


def table(folder: Path, rows: Sequence[tuple[str, str, str, str]]) -> Path:
    out = io.StringIO(newline="")
    csv.writer(out).writerows([("unit", "rater", "criterion", "value"), *rows])
    path = folder / "ratings.csv"
    path.write_text(out.getvalue(), encoding="utf-8")
    return path


def bring_in(store: Store, project: str, path: Path) -> tuple[int, Sequence[BadRow]]:
    done = import_ratings(store, by=None, project=project, path=path, refuse=lambda bad: None)
    return done.new, done.bad


@needs("readers", "ratings")
def test_what_is_drawn_comes_in_and_goes_out_whole(store: Store, tmp_path: Path) -> None:
    project = make_project(store, loaded=load_schema(shipped()["tour"]))
    rows = [
        ("one", "ann", "objects", json.dumps(BOXES)),
        ("one", "ann", "spots", json.dumps(MARKS)),
        ("one", "ann", "fits", "yes"),
        ("one", "bob", "objects", "[]"),
        ("one", "bob", "fits", "no"),
    ]
    assert bring_in(store, project, table(tmp_path, rows)) == (5, [])
    out = ratings_csv(ratings_of(store, project=project, stage=Stage.VERIFICATION))
    back = {
        (row["rater"], row["criterion"]): row["value"] for row in csv.DictReader(io.StringIO(out.decode(), newline=""))
    }
    assert json.loads(back["ann", "objects"]) == BOXES
    assert json.loads(back["ann", "spots"]) == MARKS
    assert json.loads(back["bob", "objects"]) == []
    assert (back["ann", "fits"], back["bob", "fits"]) == ("yes", "no")


@needs("readers", "ratings")
@pytest.mark.parametrize(
    ("criterion", "value", "reason"),
    [
        ("objects", '[{"label": "cup", "x": 0.5, "y": 0, "w": 0.6, "h": 0.1}]', "extends beyond the image"),
        (
            "objects",
            '[{"label": "mug", "x": 0, "y": 0, "w": 0.6, "h": 0.1}]',
            "is not allowed; use one of cup, plate, hand",
        ),
        ("objects", "a cup", "is not valid JSON"),
        ("objects", '[{"label": "cup", "x": NaN, "y": 0, "w": 0.6, "h": 0.1}]', "`x` must be a number"),
        ("spots", "[]", "At least 1 mark is needed"),
    ],
)
def test_what_does_not_fit_is_left_out_with_a_reason(
    criterion: str, value: str, reason: str, store: Store, tmp_path: Path
) -> None:
    project = make_project(store, loaded=load_schema(shipped()["tour"]))
    new, bad = bring_in(store, project, table(tmp_path, [("one", "ann", criterion, value)]))
    assert new == 0
    assert len(bad) == 1
    assert reason in bad[0].reason


@needs("readers", "ratings")
def test_agreement_compares_boxes_by_overlap_and_says_why_not_marks(store: Store, tmp_path: Path) -> None:
    project = make_project(store, loaded=load_schema(shipped()["tour"]))
    rows = [
        (unit, rater, criterion, value)
        for unit in ("one", "two", "three")
        for rater in ("ann", "bob")
        for criterion, value in (
            ("objects", json.dumps(BOXES if rater == "ann" else WITHOUT_CUP if unit == "one" else BOXES[::-1])),
            ("spots", json.dumps(MARKS)),
            ("fits", "no" if unit == "two" else "yes"),
        )
    ]
    assert bring_in(store, project, table(tmp_path, rows)) == (18, [])
    found = agreement_of(store, person=None, project=project, stage=Stage.VERIFICATION)
    assert {result.criterion for result in found} == {"fits", "objects"}
    # Of the first, one match of one box and two, 2 / 3; of the others all boxes match, in whatever order they are.
    values = {each.statistic: (each.value, each.n_units) for each in found if each.criterion == "objects"}
    assert values == {"box_f1": (pytest.approx((2 / 3 + 1 + 1) / 3), 3), "box_iou": (1.0, 3)}
    assert all("not corrected for chance" in each.as_json()["caution"] for each in found if each.criterion == "objects")
    assert not any("caution" in each.as_json() for each in found if each.criterion == "fits")
    with pytest.raises(RatingsError, match="'spots' has no statistic: marks of two people can match in several ways"):
        agreement_of(store, person=None, project=project, stage=Stage.VERIFICATION, criteria=["spots"])
    for_judges, scales = measurable_ratings(store, person=None, project=project, stage=Stage.VERIFICATION)
    assert {row.criterion for row in for_judges} == set(scales) == {"fits"}, "a judge is calibrated by coefficients"
