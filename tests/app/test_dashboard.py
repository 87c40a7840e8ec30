"""The dashboard says when a stage may be done, who is at it and what blocks it: what people did, counted here."""

from __future__ import annotations

import math
from datetime import timedelta
from pathlib import Path

import pytest

from app.views import dashboard
from db.engine import Store
from domain.records import Blocker, DimensionProgress
from domain.roles import Role
from domain.states import ItemState, Stage
from testkit.factories import Clock, claimed, make_items, make_person, make_project, vote
from tests.app.screens import drawn, part, rows, text, words
from workflow.access import accounts

pytestmark = pytest.mark.thorough

N_ITEMS = 8


def test_the_finish_is_worked_out_from_the_days(store: Store, home: Path) -> None:
    make_project(store)
    make_items(store, N_ITEMS)
    make_person(store, "lea", role=Role.LEAD)
    ann, ben = (make_person(store, login, stages=[Stage.VERIFICATION]) for login in ("ann", "ben"))
    store.clock = clock = Clock()
    for n, days in ((1, 1), (3, 2)):
        for _ in range(n):
            vote(store, ann)
        clock.advance(days=days)
    early = drawn(store, home, "dashboard", "lea", project="p")
    assert part(early, "finish", stage="verification") == "-"
    assert "No forecast: 2 days with work" in words(early)
    assert "No item has two votes yet." in words(early)
    for _ in range(2):
        vote(store, ann)
    clock.advance(days=1)
    # She worked four, three and one days ago: on three of the four days before today, 1, 3 and 2 tasks.
    for _ in range(2):
        vote(store, ben)  # today, which is not over
    claimed(store, ben)
    left = 2 * N_ITEMS - 1 - 3 - 2 - 2
    best, worst = math.ceil(math.ceil(left / 3) * 4 / 3), math.ceil(math.ceil(left / 1) * 4 / 3)
    today = clock.now.date()
    later = drawn(store, home, "dashboard", "lea", project="p")
    said = part(later, "finish", stage="verification")
    assert said == f"{today + timedelta(best - 1)} and {today + timedelta(worst)}"
    assert part(later, "left") == f"{left} votes are left."
    told = {row["Person"].split()[-1]: row for row in rows(later, "Last seen")}
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
        test = drawn(store, home, "dashboard", "lea", project="p")
        return part(test, "blocked") if 'data-part="blocked"' in words(test) else ""

    assert "2 items wait for 2 votes, but only 1 person may verify here" in blocks()
    people.append(make_person(store, "ben", stages=[Stage.VERIFICATION]))
    assert "votes" not in blocks()
    for person, choice in zip(people, ("red", "blue"), strict=True):
        for _ in range(2):
            vote(store, person, choice)
    assert "2 items wait for a senior, and no one here is one" in blocks()
    make_person(store, "sam", role=Role.SENIOR)
    assert "senior" not in blocks()


def test_what_blocks_many_dimensions_is_said_once_with_each_of_them() -> None:
    stuck = [Blocker(n, "item waits", "items wait", rest=" for a senior.") for n in range(1, 41)]
    lines = [progress(f"d{each.n}", each) for each in stuck]
    media = (
        ("items wait for missing media", ": 3 images", ". Import."),
        ("items wait for missing media", "", ". Import."),
    )
    lines += [progress(f"<b>{at}", Blocker(2, "", many, detail, rest)) for at, (many, detail, rest) in enumerate(media)]
    said = dashboard.blocked(lines, project="p")
    assert text(said).count("wait") == 2
    assert f"{sum(range(1, 41))} items wait for a senior." in text(said)
    assert text(said).endswith("4 items wait for missing media. Import.<b>0 2: 3 images, <b>1 2")
    assert f"and {40 - dashboard.FIRST} more dimensions" in text(said)
    assert all(f">d{n}</a> {n}" in said for n in range(1, 41))
    assert dashboard.blocked([progress("d")], project="p") == ""
    assert text(dashboard.blocked(lines[:1], project="p")) == "1 item waits for a senior.d1"


def progress(title: str, *stuck: Blocker) -> DimensionProgress:
    """A line of the dashboard."""
    return DimensionProgress(title, title, None, 9, {ItemState.IN_VERIFICATION: 9}, stuck=stuck)
