"""The dashboard says who is at work and what blocks a stage: what people did, counted here."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.overview import waiting
from db.engine import Store
from domain.item_counts import ItemCounts
from domain.records import Blocker, DimensionProgress
from domain.roles import Role
from domain.states import ItemState, Stage
from testkit.factories import Clock, claimed, make_items, make_person, make_project, vote
from tests.app.screens import drawn, part, rows, text, words
from workflow.access import accounts

pytestmark = pytest.mark.thorough


def test_people_are_listed_with_what_they_did(store: Store, home: Path) -> None:
    make_project(store)
    make_items(store, 8)
    make_person(store, "lea", role=Role.LEAD)
    ann, ben = (make_person(store, login, stages=[Stage.VERIFICATION]) for login in ("ann", "ben"))
    store.clock = clock = Clock()
    for _ in range(6):
        vote(store, ann)
    clock.advance(days=4)
    for _ in range(2):
        vote(store, ben)
    claimed(store, ben)
    told = {
        row["Person"].split()[-1]: row for row in rows(drawn(store, home, "overview", "lea", project="p"), "Last seen")
    }
    columns = ("Today", "7 days", "In hand", "Drafts", "Expired")
    assert {login: [row[name] for name in columns] for login, row in told.items()} == {
        "ann": ["0", "6", "0", "0", "0"],
        "ben": ["2", "2", "1", "0", "0"],
        "lea": ["0", "0", "0", "0", "0"],
    }
    assert (told["lea"]["Last seen"], told["ben"]["Last seen"]) == ("-", "now")


def test_what_blocks_a_stage_is_said_until_it_is_mended(store: Store, home: Path) -> None:
    """First too few may verify; then, as those two do not agree, no one may settle."""
    make_project(store)
    make_items(store, 2)
    accounts.create_person(store, login="lea", name="Lea", is_admin=True)  # no member, who could verify or settle
    people = [make_person(store, "ann", stages=[Stage.VERIFICATION])]

    def blocks() -> str:
        test = drawn(store, home, "overview", "lea", project="p")
        return part(test, "waiting") if 'data-part="waiting"' in words(test) else ""

    assert "2 items wait for 2 votes, but only 1 person may vote" in blocks()
    people.append(make_person(store, "ben", stages=[Stage.VERIFICATION]))
    assert "votes" not in blocks()
    for person, choice in zip(people, ("red", "blue"), strict=True):
        for _ in range(2):
            vote(store, person, choice)
    assert "2 items wait for a senior, but this project has none" in blocks()
    make_person(store, "sam", role=Role.SENIOR)
    assert "this project has none" not in blocks()
    assert "2 items wait for a decision by a senior." in blocks()


def test_what_blocks_many_dimensions_is_said_once_with_each_of_them() -> None:
    stuck = [Blocker(n, "item waits", "items wait", rest=" for a senior.") for n in range(1, 41)]
    lines = [progress(f"d{each.n}", each) for each in stuck]
    media = (
        ("items wait for missing media", ": 3 images", ". Import."),
        ("items wait for missing media", "", ". Import."),
    )
    lines += [progress(f"<b>{at}", Blocker(2, "", many, detail, rest)) for at, (many, detail, rest) in enumerate(media)]
    said = waiting.table(waiting.blocked(lines, project="p"))
    assert text(said).count("wait") == 2
    assert f"{sum(range(1, 41))} items wait for a senior." in text(said)
    assert text(said).endswith("4 items wait for missing media. Import.<b>0 2: 3 images, <b>1 2Add people")
    assert f"and {40 - waiting.FIRST} more dimensions" in text(said)
    assert all(f">d{n}</a> {n}" in said for n in range(1, 41))
    assert waiting.blocked([progress("d")], project="p") == []
    assert (
        text(waiting.table(waiting.blocked(lines[:1], project="p"))) == "Blocking1 item waits for a senior.d1Add people"
    )


def progress(title: str, *stuck: Blocker) -> DimensionProgress:
    """A line of the dashboard."""
    return DimensionProgress(title, title, ItemCounts({ItemState.IN_VERIFICATION: 9}), stuck)
