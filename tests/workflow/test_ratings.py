"""The long table: the latest word of every person, and what came from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from db.engine import Store
from domain.errors import InvalidFileError, NotAllowedError, NotFoundError
from domain.records import Rating
from domain.roles import Role
from domain.states import Stage
from media.store import MediaStore
from testkit.factories import (
    claimed,
    make_items,
    make_people,
    make_person,
    make_predictions,
    make_project,
    make_schema,
    vote,
)
from testkit.missing_extensions import needs
from workflow.annotate import submissions
from workflow.annotate.authoring import edit_item
from workflow.files.export import exported
from workflow.files.import_files import import_files
from workflow.files.one_import import ImportSummary
from workflow.results.ratings import ratings_of


@pytest.fixture
def media(home: Path) -> MediaStore:
    return MediaStore(home / "media")


def bring(store: Store, media: MediaStore, tmp_path: Path, text: str, *, skip_bad: bool = False) -> ImportSummary:
    path = tmp_path / "ratings.csv"
    path.write_text("unit,rater,criterion,value\n" + text)
    return import_files(store, media, by=None, project="p", format="ratings", path=path, skip_bad=skip_bad)


def test_votes_are_ratings_of_items(store: Store) -> None:
    make_project(store)
    ann, bob = make_people(store, "ann", "bob")
    make_items(store, 1)
    vote(store, ann, "red")
    vote(store, bob, None)
    assert ratings_of(store, project="p", stage=Stage.VERIFICATION) == [
        Rating("colour/0", "ann", "choice", "red", "colour", guideline=1)
    ]
    assert [rating.rater for rating in ratings_of(store, project="p", stage=Stage.VERIFICATION, pseudonyms=True)] == [
        "person-1"
    ]


def test_the_last_word_counts_and_only_on_the_item_as_it_stands(store: Store) -> None:
    make_project(store, loaded=make_schema(raters=3))
    ann, bob = make_people(store, "ann", "bob")
    make_items(store, 1)
    vote(store, ann, "red")
    again = submissions.undo(store, person=ann, project="p", stage=Stage.VERIFICATION)
    submissions.submit(store, person=ann, task=again.id, key="second thoughts", values={"choice": "blue"})
    vote(store, bob, "red")
    values = {rating.rater: rating.value for rating in ratings_of(store, project="p", stage=Stage.VERIFICATION)}
    assert values == {"ann": "blue", "bob": "red"}
    edit_item(store, person=None, project="p", item="colour/0", fields={"question": "Another?"})
    vote(store, ann, "red")
    values = {rating.rater: rating.value for rating in ratings_of(store, project="p", stage=Stage.VERIFICATION)}
    assert values == {"ann": "red"}


def test_grades_are_ratings_of_answers(store: Store) -> None:
    make_project(store)
    (gus,) = make_people(store, "gus")
    make_predictions(store, make_items(store, 1), models=["m", "n"])
    for score in (0.5, 1):
        view = claimed(store, gus, Stage.GRADING)
        submissions.submit(store, person=gus, task=view.id, key=view.id, values={"score": score})
    found = ratings_of(store, project="p", stage=Stage.GRADING)
    assert {rating.unit for rating in found} == {"colour/0 · m", "colour/0 · n"}
    assert {rating.value for rating in found} == {0.5, 1}


@needs("readers", "ratings")
def test_ratings_from_files_stand_next_to_those_of_people(store: Store, media: MediaStore, tmp_path: Path) -> None:
    make_project(store)
    make_items(store, 1)
    text = "colour/0,x,choice,red\ncolour/0 · m,judge,score,0.50\nelsewhere,x,choice,7\n"
    assert bring(store, media, tmp_path, text) == ImportSummary(ratings=3)
    assert bring(store, media, tmp_path, text) == ImportSummary(repeated=3)
    assert ratings_of(store, project="p", stage=Stage.VERIFICATION) == [
        Rating("colour/0", "x", "choice", "red", "colour"),
        Rating("elsewhere", "x", "choice", "7"),
    ]
    assert ratings_of(store, project="p", stage=Stage.GRADING) == [
        Rating("colour/0 · m", "judge", "score", 0.5, "colour")
    ]
    assert exported(store, by=None, project="p", format="ratings").files["ratings.csv"].decode() == (
        "unit,rater,criterion,value,dimension\n"
        "colour/0,x,choice,red,colour\n"
        "elsewhere,x,choice,7,\n"
        "colour/0 · m,judge,score,0.5,colour\n"
    )


@needs("readers", "ratings")
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a,x,beauty,1", "no criterion 'beauty'; its criteria: choice, score"),
        ("a,x,score,2", "score is 2, not one of 0, 0.5, 1"),
        ("a,x,score,good", "score is 'good', not one of 0, 0.5, 1"),
        ("b,x,score,1", "x has already rated score of b as 0"),
    ],
)
def test_ratings_that_do_not_fit_are_named(
    store: Store, media: MediaStore, tmp_path: Path, line: str, reason: str
) -> None:
    make_project(store)
    bring(store, media, tmp_path, "b,x,score,0\n")
    with pytest.raises(InvalidFileError, match=rf"row 3: .*{reason}"):
        bring(store, media, tmp_path, f"c,x,score,1\n{line}\n")
    done = bring(store, media, tmp_path, f"c,x,score,1\n{line}\n", skip_bad=True)
    assert (done.ratings, [bad.row for bad in done.bad]) == (1, [3])


def test_ratings_are_for_leads_and_of_stages_that_are_there(store: Store) -> None:
    make_project(store)
    ann, eve = make_person(store, "ann"), make_person(store, "eve", project=None)
    lea = make_person(store, "lea", role=Role.LEAD)
    with pytest.raises(NotAllowedError):
        ratings_of(store, project="p", stage=Stage.VERIFICATION, by=ann)
    with pytest.raises(NotFoundError):
        ratings_of(store, project="p", stage=Stage.VERIFICATION, by=eve)
    with pytest.raises(NotFoundError, match="Its stages: verification, grading"):
        ratings_of(store, project="p", stage=Stage.TRIAGE, by=lea)
    assert ratings_of(store, project="p", stage=Stage.VERIFICATION, by=lea) == []
