"""How many items are left to write is one number on every page that shows it: worked out here by hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from annotation_schemas.loader import load_text
from annotation_schemas.model import LoadedSchema
from app.views import my_work
from db.engine import Store
from domain.records import Person
from domain.roles import Role
from domain.states import Stage
from testkit.factories import BLIND, make_fields, make_items, make_people, make_person, make_pool, make_project, vote
from tests.app.screens import drawn, part, rows, words
from workflow.access.projects import access_to
from workflow.access.written_items import WrittenItems, count_written
from workflow.annotate import image_pool, submissions

pytestmark = pytest.mark.thorough

WANTED = 30


def schema() -> LoadedSchema:
    text = BLIND.replace("RATERS", "1").replace("PER_SOURCE", "9").replace("ADJUDICATION", "none")
    return load_text(text.replace("wanted: 4", f"wanted: {WANTED}"), "Be exact.", "blind")


def begun(store: Store, person: Person, free: list[str]) -> str:
    """Begin an item; its task."""
    return image_pool.pick(store, person=person, project="p", dimension="colour", assets=[free.pop()]).id


@pytest.fixture
def half_written(store: Store) -> Store:
    """Of 30 items 6 are written (2 rejected, 1 kept, 1 taken back to correct), 3 are in progress; 9 images are free."""
    make_project(store, loaded=schema())
    make_person(store, "lea", role=Role.LEAD)
    ann, amy, bob = make_people(store, "ann", "amy", "bob")
    free = make_pool(store, 13)
    make_items(store, 5)
    for choice in ("blue", "blue", "red"):  # the key is red
        vote(store, bob, choice)
    task = begun(store, ann, free)
    submissions.submit(store, person=ann, task=task, key=task, values=make_fields(1))
    submissions.undo(store, person=ann, project="p", stage=Stage.AUTHORING, task=task)
    for person in (ann, ann, amy):
        begun(store, person, free)
    return store


def test_every_page_shows_the_same_number_of_items_left_to_write(half_written: Store, home: Path) -> None:
    left = WANTED - (6 - 2)

    board = drawn(half_written, home, "overview", "lea", project="p")
    assert f"6 items written of 30 wanted · {left} left to write · 3 in progress · 1 kept · 2 rejected" in part(
        board, "summary"
    )
    dimension = next(each for each in rows(board, "Left to write") if each["Dimension"] == "Colour")
    assert (dimension["Written"], dimension["Wanted"], dimension["Left to write"]) == ("6", "30", str(left))
    widths = [float(width) for width in re.findall(r'<i class="\w+" style="width:([\d.]+)%"', words(board))]
    assert sum(widths[:3]) == pytest.approx(100 * 6 / (6 + left), abs=0.01), "the empty part of the bar is what is left"
    assert f"{left} items are left to write, but the pool has 9 free images" in part(board, "blocked")
    items = next(each for each in rows(drawn(half_written, home, "release", "lea", project="p"), "How it stands"))
    assert items["How it stands"].endswith(f" and {left} are left to write.")


def test_what_an_author_can_write_now_has_words_of_its_own(half_written: Store, home: Path) -> None:
    # 26 are left, 3 of them begun: of the other 23, images are free for 9; ann has 2 and a correction in hand
    assert re.findall(r"\d+ items you can write now", words(drawn(half_written, home, "my_work", "ann"))) == [
        "12 items you can write now"
    ]
    assert my_work.NOUN[Stage.AUTHORING] == ("item you can write now", "items you can write now")
    with half_written.read() as session:
        counts = count_written(session, access=access_to(session, person=None, project="p"))
    assert counts["colour"] == WrittenItems(wanted=30, written=6, rejected=2, in_progress=3)
    assert (counts["colour"].left, counts["colour"].to_begin) == (26, 23)
    assert (counts["shape"].left, counts["shape"].to_begin) == (0, 0), "no number is wanted"


@pytest.mark.parametrize(
    ("counts", "left", "to_begin"),
    [
        (WrittenItems(wanted=10, written=0, rejected=0, in_progress=0), 10, 10),
        (WrittenItems(wanted=10, written=12, rejected=1, in_progress=0), 0, 0),
        (WrittenItems(wanted=10, written=9, rejected=0, in_progress=3), 1, 0),
        (WrittenItems(wanted=None, written=9, rejected=3, in_progress=1), 0, 0),
    ],
)
def test_nothing_is_left_below_zero(counts: WrittenItems, left: int, to_begin: int) -> None:
    assert (counts.left, counts.to_begin) == (left, to_begin)
