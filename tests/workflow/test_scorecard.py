"""Figures about people, against counts made by hand."""

from __future__ import annotations

import csv
import math
from datetime import date

import pytest

from db.engine import Store
from domain.errors import NotAllowed
from domain.roles import Role
from domain.states import Stage
from tests.factories import Clock, claimed, make_items, make_people, make_person, make_project, make_schema
from workflow import scorecard, submit


@pytest.fixture
def clock(store: Store) -> Clock:
    moved = Clock()
    store.clock = moved
    return moved


def _vote(store: Store, person, choice: str | None, seconds: float | None, clock: Clock) -> str:  # type: ignore[no-untyped-def]
    view = claimed(store, person)
    clock.advance(minutes=10)  # longer than anything they say it took
    submit.submit(
        store,
        person=person,
        task=view.id,
        key=f"{view.id}-{clock.now}",
        values={"choice": choice},
        reasons={"choice": "unclear"} if choice is None else {},
        seconds=seconds,
    )
    return view.item


def test_cards_and_pay_are_what_was_done(store: Store, clock: Clock) -> None:
    make_project(store, loaded=make_schema(raters=3))  # two votes settle nothing
    make_items(store, 4)
    lea = make_person(store, "lea", role=Role.LEAD)
    ann, ben = make_people(store, "ann", "ben")
    said = {}
    for number, choice in enumerate(("red", "blue", "red", None)):
        said[_vote(store, ann, choice, 30.0 + number, clock)] = choice  # 30 + 31 + 32 + 33 = 126 s
    theirs = {_vote(store, ben, "red", 60.0, clock): "red" for _ in range(3)}
    # Ben corrects his last one: 30 s more, and no second item.
    again = submit.undo(store, person=ben, project="p", stage=Stage.VERIFICATION)
    clock.advance(minutes=1)
    submit.submit(store, person=ben, task=again.id, key="again", values={"choice": "red"}, seconds=30.0)
    both = [item for item in theirs if said[item] is not None]
    equal = sum(said[item] == "red" for item in both)
    cards = {card.login: card for card in scorecard.scorecards(store, by=lea, project="p")}
    assert sorted(cards) == ["ann", "ben"]
    mine, other = cards["ann"].score, cards["ben"].score
    assert (mine.submissions, mine.corrections, mine.active_minutes) == (4, 0, pytest.approx(126 / 60))
    assert mine.per_hour == pytest.approx(4 / (126 / 3600))
    assert (mine.skips.k, mine.skips.n) == (1, 4)
    assert (mine.peers.k, mine.peers.n) == (other.peers.k, other.peers.n) == (equal, len(both))
    assert (other.submissions, other.corrections, other.active_minutes) == (3, 1, pytest.approx(210 / 60))
    assert math.isnan(mine.settled.value)
    low, high = mine.skips.limits
    assert (low, high) == (pytest.approx(0.0456, abs=1e-4), pytest.approx(0.6994, abs=1e-4))  # Wilson, 1 of 4
    lines = list(csv.DictReader(scorecard.pay_csv(scorecard.pay_sheet(store, by=lea, project="p")).splitlines()))
    assert [(row["login"], row["items"], row["corrections"], row["active_minutes"]) for row in lines] == [
        ("ann", "4", "0", "2.1"),
        ("ben", "3", "1", "3.5"),
    ]
    assert scorecard.pay_sheet(store, by=lea, project="p", since=date(2026, 5, 5)) == []
    assert len(scorecard.pay_sheet(store, by=lea, project="p", since=date(2026, 5, 4), until=date(2026, 5, 4))) == 2
    with pytest.raises(NotAllowed):
        scorecard.scorecards(store, by=ann, project="p")
